// CALLBRIDGE_EXPORT and CALLBRIDGE_EXPORT_UNTYPED, called by a runtime of a few lines.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/abi/site_descriptor.h"
#include "callbridge/export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"
#include "tests/refused.h"

using callbridge::ExportOptions;
namespace ours = callbridge;

CALLBRIDGE_EXPORT(Original, ours::HostOriginalTarget);
CALLBRIDGE_EXPORT(Status, ours::HostStatusTarget);
CALLBRIDGE_EXPORT(Unified, ours::HostUnifiedTarget);
CALLBRIDGE_EXPORT(UnifiedNamed, ours::HostUnifiedTarget, ExportOptions().OpaqueAttribute("config"));
CALLBRIDGE_EXPORT(Gpu, ours::GpuOriginalTarget);

// As code declares them that was written without const.
void UnifiedWithoutConst(void* out, void** in, char* opaque, size_t opaque_len,
                         XlaCustomCallStatus* status) {
  ours::HostUnifiedTarget(out, in, opaque, opaque_len, status);
}
void GpuWithoutConst(void* stream, void** buffers, char* opaque, size_t opaque_len) {
  ours::GpuOriginalTarget(stream, buffers, opaque, opaque_len);
}
CALLBRIDGE_EXPORT(UnifiedMutable, UnifiedWithoutConst);
CALLBRIDGE_EXPORT(GpuMutable, GpuWithoutConst);
CALLBRIDGE_EXPORT(GpuStatus, ours::GpuStatusTarget,
                  ExportOptions().Gpu().CommandBufferCompatible());
CALLBRIDGE_EXPORT(
    Tuples, ours::HostOriginalTarget,
    ExportOptions().Shapes("(f32[2], (s32[?,3], token[])), (), f64[] -> (f32[2],(pred[]))"));
CALLBRIDGE_EXPORT(FlatTuples, ours::HostOriginalTarget,
                  ExportOptions().Shapes("(f32[], (f32[])), f32[] -> (f32[])").FlatTuples());
CALLBRIDGE_EXPORT(FlatResult, ours::HostOriginalTarget,
                  ExportOptions().Shapes("f32[] -> (f32[], (f32[]))").FlatTuples());
CALLBRIDGE_EXPORT(DeclaredGpu, ours::GpuOriginalTarget,
                  ExportOptions().Shapes("(f32[],f32[]) -> (f32[],f32[])"));

// Functions that the registry's examples have: static, noexcept, with const pointers.
static void Doubled(void* out, const void** in) noexcept {
  *static_cast<float*>(out) = 2 * *static_cast<const float*>(in[0]);
}
CALLBRIDGE_EXPORT(DoubledHandler, Doubled, ExportOptions().Shapes("f32[] -> f32[]"));

// And back.
CALLBRIDGE_EXPORT_UNTYPED(doubled_again, DoubledHandler, ExportOptions().Shapes("f32[] -> f32[]"));
CALLBRIDGE_EXPORT_UNTYPED(tuples_untyped, Tuples,
                          ExportOptions().Shapes("(f32[2], (s32[4,3], token[])), (), f64[] -> "
                                                 "(f32[2],(pred[]))"));
CALLBRIDGE_EXPORT_UNTYPED(tuples_flat, Tuples,
                          ExportOptions()
                              .Shapes("(f32[2], (s32[4,3], token[])), (), f64[] -> "
                                      "(f32[2],(pred[]))")
                              .FlatTuples());
CALLBRIDGE_EXPORT_UNTYPED(status_untyped, Status, ExportOptions().Shapes("-> f32[]"));
CALLBRIDGE_EXPORT_UNTYPED(opaque_untyped, UnifiedNamed,
                          ExportOptions().Shapes("-> f32[]").OpaqueAttribute("config"));
CALLBRIDGE_EXPORT_UNTYPED(gpu_untyped, Gpu, ExportOptions().Shapes("f32[] -> f32[]").Gpu());

// A typed handler that completes a future on a thread of its own.
extern "C" XLA_FFI_Error* Later(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Future_Create_Args create = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_Future_Create(&create)) return error;
  frame->future = create.future;
  std::thread([api = frame->api, future = create.future,
               out = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0])->data,
               fails = frame->attrs.size > 0] {
    *static_cast<float*>(out) = 7;
    if (!fails) {
      XLA_FFI_Future_SetAvailable_Args done = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                                               nullptr, future};
      api->XLA_FFI_Future_SetAvailable(&done);
      return;
    }
    XLA_FFI_Error_Create_Args text = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
                                      "failed later", XLA_FFI_Error_Code_ABORTED};
    XLA_FFI_Future_SetError_Args failed = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr,
                                           future, api->XLA_FFI_Error_Create(&text)};
    api->XLA_FFI_Future_SetError(&failed);
  }).detach();
  return nullptr;
}
CALLBRIDGE_EXPORT_UNTYPED(later_untyped, Later, ExportOptions().Shapes("-> f32[]"));

// One that wants what an untyped call does not have.
extern "C" XLA_FFI_Error* WantsRunId(XLA_FFI_CallFrame* frame) {
  XLA_FFI_RunId_Get_Args args = {};
  args.struct_size = XLA_FFI_RunId_Get_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  return frame->api->XLA_FFI_RunId_Get(&args);
}
CALLBRIDGE_EXPORT_UNTYPED(run_id_untyped, WantsRunId, ExportOptions().Shapes("-> f32[]"));

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr PrimitiveType kF32 = PrimitiveType::kF32;
constexpr PrimitiveType kS32 = PrimitiveType::kS32;

char bytes[64];
void* Buffer(int i) { return &bytes[i]; }

class ExportsTest : public ::testing::Test {
 protected:
  void SetUp() override { recorded = Recorded(); }
};

void ExpectInvalidWith(const absl::Status& status, const std::string& text) {
  EXPECT_THAT(Refused(status), HasSubstr(text));
  EXPECT_EQ(recorded.calls, 0);
}

// ---- To a typed handler -------------------------------------------------------------------------

TEST_F(ExportsTest, EveryHostFunctionGetsItsArrays) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    EXPECT_EQ(r.in[1], Buffer(1));
    EXPECT_EQ(r.out, Buffer(32));
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32));
  for (XLA_FFI_Handler* handler : {&Original, &Status, &Unified}) {
    EXPECT_TRUE(runtime.Call(handler).ok());
    EXPECT_EQ(recorded.got_status, handler != &Original);
    EXPECT_EQ(recorded.opaque, "");
  }
  EXPECT_EQ(recorded.calls, 3);
}

TEST_F(ExportsTest, SeveralResultsAreATableAndATokenIsNull) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], nullptr);
    EXPECT_EQ(static_cast<void**>(r.out)[0], Buffer(32));
    EXPECT_EQ(static_cast<void**>(r.out)[1], Buffer(33));
  };
  FfiCall runtime;
  runtime.Arg(PrimitiveType::kToken, Buffer(0)).Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33));
  EXPECT_TRUE(runtime.Call(&Original).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsTest, ManyOperandsUseTheHeap) {
  FfiCall runtime;
  for (int i = 0; i < 1000; ++i) runtime.Arg(kF32, Buffer(i % 32));
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(r.in[i], Buffer(i % 32));
  };
  EXPECT_TRUE(runtime.Ret(kF32, Buffer(32)).Call(&Original).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsTest, ASiteDescriptorRebuildsTheTuples) {
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[1]);
    EXPECT_EQ(tuple[0], Buffer(0));
    EXPECT_EQ(static_cast<void**>(tuple[1])[0], Buffer(1));
    EXPECT_EQ(r.in[2], Buffer(2));
    EXPECT_EQ(*static_cast<void**>(r.out), Buffer(32));
  };
  const std::string site = Descriptor({"()", "(f32[],(f32[]))", "s32[]"}, "(f32[])", "the opaque");
  for (bool as_string : {false, true}) {
    FfiCall runtime;
    runtime.StringAttr("another", "attribute");
    if (as_string) {
      runtime.StringAttr(kSiteDescriptorAttribute, site);
    } else {
      runtime.ArrayAttr(kSiteDescriptorAttribute, site);
    }
    runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Arg(kS32, Buffer(2)).Ret(kF32, Buffer(32));
    EXPECT_TRUE(runtime.Call(&Unified).ok());
    EXPECT_EQ(recorded.opaque, "the opaque");
  }
  EXPECT_EQ(recorded.calls, 2);
}

// More tables than a call of few buffers has room for on the stack.
TEST_F(ExportsTest, ASiteDescriptorOfManyTuples) {
  constexpr int kTuples = 1000;
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    EXPECT_EQ(tuple[0], Buffer(0));
    EXPECT_EQ(tuple[kTuples], tuple[1]);
    EXPECT_EQ(r.in[1], Buffer(1));
  };
  std::string tuple = "(f32[]";
  for (int i = 0; i < kTuples; ++i) tuple += ",()";
  tuple += ")";
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32));
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({tuple.c_str(), "f32[]"}, "f32[]"));
  EXPECT_TRUE(runtime.Call(&Original).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsTest, AFlatSiteDescriptor) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.in[0], Buffer(0));
    EXPECT_EQ(r.in[1], Buffer(1));
    EXPECT_EQ(r.in[2], Buffer(2));
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Arg(kF32, Buffer(2)).Ret(kF32, Buffer(32));
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({"(f32[],(f32[]))", "()", "f32[]"},
                                                         "f32[]", "", TupleLayout::kFlat));
  EXPECT_TRUE(runtime.Call(&Original).ok());
  EXPECT_EQ(recorded.calls, 1);
}

// jaxlib >= 0.4.38 passes a nested result so, and callbridge's own runtime does.
TEST_F(ExportsTest, AFlatResultIsOneTableOfLeaves) {
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(static_cast<void**>(r.out)[0], Buffer(32));
    EXPECT_EQ(static_cast<void**>(r.out)[1], Buffer(33));
  };
  FfiCall declared;
  declared.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33));
  EXPECT_TRUE(declared.Call(&FlatResult).ok());
  FfiCall described;
  described.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33));
  described.ArrayAttr(kSiteDescriptorAttribute,
                      Descriptor({"f32[]"}, "(f32[],(f32[]))", "", TupleLayout::kFlat));
  EXPECT_TRUE(described.Call(&Original).ok());
  EXPECT_EQ(recorded.calls, 2);
}

TEST_F(ExportsTest, DescriptorsThatDoNotFitAreRefused) {
  const auto call = [](const std::string& descriptor) {
    FfiCall runtime;
    runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32));
    return runtime.ArrayAttr(kSiteDescriptorAttribute, descriptor).Call(&Original);
  };
  const std::string good = Descriptor({"(f32[],f32[])"}, "f32[]");
  for (size_t size = 0; size < good.size(); ++size)
    ExpectInvalidWith(call(good.substr(0, size)), "");
  for (const char* operand : {"f32[]", "(f32[],s32[])", "(f32[],f32[],f32[])"}) {
    ExpectInvalidWith(call(Descriptor({operand}, "f32[]")), "site descriptor");
  }
  ExpectInvalidWith(call(Descriptor({"(f32[],f32[])"}, "(f32[],f32[])")), "site descriptor");
  FfiCall more;
  more.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33));
  ExpectInvalidWith(more.ArrayAttr(kSiteDescriptorAttribute, good).Call(&Original),
                    "site descriptor");
  std::string deep = "f32[]";
  for (int i = 0; i < 128; ++i) deep = "(" + deep + ")";
  std::string deeper = Descriptor({deep.c_str(), "f32[]"}, "f32[]");
  EXPECT_TRUE(call(deeper).ok());
  EXPECT_EQ(recorded.calls, 1);
  recorded.calls = 0;
  // One tuple more around it, by hand: the operand count says one more byte of tree.
  const size_t tuple = kSiteDescriptorMagicSize + 4 + 1 + 4;
  deeper.insert(tuple, std::string("\x0d\1\0\0\0", 5));
  deeper[kSiteDescriptorMagicSize] = static_cast<char>(deeper[kSiteDescriptorMagicSize] + 5);
  ExpectInvalidWith(call(deeper), "site descriptor");
}

TEST_F(ExportsTest, NestedTuplesThatClaimMoreThanThereIsAreRefused) {
  // Each tuple claims all bytes behind it, so the tables would end far behind their block.
  std::string tree(1, '\0');
  const size_t size = 1 + 4 + 5 * 120;
  const auto append_count = [&] {
    const auto count = static_cast<uint32_t>(size - tree.size() - 4);
    for (int i = 0; i < 4; ++i) tree.push_back(static_cast<char>(count >> (8 * i)));
  };
  append_count();
  while (tree.size() < size) {
    tree.push_back(13);
    append_count();
  }
  std::string site(kSiteDescriptorMagic, kSiteDescriptorMagicSize);
  for (int i = 0; i < 4; ++i) site.push_back(static_cast<char>(size >> (8 * i)));
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32));
  ExpectInvalidWith(runtime.ArrayAttr(kSiteDescriptorAttribute, site + tree).Call(&Original),
                    "site descriptor");
}

TEST_F(ExportsTest, EveryByteOfADescriptorMayBeWrong) {
  const std::string good = Descriptor({"(f32[],(f32[],()))", "f32[]"}, "(f32[])", "opaque");
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      FfiCall runtime;
      runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Arg(kF32, Buffer(2)).Ret(kF32, Buffer(32));
      runtime.ArrayAttr(kSiteDescriptorAttribute, bad).Call(&Unified).IgnoreError();
    }
  }
}

TEST_F(ExportsTest, TheOpaqueComesFromItsAttribute) {
  const std::string opaque("\xff\0\xfe\0", 4);
  EXPECT_TRUE(FfiCall().StringAttr("opaque", opaque).Call(&Unified).ok());
  EXPECT_EQ(recorded.opaque, opaque);
  EXPECT_TRUE(FfiCall()
                  .ArrayAttr("config", opaque)
                  .StringAttr("opaque", "another")
                  .Call(&UnifiedNamed)
                  .ok());
  EXPECT_EQ(recorded.opaque, opaque);
  EXPECT_TRUE(FfiCall().StringAttr("opaque", "mine").Call(&UnifiedMutable).ok());
  EXPECT_EQ(recorded.opaque, "mine");
  recorded.calls = 0;
  ExpectInvalidWith(FfiCall().ArrayAttr("opaque", "1234", kS32).Call(&Unified),
                    "attribute \"opaque\" is neither a string nor an array of uint8");
}

TEST_F(ExportsTest, GpuFunctionsGetTheStream) {
  int stream;
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.buffers[0], Buffer(0));
    EXPECT_EQ(r.buffers[1], Buffer(32));
  };
  FfiCall runtime;
  runtime.Stream(&stream).Arg(kF32, Buffer(0)).Ret(kF32, Buffer(32)).StringAttr("opaque", "bytes");
  for (XLA_FFI_Handler* handler : {&Gpu, &GpuStatus, &GpuMutable}) {
    EXPECT_TRUE(runtime.Call(handler).ok());
    EXPECT_EQ(recorded.stream, &stream);
    EXPECT_EQ(recorded.opaque, "bytes");
  }
}

TEST_F(ExportsTest, FailuresAndExceptions) {
  const std::string message = "no convergence";
  recorded.failure = &message;
  EXPECT_EQ(FfiCall().Call(&Status), absl::InternalError("CustomCall failed: no convergence"));
  EXPECT_EQ(FfiCall().Call(&GpuStatus), absl::InternalError("CustomCall failed: no convergence"));
  recorded.inspect = [](Recorded&) { throw std::runtime_error("boom"); };
  EXPECT_EQ(FfiCall().Call(&Original),
            absl::InternalError("CustomCall failed: the target threw std::runtime_error: boom"));
  recorded.inspect = [](Recorded&) { throw 7; };
  EXPECT_EQ(FfiCall().Call(&Original),
            absl::InternalError("CustomCall failed: the target threw int"));
}

TEST_F(ExportsTest, WrongFramesAreRefused) {
  ExpectInvalidWith(FfiCall().Stage(XLA_FFI_ExecutionStage_PREPARE).Call(&Original),
                    "serves execute");
  ExpectInvalidWith(FfiCall().Arg(kF32, Buffer(0)).NoBuffer().Call(&Original), "buffers");
}

TEST_F(ExportsTest, MetadataHasTheTraits) {
  for (bool compatible : {false, true}) {
    XLA_FFI_Metadata answer = {XLA_FFI_Metadata_STRUCT_SIZE, {}, 99, {0x5555}};
    XLA_FFI_Metadata_Extension extension = {
        {sizeof(extension), XLA_FFI_Extension_Metadata, nullptr}, &answer};
    XLA_FFI_Api api = {};
    api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
    api.api_version.minor_version = XLA_FFI_API_MINOR;
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &api;
    frame.extension_start = &extension.extension_base;
    EXPECT_EQ((compatible ? &GpuStatus : &Original)(&frame), nullptr);
    EXPECT_EQ(answer.api_version.major_version, 0);
    EXPECT_EQ(answer.api_version.minor_version, 1);
    EXPECT_EQ(answer.traits, compatible ? 1u : 0u);
    EXPECT_EQ(answer.state_type_id.type_id, 0x5555);
  }
}

// ---- Declared shapes ----------------------------------------------------------------------------

FfiCall TupleCall() {
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0), {2})
      .Arg(kS32, Buffer(1), {5, 3})
      .Arg(PrimitiveType::kToken, Buffer(2))
      .Arg(PrimitiveType::kF64, Buffer(3))
      .Ret(kF32, Buffer(32), {2})
      .Ret(PrimitiveType::kPred, Buffer(33));
  return runtime;
}

void ExpectTuples(Recorded& r) {
  auto** tuple = static_cast<void**>(r.in[0]);
  EXPECT_EQ(tuple[0], Buffer(0));
  EXPECT_EQ(static_cast<void**>(tuple[1])[0], Buffer(1));
  EXPECT_EQ(static_cast<void**>(tuple[1])[1], nullptr);
  EXPECT_NE(r.in[1], nullptr);
  EXPECT_EQ(r.in[2], Buffer(3));
  auto** result = static_cast<void**>(r.out);
  EXPECT_EQ(result[0], Buffer(32));
  EXPECT_EQ(static_cast<void**>(result[1])[0], Buffer(33));
}

TEST_F(ExportsTest, DeclaredTuplesNeedNoDescriptor) {
  recorded.inspect = &ExpectTuples;
  EXPECT_TRUE(TupleCall().Call(&Tuples).ok());
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsTest, DeclaredFlatTuplesAndGpu) {
  recorded.inspect = [](Recorded& r) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(r.in[i], Buffer(i));
    EXPECT_EQ(*static_cast<void**>(r.out), Buffer(32));
  };
  FfiCall flat;
  flat.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Arg(kF32, Buffer(2)).Ret(kF32, Buffer(32));
  EXPECT_TRUE(flat.Call(&FlatTuples).ok());
  recorded.inspect = [](Recorded& r) {
    EXPECT_EQ(r.buffers[1], Buffer(1));
    EXPECT_EQ(r.buffers[3], Buffer(33));
  };
  FfiCall gpu;
  gpu.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(32)).Ret(kF32, Buffer(33));
  EXPECT_TRUE(gpu.Call(&DeclaredGpu).ok());
  EXPECT_EQ(recorded.calls, 2);
}

TEST_F(ExportsTest, AllThatDiffersFromTheDeclarationIsNamed) {
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0), {3})
      .Arg(kF32, Buffer(1), {5, 3})
      .Arg(PrimitiveType::kToken, Buffer(2))
      .Arg(PrimitiveType::kF64, Buffer(3), {1})
      .Ret(kF32, Buffer(32), {2});
  ExpectInvalidWith(
      runtime.Call(&Tuples),
      "argument 0 is declared f32[2], but came as f32[3]; argument 1 is declared "
      "s32[?,3], but came as f32[5,3]; argument 3 is declared f64[], but came as f64[1]; "
      "expected 2 results (leaves of tuples counted), got 1");
  ExpectInvalidWith(std::move(TupleCall().NoBuffer()).Call(&Tuples), "argument 0 is no buffer");
}

// ---- To an untyped function ---------------------------------------------------------------------

TEST_F(ExportsTest, ThereAndBack) {
  float a = 3, b = 0;
  const void* in[] = {&a};
  XlaCustomCallStatus status;
  doubled_again(&b, in, "", 0, &status);
  EXPECT_FALSE(status.message.has_value());
  EXPECT_EQ(b, 6);
}

TEST_F(ExportsTest, UntypedTuplesOfBothEras) {
  recorded.inspect = &ExpectTuples;
  const void* inner[] = {Buffer(1), nullptr};
  const void* outer[] = {Buffer(0), inner};
  const void* nested[] = {outer, nullptr, Buffer(3)};
  const void* flat[] = {Buffer(0), Buffer(1), nullptr, Buffer(3)};
  void* results[] = {Buffer(32), Buffer(33)};
  XlaCustomCallStatus status;
  tuples_untyped(results, nested, "", 0, &status);
  EXPECT_FALSE(status.message.has_value()) << *status.message;
  tuples_flat(results, flat, "", 0, &status);
  EXPECT_FALSE(status.message.has_value()) << *status.message;
  EXPECT_EQ(recorded.calls, 2);
}

TEST_F(ExportsTest, UntypedOpaqueStreamAndFailure) {
  XlaCustomCallStatus status;
  opaque_untyped(Buffer(32), nullptr, "a\0b", 3, &status);
  EXPECT_EQ(recorded.opaque, std::string("a\0b", 3));
  int stream;
  const void* buffers[] = {Buffer(0), Buffer(32)};
  gpu_untyped(&stream, buffers, "", 0, &status);
  EXPECT_EQ(recorded.stream, &stream);
  EXPECT_FALSE(status.message.has_value());
  const std::string message = "no convergence";
  recorded.failure = &message;
  status_untyped(Buffer(32), nullptr, "", 0, &status);
  EXPECT_EQ(status.message, "CustomCall failed: no convergence");
}

TEST_F(ExportsTest, UntypedCallsWaitForFutures) {
  float out = 0;
  XlaCustomCallStatus status;
  later_untyped(&out, nullptr, "", 0, &status);
  EXPECT_FALSE(status.message.has_value());
  EXPECT_EQ(out, 7);
  later_untyped(&out, nullptr, "x", 1, &status);
  EXPECT_EQ(status.message, "failed later");
}

TEST_F(ExportsTest, WhatAnUntypedCallDoesNotLendIsNamed) {
  XlaCustomCallStatus status;
  run_id_untyped(Buffer(32), nullptr, "", 0, &status);
  ASSERT_TRUE(status.message.has_value());
  EXPECT_THAT(*status.message, HasSubstr("run id"));
}

TEST(ExportsConstantsTest, AreThoseOfTheSiteDescriptor) {
  EXPECT_EQ(exports::kSiteAttribute, kSiteDescriptorAttribute);
  EXPECT_EQ(exports::kSiteMagic, std::string(kSiteDescriptorMagic, kSiteDescriptorMagicSize));
  EXPECT_EQ(exports::kMaxTupleDepth, Shape::kMaxTupleDepth);
  for (const exports::NamedType& type : exports::kNamedTypes) {
    EXPECT_EQ(static_cast<int>(*ParsePrimitiveType(type.name)), type.number);
  }
}

}  // namespace
}  // namespace callbridge
