// Counts every operator new of the program, and lets them fail from a number on:
// counted_allocations.cc, which such a program is linked with. Not under the thread sanitizer,
// whose runtime has those operators itself: there nothing is counted.
#ifndef CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_
#define CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_

#include <atomic>
#include <climits>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CALLBRIDGE_COUNTS_NOTHING
#endif
#endif

constexpr int kNoLimit = INT_MAX;
extern std::atomic<int> allocations;
// How many there have been when the next one fails, and all after it.
extern std::atomic<int> most_allocations;

#endif  // CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_
