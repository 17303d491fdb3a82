// `callbridge migrate`: a codemod from the untyped ABIs to typed FFI, which is a Python program.
#ifndef CALLBRIDGE_TOOLS_MIGRATE_COMMAND_H_
#define CALLBRIDGE_TOOLS_MIGRATE_COMMAND_H_

#include <string>
#include <vector>

#include "callbridge/tools/exit_status.h"

namespace CLI {
class App;
}

namespace callbridge {

// Adds the subcommand `migrate`, for its name and description alone: Python reads its words, which
// may hold a compiler's flags.
CLI::App* AddMigrateCommand(CLI::App* app);

// Replaces this process by Python, which runs python/callbridge/migrate/__init__.py with the words
// behind `migrate`. Returns only if it cannot be started.
ExitStatus RunMigrate(const std::vector<std::string>& words);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MIGRATE_COMMAND_H_
