// The manual page of the command.
#ifndef CALLBRIDGE_TOOLS_MANUAL_H_
#define CALLBRIDGE_TOOLS_MANUAL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "callbridge/tools/command_table.h"

namespace callbridge {

// Returns callbridge.1, for `man`, in roff. `version` is callbridge's.
std::string ManualPage(const CommandTable& table, absl::string_view version);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MANUAL_H_
