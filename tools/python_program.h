// Commands that Python does: main() of a module of python/callbridge.
#ifndef CALLBRIDGE_TOOLS_PYTHON_PROGRAM_H_
#define CALLBRIDGE_TOOLS_PYTHON_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {

// Replaces this process by Python (CALLBRIDGE_PYTHON, or else python3 in PATH), which runs
// main(words...) of callbridge.`module` and exits with what that returns. Python finds the
// callbridge package and the libcallbridge.so that this program uses.
//
// Returns only if it cannot be started, with an error such as "`reason` python3 cannot be started:
// ...; install `python`, or set CALLBRIDGE_PYTHON to one that has it".
ExitStatus BecomePython(absl::string_view module, const std::vector<std::string>& words,
                        absl::string_view reason, absl::string_view python);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_PYTHON_PROGRAM_H_
