#include "callbridge/tools/manual.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

// Lines as they are: a "-" that is no hyphen, and no request at a line's beginning.
std::string Roff(absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool is_request = absl::StartsWith(line, ".") || absl::StartsWith(line, "'");
    lines.push_back(absl::StrCat(is_request ? "\\&" : "",
                                 absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}})));
  }
  return absl::StrJoin(lines, "\n");
}

std::string Bold(absl::string_view text) { return absl::StrCat("\\fB", Roff(text), "\\fR"); }
std::string Italic(absl::string_view text) { return absl::StrCat("\\fI", Roff(text), "\\fR"); }

std::string OptionsOf(const std::vector<ArgumentRow>& options) {
  std::string text;
  for (const ArgumentRow& option : options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(Bold(name));
    absl::StrAppend(&text, ".TP\n", absl::StrJoin(names, ", "),
                    option.value.empty() ? "" : absl::StrCat(" ", Italic(option.value)), "\n",
                    Roff(option.description), "\n");
  }
  return text;
}

std::string UsageOf(const CommandRow& command) {
  std::string text = Bold(absl::StrCat("callbridge ", command.name));
  if (!command.options.empty()) absl::StrAppend(&text, " [", Italic("OPTIONS"), "]");
  for (const ArgumentRow& positional : command.positionals) {
    const std::string name =
        absl::StrCat(Italic(positional.names[0]), positional.is_many ? "..." : "");
    absl::StrAppend(&text, " ", positional.is_required ? name : absl::StrCat("[", name, "]"));
  }
  return text;
}

std::string Section(const CommandRow& command) {
  std::string text = absl::StrCat(".SS ", UsageOf(command), "\n", Roff(command.description), ".\n");
  for (const ArgumentRow& positional : command.positionals) {
    absl::StrAppend(&text, ".TP\n", Italic(positional.names[0]), "\n", Roff(positional.description),
                    "\n");
  }
  absl::StrAppend(&text, OptionsOf(command.options));
  if (!command.footer.empty()) {
    absl::StrAppend(&text, ".PP\n.nf\n", Roff(command.footer), "\n.fi\n");
  }
  return text;
}

}  // namespace

std::string ManualPage(const CommandTable& table, absl::string_view version) {
  std::string text = absl::StrCat(
      ".\\\" Written by `callbridge completion man`.\n.TH CALLBRIDGE 1 \"\" \"callbridge ", version,
      "\" \"callbridge\"\n.SH NAME\ncallbridge \\- runs XLA custom calls of any age without "
      "XLA\n.SH SYNOPSIS\n.nf\n");
  for (const CommandRow& command : table.commands) {
    absl::StrAppend(&text, UsageOf(command), "\n");
  }
  absl::StrAppend(&text, ".fi\n.SH OPTIONS\n", OptionsOf(table.options), ".SH COMMANDS\n");
  for (const CommandRow& command : table.commands) absl::StrAppend(&text, Section(command));
  return text;
}

}  // namespace callbridge
