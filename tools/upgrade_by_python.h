// `callbridge upgrade` of programs that only MLIR reads: a Python with JAX does it.
#ifndef CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
#define CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_

#include "absl/strings/string_view.h"
#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/module_commands.h"

namespace callbridge {

// True if `bytes` begin as StableHLO text, as MLIR's bytecode or as what jax.export serializes,
// none of which a module of HLO does.
bool IsStableHlo(absl::string_view bytes);

// Becomes that Python, with `bytes`, which are the file's, as its standard input:
// CALLBRIDGE_PYTHON, or else the python3 in PATH. Returns only where it cannot be started, and for
// forms that MLIR does not write.
ExitStatus UpgradeByPython(absl::string_view bytes, const ModuleOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
