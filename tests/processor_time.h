// The time that this process has computed, for limits that hold on a busy machine as well.
#ifndef CALLBRIDGE_TESTS_PROCESSOR_TIME_H_
#define CALLBRIDGE_TESTS_PROCESSOR_TIME_H_

#include <time.h>

#include <chrono>

namespace callbridge {

// Of all its threads; not of its children.
inline std::chrono::nanoseconds ProcessorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_PROCESSOR_TIME_H_
