#include "callbridge/tools/command_line.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/nearest_name.h"

namespace callbridge {
namespace {

// Returns null if there is no subcommand of that name.
const CLI::App* FindSubcommand(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

// Returns true if `name` is an option that takes a text.
bool TakesText(const CLI::App& command, const std::string& name) {
  if (!absl::StartsWith(name, "--")) return false;  // a positional's name is found, too
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->get_items_expected_min() > 0;
}

// Returns an error for the first argument that is like an option and was left over, else "".
std::string FindUnknownOption(const CLI::App& app, const CLI::App& command) {
  for (const std::string& argument : app.remaining(/*recurse=*/true)) {
    if (argument.size() < 2 || argument[0] != '-') continue;
    const std::string option = argument.substr(0, argument.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* candidate : command.get_options()) {
      for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
    }
    // One that is known may come twice, or behind "--".
    if (std::find(known.begin(), known.end(), option) != known.end()) continue;
    return absl::StrCat("unknown option ", option, DidYouMean(option, known));
  }
  return "";
}

}  // namespace

CLI::Option* TakeEachUnchanged(CLI::Option* positional) {
  constexpr int kMany = CLI::detail::expected_max_vector_size;
  // CLI11 takes arguments until it has the minimum, and does not enforce it here.
  return positional->expected(kMany, kMany)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void ParseCommandLine(CLI::App* app, int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::vector<std::string> split;
  const CLI::App* command = arguments.empty() ? nullptr : FindSubcommand(*app, arguments[0]);
  bool are_options = command != nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string& argument = arguments[i];
    are_options = are_options && argument != "--";
    if (are_options && i + 1 < arguments.size() && TakesText(*command, argument)) {
      split.push_back(std::move(argument));
      split.push_back(std::move(arguments[++i]));
    } else if (are_options && !argument.empty() && argument.back() == '=' &&
               TakesText(*command, argument.substr(0, argument.size() - 1))) {
      argument.pop_back();
      split.push_back(std::move(argument));
      split.emplace_back();
    } else {
      split.push_back(std::move(argument));
    }
  }
  std::reverse(split.begin(), split.end());  // the order that CLI11 expects
  try {
    app->parse(std::move(split));
  } catch (const CLI::ExtrasError&) {
    const std::string wrong = command == nullptr ? "" : FindUnknownOption(*app, *command);
    if (wrong.empty()) throw;
    throw CLI::ParseError(wrong, CLI::ExitCodes::ExtrasError);
  }
}

}  // namespace callbridge
