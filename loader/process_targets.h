// The targets that are registered in this process: how a program finds those that were linked into
// it or into its libraries.
#ifndef CALLBRIDGE_LOADER_PROCESS_TARGETS_H_
#define CALLBRIDGE_LOADER_PROCESS_TARGETS_H_

#include <vector>

#include "callbridge/loader/library_target.h"

namespace callbridge {

// By name, then platform; those of libraries that TargetLibrary opened among them. A target's
// evidence is read off the file that it was loaded from, if that is still there. Thread-safe.
std::vector<LibraryTarget> ProcessTargets();

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROCESS_TARGETS_H_
