#include <map>
#include <string>

#include "CLI/CLI.hpp"
#include "callbridge/tools/module_commands.h"

namespace callbridge {
namespace {

constexpr char kShow[] = "Prints an HLO module, in HLO text or another form";

constexpr char kShowFooter[] =
    R"(FILE is a serialized HloModuleProto, HloProto (as XLA's dumps, *.pb, are), HloModuleProtoWithConfig or
HloSnapshot, or HLO text. What callbridge does not know passes through: instructions, attributes and shapes
of any kind. HLO text names in comments what a proto has that text has no words for.

Examples
  callbridge show module.pb
  callbridge show module.hlo --form stablehlo --output module.mlir

Exit status: 0 on success, 1 if FILE is not such a module, 2 if the command line is wrong.)";

constexpr char kUpgrade[] =
    "Replaces every untyped custom call of a module by a typed one of the same name";

constexpr char kUpgradeFooter[] =
    R"(FILE is a serialized HloModuleProto, HloProto, HloModuleProtoWithConfig or HloSnapshot, or HLO text. The
result runs on runtimes that no longer call untyped targets, or pass no tuples to them, if the targets are
registered through callbridge: in Python by callbridge.jax.load(), or by register() with their abi=. The
attribute callbridge_site holds the opaque and the tuple trees. All else stays as it is. Calls that cannot be
typed stay too, with a line on standard error that says why.

FILE may also be what an older JAX wrote: StableHLO text, a portable artifact, or what jax.export
serialized. Python upgrades those: CALLBRIDGE_PYTHON, or else python3, which needs jax (and
flatbuffers, for jax.export); the command prints which it used. The result has the form of FILE, or
is text with --form stablehlo; it is FILE itself, byte for byte, if that has no untyped call.

--list prints a line for each custom call of FILE, HLO or not, instead: its target, the version it
calls by, the platform (of a FILE that names none, those that have the target), whether the target is
registered with that Python's JAX, and which library has it: one of those that --library names, or
of JAX's own. "typed" or "untyped" is a target of that other kind.

Examples
  callbridge upgrade old.pb --form proto --output new.pb
  callbridge upgrade old.hlo --form stablehlo
  callbridge upgrade old.mlirbc --output new.mlirbc
  callbridge upgrade old.mlirbc --list --library old.so

Exit status: 0 on success, 1 if FILE is not such a module, 2 if the command line is wrong.)";

CLI::App* AddModuleCommand(CLI::App* app, const char* name, const char* description,
                           const char* footer, ModuleOptions* options) {
  CLI::App* command = app->add_subcommand(name, description);
  command->footer(footer);
  command->add_option("FILE", options->file, "The module")->type_name("")->required();
  const std::map<std::string, int32_t> forms = {{"hlo", CALLBRIDGE_MODULE_HLO_TEXT},
                                                {"stablehlo", CALLBRIDGE_MODULE_STABLEHLO_TEXT},
                                                {"proto", CALLBRIDGE_MODULE_HLO_PROTO}};
  command
      ->add_option_function<std::string>(
          "--form",
          [=](const std::string& form) {
            const auto found = forms.find(form);
            if (found == forms.end()) {
              throw CLI::ValidationError("--form",
                                         "expected hlo, stablehlo or proto, found " + form);
            }
            options->form = found->second;
          },
          "The form to write: hlo, HLO text (the default); stablehlo, StableHLO text; or proto, a "
          "serialized HloModuleProto")
      ->type_name("FORM");
  command->add_option("--output", options->output, "Write to this file instead of standard output")
      ->type_name("FILE");
  return command;
}

}  // namespace

CLI::App* AddShowCommand(CLI::App* app, ModuleOptions* options) {
  return AddModuleCommand(app, "show", kShow, kShowFooter, options);
}

CLI::App* AddUpgradeCommand(CLI::App* app, ModuleOptions* options) {
  CLI::App* command = AddModuleCommand(app, "upgrade", kUpgrade, kUpgradeFooter, options);
  CLI::Option* list =
      command->add_flag("--list", options->lists, "List the custom calls, and upgrade nothing");
  list->excludes("--form");
  command
      ->add_option("--library", options->libraries,
                   "With --list: a library that may have the targets")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->needs(list);
  return command;
}

}  // namespace callbridge
