// callbridge: runs XLA custom calls of any age without XLA.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/tools/audit_command.h"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/guarded_main.h"
#include "callbridge/tools/inspect_command.h"
#include "callbridge/tools/layout/layout_command.h"
#include "callbridge/tools/migrate_command.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/module_program.h"
#include "callbridge/tools/run_command.h"
#include "callbridge/tools/standard_output.h"

namespace {

// Prints what --help or --version asks for.
callbridge::ExitStatus PrintHelp(const CLI::App& app, const CLI::ParseError& asked) {
  std::ostringstream text;
  app.exit(asked, text);
  const absl::Status printed = callbridge::PrintToStandardOutput(text.str());
  return printed.ok() ? callbridge::kSuccess : callbridge::Failure(printed);
}

// Returns an error if the subcommand is not known, else "". For that, and for an unknown option in
// its place, CLI11 only says that a subcommand is required.
std::string FindSubcommandError(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || app.get_option_no_throw(argv[1]) != nullptr) return "";
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    names.push_back(subcommand->get_name());
  }
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
  return absl::StrCat("expected a subcommand (", absl::StrJoin(names, ", "), "), found ", argv[1],
                      " (see --help)");
}

int RunCommandLine(int argc, char** argv) {
  CLI::App app("Runs XLA custom calls of any age without XLA.", "callbridge");
  app.set_version_flag("--version", "callbridge " CALLBRIDGE_VERSION);
  app.require_subcommand(1);
  callbridge::RunOptions options;
  callbridge::AddRunCommand(&app, &options);
  callbridge::InspectOptions inspect_options;
  const CLI::App* inspect = callbridge::AddInspectCommand(&app, &inspect_options);
  callbridge::AuditOptions audit_options;
  const CLI::App* audit = callbridge::AddAuditCommand(&app, &audit_options);
  callbridge::LayoutOptions layout_options;
  const CLI::App* layout = callbridge::AddLayoutCommand(&app, &layout_options);
  callbridge::ModuleOptions show_options;
  const CLI::App* show = callbridge::AddShowCommand(&app, &show_options);
  callbridge::ModuleOptions upgrade_options;
  const CLI::App* upgrade = callbridge::AddUpgradeCommand(&app, &upgrade_options);
  const CLI::App* migrate = callbridge::AddMigrateCommand(&app);
  if (const std::string wrong = FindSubcommandError(app, argc, argv); !wrong.empty()) {
    return callbridge::UsageError(wrong);
  }
  if (argc > 1 && migrate->get_name() == argv[1]) {
    return callbridge::RunMigrate({argv + 2, argv + argc});
  }
  try {
    callbridge::ParseCommandLine(&app, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return PrintHelp(app, error);
    return callbridge::UsageError(absl::StrCat(error.what(), " (see --help)"));
  }
  if (inspect->parsed()) return callbridge::RunInspect(inspect_options);
  if (audit->parsed()) return callbridge::RunAudit(audit_options);
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
