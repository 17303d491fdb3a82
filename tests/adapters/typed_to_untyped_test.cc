// Calls of EntryPoints::typed that are not as they should be, and what entry points keep.
#include "callbridge/adapters/entry_points/typed_to_untyped.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"

namespace callbridge {
namespace {

constexpr PrimitiveType kF32 = PrimitiveType::kF32;
constexpr PrimitiveType kS32 = PrimitiveType::kS32;

char bytes[64];
void* Buffer(int i) { return &bytes[i]; }

const Target kOriginal = MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal);
const Target kUnified =
    MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified);
const Target kGpu = MakeTarget(&GpuOriginalTarget, Platform::kCuda, ApiVersion::kOriginal);

class TypedEntryTest : public ::testing::Test {
 protected:
  void SetUp() override { recorded = Recorded(); }

  static XLA_FFI_Handler* Typed(const Target& target) { return GetEntryPoints(target)->typed; }
};

// ---- What is refused

TEST_F(TypedEntryTest, OtherStages) {
  ExpectInvalid(FfiCall().Stage(XLA_FFI_ExecutionStage_INITIALIZE).Call(Typed(kOriginal)),
                "custom call \"recording\" serves the execute stage only, but was called at stage "
                "2");
}

// It numbers stages from PREPARE on.
TEST_F(TypedEntryTest, TheStageExecuteOfJaxlib0430) {
  const auto as_0_4_30 = [](XLA_FFI_CallFrame& frame) {
    frame.api = &host::ApiTable(typed_ffi::kOldestVersion);
    frame.stage = static_cast<XLA_FFI_ExecutionStage>(typed_ffi::kOldestVersion.execute);
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32)).With(as_0_4_30);
  EXPECT_EQ(runtime.Call(Typed(kOriginal)), absl::OkStatus());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(TypedEntryTest, Attributes) {
  FfiCall runtime;
  runtime.StringAttr("scale", "3").StringAttr("deep", "true").Ret(kF32, Buffer(0));
  ExpectInvalid(runtime.Call(Typed(kOriginal)),
                "the call site has attributes (deep, scale), but custom call \"recording\" is "
                "untyped and takes none: pass bytes as its opaque");
}

// With attributes, and without, which is the faster way; of one result and of several.
TEST_F(TypedEntryTest, WhatIsNoBuffer) {
  static XLA_FFI_ArgType arguments[] = {XLA_FFI_ArgType_BUFFER, static_cast<XLA_FFI_ArgType>(77)};
  static XLA_FFI_RetType results[] = {XLA_FFI_RetType_BUFFER, static_cast<XLA_FFI_RetType>(77)};
  const auto spoil_argument = [](XLA_FFI_CallFrame& frame) { frame.args.types = arguments; };
  const auto spoil_result = [](XLA_FFI_CallFrame& frame) {
    frame.rets.types = results + 2 - frame.rets.size;
  };
  for (bool described : {false, true}) {
    for (int result_count : {1, 2}) {
      FfiCall runtime;
      runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1));
      for (int i = 0; i < result_count; ++i) runtime.Ret(kF32, Buffer(32 + i));
      if (described) {
        runtime.ArrayAttr(
            kSiteDescriptorAttribute,
            Descriptor({"(f32[],f32[])"}, result_count == 1 ? "f32[]" : "(f32[],f32[])"));
      }
      ASSERT_EQ(runtime.Call(Typed(kOriginal)), absl::OkStatus());
      recorded.calls = 0;
      for (const auto& spoil : {std::function<void(XLA_FFI_CallFrame&)>(spoil_argument),
                                std::function<void(XLA_FFI_CallFrame&)>(spoil_result)}) {
        ExpectInvalid(runtime.With(spoil).Call(Typed(kOriginal)),
                      "custom call \"recording\" takes buffers only, but has an argument or result "
                      "of another kind");
      }
    }
  }
}

// Calls (f32[],s32[]) -> (f32[],s32[]), as the site declares it, with leaves of these types.
absl::Status CallWith(XLA_FFI_Handler* handler, const std::vector<PrimitiveType>& arguments,
                      const std::vector<PrimitiveType>& results) {
  FfiCall runtime;
  for (PrimitiveType type : arguments) runtime.Arg(type, Buffer(0));
  for (PrimitiveType type : results) runtime.Ret(type, Buffer(32));
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({"(f32[],s32[])"}, "(f32[],s32[])"));
  return runtime.Call(handler);
}

TEST_F(TypedEntryTest, LeavesThatAreNotAsTheSiteDeclaresThem) {
  XLA_FFI_Handler* const handler = Typed(kOriginal);
  ASSERT_EQ(CallWith(handler, {kF32, kS32}, {kF32, kS32}), absl::OkStatus());
  // Which XLA has no number for.
  const auto unnamed = static_cast<PrimitiveType>(XLA_FFI_DataType_INVALID);
  ASSERT_EQ(CallWith(handler, {unnamed, kS32}, {kF32, unnamed}), absl::OkStatus());
  recorded.calls = 0;
  const auto text = [](const char* what, const char* declared, const char* came) {
    return std::string(what) + " (leaves of tuples counted) is declared " + declared +
           " by the call site, but came as " + came;
  };
  ExpectInvalid(CallWith(handler, {kS32, kS32}, {kF32, kS32}), text("operand 0", "f32", "s32"));
  ExpectInvalid(CallWith(handler, {kF32, kF32}, {kF32, kS32}), text("operand 1", "s32", "f32"));
  ExpectInvalid(CallWith(handler, {kF32, kS32}, {PrimitiveType::kToken, kS32}),
                text("result 0", "f32", "token"));
  ExpectInvalid(CallWith(handler, {kF32, kS32}, {kF32, static_cast<PrimitiveType>(99)}),
                text("result 1", "s32", "type number 99"));
  const auto count = [](const char* declared, const char* given) {
    return std::string("the call site declares ") + declared +
           " (leaves of tuples counted), but the call has " + given;
  };
  ExpectInvalid(CallWith(handler, {kF32}, {kF32, kS32}), count("2 operands", "1"));
  ExpectInvalid(CallWith(handler, {kF32, kS32, kS32}, {kF32, kS32}), count("2 operands", "3"));
  ExpectInvalid(CallWith(handler, {kF32, kS32}, {kF32}), count("2 results", "1"));
  ExpectInvalid(CallWith(handler, {kF32, kS32}, {kF32, kS32, kS32}), count("2 results", "3"));
}

TEST_F(TypedEntryTest, AStreamThatCannotBeHadIsTheRuntimesError) {
  EXPECT_EQ(FfiCall().Stream(absl::UnavailableError("no stream")).Call(Typed(kGpu)),
            absl::UnavailableError("no stream"));
  EXPECT_EQ(recorded.calls, 0);
}

// ---- A call on a GPU without a descriptor

const Target kGpuDeclared = MakeTarget(&GpuOriginalTarget, Platform::kRocm, ApiVersion::kOriginal,
                                       /*proved=*/false);
const Target kGpuStatus =
    MakeTarget(&GpuStatusTarget, Platform::kCuda, ApiVersion::kStatusReturning);

TEST_F(TypedEntryTest, AGpuTargetGetsTheStreamAndOneList) {
  int stream;
  static int arguments;
  static int results;
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < arguments; ++i) EXPECT_EQ(r.buffers[i], Buffer(i)) << i;
    for (int i = 0; i < results; ++i) EXPECT_EQ(r.buffers[arguments + i], Buffer(32 + i)) << i;
  };
  for (const Target& target : {kGpu, kGpuDeclared, kGpuStatus}) {
    for (arguments = 0; arguments < 4; ++arguments) {
      for (results = 0; results < 4; ++results) {
        FfiCall runtime;
        runtime.Stream(&stream);
        for (int i = 0; i < arguments; ++i) runtime.Arg(kF32, Buffer(i));
        for (int i = 0; i < results; ++i) runtime.Ret(kF32, Buffer(32 + i));
        recorded.stream = nullptr;
        recorded.opaque = "of the call before";
        recorded.calls = 0;
        EXPECT_EQ(runtime.Call(Typed(target)), absl::OkStatus());
        EXPECT_EQ(recorded.calls, 1);
        EXPECT_EQ(recorded.stream, &stream);
        EXPECT_EQ(recorded.opaque, "");
        EXPECT_EQ(recorded.got_status, target.address == kGpuStatus.address);
      }
    }
  }
}

// On the stack and in a block of the heap.
TEST_F(TypedEntryTest, AGpuTargetOfManyBuffers) {
  static int size;
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < size; ++i) ASSERT_EQ(r.buffers[i], Buffer(i % 64)) << i;
  };
  for (size = 254; size < 259; ++size) {
    for (int arguments : {0, 1, size - 1, size}) {
      FfiCall runtime;
      for (int i = 0; i < size; ++i) {
        i < arguments ? runtime.Arg(kF32, Buffer(i % 64)) : runtime.Ret(kF32, Buffer(i % 64));
      }
      ASSERT_EQ(runtime.Call(Typed(kGpu)), absl::OkStatus());
    }
  }
  EXPECT_EQ(recorded.calls, 20);
}

// Whatever the runtime's pointer is.
TEST_F(TypedEntryTest, AGpuTargetsTokensAreNull) {
  constexpr PrimitiveType kToken = PrimitiveType::kToken;
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.buffers[0], nullptr);
    EXPECT_EQ(r.buffers[1], Buffer(1));
    EXPECT_EQ(r.buffers[2], nullptr);
  };
  EXPECT_EQ(FfiCall()
                .Arg(kToken, Buffer(0))
                .Arg(kF32, Buffer(1))
                .Ret(kToken, Buffer(32))
                .Call(Typed(kGpu)),
            absl::OkStatus());
  EXPECT_EQ(FfiCall()
                .Arg(kToken, Buffer(0))
                .Ret(kF32, Buffer(1))
                .Ret(kToken, Buffer(32))
                .Call(Typed(kGpu)),
            absl::OkStatus());
  EXPECT_EQ(recorded.calls, 2);
}

TEST_F(TypedEntryTest, WhatAGpuTargetMayNotGet) {
  ExpectInvalid(FfiCall().Stage(XLA_FFI_ExecutionStage_PREPARE).Call(Typed(kGpu)),
                "custom call \"recording\" serves the execute stage only, but was called at stage "
                "1");
  // The stage EXECUTE of jaxlib 0.4.30, whose function for the stream is elsewhere.
  ExpectInvalid(
      FfiCall()
          .Stage(static_cast<XLA_FFI_ExecutionStage>(typed_ffi::kOldestVersion.execute))
          .Call(Typed(kGpu)),
      "custom call \"recording\" serves the execute stage only, but was called at stage 2");
  ExpectInvalid(FfiCall().StringAttr("scale", "3").Ret(kF32, Buffer(0)).Call(Typed(kGpu)),
                "the call site has attributes (scale), but custom call \"recording\" is untyped "
                "and takes none: pass bytes as its opaque");
  static XLA_FFI_RetType no_buffer[] = {static_cast<XLA_FFI_RetType>(77),
                                        static_cast<XLA_FFI_RetType>(77)};
  for (int results : {1, 2}) {
    FfiCall runtime;
    runtime.Arg(kF32, Buffer(0));
    for (int i = 0; i < results; ++i) runtime.Ret(kF32, Buffer(32 + i));
    const std::string text =
        "custom call \"recording\" takes buffers only, but has an argument or result of another "
        "kind";
    runtime.With([](XLA_FFI_CallFrame& frame) { frame.rets.types = no_buffer; });
    ExpectInvalid(runtime.Call(Typed(kGpu)), text);
    runtime.With(nullptr).NoBuffer();
    ExpectInvalid(runtime.Call(Typed(kGpu)), text);
  }
}

TEST_F(TypedEntryTest, AGpuTargetsFailureIsAnError) {
  const std::string message = "no convergence";
  recorded.failure = &message;
  EXPECT_EQ(FfiCall().Ret(kF32, Buffer(32)).Call(Typed(kGpuStatus)),
            absl::InternalError("CustomCall failed: no convergence"));
  recorded.failure = nullptr;
  recorded.inspect = [](Recorded&) { throw std::runtime_error("boom"); };
  for (const Target& target : {kGpu, kGpuDeclared, kGpuStatus}) {
    EXPECT_EQ(FfiCall().Ret(kF32, Buffer(32)).Call(Typed(target)),
              absl::InternalError("CustomCall failed: the target threw std::runtime_error: boom"));
  }
  recorded.inspect = nullptr;
  EXPECT_EQ(FfiCall().Ret(kF32, Buffer(32)).Call(Typed(kGpuStatus)), absl::OkStatus());
}

// ---- Extensions

TEST_F(TypedEntryTest, AnExtensionThatIsNoQueryChangesNothing) {
  XLA_FFI_InternalExtension other = {sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9),
                                     nullptr};
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32));
  runtime.With([&](XLA_FFI_CallFrame& frame) { frame.extension_start = &other; });
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.in[0], Buffer(0)); };
  EXPECT_EQ(runtime.Call(Typed(kOriginal)), absl::OkStatus());
  EXPECT_EQ(recorded.out, Buffer(32));
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(TypedEntryTest, TheMetadataQueryNeedNotBeTheFirstExtension) {
  for (const Target& target : {kOriginal, kGpu}) {
    XLA_FFI_Metadata answer = {};
    XLA_FFI_Metadata_Extension query = {{sizeof(query), XLA_FFI_Extension_Metadata, nullptr},
                                        &answer};
    XLA_FFI_InternalExtension other = {
        sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9), &query.extension_base};
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.extension_start = &other;
    EXPECT_EQ(Typed(target)(&frame), nullptr);
    EXPECT_EQ(answer.api_version.minor_version, 1);
  }
  EXPECT_EQ(recorded.calls, 0);
}

// ---- A described call has room for its tables beside its leaves

TEST_F(TypedEntryTest, ManyDescribedLeaves) {
  static size_t leaves;
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    for (size_t i = 0; i < leaves; ++i) ASSERT_EQ(tuple[i + 1], Buffer(static_cast<int>(i % 32)));
    auto** result = static_cast<void**>(r.out);
    EXPECT_EQ(static_cast<void**>(result[0])[0], Buffer(32));
  };
  int calls = 0;
  for (leaves = 240; leaves < 260; ++leaves) {
    std::string tuple = "(()";
    FfiCall runtime;
    for (size_t i = 0; i < leaves; ++i) {
      tuple += ",f32[]";
      runtime.Arg(kF32, Buffer(static_cast<int>(i % 32)));
    }
    runtime.Ret(kF32, Buffer(32));
    runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({(tuple + ")").c_str()}, "((f32[]))"));
    ASSERT_EQ(runtime.Call(Typed(kUnified)), absl::OkStatus());
    EXPECT_EQ(recorded.calls, ++calls);
  }
}

// ---- Which entry points are whose

TEST_F(TypedEntryTest, EachPlatformHasEntryPointsOfItsOwn) {
  Target target = kGpu;
  Target typed = kGpu;
  typed.api_version = ApiVersion::kTypedFfi;
  Target typed_on_host = typed;
  typed_on_host.platform = Platform::kHost;
  Target on_rocm = kGpu;
  on_rocm.platform = Platform::kRocm;
  const auto untyped = [](const Target& target) { return GetEntryPoints(target)->untyped; };
  EXPECT_EQ(untyped(target), untyped(kGpu));
  EXPECT_NE(untyped(target), untyped(on_rocm));
  EXPECT_NE(untyped(typed), untyped(typed_on_host));
  EXPECT_NE(untyped(typed), untyped(target));
}

TEST_F(TypedEntryTest, TheTargetsLibraryStaysLoaded) {
  static char addresses[2];
  for (ApiVersion version : {ApiVersion::kOriginal, ApiVersion::kTypedFfi}) {
    auto library = std::make_shared<int>();
    Target target = kOriginal;
    target.address = &addresses[version == ApiVersion::kOriginal];
    target.api_version = version;
    target.library = library;
    ASSERT_TRUE(GetEntryPoints(target).ok());
    target.library = nullptr;
    EXPECT_GT(library.use_count(), 1);
  }
}

TEST_F(TypedEntryTest, ATargetThatCannotBeCalledIsNamed) {
  Target target = kOriginal;
  target.address = nullptr;
  EXPECT_EQ(GetEntryPoints(target).status(),
            absl::InvalidArgumentError("custom call \"recording\" has a null address"));
  target = kOriginal;
  target.api_version = ApiVersion::kUnspecified;
  EXPECT_EQ(GetEntryPoints(target).status(),
            absl::InvalidArgumentError(
                "the ABI of custom call \"recording\" on Host is not known, and calling it wrong "
                "could crash: declare it (original, status_returning or "
                "status_returning_unified)"));
}

}  // namespace
}  // namespace callbridge
