#include "tests/counted_allocations.h"

#include <cstdlib>
#include <new>

std::atomic<int> allocations{0};
std::atomic<int> most_allocations{kNoLimit};

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
