// `callbridge inspect`: describes files without running their code.
#ifndef CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_
#define CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_

#include <string>
#include <vector>

#include "callbridge/tools/standard_files.h"

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

// Prints a description of each file. Returns kFailure if one could not be inspected; inspects the
// others.
ExitStatus RunInspect(const InspectOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECT_COMMAND_H_
