// Counts every operator new of the program that includes this, which one source of it may do. Not
// under the thread sanitizer, whose runtime has those operators itself: there nothing is counted.
#ifndef CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_
#define CALLBRIDGE_TESTS_COUNTED_ALLOCATIONS_H_

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int> allocations{0};
}  // namespace

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CALLBRIDGE_COUNTS_NOTHING
#endif
#endif

#ifndef CALLBRIDGE_COUNTS_NOTHING
// Not inlined: g++ else takes free() for the wrong partner of what it then sees as operator new.
#define CALLBRIDGE_NOINLINE __attribute__((noinline))
CALLBRIDGE_NOINLINE void* operator new(size_t size) {
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
