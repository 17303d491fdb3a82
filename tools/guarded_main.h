// Runs main() so that an exception does not terminate the process.
#ifndef CALLBRIDGE_TOOLS_GUARDED_MAIN_H_
#define CALLBRIDGE_TOOLS_GUARDED_MAIN_H_

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "callbridge/abi/ended_thread.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {

// Returns what `run` returns. If it throws, prints a line and returns kFailure. Aborts, with a
// line, if it ends the thread: the exit status would be that of success.
template <typename Run>
int GuardedMain(Run run) {
  OccupyStandardDescriptors();
  // A file that grows beyond `ulimit -f` becomes an error like that of a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return RequiringThread(run);
  } catch (const std::bad_alloc&) {
    std::fputs("callbridge: RESOURCE_EXHAUSTED: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "callbridge: INTERNAL: %s\n", error.what());
  }
  return kFailure;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_GUARDED_MAIN_H_
