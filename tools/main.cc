// callbridge: runs XLA custom calls of any age without XLA.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/nearest_name.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/command_table.h"
#include "callbridge/tools/completion.h"
#include "callbridge/tools/guarded_main.h"
#include "callbridge/tools/inspect_command.h"
#include "callbridge/tools/layout/layout_command.h"
#include "callbridge/tools/manual.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/python_command_line.h"
#include "callbridge/tools/python_program.h"
#include "callbridge/tools/run_command.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {
namespace {

// Prints what --help or --version asks for.
ExitStatus PrintHelp(const CLI::App& app, const CLI::ParseError& asked) {
  std::ostringstream text;
  app.exit(asked, text);
  const absl::Status printed = PrintToStandardOutput(text.str());
  return printed.ok() ? kSuccess : Failure(printed);
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
                      DidYouMean(argv[1], names), " (see --help)");
}

// ---- Subcommands that are Python programs

// Python reads their words. They have arguments here for completion and the manual page alone.
struct PythonCommand {
  const char* name;
  const char* description;
  const char* module;  // of python/callbridge, whose main() has the words behind the name
  const char* needs;   // a Python that runs it
};
constexpr PythonCommand kAudit = {
    "audit",
    "Says on which releases of jaxlib the custom calls of a wheel, a folder or a library run, and "
    "where its Requires-Dist admits others",
    "_audit", "Python with packaging"};
constexpr PythonCommand kMigrate = {
    "migrate", "Migrates the C++ and Python sources of custom calls to typed FFI and jax.ffi",
    "migrate", "Python with libclang and libcst"};
constexpr PythonCommand kNew = {
    "new", "Writes a Python package with a handler, its test and its CI, for each build system",
    "_command._new", "Python 3.9 or newer"};

void AddPythonCommand(CLI::App* app, const PythonCommand& command) {
  AddPythonArguments(app->add_subcommand(command.name, command.description));
}

ExitStatus BecomePythonCommand(const PythonCommand& command, int argc, char** argv) {
  return BecomePython(command.module, {argv + 2, argv + argc},
                      absl::StrCat("callbridge ", command.name, " is a Python program, but"),
                      command.needs);
}

// ---- Subcommands on modules
//
// callbridge-module has them, a program that links to the shared libraries, as users' programs do.
// This one has the libraries' code linked in; a process with both would have two registries.

// Returns true if `run` should treat the file as a library: a regular file that begins as ELF files
// do, or one that cannot be opened, so that the loader reports why. Does not read other files,
// since a pipe can be read only once: callbridge-module does that.
bool IsLibrary(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return std::filesystem::is_directory(status);
  }
  std::ifstream file(path, std::ios::binary);
  std::string magic(4, '\0');
  if (!file.read(&magic[0], static_cast<std::streamsize>(magic.size()))) return !file.is_open();
  return magic == "\177ELF";
}

// Replaces this process by callbridge-module, which has the same command line. Returns only if it
// is not found: not beside callbridge, not in ../libexec/callbridge, and not where the environment
// variable CALLBRIDGE_MODULE says.
ExitStatus BecomeModuleProgram(char** argv) {
  const absl::StatusOr<std::string> program =
      FindHelperProgram("callbridge-module", "CALLBRIDGE_MODULE");
  if (!program.ok()) return Failure(program.status());
  execv(program->c_str(), argv);
  return Failure(absl::FailedPreconditionError(absl::StrCat(*program, ": ", std::strerror(errno))));
}

// ---- Completion

constexpr char kCompletionDescription[] =
    "Prints a script that completes this command in a shell, or its manual page";

constexpr char kCompletionFooter[] =
    R"(For this shell, or in the file that each reads at its start:
  source <(callbridge completion bash)                    # ~/.bashrc
  source <(callbridge completion zsh)                     # ~/.zshrc, after compinit
  callbridge completion fish | source                     # ~/.config/fish/config.fish
man is the page that `man callbridge` shows once callbridge is installed.)";

CLI::App* AddCompletionCommand(CLI::App* app, std::string* shell) {
  CLI::App* completion = app->add_subcommand("completion", kCompletionDescription);
  completion->footer(kCompletionFooter);
  completion->add_option("SHELL", *shell, "bash, zsh, fish or man")->type_name("")->required();
  return completion;
}

ExitStatus RunCompletion(const CLI::App& app, const std::string& shell) {
  const CommandTable table = TableOf(app);
  std::string text;
  if (shell == "bash") {
    text = BashCompletion(table);
  } else if (shell == "zsh") {
    text = ZshCompletion(table);
  } else if (shell == "fish") {
    text = FishCompletion(table);
  } else if (shell == "man") {
    text = ManualPage(table, CALLBRIDGE_VERSION);
  } else {
    return UsageError(
        absl::StrCat("SHELL: expected bash, zsh, fish or man, found ", shell, " (see --help)"));
  }
  const absl::Status printed = PrintToStandardOutput(text);
  return printed.ok() ? kSuccess : Failure(printed);
}

// ---- The command line

int RunCommandLine(int argc, char** argv) {
  CLI::App app("Runs XLA custom calls of any age without XLA.", "callbridge");
  app.set_version_flag("--version", "callbridge " CALLBRIDGE_VERSION);
  app.require_subcommand(1);
  RunOptions options;
  AddRunCommand(&app, &options);
  InspectOptions inspect_options;
  const CLI::App* inspect = AddInspectCommand(&app, &inspect_options);
  AddPythonCommand(&app, kAudit);
  LayoutOptions layout_options;
  const CLI::App* layout = AddLayoutCommand(&app, &layout_options);
  ModuleOptions show_options;
  const CLI::App* show = AddShowCommand(&app, &show_options);
  ModuleOptions upgrade_options;
  const CLI::App* upgrade = AddUpgradeCommand(&app, &upgrade_options);
  AddPythonCommand(&app, kMigrate);
  AddPythonCommand(&app, kNew);
  std::string shell;
  const CLI::App* completion = AddCompletionCommand(&app, &shell);
  if (const std::string wrong = FindSubcommandError(app, argc, argv); !wrong.empty()) {
    return UsageError(wrong);
  }
  for (const PythonCommand& command : {kAudit, kMigrate, kNew}) {
    if (argc > 1 && std::string(argv[1]) == command.name) {
      return BecomePythonCommand(command, argc, argv);
    }
  }
  try {
    ParseCommandLine(&app, argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return PrintHelp(app, error);
    return UsageError(absl::StrCat(error.what(), " (see --help)"));
  }
  if (inspect->parsed()) return RunInspect(inspect_options);
  if (layout->parsed()) return RunLayout(layout_options);
  if (completion->parsed()) return RunCompletion(app, shell);
  if (show->parsed() || upgrade->parsed() || !IsLibrary(options.file)) {
    return BecomeModuleProgram(argv);
  }
  return Run(options);
}

}  // namespace
}  // namespace callbridge

int main(int argc, char** argv) {
  return callbridge::GuardedMain([=] { return callbridge::RunCommandLine(argc, argv); });
}
