// `callbridge upgrade` of programs that only MLIR reads, and its --list: runs a Python with JAX.
#ifndef CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
#define CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/module_file.h"

namespace callbridge {

// Returns true if `bytes` begin as StableHLO text, as MLIR's bytecode or as what jax.export
// serializes. No HLO module begins so.
bool IsStableHlo(absl::string_view bytes);

// Replaces this process by Python (CALLBRIDGE_PYTHON, or else python3 in PATH), with the file's
// `bytes` as standard input. Returns only if it cannot be started, or for a form that MLIR does not
// write.
ExitStatus UpgradeByPython(absl::string_view bytes, const ModuleOptions& options);

// Same, to list these calls of an HLO module, and who has their targets: only Python can ask JAX.
ExitStatus ListByPython(const std::vector<CustomCall>& calls, const ModuleOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_UPGRADE_BY_PYTHON_H_
