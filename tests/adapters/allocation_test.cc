// Hot paths allocate nothing: every operator new of this program is counted.
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/pointer_block.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/counted_allocations.h"

namespace callbridge {
namespace {

template <typename Function>
int Allocations(Function function) {
  const int before = allocations;
  function();
  return allocations - before;
}

void OriginalTarget(void*, void**) {}
void StatusTarget(void*, void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetSuccess(status);
}
void UnifiedTarget(void*, void**, const char*, size_t, XlaCustomCallStatus*) {}

XLA_FFI_Error* TypedTarget(XLA_FFI_CallFrame*) { return nullptr; }

const Target kTargets[] = {
    {"original", Platform::kHost, ApiVersion::kOriginal, true,
     reinterpret_cast<void*>(&OriginalTarget)},
    {"status", Platform::kHost, ApiVersion::kStatusReturning, true,
     reinterpret_cast<void*>(&StatusTarget)},
    {"unified", Platform::kHost, ApiVersion::kStatusReturningUnified, true,
     reinterpret_cast<void*>(&UnifiedTarget)},
    {"gpu", Platform::kCuda, ApiVersion::kStatusReturning, true,
     reinterpret_cast<void*>(&UnifiedTarget)},
};

CallSite Site(const Target& target, const std::string& operand, const char* result) {
  CallSite site;
  site.platform = target.platform;
  site.operands.push_back(*ParseShape(operand));
  site.result = *ParseShape(result);
  site.opaque = "an opaque that is longer than a short string";
  return site;
}

// A tuple of `leaves` leaves that all need a slot of their own, being beside a tuple.
std::string MixedTuple(size_t leaves) {
  std::string text = "(()";
  for (size_t i = 0; i < leaves; ++i) text += ",f32[]";
  return text + ")";
}

TEST(AllocationTest, TypedTargetsAllocateNothing) {
  CallSite site;
  site.operands.assign(255, *ParseShape("f32[2,3]"));
  site.result = *ParseShape("f32[]");
  site.attributes.SetString("name", "value");
  const Target typed = {"typed", Platform::kHost, ApiVersion::kTypedFfi, true,
                        reinterpret_cast<void*>(&TypedTarget)};
  absl::StatusOr<BoundCall> call = Bind(site, typed);
  ASSERT_TRUE(call.ok()) << call.status();
  std::vector<void*> operands(255), results(1);
  const CallBuffers buffers = {absl::MakeSpan(operands), absl::MakeSpan(results)};
  EXPECT_EQ(Allocations([&] { EXPECT_TRUE(call->Execute(buffers).ok()); }), 0);
}

TEST(AllocationTest, TheCounterCounts) {
  // Called by name, since a new-expression whose memory nobody uses may be optimised away.
  EXPECT_EQ(Allocations([] { ::operator delete(::operator new(1)); }), 1);
  EXPECT_EQ(Allocations([] { EXPECT_TRUE(ParseShape("(f32[1])").ok()); }) > 0, true);
}

TEST(AllocationTest, ExecuteAllocatesNothing) {
  for (const Target& target : kTargets) {
    for (const char* operand : {"f32[8]", "(f32[8],(f32[8],f32[8]),f32[8])", "()"}) {
      for (const char* result : {"f32[8]", "(f32[8])", "(f32[8],(f32[8]))", "()"}) {
        SCOPED_TRACE(target.name + " " + operand + " -> " + result);
        const CallSite site = Site(target, operand, result);
        absl::StatusOr<BoundCall> call = Bind(site, target);
        ASSERT_TRUE(call.ok());
        std::vector<void*> operands(site.operands[0].LeafCount());
        std::vector<void*> results(site.result.LeafCount());
        EXPECT_EQ(
            Allocations([&] {
              EXPECT_TRUE(call->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}).ok());
            }),
            0);
      }
    }
  }
}

TEST(AllocationTest, OneBlockAboveTheStacksPointers) {
  // The tuple's slot, the empty tuple's, and one a leaf.
  for (const auto& [leaves, blocks] :
       {std::pair<size_t, int>{kStackPointers - 2, 0},
        std::pair<size_t, int>{kStackPointers - 1, 1}, std::pair<size_t, int>{10000, 1}}) {
    const CallSite site = Site(kTargets[0], MixedTuple(leaves), "f32[]");
    absl::StatusOr<BoundCall> call = Bind(site, kTargets[0]);
    ASSERT_TRUE(call.ok());
    std::vector<void*> operands(leaves), results(1);
    EXPECT_EQ(
        Allocations([&] {
          EXPECT_TRUE(call->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}).ok());
        }),
        blocks)
        << leaves;
  }
}

// The slots of operands and result are one block. The result needs two, as its inner list is the
// caller's own.
TEST(AllocationTest, TheResultsTablesCountToo) {
  for (const auto& [leaves, blocks] : {std::pair<size_t, int>{kStackPointers - 2 - 2, 0},
                                       std::pair<size_t, int>{kStackPointers - 1 - 2, 1}}) {
    const CallSite site = Site(kTargets[0], MixedTuple(leaves), "((f32[]),f32[])");
    absl::StatusOr<BoundCall> call = Bind(site, kTargets[0]);
    ASSERT_TRUE(call.ok());
    std::vector<void*> operands(leaves), results(2);
    EXPECT_EQ(
        Allocations([&] {
          EXPECT_TRUE(call->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}).ok());
        }),
        blocks)
        << leaves;
  }
}

TEST(AllocationTest, SoDoTheBuffersOfAGpu) {
  for (const auto& [operand_count, blocks] :
       {std::pair<size_t, int>{kStackPointers - 1, 0}, std::pair<size_t, int>{kStackPointers, 1}}) {
    CallSite site = Site(kTargets[3], "f32[]", "f32[]");
    site.operands.assign(operand_count, *ParseShape("f32[]"));
    absl::StatusOr<BoundCall> call = Bind(site, kTargets[3]);
    ASSERT_TRUE(call.ok());
    std::vector<void*> operands(operand_count), results(1);
    EXPECT_EQ(
        Allocations([&] {
          EXPECT_TRUE(call->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}).ok());
        }),
        blocks)
        << operand_count;
  }
}

TEST(AllocationTest, EntryPointsAllocateNothingOnceTheyKnowTheSite) {
  for (const Target& target : kTargets) {
    SCOPED_TRACE(target.name);
    const EntryPoints points = *GetEntryPoints(target);
    const std::string descriptor =
        EncodeSiteDescriptor(Site(target, "(f32[],(f32[],f32[]))", "(f32[])"));

    void* operands[3] = {};
    XlaCustomCallStatus status;
    auto untyped = [&](const std::string& opaque) {
      reinterpret_cast<void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*)>(
          points.untyped)(nullptr, operands, opaque.data(), opaque.size(), &status);
      EXPECT_FALSE(status.message.has_value());
    };
    const std::string plain = "plain";
    EXPECT_EQ(Allocations([&] { untyped(plain); }), 0);
    untyped(descriptor);
    EXPECT_EQ(Allocations([&] { untyped(descriptor); }), 0);

    FfiCall runtime;
    for (int i = 0; i < 3; ++i) runtime.Arg(PrimitiveType::kF32, nullptr);
    runtime.Ret(PrimitiveType::kF32, nullptr);
    auto typed = [&] { EXPECT_TRUE(runtime.Call(points.typed).ok()); };
    typed();  // the runtime's own vectors
    EXPECT_EQ(Allocations(typed), 0);
    runtime.ArrayAttr(kSiteDescriptorAttribute, descriptor);
    typed();
    EXPECT_EQ(Allocations(typed), 0);
  }
}

TEST(AllocationTest, SoDoThoseOfTypedTargets) {
  Target target = {"typed", Platform::kHost, ApiVersion::kTypedFfi, true, nullptr};
  target.address =
      reinterpret_cast<void*>(+[](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { return nullptr; });
  const auto untyped =
      reinterpret_cast<void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*)>(
          GetEntryPoints(target)->untyped);
  for (size_t count : {size_t{0}, size_t{3}, size_t{255}}) {
    CallSite site;
    site.operands.assign(count, *ParseShape("f32[4]"));
    site.result = *ParseShape("f32[4]");
    site.attributes.SetString("text", std::string(100, 'x'));
    const std::string descriptor = *EncodeTypedSiteDescriptor(site);
    std::vector<void*> operands(count);
    XlaCustomCallStatus status;
    const auto call = [&] {
      untyped(nullptr, operands.data(), descriptor.data(), descriptor.size(), &status);
      EXPECT_FALSE(status.message.has_value());
    };
    EXPECT_GT(Allocations(call), 0);
    EXPECT_EQ(Allocations(call), 0);
  }
}

}  // namespace
}  // namespace callbridge
