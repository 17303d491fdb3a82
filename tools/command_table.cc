#include "callbridge/tools/command_table.h"

#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "callbridge/adapters/target_abis.h"

namespace callbridge {
namespace {

std::vector<std::string> ChoicesOf(const std::string& type) {
  if (type == "ABI") {
    std::vector<std::string> names;
    for (const TargetAbi* abi : TargetAbis()) names.emplace_back(abi->name);
    return names;
  }
  if (type == "FORM") return {"hlo", "stablehlo", "proto"};
  if (type == "LAYOUT") return {"nested", "flat"};
  if (type == "PLATFORM") return {"Host", "CUDA", "ROCM"};
  if (type == "SHELL") return {"bash", "zsh", "fish", "man"};
  return {};
}

bool IsFile(const std::string& type) {
  return type == "FILE" || type == "PATH" || type == "OPERAND" || type == "DIR";
}

ArgumentRow RowOf(const CLI::Option& option) {
  ArgumentRow row;
  std::string type;
  if (option.get_positional()) {
    type = option.get_name();
    row.names = {type};
  } else {
    for (const std::string& name : option.get_snames())
      row.names.push_back(absl::StrCat("-", name));
    for (const std::string& name : option.get_lnames()) {
      row.names.push_back(absl::StrCat("--", name));
    }
    if (option.get_items_expected_max() > 0) type = row.value = option.get_type_name();
  }
  row.choices = ChoicesOf(type);
  row.description = option.get_description();
  row.is_file = IsFile(type);
  row.is_required = option.get_required();
  row.is_many = option.get_items_expected_max() > 1;
  return row;
}

}  // namespace

CommandTable TableOf(const CLI::App& app) {
  CommandTable table;
  table.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) table.options.push_back(RowOf(*option));
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandRow row;
    row.name = subcommand->get_name();
    row.description = subcommand->get_description();
    row.footer = subcommand->get_footer();
    for (const CLI::Option* option : subcommand->get_options()) {
      (option->get_positional() ? row.positionals : row.options).push_back(RowOf(*option));
    }
    table.commands.push_back(row);
  }
  return table;
}

}  // namespace callbridge
