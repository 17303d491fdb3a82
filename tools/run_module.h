// `callbridge run` on an HLO module.
#ifndef CALLBRIDGE_TOOLS_RUN_MODULE_H_
#define CALLBRIDGE_TOOLS_RUN_MODULE_H_

#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/run_command.h"

namespace callbridge {

// Runs the module `options.file` on the operands, of which the command line's TARGET is the first,
// and prints what it returned.
ExitStatus RunModule(const RunOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RUN_MODULE_H_
