// Loads a library in another process first, so that a constructor that crashes, exits or hangs
// becomes an error.
#ifndef CALLBRIDGE_LOADER_ISOLATED_LOAD_H_
#define CALLBRIDGE_LOADER_ISOLATED_LOAD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace callbridge {

// Where callbridge-load says that TargetLibrary::Load() returned, apart from what the library
// prints.
constexpr int kLoadedDescriptor = 3;

// OK if TargetLibrary::Load(path) returns there, with whatever status: it will do so here. INTERNAL
// says how the process ended instead, DEADLINE_EXCEEDED that it had not ended in `limit`.
// FAILED_PRECONDITION: callbridge-load is not installed. CANCELLED: this thread handled a SIGINT
// meanwhile. Thread-safe.
absl::Status TryLoadElsewhere(const std::string& path, absl::Duration limit);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ISOLATED_LOAD_H_
