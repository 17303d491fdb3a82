// `callbridge upgrade` of programs that only MLIR reads: runs a Python with JAX.
#ifndef CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
#define CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_

#include "absl/strings/string_view.h"
#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/module_commands.h"

namespace callbridge {

// Returns true if `bytes` begin as StableHLO text, as MLIR's bytecode or as what jax.export
// serializes. No HLO module begins so.
bool IsStableHlo(absl::string_view bytes);

// Replaces this process by Python (CALLBRIDGE_PYTHON, or else python3 in PATH), with the file's
// `bytes` as standard input. Returns only if it cannot be started, or for a form that MLIR does not
// write.
ExitStatus UpgradeByPython(absl::string_view bytes, const ModuleOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
