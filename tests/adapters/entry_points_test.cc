#include "callbridge/adapters/entry_points/entry_points.h"

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr PrimitiveType kF32 = PrimitiveType::kF32;
using UntypedFunction = void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*);

char bytes[64];
void* Buffer(int i) { return &bytes[i]; }

const Target kOriginal = MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal);
const Target kStatus = MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning);
const Target kUnified =
    MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified);
const Target kGpu = MakeTarget(&GpuOriginalTarget, Platform::kCuda, ApiVersion::kOriginal);

class EntryPointsTest : public ::testing::Test {
 protected:
  void SetUp() override { recorded = Recorded(); }

  static EntryPoints Points(const Target& target) {
    absl::StatusOr<EntryPoints> points = GetEntryPoints(target);
    EXPECT_TRUE(points.ok()) << points.status();
    return *points;
  }

  // Calls as a runtime calls version 3, and reports what the target left in the runtime's status,
  // which runtimes since TensorFlow 2.21 and jaxlib 0.10 report as it is.
  static absl::Status CallUntyped(const Target& target, void* first, std::vector<void*> pointers,
                                  const std::string& opaque) {
    XlaCustomCallStatus status;
    reinterpret_cast<UntypedFunction>(Points(target).untyped)(first, pointers.data(), opaque.data(),
                                                              opaque.size(), &status);
    return status.message.has_value() ? absl::InternalError(*status.message) : absl::OkStatus();
  }
};

// ---- Untyped ------------------------------------------------------------------------------------

TEST_F(EntryPointsTest, APlainUntypedCallPassesStraightThrough) {
  for (const Target& target : {kOriginal, kStatus, kUnified}) {
    recorded.inspect = [](Recorded& r) {
      EXPECT_EQ(r.in[0], Buffer(0));
      EXPECT_EQ(r.in[1], Buffer(1));
      EXPECT_EQ(r.out, Buffer(32));
    };
    EXPECT_TRUE(CallUntyped(target, Buffer(32), {Buffer(0), Buffer(1)}, "").ok());
  }
  EXPECT_EQ(recorded.calls, 3);
}

TEST_F(EntryPointsTest, AnUntypedCallsOpaqueIsTheUsers) {
  const std::string opaque("\xff\0\xfe\0", 4);
  EXPECT_TRUE(CallUntyped(kUnified, Buffer(32), {}, opaque).ok());
  EXPECT_EQ(recorded.opaque, opaque);
}

TEST_F(EntryPointsTest, ADescribedUntypedCallRebuildsTheTuples) {
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    EXPECT_EQ(tuple[0], Buffer(0));
    EXPECT_EQ(static_cast<void**>(tuple[1])[1], Buffer(2));
    EXPECT_EQ(r.in[2], Buffer(3));
    EXPECT_EQ(static_cast<void**>(r.out)[1], Buffer(33));
  };
  const std::string descriptor =
      Descriptor({"(f32[],(f32[],f32[]))", "()", "f32[]"}, "(f32[],f32[])", std::string("\0x", 2));
  std::vector<void*> results = {Buffer(32), Buffer(33)};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(CallUntyped(kUnified, results.data(), {Buffer(0), Buffer(1), Buffer(2), Buffer(3)},
                            descriptor)
                    .ok());
    EXPECT_EQ(recorded.opaque, std::string("\0x", 2));
  }
  EXPECT_EQ(recorded.calls, 3);
}

TEST_F(EntryPointsTest, AOneElementTupleResultIsATable) {
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(*static_cast<void**>(r.out), Buffer(32)); };
  EXPECT_TRUE(CallUntyped(kOriginal, Buffer(32), {}, Descriptor({}, "(f32[])")).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(EntryPointsTest, AnEmptyTupleResultIsTheRuntimesList) {
  EXPECT_TRUE(CallUntyped(kOriginal, Buffer(32), {}, Descriptor({}, "()")).ok());
  EXPECT_EQ(recorded.out, Buffer(32));
}

TEST_F(EntryPointsTest, UntypedFailuresReachTheRuntimesStatus) {
  const std::string message = "no convergence";
  recorded.failure = &message;
  const absl::Status expected = absl::InternalError("CustomCall failed: no convergence");
  EXPECT_EQ(CallUntyped(kStatus, Buffer(32), {}, ""), expected);
  EXPECT_EQ(CallUntyped(kStatus, Buffer(32), {}, Descriptor({}, "(f32[])")), expected);
  recorded.inspect = [](Recorded&) { throw std::runtime_error("boom"); };
  EXPECT_EQ(CallUntyped(kOriginal, Buffer(32), {}, ""),
            absl::InternalError("CustomCall failed: the target threw std::runtime_error: boom"));
}

TEST_F(EntryPointsTest, AMalformedDescriptorIsAnErrorAndNoCall) {
  const std::string good = Descriptor({"(f32[],f32[])"}, "(f32[])");
  for (size_t size = kSiteDescriptorMagicSize; size < good.size(); ++size) {
    EXPECT_FALSE(CallUntyped(kOriginal, Buffer(32), {}, good.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(EntryPointsTest, GpuCallsPassThroughAndLoseOnlyTheDescriptor) {
  int stream;
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.buffers[1], Buffer(1)); };
  EXPECT_TRUE(CallUntyped(kGpu, &stream, {Buffer(0), Buffer(1)}, "opaque").ok());
  EXPECT_EQ(recorded.stream, &stream);
  EXPECT_EQ(recorded.opaque, "opaque");
  EXPECT_TRUE(CallUntyped(kGpu, &stream, {Buffer(0), Buffer(1)},
                          Descriptor({"(f32[])"}, "f32[]", "in the descriptor"))
                  .ok());
  EXPECT_EQ(recorded.opaque, "in the descriptor");
}

// "CustomCall failed: " is XLA:GPU's own.
TEST_F(EntryPointsTest, AGpuFailureIsTheMessageAlone) {
  int stream;
  recorded.inspect = [](Recorded&) { throw std::runtime_error("boom"); };
  for (const std::string& opaque : {std::string(), Descriptor({"f32[]"}, "f32[]")}) {
    EXPECT_EQ(CallUntyped(kGpu, &stream, {Buffer(0), Buffer(1)}, opaque),
              absl::InternalError("the target threw std::runtime_error: boom"));
  }
}

// ---- Typed --------------------------------------------------------------------------------------

TEST_F(EntryPointsTest, APlainTypedCallOfArrays) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    EXPECT_EQ(r.in[1], Buffer(1));
    EXPECT_EQ(r.out, Buffer(32));
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32));
  for (const Target& target : {kOriginal, kStatus, kUnified}) {
    EXPECT_TRUE(runtime.Call(Points(target).typed).ok());
  }
  EXPECT_EQ(recorded.calls, 3);
}

TEST_F(EntryPointsTest, SeveralTypedResultsAreATable) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(static_cast<void**>(r.out)[0], Buffer(32));
    EXPECT_EQ(static_cast<void**>(r.out)[1], Buffer(33));
  };
  FfiCall runtime;
  EXPECT_TRUE(
      runtime.Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33)).Call(Points(kOriginal).typed).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(EntryPointsTest, ADescribedTypedCall) {
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[1]);
    EXPECT_EQ(tuple[0], Buffer(0));
    EXPECT_EQ(static_cast<void**>(tuple[1])[0], Buffer(1));
    EXPECT_EQ(*static_cast<void**>(r.out), Buffer(32));
  };
  const std::string descriptor = Descriptor({"()", "(f32[],(f32[]))"}, "(f32[])", "the opaque");
  for (bool as_string : {false, true}) {
    FfiCall runtime;
    if (as_string) {
      runtime.StringAttr(kSiteDescriptorAttribute, descriptor);
    } else {
      runtime.ArrayAttr(kSiteDescriptorAttribute, descriptor);
    }
    runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32));
    EXPECT_TRUE(runtime.Call(Points(kUnified).typed).ok());
    EXPECT_EQ(recorded.opaque, "the opaque");
  }
  EXPECT_EQ(recorded.calls, 2);
}

TEST_F(EntryPointsTest, ATypedTokenIsANullPointer) {
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.in[0], nullptr); };
  FfiCall runtime;
  EXPECT_TRUE(runtime.Arg(PrimitiveType::kToken, Buffer(0))
                  .Ret(kF32, Buffer(32))
                  .Call(Points(kOriginal).typed)
                  .ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(EntryPointsTest, TypedTokensAmongArraysAreNullPointers) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    EXPECT_EQ(r.in[1], nullptr);
    EXPECT_EQ(static_cast<void**>(r.out)[0], Buffer(32));
    EXPECT_EQ(static_cast<void**>(r.out)[1], nullptr);
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(PrimitiveType::kToken, Buffer(1));
  runtime.Ret(kF32, Buffer(32)).Ret(PrimitiveType::kToken, Buffer(33));
  EXPECT_TRUE(runtime.Call(Points(kOriginal).typed).ok());
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.out, nullptr); };
  EXPECT_TRUE(FfiCall().Ret(PrimitiveType::kToken, Buffer(32)).Call(Points(kOriginal).typed).ok());
  EXPECT_EQ(recorded.calls, 2);
}

// Up to 256 pointers are on the stack.
TEST_F(EntryPointsTest, TypedCallsOfManyBuffers) {
  static int operands, results;
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < operands; ++i) EXPECT_EQ(r.in[i], Buffer(i % 64));
    if (results == 1) {
      EXPECT_EQ(r.out, Buffer(0));
    } else {
      for (int i = 0; i < results; ++i) {
        EXPECT_EQ(static_cast<void**>(r.out)[i], Buffer(i % 64));
      }
    }
  };
  int calls = 0;
  for (int size : {1, 255, 256, 257, 600}) {
    for (int of_results : {0, 1, 2}) {
      operands = size - std::min(size, of_results);
      results = of_results;
      FfiCall runtime;
      for (int i = 0; i < operands; ++i) runtime.Arg(kF32, Buffer(i % 64));
      for (int i = 0; i < results; ++i) runtime.Ret(kF32, Buffer(i % 64));
      for (const Target& target : {kOriginal, kStatus, kUnified}) {
        EXPECT_TRUE(runtime.Call(Points(target).typed).ok());
        EXPECT_EQ(recorded.calls, ++calls);
      }
    }
  }
}

TEST_F(EntryPointsTest, ATypedCallWithoutADescriptorHasNoOpaque) {
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.in[0], Buffer(0)); };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32));
  EXPECT_TRUE(runtime.Call(Points(kUnified).typed).ok());
  EXPECT_EQ(recorded.out, Buffer(32));
  EXPECT_EQ(recorded.opaque, "");
}

TEST_F(EntryPointsTest, ATypedCallWithoutADescriptorHasNoAttributes) {
  FfiCall runtime;
  runtime.StringAttr("callbridge", "no site").Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32));
  const absl::Status status = runtime.Call(Points(kUnified).typed);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has attributes (callbridge)"));
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(EntryPointsTest, WhatATypedCallsTargetThrowsIsAnError) {
  recorded.inspect = [](Recorded&) { throw std::runtime_error("no memory for it"); };
  for (const Target& target : {kOriginal, kStatus, kUnified}) {
    const absl::Status status = FfiCall().Ret(kF32, Buffer(32)).Call(Points(target).typed);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()), HasSubstr("no memory for it"));
  }
}

TEST_F(EntryPointsTest, ATypedGpuCallHasTheStream) {
  int stream;
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.buffers[0], Buffer(0));
    EXPECT_EQ(r.buffers[1], Buffer(32));
  };
  FfiCall runtime;
  runtime.Stream(&stream).Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32));
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({"f32[]"}, "f32[]", "gpu opaque"));
  EXPECT_TRUE(runtime.Call(Points(kGpu).typed).ok());
  EXPECT_EQ(recorded.stream, &stream);
  EXPECT_EQ(recorded.opaque, "gpu opaque");
}

TEST_F(EntryPointsTest, TypedErrors) {
  const std::string message = "no convergence";
  recorded.failure = &message;
  EXPECT_EQ(FfiCall().Ret(kF32, Buffer(32)).Call(Points(kStatus).typed),
            absl::InternalError("CustomCall failed: no convergence"));
  recorded = Recorded();

  auto expect = [](absl::Status status, const char* text) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  };
  auto described = [](FfiCall&& runtime, std::vector<const char*> operands) {
    return runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor(operands, "f32[]"))
        .Call(Points(kOriginal).typed);
  };
  expect(FfiCall().Stage(XLA_FFI_ExecutionStage_PREPARE).Call(Points(kOriginal).typed),
         "execute stage only");
  expect(FfiCall().Arg(kF32, Buffer(0)).NoBuffer().Call(Points(kOriginal).typed), "buffers only");
  expect(
      described(std::move(FfiCall().Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32))), {"(f32[],f32[])"}),
      "declares 2 operands");
  expect(described(std::move(FfiCall().Arg(PrimitiveType::kS32, Buffer(0)).Ret(kF32, Buffer(32))),
                   {"(f32[])"}),
         "operand 0 (leaves of tuples counted) is declared f32 by the call site, but came as s32");
  expect(described(std::move(FfiCall().Arg(kF32, Buffer(0)).Ret(PrimitiveType::kF64, Buffer(32))),
                   {"(f32[])"}),
         "result 0");
  expect(FfiCall()
             .ArrayAttr(kSiteDescriptorAttribute, "not a descriptor")
             .Call(Points(kOriginal).typed),
         "");
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(EntryPointsTest, AnAttributeOfAnotherTypeIsRefused) {
  FfiCall runtime;
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({}, "f32[]"), PrimitiveType::kS32);
  EXPECT_EQ(runtime.Call(Points(kOriginal).typed).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(EntryPointsTest, AttributesThatTheTargetCannotLearnOfAreRefused) {
  for (bool is_described : {false, true}) {
    FfiCall runtime;
    runtime.StringAttr("scale", "3");
    if (is_described) runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({}, "f32[]"));
    runtime.StringAttr("deep", "true").Ret(kF32, Buffer(32));
    const absl::Status status = runtime.Call(Points(kOriginal).typed);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("attributes (deep, scale)"));
  }
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(EntryPointsTest, MetadataIsAnsweredWithoutATable) {
  // Up to jaxlib 0.7.2 a runtime gives 40 bytes; what lies behind must not be written.
  XLA_FFI_Metadata answer = {XLA_FFI_Metadata_STRUCT_SIZE, {}, 99, {0x5555}};
  XLA_FFI_Metadata_Extension extension = {{sizeof(extension), XLA_FFI_Extension_Metadata, nullptr},
                                          &answer};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  EXPECT_EQ(Points(kOriginal).typed(&frame), nullptr);
  EXPECT_EQ(answer.api_version.major_version, 0);
  EXPECT_EQ(answer.api_version.minor_version, 1);
  EXPECT_EQ(answer.traits, 0u);
  EXPECT_EQ(answer.state_type_id.type_id, 0x5555);
}

// ---- Identity -----------------------------------------------------------------------------------

TEST_F(EntryPointsTest, TheSameTargetHasTheSameEntryPoints) {
  EXPECT_EQ(Points(kOriginal).untyped, Points(kOriginal).untyped);
  EXPECT_EQ(Points(kOriginal).typed, Points(kOriginal).typed);
  EXPECT_NE(Points(kOriginal).untyped, Points(kStatus).untyped);
  Target declared_otherwise = kOriginal;
  declared_otherwise.api_version = ApiVersion::kStatusReturningUnified;
  EXPECT_NE(Points(kOriginal).untyped, Points(declared_otherwise).untyped);
}

TEST_F(EntryPointsTest, WhatCannotBeCalledHasNone) {
  Target target = kOriginal;
  target.address = nullptr;
  EXPECT_EQ(GetEntryPoints(target).status().code(), absl::StatusCode::kInvalidArgument);
  target = kOriginal;
  target.api_version = ApiVersion::kUnspecified;
  EXPECT_EQ(GetEntryPoints(target).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(EntryPointsTest, SixteenThreadsShareOneTarget) {
  // Described calls: the first of them race to plan.
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        Target target = MakeTarget(
            +[](void* out, void** in) {
              *static_cast<int*>(out) = **static_cast<int**>(in[0]) + 1;
            },
            Platform::kHost, ApiVersion::kOriginal);
        int a = i, b = 0;
        FfiCall runtime;
        runtime.Arg(PrimitiveType::kS32, &a).Ret(PrimitiveType::kS32, &b);
        std::string operand = "(s32[]";
        for (int n = 0; n < i % 5; ++n) operand += ",()";
        runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({(operand + ")").c_str()}, "s32[]"));
        EXPECT_TRUE(runtime.Call(Points(target).typed).ok());
        EXPECT_EQ(b, i + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs last in this program: it uses the compiled trampolines up.
TEST_F(EntryPointsTest, ZClosuresServeWhatTheCompiledOnesCannot) {
  std::set<void*> untyped;
  static char addresses[kCompiledTrampolines + 8];
  for (char& address : addresses) {
    Target target = kOriginal;
    target.address = &address;
    untyped.insert(Points(target).untyped);
  }
  EXPECT_EQ(untyped.size(), std::size(addresses));

  // A target of its own that came too late for a compiled one.
  Target late = MakeTarget(
      +[](void* out, void** in, const char* opaque, size_t opaque_len,
          XlaCustomCallStatus* status) { HostUnifiedTarget(out, in, opaque, opaque_len, status); },
      Platform::kHost, ApiVersion::kStatusReturningUnified);
  const std::string message = "late failure";
  recorded.failure = &message;
  recorded.inspect = [](Recorded& r) { EXPECT_EQ(r.in[0], Buffer(0)); };
  EXPECT_EQ(CallUntyped(late, Buffer(32), {Buffer(0)}, "late opaque"),
            absl::InternalError("CustomCall failed: late failure"));
  recorded.inspect = nullptr;
  EXPECT_EQ(recorded.out, Buffer(32));
  EXPECT_EQ(recorded.opaque, "late opaque");
  EXPECT_EQ(FfiCall().Ret(kF32, Buffer(33)).Call(Points(late).typed),
            absl::InternalError("CustomCall failed: late failure"));
  EXPECT_EQ(recorded.out, Buffer(33));
}

}  // namespace
}  // namespace callbridge
