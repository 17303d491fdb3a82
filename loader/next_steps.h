// What to type next for an inspected file: commands and Python lines, each with what it does behind
// "#".
#ifndef CALLBRIDGE_LOADER_NEXT_STEPS_H_
#define CALLBRIDGE_LOADER_NEXT_STEPS_H_

#include <string>
#include <vector>

#include "callbridge/loader/inspection.h"

namespace callbridge {

// For a library that registers its targets by itself.
std::vector<std::string> NextForLibrary(const Inspection& inspection);

// For exported functions that nothing registers: an example of each kind. `typed` are symbols of
// typed handlers whose names do not show it.
std::vector<std::string> NextForFunctions(const Inspection& inspection,
                                          const std::vector<std::string>& typed);

// For a Python module that hands out capsules; it has a module's name.
std::vector<std::string> NextForModule(const Inspection& inspection);

// For an object file or an archive.
std::vector<std::string> NextForObjects(const Inspection& inspection);

// For functions that only the probe can tell.
std::vector<std::string> NextForPossibleHandlers(const Inspection& inspection);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_NEXT_STEPS_H_
