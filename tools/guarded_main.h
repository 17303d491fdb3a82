// main() without exceptions that end the process.
#ifndef CALLBRIDGE_TOOLS_GUARDED_MAIN_H_
#define CALLBRIDGE_TOOLS_GUARDED_MAIN_H_

#include <cstdio>
#include <exception>
#include <new>

#include "callbridge/tools/exit_status.h"
#include "callbridge/tools/standard_output.h"

namespace callbridge {

// What `run` returns; memory that cannot be had, and what else it throws, is a line and kFailure.
template <typename Run>
int GuardedMain(Run run) {
  OccupyStandardDescriptors();
  try {
    return run();
  } catch (const std::bad_alloc&) {
    std::fputs("callbridge: RESOURCE_EXHAUSTED: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "callbridge: INTERNAL: %s\n", error.what());
  }
  return kFailure;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_GUARDED_MAIN_H_
