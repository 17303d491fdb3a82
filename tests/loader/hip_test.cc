// HIP's custom calls: the GPU ABI with a hipStream_t, on platform "ROCM". Bound and called on the
// host, with a stream that is no HIP's.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PrimitiveType kS32 = PrimitiveType::kS32;
using Pair = std::array<int32_t, 2>;

std::string OldBinary(const std::string& name) { return OLD_BINARIES "/" + name + ".so"; }

class HipTest : public ::testing::TestWithParam<const char*> {
 protected:
  HipTest() : library_(TargetLibrary::Load(OldBinary(GetParam())).value()) {}

  Target Find(const std::string& name) const {
    return library_->Find(name, Platform::kRocm).value();
  }

  static CallSite Site(const Target& target, const char* result,
                       const std::vector<const char*>& operands, const std::string& opaque) {
    CallSite site;
    site.target_name = target.name;
    site.platform = target.platform;
    site.api_version = target.api_version;
    for (const char* operand : operands) site.operands.push_back(*ParseShape(operand));
    site.result = *ParseShape(result);
    site.opaque = opaque;
    return site;
  }

  // Calls a target of s32[2] -> s32[2] on {1, 2}.
  absl::Status Call(const std::string& name, const std::string& opaque) {
    const Target target = Find(name);
    absl::StatusOr<BoundCall> call = Bind(Site(target, "s32[2]", {"s32[2]"}, opaque), target);
    if (!call.ok()) return call.status();
    void* operands[] = {in_.data()};
    void* results[] = {out_.data()};
    ExecutionContext context;
    context.stream = &submitted_;
    return call->Execute({operands, results}, context);
  }

  std::shared_ptr<TargetLibrary> library_;
  int32_t submitted_ = 0;  // the stream
  Pair in_ = {1, 2};
  Pair out_ = {-1, -1};
};

TEST_P(HipTest, TargetsGetTheStreamAndTheBuffers) {
  for (const char* name : {"hip_original", "hip_status", "hip_void_stream", "on any gpu"}) {
    submitted_ = 0;
    ASSERT_EQ(Call(name, "abc"), absl::OkStatus()) << name;
    EXPECT_EQ(out_, (Pair{4, 5})) << name;
    EXPECT_EQ(submitted_, 1) << name;
  }
}

TEST_P(HipTest, AFailureIsTheTargets) {
  EXPECT_EQ(Call("hip_status", ""), absl::InternalError("CustomCall failed: hipErrorInvalidValue"));
  EXPECT_EQ(submitted_, 0);
}

TEST_P(HipTest, TuplesAreTheirLeaves) {
  const Target target = Find("hip_leaves");
  const char* const tree = "(s32[2],(s32[2]))";
  const BoundCall call = Bind(Site(target, tree, {tree}, "x"), target).value();
  std::array<Pair, 4> leaves = {Pair{1, 2}, Pair{3, 4}, Pair{}, Pair{}};
  void* operands[] = {leaves[0].data(), leaves[1].data()};
  void* results[] = {leaves[2].data(), leaves[3].data()};
  ExecutionContext context;
  context.stream = &submitted_;
  ASSERT_EQ(call.Execute({operands, results}, context), absl::OkStatus());
  EXPECT_THAT(leaves, ElementsAre(Pair{1, 2}, Pair{3, 4}, Pair{2, 3}, Pair{4, 5}));
  EXPECT_EQ(submitted_, 2);
}

// As a runtime for ROCm calls them, by XLA's FFI and by version 3.
TEST_P(HipTest, EntryPointsPassTheRuntimesStream) {
  for (const char* name : {"hip_original", "hip_status", "hip_void_stream"}) {
    const EntryPoints points = GetEntryPoints(Find(name)).value();
    submitted_ = 0;
    FfiCall call;
    call.Arg(kS32, in_.data(), {2}).Ret(kS32, out_.data(), {2}).Stream(&submitted_);
    const CallSite site = Site(Find(name), "s32[2]", {"s32[2]"}, "ab");
    const std::string descriptor = EncodeSiteDescriptor(site);
    call.StringAttr(kSiteDescriptorAttribute, descriptor);
    ASSERT_EQ(call.Call(points.typed), absl::OkStatus());
    EXPECT_EQ(out_, (Pair{3, 4}));
    EXPECT_EQ(submitted_, 1);

    using Untyped = void (*)(void* stream, void** buffers, const char*, size_t, void* status);
    void* buffers[] = {in_.data(), out_.data()};
    reinterpret_cast<Untyped>(points.untyped)(&submitted_, buffers, "abcd", 4, nullptr);
    EXPECT_EQ(out_, (Pair{5, 6}));
    EXPECT_EQ(submitted_, 2);
  }
}

TEST_P(HipTest, MayBeCaptured) {
  Target target = Find("hip_status");
  EXPECT_EQ(target.traits, 0U);
  target.traits = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
  const EntryPoints points = GetEntryPoints(target).value();
  EXPECT_EQ(host::QueryMetadata(typed_ffi::kNewestVersion, points.typed)->traits, target.traits);
}

TEST_P(HipTest, OtherPlatformsDoNotHaveThem) {
  for (Platform platform : {Platform::kHost, Platform::kCuda}) {
    const absl::Status status = library_->Find("hip_original", platform).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(status.message()), HasSubstr("hip_original on ROCM"));
  }
  EXPECT_TRUE(library_->Find("on any gpu", Platform::kCuda).ok());
}

INSTANTIATE_TEST_SUITE_P(Builds, HipTest, ::testing::Values("hip", "hip_recompiled"),
                         [](const auto& info) { return std::string(info.param); });

// ---- What is known of them

std::vector<std::string> Describe(const std::string& name) {
  std::vector<std::string> lines;
  const std::shared_ptr<TargetLibrary> library = TargetLibrary::Load(OldBinary(name)).value();
  for (const LibraryTarget& target : library->targets()) {
    lines.push_back(target.registered.name + " on " + target.registered.platform + ": " +
                    std::string(ApiVersionName(target.api_version)) + ", " + target.evidence);
  }
  return lines;
}

TEST(HipEvidenceTest, MangledNamesProveTheAbi) {
  const std::string parameters = "(ihipStream_t*, void**, char const*, unsigned long";
  const std::string is_void =
      "status_returning, symbol hip_void_stream(void*, void**, char const*, unsigned long, "
      "XlaCustomCallStatus_*)";
  EXPECT_THAT(Describe("hip"),
              ElementsAre("hip_leaves on ROCM: original, symbol hip_leaves" + parameters + ")",
                          "hip_original on ROCM: original, symbol hip_original" + parameters + ")",
                          "hip_status on ROCM: status_returning, symbol hip_status" + parameters +
                              ", XlaCustomCallStatus_*)",
                          "hip_void_stream on ROCM: " + is_void, "on any gpu on gpu: " + is_void));
}

TEST(HipEvidenceTest, TheMacrosSeeTheType) {
  const std::string shown = ", registered with its type";
  EXPECT_THAT(
      Describe("hip_recompiled"),
      ElementsAre("hip_exported on ROCM: typed_ffi, registered as a typed FFI handler",
                  "hip_leaves on ROCM: original" + shown, "hip_original on ROCM: original" + shown,
                  "hip_status on ROCM: status_returning" + shown,
                  "hip_typed on ROCM: typed_ffi, registered as a typed FFI handler",
                  "hip_void_stream on ROCM: status_returning" + shown,
                  "on any gpu on gpu: status_returning" + shown));
}

TEST(HipEvidenceTest, InspectSaysWhatTheFunctionsAre) {
  const Inspection inspection = Inspect(OldBinary("hip")).value();
  std::vector<std::string> lines;
  for (const auto& [key, function] : inspection.symbols.functions) {
    const std::string name = function.name;
    lines.push_back(name.substr(0, name.find('(')) + ": " + AbiText(function));
  }
  EXPECT_THAT(lines, ::testing::IsSupersetOf({
                         std::string("hip_original: original on CUDA and ROCM"),
                         std::string("hip_status: status_returning on CUDA and ROCM"),
                         std::string("hip_void_stream: status_returning_unified on Host, or "
                                     "status_returning on CUDA and ROCM"),
                     }));
}

// ---- Typed handlers, by callbridge's own headers

class HipTypedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HipTypedTest, GetsTheStreamAndKeepsItsTrait) {
  const auto library = TargetLibrary::Load(OldBinary("hip_recompiled")).value();
  const Target target = library->Find(GetParam(), Platform::kRocm).value();
  EXPECT_EQ(target.traits, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
  XLA_FFI_Handler_Bundle handlers = target.stages;
  XLA_FFI_Handler_Traits traits = target.traits;
  const auto adapted = AdaptHandlers(handlers, target.platform, nullptr, &traits).value();
  EXPECT_EQ(reinterpret_cast<void*>(adapted.execute), target.address);
  Pair in = {1, 2};
  Pair out = {};
  int32_t submitted = 0;
  FfiCall call;
  call.Arg(kS32, in.data(), {2}).Ret(kS32, out.data(), {2}).Stream(&submitted);
  if (std::string(GetParam()) == "hip_exported") call.StringAttr("opaque", std::string(40, '.'));
  ASSERT_EQ(call.Call(adapted.execute), absl::OkStatus());
  EXPECT_EQ(out, (Pair{41, 42}));
  EXPECT_EQ(submitted, 1);
}

INSTANTIATE_TEST_SUITE_P(Handlers, HipTypedTest, ::testing::Values("hip_typed", "hip_exported"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace callbridge
