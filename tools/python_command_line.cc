#include "callbridge/tools/python_command_line.h"

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "callbridge/tools/command_line.h"

namespace callbridge {
namespace {

struct PythonArgument {
  const char* command;
  const char* name;   // as CLI11 reads it
  const char* value;  // what an option takes; "" of a flag; "..." of a positional with many
  const char* description;
};

// tests/tools/test_completion.py compares it with what their --help prints.
constexpr PythonArgument kArguments[] = {
    {"audit", "PATH", "", "A wheel, a folder or a shared library"},
    {"audit", "--jax", "SPECIFIER",
     "The releases of JAX to compare with, as in '>=0.6', instead of the wheel's requirements"},
    {"audit", "--json", "", "Print JSON: one object"},
    {"audit", "--table", "", "Print a Markdown table, as for a CI summary"},
    {"audit", "--for", "RELEASE",
     "Also print what to type to use the wheel with that JAX, as in 0.4.30"},
    {"audit", "--strict", "",
     "Exit with 1 if a requirement admits a release that a custom call does not run on"},
    {"audit", "--probe", "",
     "Ask functions whether they are typed FFI handlers, for two minutes at most"},
    {"migrate", "FILE", "...", "a C++ or Python source"},
    {"migrate", "--diff", "", "print a diff (the default)"},
    {"migrate", "--write", "", "write the files"},
    {"migrate", "--rewrite", "",
     "rewrite functions as typed handlers, where their bodies allow it"},
    {"migrate", "--compiler", "COMPILER", "whose own header folders to use (g++)"},
    {"migrate", "-p", "DIR", "the folder of the build's compile_commands.json"},
    {"new", "NAME", "", "the package's name, of a folder to be made"},
    {"new", "--build", "SYSTEM", "what builds the wheel"},
};

}  // namespace

void AddPythonArguments(CLI::App* command) {
  const auto ignore = [](const std::vector<std::string>&) {};
  for (const PythonArgument& argument : kArguments) {
    if (command->get_name() != argument.command) continue;
    const std::string value = argument.value;
    if (argument.name[0] == '-' && value.empty()) {
      command->add_flag(argument.name, argument.description);
      continue;
    }
    CLI::Option* option = command->add_option_function<std::vector<std::string>>(
        argument.name, ignore, argument.description);
    if (argument.name[0] == '-') {
      option->type_name(value)->expected(1);
    } else if (value.empty()) {
      option->required()->expected(1);
    } else {
      TakeEachUnchanged(option)->required();
    }
  }
}

}  // namespace callbridge
