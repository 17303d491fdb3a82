// Probe servers: helper processes that have opened a file, and stay for a second to probe more of
// its functions. Opening a file copies all of it and runs its constructors; after that, a function
// costs one fork.
#ifndef CALLBRIDGE_LOADER_PROBE_SERVER_H_
#define CALLBRIDGE_LOADER_PROBE_SERVER_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "callbridge/loader/child_process.h"

namespace callbridge {

// ---- In the process that asks

// Has callbridge-probe, at `program`, ask the function at `address` of the file at `path`, in a
// process of its own. Returns what was said, line by line, and how the function's process ended; if
// the file could not be opened, how the process that opened it ended. `limit` is for opening the
// file, and again for the function. Returns UNAVAILABLE if no process can be started. Returns
// CANCELLED if this thread handles a SIGINT meanwhile. Thread-safe.
absl::StatusOr<ChildOutcome> RunProbe(const std::string& program, const std::string& path,
                                      uint64_t address, absl::Duration limit);

// ---- In the helper process

// The first argument of a callbridge-probe that may serve.
inline constexpr absl::string_view kServe = "--serve";

// Leaves a process behind that calls `ask` for each function that it is asked for, in a fork of its
// own, with the file that takes the answers. Ends this process if that can be done. Returns if not:
// a process of several threads cannot be forked.
void Serve(absl::FunctionRef<void(uint64_t address, int answers)> ask);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROBE_SERVER_H_
