// Typed FFI handlers bound and executed: built with XLA's headers of each version, with
// callbridge's, and by hand.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/export.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_handlers.h"
#include "tests/built_releases.h"
#include "xla/ffi/api/ffi.h"

// Writes how many bytes its opaque has, and the first of them.
static void OpaqueFunction(void* out, const void**, const char* opaque, size_t size,
                           XlaCustomCallStatus*) {
  auto* result = static_cast<float*>(out);
  result[0] = static_cast<float>(size);
  result[1] = size > 0 ? static_cast<float>(opaque[0]) : 0;
}
CALLBRIDGE_EXPORT(ExportedOpaque, OpaqueFunction);

namespace callbridge {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr size_t kSize = 8;

Shape S(const std::string& text) { return ParseShape(text).value(); }

CallSite Site(size_t operands, Attributes attributes = {}) {
  CallSite site;
  site.operands.assign(operands, S("f32[8]"));
  site.result = S("f32[8]");
  site.attributes = std::move(attributes);
  return site;
}

Target TypedTarget(void* execute, XLA_FFI_Handler* instantiate = nullptr) {
  Target target = {"typed", Platform::kHost, ApiVersion::kTypedFfi, true, execute};
  target.stages.instantiate = instantiate;
  return target;
}

Target TypedTarget(XLA_FFI_Handler* execute, XLA_FFI_Handler* instantiate = nullptr) {
  return TypedTarget(reinterpret_cast<void*>(execute), instantiate);
}

Attributes Scalar(const char* name, int32_t value) {
  Attributes attributes;
  attributes.SetScalar(name, PrimitiveType::kS32, &value);
  return attributes;
}

// Arrays of kSize floats: each operand 0, 1, 2...
class Arrays {
 public:
  explicit Arrays(size_t operands) : pointers_(operands, operand_.data()) {
    std::iota(operand_.begin(), operand_.end(), 0.0F);
    result_.fill(-1);
  }

  absl::Status Run(const BoundCall& call, const ExecutionContext& context = {}) {
    void* result = result_.data();
    return call.Execute({absl::MakeSpan(pointers_), {&result, 1}}, context);
  }
  const std::array<float, kSize>& operand() const { return operand_; }
  const std::array<float, kSize>& result() const { return result_; }

 private:
  std::array<float, kSize> operand_;
  std::array<float, kSize> result_;
  std::vector<void*> pointers_;
};

// ---- XLA's headers of each version

class GenuineTargetTest : public CrossVersionHandlersTest<std::string> {
 protected:
  void SetUp() override { Load(GetParam()); }

  // Binds and runs once.
  absl::Status Call(const std::string& name, const CallSite& site,
                    const ExecutionContext& context = {}) {
    arrays_.emplace(site.operands.size());
    absl::StatusOr<BoundCall> call = Bind(site, TypedTarget(Find<XLA_FFI_Handler>(name)));
    return call.ok() ? arrays_->Run(*call, context) : call.status();
  }
  const std::array<float, kSize>& result() const { return arrays_->result(); }
  const std::array<float, kSize>& operand() const { return arrays_->operand(); }

  absl::optional<Arrays> arrays_;
};

TEST_P(GenuineTargetTest, GetsBuffersAndAttributes) {
  ASSERT_EQ(Call("add", Site(2)), absl::OkStatus());
  EXPECT_EQ(result()[3], 6);
  ASSERT_EQ(Call("variadic", Site(3)), absl::OkStatus());
  EXPECT_EQ(result()[3], 9);
  const float two = 2;
  const std::array<int32_t, 3> shifts = {1, 2, 3};
  Attributes attributes;
  attributes.SetScalar("factor", PrimitiveType::kF32, &two);
  attributes.SetString("text", "four");
  attributes.SetArray("shifts", PrimitiveType::kS32, shifts.data(), shifts.size());
  ASSERT_EQ(Call("attribute", Site(1, attributes)), absl::OkStatus());
  EXPECT_EQ(result()[3], 16);
  Attributes dictionary = Scalar("y", 3);
  dictionary.SetScalar("x", PrimitiveType::kF32, &two);
  ASSERT_EQ(Call("dictionary", Site(0, dictionary)), absl::OkStatus());
  EXPECT_THAT(result(), Each(5));
}

TEST_P(GenuineTargetTest, TakesTuplesLeafByLeaf) {
  CallSite site = Site(0);
  site.operands = {S("(f32[8],(f32[8],f32[8]))")};
  site.result = S("(f32[8])");
  absl::StatusOr<BoundCall> call = Bind(site, TypedTarget(Find<XLA_FFI_Handler>("variadic")));
  ASSERT_TRUE(call.ok()) << call.status();
  Arrays arrays(3);
  ASSERT_EQ(arrays.Run(*call), absl::OkStatus());
  EXPECT_EQ(arrays.result()[3], 9);
}

TEST_P(GenuineTargetTest, FailsAsItSays) {
  EXPECT_EQ(Call("error", Site(1)), absl::FailedPreconditionError("told to fail"));
  const absl::Status counts = Call("error", Site(2));
  EXPECT_EQ(counts.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(counts.message(), HasSubstr("Wrong number of arguments"));
  CallSite typed = Site(1);
  typed.operands = {S("s32[8]")};
  EXPECT_EQ(Call("error", typed).code(), absl::StatusCode::kInvalidArgument);
  const absl::Status thrown = Call("throwing", Site(1));
  EXPECT_EQ(thrown.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(thrown.message(), HasSubstr("thrown"));
}

TEST_P(GenuineTargetTest, KeepsStateAcrossCalls) {
  if (!Has("state_execute")) GTEST_SKIP() << "the headers have no state";
  auto* live = Find<int()>("count_live_states");
  const Target target = TypedTarget(Find<XLA_FFI_Handler>("state_execute"),
                                    Find<XLA_FFI_Handler>("state_instantiate"));
  {
    absl::StatusOr<BoundCall> first = Bind(Site(0, Scalar("start", 10)), target);
    ASSERT_TRUE(first.ok()) << first.status();
    absl::StatusOr<BoundCall> second = Bind(Site(0, Scalar("start", 20)), target);
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ(live(), 2);
    const BoundCall moved = *std::move(first);
    Arrays arrays(0);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(arrays.Run(moved), absl::OkStatus());
      EXPECT_THAT(arrays.result(), Each(10 + i));
      ASSERT_EQ(arrays.Run(*second), absl::OkStatus());
      EXPECT_THAT(arrays.result(), Each(20 + i));
    }
    EXPECT_EQ(live(), 2);
  }
  EXPECT_EQ(live(), 0);
}

TEST_P(GenuineTargetTest, WhatInstantiateRefusesIsNotBound) {
  if (!Has("state_execute")) GTEST_SKIP() << "the headers have no state";
  const absl::Status status = Bind(Site(0), TypedTarget(Find<XLA_FFI_Handler>("state_execute"),
                                                        Find<XLA_FFI_Handler>("state_instantiate")))
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("ttribute"));
}

TEST_P(GenuineTargetTest, IsWaitedFor) {
  if (!Has("future")) GTEST_SKIP() << "the headers have no futures";
  for (int32_t mode : {0, 2}) {
    ASSERT_EQ(Call("future", Site(1, Scalar("mode", mode))), absl::OkStatus()) << mode;
    EXPECT_EQ(result(), operand());
  }
  for (int32_t mode : {1, 3}) {
    EXPECT_EQ(Call("future", Site(1, Scalar("mode", mode))),
              absl::AbortedError("told to fail later"));
  }
}

TEST_P(GenuineTargetTest, UsesWhatItIsLent) {
  host::HostScratchAllocator memory;
  host::RuntimeServices services;
  services.thread_pool = &host::ProcessThreads();
  services.scratch = &memory;
  services.device_ordinal = 5;
  const auto context = [&services] {
    ExecutionContext context;
    context.services = &services;
    return context;
  }();
  for (const char* name : {"thread_pool", "thread_pool_later", "scratch"}) {
    if (!Has(name)) continue;
    ASSERT_EQ(Call(name, Site(1), context), absl::OkStatus()) << name;
    EXPECT_EQ(result(), operand());
  }
  if (!Has("device_ordinal")) return;
  ASSERT_EQ(Call("device_ordinal", Site(0), context), absl::OkStatus());
  EXPECT_THAT(result(), Each(5));
  const absl::Status missing = Call("device_ordinal", Site(0));
  EXPECT_THAT(missing.message(), HasSubstr("device ordinal is not available"));
}

TEST_P(GenuineTargetTest, RunsOnManyThreads) {
  absl::StatusOr<BoundCall> call = Bind(Site(2), TypedTarget(Find<XLA_FFI_Handler>("add")));
  ASSERT_TRUE(call.ok()) << call.status();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      Arrays arrays(2);
      for (int i = 0; i < 200; ++i) {
        if (!arrays.Run(*call).ok() || arrays.result()[3] != 6) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// The runtime of neither stage's headers serves the other stage.
TEST(MixedHeadersTest, EachStageRunsByItsOwn) {
  const std::vector<std::string> releases = BuiltReleases();
  void* older =
      dlopen(absl::StrCat(CROSS_VERSION_HANDLERS, releases.front(), ".so").c_str(), RTLD_NOW);
  void* newer =
      dlopen(absl::StrCat(CROSS_VERSION_HANDLERS, releases.back(), ".so").c_str(), RTLD_NOW);
  if (older == nullptr || newer == nullptr) GTEST_SKIP() << dlerror();
  ASSERT_NE(older, newer);
  auto* id = reinterpret_cast<XLA_FFI_TypeId* (*)()>(dlsym(newer, "counter_id"))();
  auto* info = reinterpret_cast<XLA_FFI_TypeInfo* (*)()>(dlsym(newer, "counter_info"))();
  ASSERT_EQ(host::TypeRegistry::OfProcess().Register(absl::StrCat("counter of ", releases.back()),
                                                     *id, info),
            absl::OkStatus());
  auto* live = reinterpret_cast<int (*)()>(dlsym(newer, "count_live_states"));
  const int before = live();
  absl::StatusOr<BoundCall> call =
      Bind(Site(0, Scalar("start", 10)),
           TypedTarget(dlsym(older, "dictionary"),
                       reinterpret_cast<XLA_FFI_Handler*>(dlsym(newer, "state_instantiate"))));
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(live(), before + 1);
  Arrays arrays(0);
  const absl::Status status = arrays.Run(*call);  // the function's own word: it has been called
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("x or y is missing"));
}

INSTANTIATE_TEST_SUITE_P(Headers, GenuineTargetTest, testing::ValuesIn(BuiltReleases()),
                         [](const auto& info) { return WithoutDots(info.param); });

// ---- callbridge's headers

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

struct Total {
  static ffi::TypeId id;
  std::atomic<int> calls{0};
};
ffi::TypeId Total::id = {};

ffi::ErrorOr<std::unique_ptr<Total>> StartTotal() { return std::make_unique<Total>(); }
XLA_FFI_DEFINE_HANDLER(kStartTotal, StartTotal,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>());

ffi::Error CountCalls(ffi::Result<F32> result, Total* total) {
  std::fill_n(result->typed_data(), kSize, static_cast<float>(++total->calls));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCountCalls, CountCalls,
                       ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::State<Total>>());

TEST(OwnTargetTest, IsRecognised) {
  for (XLA_FFI_Handler* handler : {+kStartTotal, +kCountCalls}) {
    absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(handler);
    ASSERT_TRUE(headers.ok()) << headers.status();
    EXPECT_TRUE(headers->adapts);
    EXPECT_EQ(headers->version, &typed_ffi::kNewestVersion);
  }
}

TEST(OwnTargetTest, KeepsState) {
  const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Total>();
  ASSERT_EQ(host::TypeRegistry::OfProcess().Register("OwnTargetTest.Total", Total::id, &info),
            absl::OkStatus());
  absl::StatusOr<BoundCall> call = Bind(Site(0), TypedTarget(kCountCalls, kStartTotal));
  ASSERT_TRUE(call.ok()) << call.status();
  Arrays arrays(0);
  for (int i = 1; i < 4; ++i) {
    ASSERT_EQ(arrays.Run(*call), absl::OkStatus());
    EXPECT_THAT(arrays.result(), Each(i));
  }
}

TEST(OwnTargetTest, TheOpaqueIsAnAttribute) {
  CallSite site = Site(1);
  site.attributes.SetString("opaque", std::string("A\0B", 3));
  absl::StatusOr<BoundCall> call = Bind(site, TypedTarget(ExportedOpaque));
  ASSERT_TRUE(call.ok()) << call.status();
  Arrays arrays(1);
  ASSERT_EQ(arrays.Run(*call), absl::OkStatus());
  EXPECT_EQ(arrays.result()[0], 3);
  EXPECT_EQ(arrays.result()[1], 'A');
  site.opaque = "not there";
  const absl::Status status = Bind(site, TypedTarget(ExportedOpaque)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("gets attributes and no opaque"));
}

TEST(OwnTargetTest, WrongCountsNameBoth) {
  absl::StatusOr<BoundCall> call = Bind(Site(2), TypedTarget(ExportedOpaque));
  ASSERT_TRUE(call.ok());
  const absl::Status status = Arrays(3).Run(*call);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("declares 2 operands"));
  EXPECT_THAT(status.message(), HasSubstr("the call has 3"));
}

// ---- Written by hand, and what the platform says

const XLA_FFI_Api* seen_api;
void* seen_stream;

XLA_FFI_Error* ByHand(XLA_FFI_CallFrame* frame) {
  seen_api = frame->api;
  XLA_FFI_Stream_Get_Args args = {sizeof(args), nullptr, frame->ctx, nullptr};
  if (frame->ctx == nullptr) return nullptr;  // asked what it is
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_Stream_Get(&args)) return error;
  seen_stream = args.stream;
  return nullptr;
}

TEST(HandWrittenTargetTest, SeesTheNewestRuntime) {
  absl::StatusOr<BoundCall> call = Bind(Site(0), TypedTarget(&ByHand));
  ASSERT_TRUE(call.ok()) << call.status();
  const absl::Status status = Arrays(0).Run(*call);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(status.message(), HasSubstr("stream is not available"));
  EXPECT_EQ(seen_api, &host::ApiTable(typed_ffi::kNewestVersion));
}

TEST(HandWrittenTargetTest, GetsTheStreamOnAGpu) {
  Target target = TypedTarget(&ByHand);
  target.platform = Platform::kCuda;
  CallSite site = Site(0);
  site.platform = Platform::kCuda;
  absl::StatusOr<BoundCall> call = Bind(site, target);
  ASSERT_TRUE(call.ok()) << call.status();
  int stream = 0, other = 0;
  ExecutionContext context;
  context.stream = &stream;
  ASSERT_EQ(Arrays(0).Run(*call, context), absl::OkStatus());
  EXPECT_EQ(seen_stream, &stream);
  host::RuntimeServices services;
  context.services = &services;
  ASSERT_EQ(Arrays(0).Run(*call, context), absl::OkStatus());
  EXPECT_EQ(seen_stream, &stream);
  services.stream = &other;
  ASSERT_EQ(Arrays(0).Run(*call, context), absl::OkStatus());
  EXPECT_EQ(seen_stream, &other);
}

TEST(HandWrittenTargetTest, KeepsItsLibrary) {
  auto library = std::make_shared<int>();
  Target target = TypedTarget(&ByHand);
  target.library = library;
  {
    absl::StatusOr<BoundCall> call = Bind(Site(0), target);
    target.library.reset();
    ASSERT_TRUE(call.ok());
    EXPECT_GT(library.use_count(), 1);
  }
  EXPECT_EQ(library.use_count(), 1);
}

}  // namespace
}  // namespace callbridge
