// Ends the process where a function ends a thread that its caller needs.
//
// Needs C++11. Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_ENDED_THREAD_H_
#define CALLBRIDGE_ABI_ENDED_THREAD_H_

#ifdef __cpp_exceptions

#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>

namespace callbridge {
inline namespace callbridge_v1 {

// Prints that a function ended its thread, and aborts.
[[noreturn]] __attribute__((cold, noinline, visibility("hidden"))) inline void
EndProcessWithThread() {
  fputs(
      "callbridge: a custom call's function ended its thread (pthread_exit or pthread_cancel), "
      "which its caller needs, so the process ends. Return from the function instead.\n",
      stderr);
  abort();
}

// Returns function(), which is called for a caller that does not survive the end of its thread.
// Costs nothing if the function returns.
template <typename Function>
__attribute__((always_inline)) inline auto RequiringThread(Function function)
    -> decltype(function()) {
#ifdef __GLIBCXX__
  try {
    return function();
  } catch (abi::__forced_unwind&) {
    EndProcessWithThread();
  }
#else
  return function();  // libc++ does not catch a thread's end
#endif
}

}  // namespace callbridge_v1
}  // namespace callbridge

#endif  // __cpp_exceptions

#endif  // CALLBRIDGE_ABI_ENDED_THREAD_H_
