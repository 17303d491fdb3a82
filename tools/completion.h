// Completes the command line in shells.
#ifndef CALLBRIDGE_TOOLS_COMPLETION_H_
#define CALLBRIDGE_TOOLS_COMPLETION_H_

#include <string>

#include "callbridge/tools/command_table.h"

namespace callbridge {

// Each returns a script for that shell, which completes subcommands, options, what options take,
// and files. bash and fish read it by `source`; zsh too, or as the file _callbridge in $fpath.
std::string BashCompletion(const CommandTable& table);
std::string ZshCompletion(const CommandTable& table);
std::string FishCompletion(const CommandTable& table);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_COMPLETION_H_
