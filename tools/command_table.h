// The command line as a table, for what shells and `man` know of it.
#ifndef CALLBRIDGE_TOOLS_COMMAND_TABLE_H_
#define CALLBRIDGE_TOOLS_COMMAND_TABLE_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace callbridge {

// An option, or a positional argument.
struct ArgumentRow {
  std::vector<std::string> names;    // "-h", "--help"; of a positional its one name, "FILE"
  std::string value;                 // what an option takes, "FILE" or "ABI"; empty: nothing
  std::vector<std::string> choices;  // all texts that it takes; empty: there are too many
  std::string description;
  bool is_file = false;      // takes the path of a file or a folder
  bool is_required = false;  // a positional
  bool is_many = false;      // may be repeated
};

struct CommandRow {
  std::string name;  // "run"
  std::string description;
  std::string footer;  // what --help prints below the options, in lines
  std::vector<ArgumentRow> options;
  std::vector<ArgumentRow> positionals;
};

struct CommandTable {
  std::string description;
  std::vector<ArgumentRow> options;  // those in the place of a subcommand
  std::vector<CommandRow> commands;
};

// Returns the table of a parser with subcommands. An argument whose value is of a type below takes
// these texts, whichever subcommand has it: ABI, FORM, LAYOUT, PLATFORM, SHELL; FILE, PATH and
// OPERAND are files, DIR is a folder, and all others are other texts.
CommandTable TableOf(const CLI::App& app);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_COMMAND_TABLE_H_
