// `callbridge run` on an HLO module.
#ifndef CALLBRIDGE_TOOLS_RUN_MODULE_H_
#define CALLBRIDGE_TOOLS_RUN_MODULE_H_

#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/run_command.h"

namespace callbridge {

// Runs the module `options.file` and prints what it returned. The command line's TARGET is the
// first operand.
ExitStatus RunModule(const RunOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RUN_MODULE_H_
