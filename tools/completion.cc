#include "callbridge/tools/completion.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", R"('\'')"}}), "'");
}

std::vector<std::string> NamesOf(const std::vector<ArgumentRow>& options) {
  std::vector<std::string> names;
  for (const ArgumentRow& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// ---- bash

// Lines of a `case` of the word before: what an option of the command takes.
std::string BashValues(const CommandRow& command) {
  std::string text;
  for (const ArgumentRow& option : command.options) {
    if (option.value.empty()) continue;
    const auto add_command = [&](std::string* pattern, const std::string& name) {
      absl::StrAppend(pattern, command.name, ":", name);
    };
    absl::StrAppend(&text, "    ", absl::StrJoin(option.names, " | ", add_command), ") ");
    if (!option.choices.empty()) {
      absl::StrAppend(&text, "_callbridge_words ", Quoted(absl::StrJoin(option.choices, " ")),
                      "; ");
    } else if (option.is_file) {
      absl::StrAppend(&text, "compopt -o default; ");
    }
    absl::StrAppend(&text, "return ;;\n");
  }
  return text;
}

}  // namespace

std::string BashCompletion(const CommandTable& table) {
  std::vector<std::string> first = NamesOf(table.options);
  std::string values, options;
  for (const CommandRow& command : table.commands) {
    first.push_back(command.name);
    absl::StrAppend(&values, BashValues(command));
    std::vector<std::string> choices;
    for (const ArgumentRow& positional : command.positionals) {
      choices.insert(choices.end(), positional.choices.begin(), positional.choices.end());
    }
    absl::StrAppend(&options, "    ", command.name,
                    ") options=", Quoted(absl::StrJoin(NamesOf(command.options), " ")),
                    " choices=", Quoted(absl::StrJoin(choices, " ")), " ;;\n");
  }
  return absl::StrCat(R"(# Completes callbridge in bash: source <(callbridge completion bash)
_callbridge_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

_callbridge() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options='' choices='' i
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    _callbridge_words )",
                      Quoted(absl::StrJoin(first, " ")), R"(
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      compopt -o default
      return
    fi
  done
  # In --option=value the "=" is a word of its own.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $command:$before in
)",
                      values, R"(  esac
  case $command in
)",
                      options, R"(  esac
  if [[ $word == -* ]]; then
    _callbridge_words "$options"
  elif [ -n "$choices" ]; then
    _callbridge_words "$choices"
  else
    compopt -o default
  fi
}

complete -F _callbridge callbridge
)");
}

// ---- zsh

namespace {

std::string ZshAction(const ArgumentRow& argument) {
  if (!argument.choices.empty())
    return absl::StrCat("(", absl::StrJoin(argument.choices, " "), ")");
  return argument.is_file ? "_files" : "";
}

// A row as _arguments reads it.
std::string ZshSpecification(const ArgumentRow& option, const std::string& name) {
  std::string text;
  if (option.is_many) {
    text = "*";
  } else if (option.names.size() > 1) {
    text = absl::StrCat("(", absl::StrJoin(option.names, " "), ")");
  }
  absl::StrAppend(&text, name);
  if (!option.value.empty() && absl::StartsWith(name, "--")) absl::StrAppend(&text, "=");
  absl::StrAppend(
      &text, "[",
      absl::StrReplaceAll(option.description, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}}), "]");
  if (!option.value.empty()) absl::StrAppend(&text, ":", option.value, ":", ZshAction(option));
  return Quoted(text);
}

std::string ZshArguments(const std::vector<ArgumentRow>& options,
                         const std::vector<ArgumentRow>& positionals) {
  std::string text = "_arguments -S";
  for (const ArgumentRow& option : options) {
    for (const std::string& name : option.names) {
      absl::StrAppend(&text, " \\\n        ", ZshSpecification(option, name));
    }
  }
  for (size_t i = 0; i < positionals.size(); ++i) {
    const ArgumentRow& positional = positionals[i];
    const std::string place = positional.is_many ? "*" : absl::StrCat(i + 1);
    absl::StrAppend(
        &text, " \\\n        ",
        Quoted(absl::StrCat(place, ":", positional.names[0], ":", ZshAction(positional))));
  }
  return text;
}

}  // namespace

std::string ZshCompletion(const CommandTable& table) {
  std::string commands, cases;
  for (const CommandRow& command : table.commands) {
    absl::StrAppend(&commands, "      ",
                    Quoted(absl::StrCat(command.name, ":",
                                        absl::StrReplaceAll(command.description, {{":", "\\:"}}))),
                    "\n");
    absl::StrAppend(&cases, "    ", command.name, ")\n      ",
                    ZshArguments(command.options, command.positionals), "\n      ;;\n");
  }
  return absl::StrCat(R"(#compdef callbridge
# Completes callbridge in zsh: source <(callbridge completion zsh)
_callbridge() {
  if ((CURRENT == 2)); then
    local -a commands
    commands=(
)",
                      commands, R"(    )
    _describe command commands
    )",
                      ZshArguments(table.options, {}), R"(
    return
  fi
  shift words
  ((CURRENT -= 1))
  case $words[1] in
)",
                      cases, R"(  esac
}

if [ "$funcstack[1]" = _callbridge ]; then
  _callbridge "$@"
else
  compdef _callbridge callbridge
fi
)");
}

// ---- fish

namespace {

// fish knows two escapes in single quotes.
std::string FishQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string FishOption(const std::string& condition, const ArgumentRow& option) {
  std::string text = absl::StrCat("complete -c callbridge -n ", FishQuoted(condition));
  for (const std::string& name : option.names) {
    const bool is_long = absl::StartsWith(name, "--");
    absl::StrAppend(&text, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
  }
  if (!option.choices.empty()) {
    absl::StrAppend(&text, " -x -a ", FishQuoted(absl::StrJoin(option.choices, " ")));
  } else if (option.is_file) {
    absl::StrAppend(&text, " -r -F");
  } else if (!option.value.empty()) {
    absl::StrAppend(&text, " -x");
  }
  return absl::StrCat(text, " -d ", FishQuoted(option.description), "\n");
}

}  // namespace

std::string FishCompletion(const CommandTable& table) {
  std::string text = R"(# Completes callbridge in fish: callbridge completion fish | source
function __callbridge_has
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test $words[2] = $argv[1]
end
function __callbridge_has_none
  test (count (commandline -opc)) -eq 1
end
complete -c callbridge -f
)";
  constexpr char kNone[] = "__callbridge_has_none";
  for (const ArgumentRow& option : table.options) absl::StrAppend(&text, FishOption(kNone, option));
  for (const CommandRow& command : table.commands) {
    absl::StrAppend(&text, "complete -c callbridge -n ", kNone, " -a ", command.name, " -d ",
                    FishQuoted(command.description), "\n");
    const std::string condition = absl::StrCat("__callbridge_has ", command.name);
    for (const ArgumentRow& option : command.options) {
      absl::StrAppend(&text, FishOption(condition, option));
    }
    for (const ArgumentRow& positional : command.positionals) {
      if (!positional.choices.empty()) {
        absl::StrAppend(&text, "complete -c callbridge -n ", FishQuoted(condition), " -a ",
                        FishQuoted(absl::StrJoin(positional.choices, " ")), "\n");
      } else if (positional.is_file) {
        absl::StrAppend(&text, "complete -c callbridge -n ", FishQuoted(condition), " -F\n");
      }
    }
  }
  return text;
}

}  // namespace callbridge
