// callbridge: runs XLA custom calls of any age without XLA.
#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/guarded_main.h"
#include "callbridge/tools/inspect_command.h"
#include "callbridge/tools/layout/layout_command.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/module_program.h"
#include "callbridge/tools/run_command.h"

namespace {

int RunCommandLine(int argc, char** argv) {
  CLI::App app("Runs XLA custom calls of any age without XLA.", "callbridge");
  app.set_version_flag("--version", "callbridge " CALLBRIDGE_VERSION);
  app.require_subcommand(1);
  callbridge::RunOptions options;
  callbridge::AddRunCommand(&app, &options);
  callbridge::InspectOptions inspect_options;
  const CLI::App* inspect = callbridge::AddInspectCommand(&app, &inspect_options);
  callbridge::LayoutOptions layout_options;
  const CLI::App* layout = callbridge::AddLayoutCommand(&app, &layout_options);
  callbridge::ModuleOptions show_options;
  const CLI::App* show = callbridge::AddShowCommand(&app, &show_options);
  callbridge::ModuleOptions upgrade_options;
  const CLI::App* upgrade = callbridge::AddUpgradeCommand(&app, &upgrade_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return callbridge::UsageError(absl::StrCat(error.what(), " (see --help)"));
  }
  if (inspect->parsed()) return callbridge::RunInspect(inspect_options);
  if (layout->parsed()) return callbridge::RunLayout(layout_options);
  if (show->parsed() || upgrade->parsed() || !callbridge::IsLibrary(options.file)) {
    return callbridge::BecomeModuleProgram(argv);
  }
  return callbridge::Run(options);
}

}  // namespace

int main(int argc, char** argv) {
  return callbridge::GuardedMain([=] { return RunCommandLine(argc, argv); });
}
