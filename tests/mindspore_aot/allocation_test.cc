// Calls of AOT operators allocate nothing: every operator new of this program is counted.
#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/mindspore_aot/aot_handler.h"
#include "callbridge/mindspore_aot/aot_operator.h"
#include "gtest/gtest.h"
#include "tests/counted_allocations.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

int Nothing(int, void**, int*, int64_t**, const char**, void*, void*) { return 0; }

int OtherThanZero(int, void**, int*, int64_t**, const char**, void*, void*) { return 1; }

// Calls an operator of that many parameters a second time. Returns how often that allocates.
int Allocations(AotOperator::Function* function, int parameters, absl::StatusCode expected) {
  AotOperator aot;
  aot.name = "counted";
  aot.function = function;
  const Target target = *MakeTypedTarget(aot, Platform::kHost);
  CallSite site;
  site.operands.assign(static_cast<size_t>(parameters - 1), *ParseShape("f32[2,3]"));
  site.result = *ParseShape("f32[]");
  const absl::StatusOr<BoundCall> call = Bind(site, target);
  EXPECT_TRUE(call.ok()) << call.status();
  int64_t memory = 0;
  std::vector<void*> operands(site.operands.size(), &memory), results(1, &memory);
  const CallBuffers buffers = {absl::MakeSpan(operands), absl::MakeSpan(results)};
  EXPECT_EQ(call->Execute(buffers).code(), expected);
  const int before = allocations;
  EXPECT_EQ(call->Execute(buffers).code(), expected);
  return allocations - before;
}

TEST(AotAllocationTest, CallsAllocateNothing) {
  for (int parameters : {1, 3, 16, 64}) {
    EXPECT_EQ(Allocations(&Nothing, parameters, absl::StatusCode::kOk), 0) << parameters;
  }
}

TEST(AotAllocationTest, ABlockForEachListAboveThat) {
  EXPECT_EQ(Allocations(&Nothing, 65, absl::StatusCode::kOk), 4);
}

TEST(AotAllocationTest, TheCounterCounts) {
#ifndef CALLBRIDGE_COUNTS_NOTHING
  EXPECT_GT(Allocations(&OtherThanZero, 3, absl::StatusCode::kInternal), 0);
#endif
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
