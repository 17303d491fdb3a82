// What to type next for an inspected file: commands and lines of Python, each with a comment that
// says what it does.
#ifndef CALLBRIDGE_LOADER_NEXT_STEPS_H_
#define CALLBRIDGE_LOADER_NEXT_STEPS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/loader/inspection.h"

namespace callbridge {

// Returns the steps for a library that registers its targets.
std::vector<std::string> NextForLibrary(const Inspection& inspection);

// Returns the steps for exported functions that nothing registers: an example of each kind. `typed`
// are symbols that the probe found to be typed handlers.
std::vector<std::string> NextForFunctions(const Inspection& inspection,
                                          const std::vector<std::string>& typed);

// Returns the steps for a Python module that returns its functions in capsules. The inspection must
// have found the module's name.
std::vector<std::string> NextForModule(const Inspection& inspection);

// Returns the steps for an object file or an archive.
std::vector<std::string> NextForObjects(const Inspection& inspection);

// Returns the steps for the AOT operator `name`, "PATH:FUNCTION". `infers` says whether it has a
// function that infers its result.
std::vector<std::string> NextForOperator(absl::string_view name, bool infers);

// Returns the steps for functions without a type, of which there is one or more.
std::vector<std::string> NextForUntypedFunctions(const Inspection& inspection);

// Returns the steps for functions that only the probe can recognise.
std::vector<std::string> NextForPossibleHandlers(const Inspection& inspection);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_NEXT_STEPS_H_
