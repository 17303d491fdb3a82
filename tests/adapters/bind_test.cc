#include "callbridge/adapters/bind.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/recording_targets.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

Shape S(const char* text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return *std::move(shape);
}

CallSite Site(std::vector<const char*> operands, const char* result) {
  CallSite site;
  for (const char* operand : operands) site.operands.push_back(S(operand));
  site.result = S(result);
  return site;
}

// Distinct addresses to pass for buffers; nothing reads them.
char bytes[64];
void* Buffer(size_t i) { return &bytes[i]; }

class BindTest : public ::testing::Test {
 protected:
  void SetUp() override { recorded = Recorded(); }

  // Binds and calls with Buffer(0), Buffer(1)... for the operands and Buffer(32)... for the
  // results.
  absl::Status Call(const CallSite& site, const Target& target,
                    const ExecutionContext& context = {}) {
    std::vector<void*> operands, results;
    for (const Shape& operand : site.operands) {
      for (int64_t i = 0; i < operand.LeafCount(); ++i) operands.push_back(Buffer(operands.size()));
    }
    for (int64_t i = 0; i < site.result.LeafCount(); ++i)
      results.push_back(Buffer(32 + results.size()));
    absl::StatusOr<BoundCall> call = Bind(site, target);
    if (!call.ok()) return call.status();
    return call->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}, context);
  }
};

// ---- Host ---------------------------------------------------------------------------------------

struct HostCase {
  const char* name;
  Target target;
  bool gets_status;
};

class HostAbiTest : public BindTest, public ::testing::WithParamInterface<HostCase> {};

TEST_P(HostAbiTest, ArraysArriveAsTheyAre) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    EXPECT_EQ(r.in[1], Buffer(1));
    EXPECT_EQ(r.out, Buffer(32));
  };
  ASSERT_TRUE(Call(Site({"f32[128]", "f32[2048]"}, "f32[2048]"), GetParam().target).ok());
  EXPECT_EQ(recorded.calls, 1);
  EXPECT_EQ(recorded.got_status, GetParam().gets_status);
}

TEST_P(HostAbiTest, NestedTuplesArriveAsNestedTables) {
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    EXPECT_EQ(tuple[0], Buffer(0));
    auto** inner = static_cast<void**>(tuple[1]);
    EXPECT_EQ(inner[0], Buffer(1));
    EXPECT_EQ(inner[1], Buffer(2));
    EXPECT_EQ(tuple[2], Buffer(3));
    EXPECT_EQ(r.in[1], Buffer(4));
    auto** out = static_cast<void**>(r.out);
    EXPECT_EQ(out[0], Buffer(32));
    EXPECT_EQ(out[1], Buffer(33));
  };
  ASSERT_TRUE(Call(Site({"(f32[32],(f32[64],f32[128]),f32[256])", "s32[]"}, "(f32[512],f32[1024])"),
                   GetParam().target)
                  .ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_P(HostAbiTest, NestedTupleResultsAreNestedTables) {
  recorded.inspect = [](Recorded& r) {
    auto** out = static_cast<void**>(r.out);
    EXPECT_EQ(out[0], Buffer(32));
    auto** inner = static_cast<void**>(out[1]);
    EXPECT_EQ(inner[0], Buffer(33));
    EXPECT_EQ(inner[1], Buffer(34));
  };
  ASSERT_TRUE(Call(Site({}, "(f32[1],(f32[2],f32[3]))"), GetParam().target).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_P(HostAbiTest, NestedTablesOfOperandsAndResult) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    auto** tuple = static_cast<void**>(r.in[1]);
    EXPECT_EQ(static_cast<void**>(tuple[0])[0], Buffer(1));
    EXPECT_EQ(tuple[1], Buffer(2));
    auto** out = static_cast<void**>(r.out);
    EXPECT_EQ(out[0], Buffer(32));
    EXPECT_EQ(static_cast<void**>(out[1])[0], Buffer(33));
  };
  ASSERT_TRUE(
      Call(Site({"f32[1]", "((f32[2]),f32[3])"}, "(f32[1],(f32[2]))"), GetParam().target).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_P(HostAbiTest, EmptyAndOneElementTuples) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_NE(r.in[0], nullptr);  // the empty tuple's slot
    EXPECT_EQ(r.in[1], Buffer(0));
    EXPECT_EQ(*static_cast<void**>(r.in[2]), Buffer(1));
    EXPECT_EQ(*static_cast<void**>(r.out), Buffer(32));
  };
  ASSERT_TRUE(Call(Site({"()", "f32[1]", "(f32[1])"}, "(f32[1])"), GetParam().target).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_P(HostAbiTest, TheFlatEraHasOneListOfLeaves) {
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(r.in[i], Buffer(i));
    auto** out = static_cast<void**>(r.out);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(out[i], Buffer(32 + i));
  };
  CallSite site = Site({"()", "(f32[1],(f32[2],f32[3]))", "f32[4]"}, "(f32[1],(f32[2],f32[3]))");
  site.tuple_layout = TupleLayout::kFlat;
  ASSERT_TRUE(Call(site, GetParam().target).ok());
  EXPECT_EQ(recorded.calls, 1);
}

INSTANTIATE_TEST_SUITE_P(
    AllAbis, HostAbiTest,
    ::testing::Values(
        HostCase{"OriginalProved",
                 MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal), false},
        // A declared version 1 is given a status all the same: so is a function that ignores it.
        HostCase{"OriginalDeclared",
                 MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal, false),
                 false},
        HostCase{"StatusDeclaredOriginal",
                 MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kOriginal, false),
                 true},
        HostCase{"StatusReturning",
                 MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning),
                 true},
        HostCase{
            "StatusReturningDeclared",
            MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning, false),
            true},
        HostCase{"UnifiedDeclared",
                 MakeTarget(&HostUnifiedTarget, Platform::kHost,
                            ApiVersion::kStatusReturningUnified, false),
                 true},
        HostCase{
            "Unified",
            MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified),
            true}),
    [](const auto& info) { return info.param.name; });

TEST_F(BindTest, TheOpaqueIsBytes) {
  const std::string opaque("\xff\0\xfe\0 opaque", 11);
  CallSite site = Site({"f32[]"}, "f32[]");
  site.opaque = opaque;
  for (size_t repeat : {0u, 1u, 100000u}) {
    site.opaque.clear();
    for (size_t i = 0; i < repeat; ++i) site.opaque += opaque;
    ASSERT_TRUE(Call(site, MakeTarget(&HostUnifiedTarget, Platform::kHost,
                                      ApiVersion::kStatusReturningUnified))
                    .ok());
    EXPECT_EQ(recorded.opaque, site.opaque);
  }
}

TEST_F(BindTest, ABoundCallNeedsNeitherItsSiteNorItsTarget) {
  auto library = std::make_shared<int>();
  std::vector<BoundCall> calls;
  {
    CallSite site = Site({"(f32[1],(f32[2]))"}, "f32[]");
    site.opaque = "short";
    Target target =
        MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified);
    target.library = library;
    calls.push_back(Bind(site, target).value());
    site.opaque.assign("other");
  }
  const BoundCall moved = std::move(calls[0]);
  calls.clear();
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    EXPECT_EQ(static_cast<void**>(tuple[1])[0], Buffer(1));
  };
  void* operands[] = {Buffer(0), Buffer(1)};
  void* result = Buffer(32);
  ASSERT_TRUE(moved.Execute({operands, {&result, 1}}).ok());
  EXPECT_EQ(recorded.opaque, "short");
  EXPECT_EQ(library.use_count(), 2) << "kept, since the call is";
}

TEST_F(BindTest, ManyPointersAreServedFromTheHeap) {
  std::string tuple = "(";
  for (int i = 0; i < 400; ++i) tuple += "f32[1],(f32[1],()),";
  tuple.back() = ')';
  std::vector<void*> leaves(800);
  for (size_t i = 0; i < leaves.size(); ++i) leaves[i] = reinterpret_cast<void*>(0x1000 + i);
  void* result = Buffer(32);
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    for (size_t i = 0; i < 400; ++i) {
      EXPECT_EQ(tuple[2 * i], reinterpret_cast<void*>(0x1000 + 2 * i));
      EXPECT_EQ(*static_cast<void**>(tuple[2 * i + 1]), reinterpret_cast<void*>(0x1001 + 2 * i));
    }
  };
  absl::StatusOr<BoundCall> call =
      Bind(Site({tuple.c_str()}, "f32[]"),
           MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal));
  ASSERT_TRUE(call.ok());
  ASSERT_TRUE(call->Execute({absl::MakeSpan(leaves), {&result, 1}}).ok());
  EXPECT_EQ(recorded.calls, 1);
}

// ---- GPU ----------------------------------------------------------------------------------------

TEST_F(BindTest, GpuTargetsGetTheStreamAndOneFlatList) {
  int stream;
  CallSite site = Site({"(f32[32],(f32[64],f32[128]),f32[256])", "()"}, "(f32[512],f32[1024])");
  site.platform = Platform::kCuda;
  site.opaque = std::string("\0\1", 2);
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(r.buffers[i], Buffer(i));
    EXPECT_EQ(r.buffers[4], Buffer(32));
    EXPECT_EQ(r.buffers[5], Buffer(33));
  };
  const Target targets[] = {
      MakeTarget(&GpuOriginalTarget, Platform::kCuda, ApiVersion::kOriginal),
      MakeTarget(&GpuOriginalTarget, Platform::kCuda, ApiVersion::kUnspecified, false),
      MakeTarget(&GpuStatusTarget, Platform::kCuda, ApiVersion::kStatusReturning),
      MakeTarget(&GpuStatusTarget, Platform::kCuda, ApiVersion::kStatusReturningUnified)};
  for (const Target& target : targets) {
    recorded.stream = nullptr;
    ASSERT_TRUE(Call(site, target, {&stream}).ok());
    EXPECT_EQ(recorded.stream, &stream);
    EXPECT_EQ(recorded.opaque, site.opaque);
  }
  EXPECT_EQ(recorded.calls, 4);
}

TEST_F(BindTest, ATokenIsANullPointer) {
  CallSite site = Site({"f32[1]", "token[]"}, "(f32[1],token[])");
  site.platform = Platform::kRocm;
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.buffers[1], nullptr);
    EXPECT_EQ(r.buffers[3], nullptr);
  };
  void* operands[] = {Buffer(0), nullptr};
  void* results[] = {Buffer(32), nullptr};
  absl::StatusOr<BoundCall> call =
      Bind(site, MakeTarget(&GpuStatusTarget, Platform::kRocm, ApiVersion::kStatusReturning));
  ASSERT_TRUE(call.ok());
  ASSERT_TRUE(call->Execute({operands, results}).ok());
  EXPECT_EQ(recorded.calls, 1);
}

// ---- Failures -----------------------------------------------------------------------------------

TEST_F(BindTest, AReportedFailureIsInternal) {
  const std::string message = "the matrix is singular";
  recorded.failure = &message;
  const Target targets[] = {
      MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning),
      MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified)};
  for (const Target& target : targets) {
    absl::Status status = Call(Site({"f32[]"}, "f32[]"), target);
    EXPECT_EQ(status, absl::InternalError("CustomCall failed: the matrix is singular"));
  }
}

TEST_F(BindTest, ExceptionsBecomeErrors) {
  const Target targets[] = {
      MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal),
      MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning),
      MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified)};
  for (const Target& target : targets) {
    recorded.inspect = [](Recorded&) { throw std::runtime_error("out of luck"); };
    EXPECT_EQ(
        Call(Site({"f32[]"}, "f32[]"), target),
        absl::InternalError("CustomCall failed: the target threw std::runtime_error: out of luck"));
    recorded.inspect = [](Recorded&) { throw 5; };
    EXPECT_EQ(Call(Site({"f32[]"}, "f32[]"), target),
              absl::InternalError("CustomCall failed: the target threw int"));
  }
}

TEST_F(BindTest, AnotherPlatformIsNotFound) {
  CallSite site = Site({"f32[]"}, "f32[]");
  site.platform = Platform::kCuda;
  absl::Status status =
      Call(site, MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal));
  EXPECT_EQ(status, absl::NotFoundError("custom call \"recording\" is registered for Host, but the "
                                        "call is made on CUDA"));
}

TEST_F(BindTest, AnUnknownAbiOnHostIsRefusedUnlessTheSiteDeclaresIt) {
  const Target target =
      MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kUnspecified, false);
  CallSite site = Site({"f32[]"}, "f32[]");
  absl::Status status = Call(site, target);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("could crash: declare it"));
  EXPECT_EQ(recorded.calls, 0);
  site.api_version = ApiVersion::kStatusReturningUnified;
  EXPECT_TRUE(Call(site, target).ok());
}

TEST_F(BindTest, WhatIsKnownOfTheTargetOutweighsTheClaim) {
  CallSite site = Site({"f32[]"}, "f32[]");
  site.api_version = ApiVersion::kStatusReturningUnified;
  recorded.inspect = [](Recorded& r) { EXPECT_TRUE(r.got_status); };
  EXPECT_TRUE(
      Call(site, MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning))
          .ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(BindTest, UntypedTargetsTakeNoAttributes) {
  CallSite site = Site({}, "()");
  site.attributes.SetString("name", "value");
  absl::Status status =
      Call(site, MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal));
  EXPECT_EQ(status,
            absl::InvalidArgumentError(
                "the call site has attributes, but custom call \"recording\" is untyped and "
                "takes none: pass bytes as its opaque"));
}

TEST_F(BindTest, ANullAddressIsRefused) {
  absl::Status status =
      Call(Site({}, "()"), {"nothing", Platform::kHost, ApiVersion::kOriginal, true, nullptr});
  EXPECT_EQ(status, absl::InvalidArgumentError("custom call \"nothing\" has a null address"));
}

TEST_F(BindTest, WrongCountsNameBoth) {
  absl::StatusOr<BoundCall> call =
      Bind(Site({"(f32[1],f32[1])"}, "f32[]"),
           MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal));
  ASSERT_TRUE(call.ok());
  void* pointers[] = {Buffer(0), Buffer(1), Buffer(2)};
  const auto expect = [&](size_t operands, size_t results, const char* declares, int has) {
    EXPECT_EQ(call->Execute({{pointers, operands}, {pointers, results}}),
              absl::InvalidArgumentError(
                  absl::StrCat("the call site declares ", declares,
                               " (leaves of tuples counted), but the call has ", has)));
  };
  expect(3, 1, "2 operands", 3);
  expect(1, 1, "2 operands", 1);
  expect(2, 0, "1 results", 0);
  expect(2, 2, "1 results", 2);
  EXPECT_EQ(recorded.calls, 0);
}

// ---- Threads ------------------------------------------------------------------------------------

void AddOne(void* out, const void** in) {
  auto* const* tuple = static_cast<const int* const*>(in[0]);
  *static_cast<int*>(out) = *tuple[0] + **reinterpret_cast<const int* const*>(tuple[1]);
}

TEST_F(BindTest, SixteenThreadsShareOneBoundCall) {
  absl::StatusOr<BoundCall> call =
      Bind(Site({"(s32[],(s32[]))"}, "s32[]"),
           MakeTarget(&AddOne, Platform::kHost, ApiVersion::kOriginal));
  ASSERT_TRUE(call.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&call, t] {
      for (int i = 0; i < 500; ++i) {
        int a = t, b = i, sum = 0;
        void* operands[] = {&a, &b};
        void* result = &sum;
        EXPECT_TRUE(call->Execute({operands, {&result, 1}}).ok());
        EXPECT_EQ(sum, t + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace callbridge
