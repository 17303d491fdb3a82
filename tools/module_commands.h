// `callbridge show` and `callbridge upgrade`: convert HLO modules between forms.
#ifndef CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_
#define CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/client/callbridge_module.h"
#include "callbridge/tools/exit_status.h"

namespace CLI {
class App;
}

namespace callbridge {

// The command line of either.
struct ModuleOptions {
  std::string file;
  int32_t form = CALLBRIDGE_MODULE_HLO_TEXT;
  std::string output = "-";  // standard output
  // Of `callbridge upgrade`: to list the calls instead, and who has their targets.
  bool lists = false;
  std::vector<std::string> libraries;
};

// Adds the subcommand, which parses into `options`; they must outlive the app.
CLI::App* AddShowCommand(CLI::App* app, ModuleOptions* options);
CLI::App* AddUpgradeCommand(CLI::App* app, ModuleOptions* options);

// Writes the module, as it is or upgraded, in the requested form.
ExitStatus RunShow(const ModuleOptions& options);
ExitStatus RunUpgrade(const ModuleOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_
