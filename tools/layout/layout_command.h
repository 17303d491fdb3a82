// `callbridge layout`: draws the pointer tables of a call.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_COMMAND_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

#include "callbridge/tools/standard_files.h"

namespace CLI {
class App;
}

namespace callbridge {

// The command line of `layout`.
struct LayoutOptions {
  std::vector<std::string> operands;
  std::optional<std::string> result;
  std::optional<std::string> tuple_layout;
  std::optional<std::string> svg_file;  // "-" is standard output
  bool json = false;
};

// Adds the subcommand `layout`, which parses into `options`; they must outlive the app.
CLI::App* AddLayoutCommand(CLI::App* app, LayoutOptions* options);

// Prints the drawing, or writes it to a file.
ExitStatus RunLayout(const LayoutOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_COMMAND_H_
