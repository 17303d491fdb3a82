// callbridge-module: what `callbridge run MODULE`, `show` and `upgrade` become (main.cc).
#include "CLI/CLI.hpp"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/guarded_main.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/run_command.h"
#include "callbridge/tools/standard_files.h"

namespace {

int RunCommandLine(int argc, char** argv) {
  CLI::App app("", "callbridge");
  app.require_subcommand(1);
  callbridge::RunOptions options;
  callbridge::AddRunCommand(&app, &options);
  callbridge::ModuleOptions show_options;
  const CLI::App* show = callbridge::AddShowCommand(&app, &show_options);
  callbridge::ModuleOptions upgrade_options;
  const CLI::App* upgrade = callbridge::AddUpgradeCommand(&app, &upgrade_options);
  try {
    callbridge::ParseCommandLine(&app, argc, argv);
  } catch (const CLI::ParseError& error) {
    return callbridge::UsageError(error.what());
  }
  if (show->parsed()) return callbridge::RunShow(show_options);
  if (upgrade->parsed()) return callbridge::RunUpgrade(upgrade_options);
  return callbridge::RunModule(options);
}

}  // namespace

int main(int argc, char** argv) {
  return callbridge::GuardedMain([=] { return RunCommandLine(argc, argv); });
}
