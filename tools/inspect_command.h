// `callbridge inspect`: says what files are, without running any code of them.
#ifndef CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_
#define CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_

#include <string>
#include <vector>

#include "callbridge/tools/exit_status.h"

namespace CLI {
class App;
}

namespace callbridge {

struct InspectOptions {
  std::vector<std::string> files;
  bool json = false;
  bool probe = false;
};

// Adds the subcommand `inspect`, which parses into `options`; they must outlive the app.
CLI::App* AddInspectCommand(CLI::App* app, InspectOptions* options);

// Prints what each file is. kFailure if one of them could not be inspected; the others are.
ExitStatus RunInspect(const InspectOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_
