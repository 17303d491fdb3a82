// What a handler asks of its context, on a runtime of each version. FakeRuntime's tables end at a
// page that nobody may read.
#include "callbridge/typed_ffi/binding/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/binding/future_encoding.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace {

using ::callbridge::typed_ffi::ApiFunction;
using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::RuntimeVersion;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::live_errors;
using ::callbridge::typed_ffi::testing::NewError;
using ::callbridge::typed_ffi::testing::RowName;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

struct Registered {
  static TypeId id;
  int value = 0;
};
TypeId Registered::id = {42};

struct Unregistered {
  static TypeId id;
};
TypeId Unregistered::id = {0};

class ContextTest : public ::testing::TestWithParam<int> {
 protected:
  ~ContextTest() override { EXPECT_EQ(live_errors, 0); }

  template <typename T>
  std::optional<typename CtxDecoding<T>::Type> Decode() {
    diagnostic = std::make_unique<DiagnosticEngine>();
    return CtxDecoding<T>::Decode(runtime.api(), runtime.ctx(), *diagnostic);
  }

  // That T cannot be had on this runtime, and why not.
  template <typename T>
  void ExpectMissing(const std::string& message) {
    EXPECT_FALSE(Decode<T>().has_value());
    EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
    const bool twin =
        runtime.version().stated_size == 88 && runtime.Has(ApiFunction::kFutureCreate);
    EXPECT_EQ(diagnostic->Result(),
              message + "; this runtime speaks 0." + std::to_string(runtime.version().minor) +
                  " (" + (twin ? "jaxlib 0.4.34 to 0.5" : runtime.version().releases) + ")");
    const auto lazy = Context(runtime.api(), runtime.ctx()).get<T>();
    ASSERT_TRUE(lazy.has_error());
    EXPECT_EQ(lazy.error().errc(), ErrorCode::kUnimplemented);
    EXPECT_THAT(lazy.error().message(), StartsWith(message));
  }

  // That a runtime that has T, and refuses it, is understood.
  template <typename T>
  void ExpectRefusal(const std::string& message) {
    runtime.call.refusal = "not today";
    EXPECT_FALSE(Decode<T>().has_value());
    EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_INVALID_ARGUMENT);
    EXPECT_EQ(diagnostic->Result(), message + ": not today");
    runtime.call.refusal.clear();
  }

  FakeRuntime runtime{GetParam()};
  std::unique_ptr<DiagnosticEngine> diagnostic;
};

INSTANTIATE_TEST_SUITE_P(AllVersions, ContextTest, ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) { return RowName(info.param); });

TEST_P(ContextTest, PlatformStream) {
  int stream;
  runtime.call.stream = &stream;
  EXPECT_EQ(Decode<PlatformStream<int*>>(), &stream);
  EXPECT_EQ(*Context(runtime.api(), runtime.ctx()).get<PlatformStream<void*>>(), &stream);
  ExpectRefusal<PlatformStream<int*>>("Failed to get platform stream");
  runtime.LeaveOut(ApiFunction::kStream);
  EXPECT_FALSE(Decode<PlatformStream<int*>>().has_value());
  EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
  const RuntimeVersion& version = runtime.version();
  const bool twin = version.stated_size == 88 && runtime.Has(ApiFunction::kFutureCreate);
  EXPECT_EQ(diagnostic->Result(),
            "PlatformStream is not offered by this runtime, which speaks XLA FFI 0." +
                std::to_string(version.minor) + " (" +
                (twin ? "jaxlib 0.4.34 to 0.5" : version.releases) + ") and could have it");
}

// An error without a text is one all the same.
TEST_P(ContextTest, ARefusalWithoutAReason) {
  runtime.call.refusal = "not today";
  runtime.LeaveOut(runtime.Has(ApiFunction::kErrorGetDetails) ? ApiFunction::kErrorGetDetails
                                                              : ApiFunction::kErrorGetMessage);
  EXPECT_FALSE(Decode<PlatformStream<int*>>().has_value());
  EXPECT_EQ(diagnostic->Result(), "Failed to get platform stream: ");
}

TEST_P(ContextTest, ScratchAllocator) {
  {
    auto scratch = Decode<ScratchAllocator>();
    ASSERT_TRUE(scratch.has_value());
    ScratchAllocator moved = std::move(*scratch);
    for (size_t i = 1; i <= 10; ++i) {
      const std::optional<void*> memory = moved.Allocate(100 * i, 64);
      ASSERT_TRUE(memory.has_value());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
    }
    EXPECT_EQ(runtime.call.scratch.size(), 10u);
    ScratchAllocator again = std::move(moved);
    scratch.reset();
    EXPECT_EQ(runtime.call.scratch.size(), 10u);
    runtime.call.refusal = "out of memory";
    EXPECT_EQ(again.Allocate(1), std::nullopt);
  }
  EXPECT_TRUE(runtime.call.scratch.empty());
}

// XLA:CPU, which has no stream, crashes in these functions up to jaxlib 0.4.33.
TEST_P(ContextTest, ScratchAllocatorOnTheCpu) {
  runtime.call.refusal = "no stream";
  const auto scratch = Decode<ScratchAllocator>();
  EXPECT_EQ(scratch.has_value(), GetParam() >= 2);
  if (GetParam() >= 2) return;
  EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(diagnostic->Result(),
              StartsWith("ScratchAllocator on the CPU needs XLA FFI 0.1 (jaxlib 0.4.32 or newer)"));
}

TEST_P(ContextTest, ScratchAllocatorNeedsBothFunctions) {
  for (ApiFunction missing : {ApiFunction::kScratchAllocate, ApiFunction::kScratchFree}) {
    FakeRuntime without(GetParam());
    without.LeaveOut(missing);
    DiagnosticEngine why;
    EXPECT_FALSE(
        CtxDecoding<ScratchAllocator>::Decode(without.api(), without.ctx(), why).has_value());
    EXPECT_EQ(why.code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
    EXPECT_THAT(why.Result(), StartsWith("ScratchAllocator is not offered by this runtime"));
  }
}

TEST_P(ContextTest, ThreadPool) {
  if (!runtime.Has(ApiFunction::kThreadPoolSchedule)) {
    ExpectMissing<ThreadPool>("ThreadPool needs XLA FFI 0.1 (jaxlib 0.4.32 or newer)");
    return;
  }
  auto pool = Decode<ThreadPool>();
  ASSERT_TRUE(pool.has_value());
  int ran = 0;
  const auto task = [&ran] { ++ran; };
  pool->Schedule(task);
  // A task that can only be moved.
  pool->Schedule([&ran, by = std::make_unique<int>(10)] { ran += *by; });
  EXPECT_EQ(ran, 11);
  EXPECT_EQ(pool->num_threads(), runtime.Has(ApiFunction::kThreadPoolNumThreads) ? 5 : 1);

  runtime.call.run_tasks_at_once = false;
  pool->Schedule([&ran] { ran = -1; });
  ASSERT_EQ(runtime.call.tasks.size(), 1u);
  EXPECT_EQ(ran, 11);
  runtime.call.tasks[0].first(runtime.call.tasks[0].second);
  EXPECT_EQ(ran, -1);

  // A call without a pool runs its tasks itself.
  runtime.call.has_thread_pool = false;
  pool->Schedule([&ran, by = std::make_unique<int>(100)] { ran = *by; });
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(pool->num_threads(), runtime.Has(ApiFunction::kThreadPoolNumThreads) ? 0 : 1);
}

TEST_P(ContextTest, RunIdAndDeviceOrdinal) {
  if (!runtime.Has(ApiFunction::kRunId)) {
    ExpectMissing<RunId>("RunId needs the XLA FFI 0.1 of jaxlib 0.6 or newer");
    ExpectMissing<DeviceOrdinal>("DeviceOrdinal needs the XLA FFI 0.1 of jaxlib 0.6 or newer");
    return;
  }
  runtime.call.run_id = 1234567890123;
  runtime.call.device_ordinal = 7;
  EXPECT_EQ(Decode<RunId>()->run_id, 1234567890123);
  EXPECT_EQ(Decode<DeviceOrdinal>(), 7);
  ExpectRefusal<RunId>("Failed to get run id");
  ExpectRefusal<DeviceOrdinal>("Failed to get device ordinal");
}

TEST_P(ContextTest, UserData) {
  Registered data;
  EXPECT_FALSE(Decode<UserData<Registered>>().has_value());
  EXPECT_EQ(diagnostic->Result(), "Failed to get user data: no user data of this type");
  runtime.call.user_data[42] = &data;
  EXPECT_EQ(Decode<UserData<Registered>>(), &data);
  EXPECT_FALSE(Decode<UserData<Unregistered>>().has_value());
  EXPECT_THAT(diagnostic->Result(), HasSubstr("must be registered"));
}

TEST_P(ContextTest, TheApiItself) {
  EXPECT_EQ(Decode<FfiApi>(), runtime.api());
  EXPECT_EQ(Decode<FfiExecutionContext>(), runtime.ctx());
  const std::optional<Context> context = Decode<Context>();
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->api(), runtime.api());
  EXPECT_EQ(context->ctx(), runtime.ctx());
}

TEST_P(ContextTest, LazyGetTellsWhatFailed) {
  const auto data = Context(runtime.api(), runtime.ctx()).get<UserData<Registered>>();
  ASSERT_TRUE(data.has_error());
  EXPECT_EQ(data.error().errc(), ErrorCode::kInternal);
  EXPECT_EQ(data.error().message(), "Failed to get user data: no user data of this type");
}

TEST_P(ContextTest, CustomOptions) {
  if (!runtime.Has(ApiFunction::kCustomOptions)) {
    ExpectMissing<CustomOptions>("CustomOptions needs XLA FFI 0.5 (jaxlib 0.12 or newer)");
    return;
  }
  EXPECT_TRUE(Decode<CustomOptions>()->empty());
  XLA_FFI_ByteSpan name = {"level", 5};
  XLA_FFI_ByteSpan* names[] = {&name};
  int32_t level = 3;
  XLA_FFI_Scalar scalar = {XLA_FFI_DataType_S32, &level};
  void* values[] = {&scalar};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_SCALAR};
  const XLA_FFI_Attrs attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 1, types, names, values};
  runtime.call.custom_options = &attrs;
  EXPECT_EQ(*Decode<CustomOptions>()->get<int32_t>("level"), 3);
  ExpectRefusal<CustomOptions>("Failed to get custom options");
}

// ---- Extensions ---------------------------------------------------------------------------------

struct CExtension {
  XLA_FFI_Extension extension_base;
  int value;
};
struct ExactExtension {
  using CExtension = ::CExtension;
  using Type = int;
  static constexpr auto kName = "ExactExtension";
  static constexpr int64_t kExtensionType = 4711;
  static constexpr int32_t kMajorVersion = 1;
  static constexpr int32_t kMinorVersion = 2;
  static int Create(const XLA_FFI_Api*, const CExtension* extension) { return extension->value; }
};
struct LenientExtension : ExactExtension {
  static bool Support(int32_t major_version, int32_t) { return major_version == 1; }
};

TEST_P(ContextTest, Extensions) {
  if (!runtime.Has(ApiFunction::kExtensions)) {
    ExpectMissing<Extension<ExactExtension>>(
        "ExactExtension needs XLA FFI 0.4 (jaxlib 0.11.1 or newer)");
    return;
  }
  EXPECT_FALSE(Decode<Extension<ExactExtension>>().has_value());
  EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(diagnostic->Result(),
            "Extension ExactExtension: the runtime has not attached it to this call");

  CExtension attached = {MakeExtensionHeader<ExactExtension>(), 6};
  EXPECT_EQ(attached.extension_base.struct_size, sizeof(CExtension));
  CExtension other = {MakeExtensionHeader<ExactExtension>(), 0};
  other.extension_base.id.extension_type = 1;
  other.extension_base.next = &attached.extension_base;
  runtime.call.extensions = &other.extension_base;
  EXPECT_EQ(Decode<Extension<ExactExtension>>(), 6);

  attached.extension_base.id.minor_version = 3;
  EXPECT_EQ(Decode<Extension<LenientExtension>>(), 6);
  EXPECT_FALSE(Decode<Extension<ExactExtension>>().has_value());
  EXPECT_EQ(diagnostic->code(), XLA_FFI_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(
      diagnostic->Result(),
      "Extension ExactExtension: the handler was built for version 1.2 of it, the runtime has "
      "1.3");
  ExpectRefusal<Extension<ExactExtension>>("Failed to get ExactExtension");
  attached.extension_base.id.major_version = 2;
  attached.extension_base.id.minor_version = 2;
  EXPECT_FALSE(Decode<Extension<ExactExtension>>().has_value());
  EXPECT_THAT(diagnostic->Result(), HasSubstr("the runtime has 2.2"));
  EXPECT_FALSE(Decode<Extension<LenientExtension>>().has_value());
}

// ---- Runtimes that do not exist yet -------------------------------------------------------------

TEST(FutureVersionTest, IsTakenForTheNewest) {
  FakeRuntime newest(kRuntimeVersionCount - 1);
  XLA_FFI_Api api = *newest.api();
  api.struct_size += 8;
  api.api_version.minor_version = 9;
  newest.call.device_ordinal = 3;
  DiagnosticEngine diagnostic;
  EXPECT_EQ(CtxDecoding<DeviceOrdinal>::Decode(&api, newest.ctx(), diagnostic), 3);
}

// What a runtime has follows from its version and from its table's size: the lesser counts.
TEST(OddVersionTest, HasOnlyWhatBothItsVersionAndItsSizeSay) {
  FakeRuntime newest(kRuntimeVersionCount - 1);
  XLA_FFI_Api older = *newest.api(), smaller = *newest.api();
  older.api_version.minor_version = 4;
  smaller.struct_size = 200;
  for (const XLA_FFI_Api* api : {&older, &smaller}) {
    DiagnosticEngine diagnostic;
    EXPECT_FALSE(CtxDecoding<CustomOptions>::Decode(api, newest.ctx(), diagnostic).has_value());
    EXPECT_EQ(diagnostic.Result(),
              "CustomOptions needs XLA FFI 0.5 (jaxlib 0.12 or newer); this runtime speaks 0.4 "
              "(jaxlib 0.11.1 to 0.11.2)");
    EXPECT_TRUE(CtxDecoding<DeviceOrdinal>::Decode(api, newest.ctx(), diagnostic).has_value());
  }
}

TEST(ScratchAllocatorTest, PassesSizeAndAlignment) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  XLA_FFI_Api api = *runtime.api();
  static std::string seen;
  static char memory[8];
  seen.clear();
  api.XLA_FFI_DeviceMemory_Allocate = [](XLA_FFI_DeviceMemory_Allocate_Args* args) {
    seen += "+" + std::to_string(args->size) + "/" + std::to_string(args->alignment) + " ";
    args->data = &memory[args->size];
    return static_cast<XLA_FFI_Error*>(nullptr);
  };
  api.XLA_FFI_DeviceMemory_Free = [](XLA_FFI_DeviceMemory_Free_Args* args) {
    seen += "-" + std::to_string(args->size) + (args->data == &memory[args->size] ? " " : "? ");
    return static_cast<XLA_FFI_Error*>(nullptr);
  };
  DiagnosticEngine diagnostic;
  {
    auto scratch = CtxDecoding<ScratchAllocator>::Decode(&api, runtime.ctx(), diagnostic);
    EXPECT_EQ(scratch->Allocate(1), &memory[1]);
    EXPECT_EQ(scratch->Allocate(2, 128), &memory[2]);
    const ScratchAllocator moved = std::move(*scratch);
    EXPECT_EQ(seen, "+1/1 +2/128 ");
  }
  EXPECT_EQ(seen, "+1/1 +2/128 -1 -2 ");
}

TEST(RefusedFreeTest, NobodyIsToldAndNothingLeaks) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  XLA_FFI_Api api = *runtime.api();
  static int refusals = 0;
  refusals = 0;
  api.XLA_FFI_DeviceMemory_Free = [](XLA_FFI_DeviceMemory_Free_Args*) {
    ++refusals;
    return NewError(XLA_FFI_Error_Code_INTERNAL, "not freed");
  };
  DiagnosticEngine diagnostic;
  {
    auto scratch = CtxDecoding<ScratchAllocator>::Decode(&api, runtime.ctx(), diagnostic);
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(scratch->Allocate(8).has_value());
  }
  EXPECT_EQ(refusals, 6);
  EXPECT_EQ(live_errors, 0);
  for (const auto& [memory, size] : runtime.call.scratch) free(memory);
}

}  // namespace
