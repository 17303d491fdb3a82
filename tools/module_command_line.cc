#include <map>
#include <string>

#include "CLI/CLI.hpp"
#include "callbridge/tools/module_commands.h"

namespace callbridge {
namespace {

constexpr char kShow[] = "Prints an HLO module, in HLO text or another form";

constexpr char kShowFooter[] =
    R"(FILE is a serialized HloModuleProto or HloProto, as XLA's dumps (*.pb) are, or HLO text.

Examples
  callbridge show module.pb
  callbridge show module.hlo --form stablehlo --output module.mlir

Exit status: 0 on success, 1 if FILE is no such module, 2 if the command line is wrong.)";

constexpr char kUpgrade[] =
    "Turns every untyped custom call of a module into a typed one of the same name";

constexpr char kUpgradeFooter[] =
    R"(FILE is a serialized HloModuleProto or HloProto, or HLO text. The module that is written runs on
runtimes that call untyped targets no more, or pass them no tuples, where the targets are registered
through callbridge, in Python by callbridge.jax.load(), or by register() with their abi=. Opaque and
tuple trees travel in the attribute callbridge_site.

FILE may also be what an older JAX wrote: StableHLO text, a portable artifact, or what jax.export
serialized. Those are upgraded by the Python that CALLBRIDGE_PYTHON names, or else by python3, which
needs jax (and flatbuffers, for jax.export); the command says which it was. They stay what they are,
or become text with --form stablehlo.

Examples
  callbridge upgrade old.pb --form proto --output new.pb
  callbridge upgrade old.hlo --form stablehlo
  callbridge upgrade old.mlirbc --output new.mlirbc

Exit status: 0 on success, 1 if FILE is no such module, 2 if the command line is wrong.)";

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
          "What is written: hlo, HLO text (the default); stablehlo, StableHLO text; or proto, a "
          "serialized HloModuleProto")
      ->type_name("FORM");
  command->add_option("--output", options->output, "Write to this file, not to standard output")
      ->type_name("FILE");
  return command;
}

}  // namespace

CLI::App* AddShowCommand(CLI::App* app, ModuleOptions* options) {
  return AddModuleCommand(app, "show", kShow, kShowFooter, options);
}

CLI::App* AddUpgradeCommand(CLI::App* app, ModuleOptions* options) {
  return AddModuleCommand(app, "upgrade", kUpgrade, kUpgradeFooter, options);
}

}  // namespace callbridge
