// CALLBRIDGE_EXPORT and calls that are not as they should be, and as large as they may be.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/site_descriptor.h"
#include "callbridge/export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"

using callbridge::ExportOptions;
namespace ours = callbridge;

CALLBRIDGE_EXPORT(Original, ours::HostOriginalTarget);
CALLBRIDGE_EXPORT(Unified, ours::HostUnifiedTarget);
CALLBRIDGE_EXPORT(Gpu, ours::GpuOriginalTarget);
CALLBRIDGE_EXPORT(
    Tuples, ours::HostOriginalTarget,
    ExportOptions().Shapes("(f32[2], (s32[?,3], token[])), f64[] -> (f32[2],(pred[]))"));
CALLBRIDGE_EXPORT(NoShapes, ours::HostOriginalTarget, ExportOptions().Shapes("-> ()"));

namespace callbridge {
namespace {

constexpr PrimitiveType kF32 = PrimitiveType::kF32;
constexpr PrimitiveType kS32 = PrimitiveType::kS32;
constexpr PrimitiveType kToken = PrimitiveType::kToken;

char bytes[512];
void* Buffer(size_t i) { return &bytes[i]; }

class ExportsFramesTest : public ::testing::Test {
 protected:
  void SetUp() override { recorded = Recorded(); }
};

// ---- Frames

TEST_F(ExportsFramesTest, MustBeAsLargeAsThoseOfTheFirstRuntimes) {
  for (XLA_FFI_Handler* handler : {&Original, &NoShapes}) {
    const auto call = [&](size_t size) {
      return FfiCall()
          .With([size](XLA_FFI_CallFrame& frame) { frame.struct_size = size; })
          .Call(handler);
    };
    ExpectInvalid(call(167),
                  "Unexpected XLA_FFI_CallFrame size: expected at least 168 got 167. Check "
                  "installed software versions.");
    EXPECT_EQ(call(168), absl::OkStatus());
    EXPECT_EQ(recorded.calls, 1);
    recorded.calls = 0;
  }
}

TEST_F(ExportsFramesTest, AnExtensionThatIsNoQueryChangesNothing) {
  XLA_FFI_InternalExtension other = {sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9),
                                     nullptr};
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(1)).StringAttr("opaque", "bytes");
  runtime.With([&](XLA_FFI_CallFrame& frame) { frame.extension_start = &other; });
  EXPECT_EQ(runtime.Call(&Unified), absl::OkStatus());
  EXPECT_EQ(recorded.out, Buffer(1));
  EXPECT_EQ(recorded.opaque, "bytes");
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsFramesTest, TheMetadataQueryNeedNotBeTheFirstExtension) {
  XLA_FFI_Metadata answer = {};
  XLA_FFI_Metadata_Extension query = {{sizeof(query), XLA_FFI_Extension_Metadata, nullptr},
                                      &answer};
  XLA_FFI_InternalExtension other = {sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9),
                                     &query.extension_base};
  XLA_FFI_Api api = {};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &api;
  frame.extension_start = &other;
  for (const auto& version : typed_ffi::kRuntimeVersions) {
    api.struct_size = version.stated_size;
    api.api_version.minor_version = version.minor;
    EXPECT_EQ(Original(&frame), nullptr);
    // By the oldest one's, callbridge knows that the handler adapts.
    EXPECT_EQ(answer.api_version.minor_version, std::min<int>(version.minor, 1));
  }
  EXPECT_EQ(recorded.calls, 0);
}

TEST_F(ExportsFramesTest, OtherStagesAreRefused) {
  ExpectInvalid(FfiCall().Stage(XLA_FFI_ExecutionStage_INITIALIZE).Call(&Original),
                "Wrong execution stage: this handler serves execute, which is number 3 on this "
                "runtime, but was called at stage number 2");
}

TEST_F(ExportsFramesTest, NegativeCountsAreRefused) {
  ExpectInvalid(
      FfiCall().With([](XLA_FFI_CallFrame& frame) { frame.args.size = -1; }).Call(&Original),
      "expected arguments and results, got -1 and 0 of them");
  ExpectInvalid(
      FfiCall().With([](XLA_FFI_CallFrame& frame) { frame.rets.size = -2; }).Call(&Original),
      "expected arguments and results, got 0 and -2 of them");
}

TEST_F(ExportsFramesTest, WhatIsNoBufferIsRefused) {
  const auto spoil_result = [](XLA_FFI_CallFrame& frame) {
    static XLA_FFI_RetType types[] = {XLA_FFI_RetType_BUFFER, static_cast<XLA_FFI_RetType>(77)};
    frame.rets.types = types;
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(1)).Ret(kF32, Buffer(2));
  ExpectInvalid(runtime.With(spoil_result).Call(&Original),
                "expected arguments and results that are buffers");
  ExpectInvalid(runtime.NoBuffer().With(nullptr).Call(&Original),
                "expected arguments and results that are buffers");
}

// Up to 63 of each and 256 together have their pointers in blocks of two sizes on the stack.
TEST_F(ExportsFramesTest, AnyNumberOfBuffers) {
  static size_t operands, results;
  recorded.inspect = [](Recorded& r) {
    for (size_t i = 0; i < operands; ++i) ASSERT_EQ(r.in[i], Buffer(i));
    if (results == 1) {
      EXPECT_EQ(r.out, Buffer(100));
      return;
    }
    for (size_t i = 0; i < results; ++i) {
      ASSERT_EQ(static_cast<void**>(r.out)[i], Buffer(100 + i));
    }
  };
  int calls = 0;
  for (size_t few : {0, 1, 2, 63, 64, 65, 255, 256, 257}) {
    for (size_t more : {0, 1, 2, 63, 64, 100}) {
      for (const auto& [as_operands, as_results] : {std::pair(few, more), std::pair(more, few)}) {
        operands = as_operands;
        results = as_results;
        FfiCall runtime;
        for (size_t i = 0; i < operands; ++i) runtime.Arg(kF32, Buffer(i));
        for (size_t i = 0; i < results; ++i) runtime.Ret(kF32, Buffer(100 + i));
        ASSERT_EQ(runtime.Call(&Original), absl::OkStatus());
        EXPECT_EQ(recorded.calls, ++calls);
      }
    }
  }
}

// ---- GPU

TEST_F(ExportsFramesTest, AGpuFunctionsListIsFlatWhateverTheSiteSays) {
  recorded.inspect = [](Recorded& r) {
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(r.buffers[i], Buffer(i));
  };
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(2));
  runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({"(f32[],f32[])"}, "(f32[])", "opaque"));
  EXPECT_EQ(runtime.Call(&Gpu), absl::OkStatus());
  EXPECT_EQ(recorded.opaque, "opaque");
  EXPECT_EQ(recorded.calls, 1);
}

TEST_F(ExportsFramesTest, AStreamThatCannotBeHadIsTheRuntimesError) {
  EXPECT_EQ(FfiCall().Stream(absl::UnavailableError("no stream")).Call(&Gpu),
            absl::UnavailableError("no stream"));
  EXPECT_EQ(recorded.calls, 0);
}

// ---- Site descriptors

constexpr char kDoesNotFit[] =
    "the site descriptor is malformed, or declares other types or another number of leaves than "
    "the "
    "call has";

// The descriptor with this tree.
std::string WithTree(const std::string& tree) {
  std::string site(kSiteDescriptorMagic, kSiteDescriptorMagicSize);
  for (int i = 0; i < 4; ++i) site.push_back(static_cast<char>(tree.size() >> (8 * i)));
  return site + tree;
}
std::string TreeOf(const std::string& descriptor) {
  return descriptor.substr(kSiteDescriptorMagicSize + 4);
}

absl::Status CallOneToOne(const std::string& descriptor) {
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(1));
  return runtime.ArrayAttr(kSiteDescriptorAttribute, descriptor).Call(&Original);
}

TEST_F(ExportsFramesTest, WhatIsNoDescriptorIsRefused) {
  constexpr char kNone[] = "attribute \"callbridge_site\" is no site descriptor of version 1";
  const std::string good = Descriptor({"f32[]"}, "f32[]");
  std::string other_version = good;
  ++other_version[kSiteDescriptorMagicSize - 1];
  for (const std::string& bad : {std::string(), good.substr(0, kSiteDescriptorMagicSize + 3),
                                 good.substr(0, good.size() - 1), other_version}) {
    ExpectInvalid(CallOneToOne(bad), kNone);
  }
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0)).Ret(kF32, Buffer(1));
  runtime.ArrayAttr(kSiteDescriptorAttribute, good, kS32);
  ExpectInvalid(runtime.Call(&Original),
                "attribute \"callbridge_site\" is neither a string nor an array of uint8");
}

TEST_F(ExportsFramesTest, TreesThatAreNotAsTheCallAreRefused) {
  const std::string good = TreeOf(Descriptor({"f32[]"}, "f32[]"));
  ASSERT_EQ(CallOneToOne(WithTree(good)), absl::OkStatus());
  recorded.calls = 0;
  ExpectInvalid(CallOneToOne(WithTree("")), kDoesNotFit);
  ExpectInvalid(CallOneToOne(WithTree(good + '\0')), kDoesNotFit);
  for (const int tuple_layout : {2, 0x7f, 0x80, 0xff}) {
    std::string bad = good;
    bad[0] = static_cast<char>(tuple_layout);
    ExpectInvalid(CallOneToOne(WithTree(bad)), kDoesNotFit);
  }
  for (TupleLayout tuple_layout : {TupleLayout::kNested, TupleLayout::kFlat}) {
    for (const auto& [operands, result] :
         std::vector<std::pair<std::vector<const char*>, const char*>>{
             {{}, "f32[]"},
             {{"f32[]", "f32[]"}, "f32[]"},
             {{"(f32[],f32[])"}, "f32[]"},
             {{"()"}, "f32[]"},
             {{"s32[]"}, "f32[]"},
             {{"f32[]"}, "()"},
             {{"f32[]"}, "s32[]"},
             {{"f32[]"}, "(f32[],f32[])"}}) {
      ExpectInvalid(CallOneToOne(Descriptor(operands, result, "", tuple_layout)), kDoesNotFit);
    }
  }
}

TEST_F(ExportsFramesTest, FlatTuplesMayBeAsDeepAsOthers) {
  std::string deep = "f32[]";
  for (int i = 0; i < 128; ++i) deep = "(" + deep + ")";
  for (TupleLayout tuple_layout : {TupleLayout::kNested, TupleLayout::kFlat}) {
    const std::string site = Descriptor({deep.c_str()}, "f32[]", "", tuple_layout);
    EXPECT_EQ(CallOneToOne(site), absl::OkStatus());
    EXPECT_EQ(recorded.calls, 1);
    recorded.calls = 0;
    std::string tree = TreeOf(site);
    tree.insert(1 + 4, std::string("\x0d\1\0\0\0", 5));
    ExpectInvalid(CallOneToOne(WithTree(tree)), kDoesNotFit);
  }
  // Nor may a result be deeper.
  std::string tree = TreeOf(Descriptor({"f32[]"}, deep.c_str()));
  ASSERT_EQ(CallOneToOne(WithTree(tree)), absl::OkStatus());
  recorded.calls = 0;
  tree.insert(1 + 4 + 1, std::string("\x0d\1\0\0\0", 5));
  ExpectInvalid(CallOneToOne(WithTree(tree)), kDoesNotFit);
}

// As DecodeSiteTree() refuses it.
TEST_F(ExportsFramesTest, AnEmptyTupleMayBeNoDeeper) {
  const auto call = [](int depth, TupleLayout tuple_layout) {
    std::string tree = {static_cast<char>(tuple_layout), 2, 0, 0, 0, 0x0b};
    for (int i = 1; i < depth; ++i) tree += std::string("\x0d\1\0\0\0", 5);
    tree += std::string("\x0d\0\0\0\0", 5) + '\x0b';
    return CallOneToOne(WithTree(tree));
  };
  for (TupleLayout tuple_layout : {TupleLayout::kNested, TupleLayout::kFlat}) {
    EXPECT_EQ(call(128, tuple_layout), absl::OkStatus());
    EXPECT_EQ(recorded.calls, 1);
    recorded.calls = 0;
    ExpectInvalid(call(129, tuple_layout), kDoesNotFit);
  }
}

TEST_F(ExportsFramesTest, DescribedTokensAreNull) {
  for (TupleLayout tuple_layout : {TupleLayout::kNested, TupleLayout::kFlat}) {
    recorded.inspect = [](Recorded& r) {
      void** list = r.calls == 1 ? static_cast<void**>(r.in[0]) : r.in;
      EXPECT_EQ(list[0], nullptr);
      EXPECT_EQ(list[1], Buffer(1));
      EXPECT_EQ(static_cast<void**>(r.out)[0], Buffer(2));
      EXPECT_EQ(static_cast<void**>(r.out)[1], nullptr);
    };
    FfiCall runtime;
    runtime.Arg(kToken, Buffer(0)).Arg(kF32, Buffer(1)).Ret(kF32, Buffer(2)).Ret(kToken, Buffer(3));
    runtime.ArrayAttr(kSiteDescriptorAttribute,
                      Descriptor({"(token[],f32[])"}, "(f32[],token[])", "", tuple_layout));
    EXPECT_EQ(runtime.Call(&Original), absl::OkStatus());
  }
  EXPECT_EQ(recorded.calls, 2);
}

// Its bytes are more than its pointers, which share a block with the call's own.
TEST_F(ExportsFramesTest, TreesOfAnySize) {
  static size_t leaves;
  recorded.inspect = [](Recorded& r) {
    auto** tuple = static_cast<void**>(r.in[0]);
    for (size_t i = 0; i < leaves; ++i) ASSERT_EQ(tuple[i], Buffer(i));
    EXPECT_EQ(*static_cast<void**>(r.out), Buffer(300));
  };
  int calls = 0;
  for (leaves = 1; leaves < 120; ++leaves) {
    std::string tuple = "(f32[]";
    FfiCall runtime;
    runtime.Arg(kF32, Buffer(0));
    for (size_t i = 1; i < leaves; ++i) {
      tuple += ",f32[]";
      runtime.Arg(kF32, Buffer(i));
    }
    tuple += ")";
    runtime.Ret(kF32, Buffer(300));
    runtime.ArrayAttr(kSiteDescriptorAttribute, Descriptor({tuple.c_str()}, "(f32[])"));
    ASSERT_EQ(runtime.Call(&Original), absl::OkStatus());
    ASSERT_EQ(recorded.calls, ++calls);
  }
}

// ---- Declared shapes

struct Leaf {
  PrimitiveType type;
  std::vector<int64_t> dims;
};
absl::Status CallTuples(const std::vector<Leaf>& arguments, const std::vector<Leaf>& results) {
  FfiCall runtime;
  for (const Leaf& leaf : arguments) runtime.Arg(leaf.type, Buffer(0), leaf.dims);
  for (const Leaf& leaf : results) runtime.Ret(leaf.type, Buffer(1), leaf.dims);
  return runtime.Call(&Tuples);
}

TEST_F(ExportsFramesTest, EachDifferenceFromTheDeclarationIsRefused) {
  const PrimitiveType kF64 = PrimitiveType::kF64, kPred = PrimitiveType::kPred;
  const std::vector<Leaf> arguments = {{kF32, {2}}, {kS32, {5, 3}}, {kToken, {}}, {kF64, {}}};
  const std::vector<Leaf> results = {{kF32, {2}}, {kPred, {}}};
  const auto with = [](std::vector<Leaf> leaves, size_t i, const Leaf& leaf) {
    leaves[i] = leaf;
    return leaves;
  };
  for (const Leaf& same : {Leaf{kS32, {0, 3}}, Leaf{kS32, {int64_t{1} << 40, 3}}}) {
    EXPECT_EQ(CallTuples(with(arguments, 1, same), results), absl::OkStatus());
  }
  // A token has no shape to speak of.
  EXPECT_EQ(CallTuples(with(arguments, 2, {kToken, {1}}), results), absl::OkStatus());
  EXPECT_EQ(recorded.calls, 3);
  recorded.calls = 0;

  const struct {
    size_t i;
    Leaf leaf;
    const char* text;
  } kArguments[] = {{0, {kF32, {1}}, "argument 0 is declared f32[2], but came as f32[1]"},
                    {0, {kF32, {2, 1}}, "argument 0 is declared f32[2], but came as f32[2,1]"},
                    {0, {kF32, {}}, "argument 0 is declared f32[2], but came as f32[]"},
                    {0, {kS32, {2}}, "argument 0 is declared f32[2], but came as s32[2]"},
                    {0, {kToken, {}}, "argument 0 is declared f32[2], but came as token[]"},
                    {1, {kS32, {5, 4}}, "argument 1 is declared s32[?,3], but came as s32[5,4]"},
                    {1, {kS32, {3}}, "argument 1 is declared s32[?,3], but came as s32[3]"},
                    {1,
                     {static_cast<PrimitiveType>(99), {5, 3}},
                     "argument 1 is declared s32[?,3], but came as type number 99[5,3]"},
                    {2, {kF32, {}}, "argument 2 is declared token[], but came as f32[]"},
                    {3, {kF64, {1}}, "argument 3 is declared f64[], but came as f64[1]"}};
  for (const auto& c : kArguments) {
    ExpectInvalid(CallTuples(with(arguments, c.i, c.leaf), results), c.text);
  }
  ExpectInvalid(CallTuples(arguments, with(results, 0, {kF32, {3}})),
                "result 0 is declared f32[2], but came as f32[3]");
  ExpectInvalid(CallTuples(arguments, with(results, 1, {kS32, {}})),
                "result 1 is declared pred[], but came as s32[]");
  // What is not wrong is not named, nor is a token's rank.
  ExpectInvalid(CallTuples(with(with(arguments, 2, {kToken, {1}}), 0, {kF32, {1}}), results),
                "argument 0 is declared f32[2], but came as f32[1]");
  ExpectInvalid(CallTuples({arguments.begin(), arguments.begin() + 3}, results),
                "expected 4 arguments (leaves of tuples counted), got 3");
  ExpectInvalid(CallTuples(arguments, {results[0], results[1], results[1]}),
                "expected 2 results (leaves of tuples counted), got 3");
}

TEST_F(ExportsFramesTest, ADeclaredResultMustBeABuffer) {
  FfiCall runtime;
  runtime.Arg(kF32, Buffer(0), {2}).Arg(kS32, Buffer(0), {5, 3}).Arg(kToken, Buffer(0));
  runtime.Arg(PrimitiveType::kF64, Buffer(0)).Ret(kF32, Buffer(0), {2});
  runtime.Ret(PrimitiveType::kPred, Buffer(0)).With([](XLA_FFI_CallFrame& frame) {
    static XLA_FFI_RetType types[] = {XLA_FFI_RetType_BUFFER, static_cast<XLA_FFI_RetType>(77)};
    frame.rets.types = types;
  });
  ExpectInvalid(runtime.Call(&Tuples), "result 1 is no buffer");
}

}  // namespace
}  // namespace callbridge
