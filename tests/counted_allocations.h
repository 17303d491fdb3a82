// Counts every operator new of the program that includes this, which one source of it may do, and
// lets them fail from a number on. Nothing is counted under the thread sanitizer, whose runtime has
// those operators itself, and by clang's analyzer, which does not know who frees what they return.
#ifndef CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_
#define CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_

#include <atomic>
#include <climits>
#include <cstdlib>
#include <new>

namespace {
constexpr int kNoLimit = INT_MAX;
std::atomic<int> allocations{0};
// How many there have been when the next one fails, and all after it.
std::atomic<int> most_allocations{kNoLimit};
}  // namespace

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CALLBRIDGE_COUNTS_NOTHING
#endif
#endif

#ifdef __clang_analyzer__
#define CALLBRIDGE_COUNTS_NOTHING
#endif

#ifndef CALLBRIDGE_COUNTS_NOTHING
// Not inlined: g++ else takes free() for the wrong partner of what it then sees as operator new.
#define CALLBRIDGE_NOINLINE __attribute__((noinline))
CALLBRIDGE_NOINLINE void* operator new(size_t size) {
  if (allocations >= most_allocations) throw std::bad_alloc();
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
CALLBRIDGE_NOINLINE void* operator new[](size_t size) { return operator new(size); }
CALLBRIDGE_NOINLINE void operator delete(void* memory) noexcept { std::free(memory); }
CALLBRIDGE_NOINLINE void operator delete[](void* memory) noexcept { std::free(memory); }
CALLBRIDGE_NOINLINE void operator delete(void* memory, size_t) noexcept { std::free(memory); }
CALLBRIDGE_NOINLINE void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
#undef CALLBRIDGE_NOINLINE
#endif

#endif  // CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_
