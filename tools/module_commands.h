// `callbridge show` and `callbridge upgrade`, which convert HLO modules between forms, and
// `callbridge run` on a module.
#ifndef CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_
#define CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/client/callbridge_module.h"
#include "callbridge/tools/run_command.h"
#include "callbridge/tools/standard_files.h"

namespace CLI {
class App;
}

namespace callbridge {

// The command line of `show` and of `upgrade`.
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

// Writes the module, as it is or upgraded, in the requested form. A program that only MLIR reads is
// upgraded by Python (CALLBRIDGE_PYTHON, or else python3 in PATH), which replaces this process; and
// so for `lists`, since only Python can ask JAX.
ExitStatus RunShow(const ModuleOptions& options);
ExitStatus RunUpgrade(const ModuleOptions& options);

// Runs the module `options.file` and prints what it returned. The command line's TARGET is the
// first operand.
ExitStatus RunModule(const RunOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MODULE_COMMANDS_H_
