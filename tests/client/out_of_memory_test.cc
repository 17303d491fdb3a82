// Where memory runs out in a run of several threads.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/client/executable.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

// How many more allocations are made, of which the last one fails; without a limit at 0.
std::atomic<int> allocations_left{0};

bool FailsNow() {
  int left = allocations_left;
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

// Through a pointer that clang-tidy does not follow: it would take each `new` for a malloc()
// without a free().
void* (*volatile allocate)(size_t) = &std::malloc;

}  // namespace

void* operator new(size_t size) {
  void* memory = FailsNow() ? nullptr : allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace callbridge::client {
namespace {

constexpr char kSums[] = R"(HloModule sums

ENTRY e {
  x = f32[] parameter(0)
  a = f32[] negate(x)
  b = f32[] negate(a)
  c = f32[] negate(b)
  d = f32[] abs(x)
  e = f32[] abs(d)
  f = f32[] abs(e)
  ROOT t = (f32[], f32[]) tuple(c, f)
}
)";

TEST(OutOfMemoryTest, IsAnErrorAnywhereInARun) {
  const auto module = hlo::ParseHloText(kSums);
  ASSERT_TRUE(module.ok()) << module.status();
  ExecutableOptions options;
  options.threads = 4;
  const auto executable = Executable::Compile(*module, TargetTable(), options);
  ASSERT_TRUE(executable.ok()) << executable.status();
  bool some_failed = false;
  for (int place = 1;; ++place) {
    float x = 2;
    float results[2] = {};
    const callbridge_array in[] = {{&x, sizeof x}};
    const callbridge_array out[] = {{&results[0], sizeof x}, {&results[1], sizeof x}};
    allocations_left = place;
    const absl::Status status = (*executable)->Execute(in, out);
    const bool was_reached = allocations_left == 0;
    allocations_left = 0;
    if (status.ok()) {
      EXPECT_THAT(results, testing::ElementsAre(-2, 2));
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
      some_failed = true;
    }
    if (!was_reached) break;
  }
  EXPECT_TRUE(some_failed);
}

}  // namespace
}  // namespace callbridge::client
