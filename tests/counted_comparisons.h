// Counts the comparisons of integers, those of loops and of sizes too, that the floors' code makes
// on the calling thread: a measure of its time that other programs' load does not change. Included
// by one source of a program. Only the address sanitizer's build has the instrumentation (the
// fuzzers'); elsewhere the count stays 0.
#ifndef CALLBRIDGE_TESTS_COUNTED_COMPARISONS_H_
#define CALLBRIDGE_TESTS_COUNTED_COMPARISONS_H_

#include <cstdint>

namespace {
thread_local int64_t comparisons = 0;
}  // namespace

// What clang's -fsanitize-coverage=trace-cmp calls before each.
extern "C" {
void __sanitizer_cov_trace_cmp1(uint8_t, uint8_t) { ++comparisons; }          // NOLINT
void __sanitizer_cov_trace_cmp2(uint16_t, uint16_t) { ++comparisons; }        // NOLINT
void __sanitizer_cov_trace_cmp4(uint32_t, uint32_t) { ++comparisons; }        // NOLINT
void __sanitizer_cov_trace_cmp8(uint64_t, uint64_t) { ++comparisons; }        // NOLINT
void __sanitizer_cov_trace_const_cmp1(uint8_t, uint8_t) { ++comparisons; }    // NOLINT
void __sanitizer_cov_trace_const_cmp2(uint16_t, uint16_t) { ++comparisons; }  // NOLINT
void __sanitizer_cov_trace_const_cmp4(uint32_t, uint32_t) { ++comparisons; }  // NOLINT
void __sanitizer_cov_trace_const_cmp8(uint64_t, uint64_t) { ++comparisons; }  // NOLINT
}

namespace {

// The comparisons that `work` takes.
template <typename Work>
int64_t CountComparisons(const Work& work) {
  const int64_t before = comparisons;
  work();
  return comparisons - before;
}

}  // namespace

#endif  // CALLBRIDGE_TESTS_COUNTED_COMPARISONS_H_
