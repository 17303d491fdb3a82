// What a handler does with calls that it cannot serve, and with the metadata query: every text in
// full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "callbridge/typed_ffi/binding/ffi.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

// Takes every value, so that what is refused is refused for another reason; kRefuses none, without
// a word.
struct Anything {};
struct Refuses {};

namespace xla::ffi {
template <>
struct ArgDecoding<Anything> {
  static std::optional<Anything> Decode(XLA_FFI_ArgType, void*, DiagnosticEngine&) {
    return Anything();
  }
};
template <>
struct RetDecoding<Anything> {
  static std::optional<Result<Anything>> Decode(XLA_FFI_RetType, void*, DiagnosticEngine&) {
    return Result<Anything>(Anything());
  }
};
template <>
struct ArgDecoding<Refuses> {
  static std::optional<Refuses> Decode(XLA_FFI_ArgType, void*, DiagnosticEngine&) {
    return std::nullopt;
  }
};
template <>
struct RetDecoding<Refuses> {
  static std::optional<Result<Refuses>> Decode(XLA_FFI_RetType, void*,
                                               DiagnosticEngine& diagnostic) {
    return diagnostic.Emit("no such result");
  }
};
}  // namespace xla::ffi

struct Pair {
  int32_t number;
  std::variant<int32_t, std::string_view> either;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(
    Pair, StructMember<int32_t>("number"),
    StructMember<std::variant<int32_t, std::string_view>>("either"));

namespace callbridge::typed_ffi::testing {
namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;

constexpr int kInvalid = XLA_FFI_Error_Code_INVALID_ARGUMENT;
const std::string kBad = "[execute] Failed to decode all FFI handler operands (bad operands at: ";

class BadCallTest : public ::testing::Test {
 protected:
  ~BadCallTest() override { EXPECT_EQ(live_errors, 0); }

  Answer Call(XLA_FFI_Handler* handler) { return Take(handler(frame.ForCall(runtime))); }
  void Args(int count, int wrong = -1) {
    for (int i = 0; i < count; ++i) frame.Arg(XLA_FFI_DataType_F32, {1}, data, i == wrong ? 9 : 1);
  }
  void Rets(int count, int wrong = -1) {
    for (int i = 0; i < count; ++i) frame.Ret(XLA_FFI_DataType_F32, {1}, data, i == wrong ? 9 : 1);
  }

  FakeRuntime runtime{kRuntimeVersionCount - 1};
  CallFrame frame;
  float data[1] = {};
};

// ---- Type tags, which are compared two at a time ------------------------------------------------

Error Five(AnyBuffer, AnyBuffer, AnyBuffer, AnyBuffer, AnyBuffer, Result<AnyBuffer>,
           Result<AnyBuffer>, Result<AnyBuffer>, Result<AnyBuffer>) {
  return Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kFive, Five);

TEST_F(BadCallTest, EveryTypeTagCounts) {
  for (int wrong = -1; wrong < 9; ++wrong) {
    CallFrame call;
    for (int i = 0; i < 5; ++i) call.Arg(XLA_FFI_DataType_F32, {1}, data, i == wrong ? 9 : 1);
    for (int i = 0; i < 4; ++i) call.Ret(XLA_FFI_DataType_F32, {1}, data, i + 5 == wrong ? 0 : 1);
    const Answer answer = Take(kFive(call.ForCall(runtime)));
    const std::string number = std::to_string(wrong);
    if (wrong < 0) {
      EXPECT_EQ(answer.code, 0) << answer.message;
    } else if (wrong < 5) {
      EXPECT_EQ(answer.message, kBad + number + ")\nDiagnostics:\nargument " + number +
                                    ": Wrong argument type: expected buffer but got unknown (9)");
    } else {
      EXPECT_EQ(answer.message, kBad + number + ")\nDiagnostics:\nresult " +
                                    std::to_string(wrong - 5) +
                                    ": Wrong result type: expected buffer but got unknown (0)");
    }
  }
}

// Beside a type of the user's own, which is decoded, each buffer's tag and type are checked by
// themselves.
XLA_FFI_DEFINE_HANDLER(
    kMixed,
    [](Anything, Buffer<F32> b, Result<Anything>, Result<Buffer<F32>> d) {
      d->typed_data()[0] = b.typed_data()[0];
      return Error::Success();
    },
    Ffi::Bind().Arg<Anything>().Arg<Buffer<F32>>().Ret<Anything>().Ret<Buffer<F32>>());

TEST_F(BadCallTest, BuffersBesideTypesOfTheUser) {
  struct {
    XLA_FFI_DataType arg_type, ret_type;
    int arg_tag, ret_tag;
    std::string message;
  } const cases[] = {
      {XLA_FFI_DataType_F32, XLA_FFI_DataType_F32, 1, 1, ""},
      {XLA_FFI_DataType_F32, XLA_FFI_DataType_F32, 9, 1,
       "1)\nDiagnostics:\nargument 1: Wrong argument type: expected buffer but got unknown (9)"},
      {XLA_FFI_DataType_S32, XLA_FFI_DataType_F32, 1, 1,
       "1)\nDiagnostics:\nargument 1: Wrong buffer dtype: expected F32 but got S32"},
      {XLA_FFI_DataType_F32, XLA_FFI_DataType_F32, 1, 9,
       "3)\nDiagnostics:\nresult 1: Wrong result type: expected buffer but got unknown (9)"},
      {XLA_FFI_DataType_F32, XLA_FFI_DataType_U8, 1, 1,
       "3)\nDiagnostics:\nresult 1: Wrong buffer dtype: expected F32 but got U8"},
  };
  for (const auto& given : cases) {
    CallFrame call;
    float in = 3, out = 0;
    call.Arg(XLA_FFI_DataType_F32, {1}, data).Arg(given.arg_type, {1}, &in, given.arg_tag);
    call.Ret(XLA_FFI_DataType_F32, {1}, data).Ret(given.ret_type, {1}, &out, given.ret_tag);
    const Answer answer = Take(kMixed(call.ForCall(runtime)));
    EXPECT_EQ(answer.message, given.message.empty() ? "" : kBad + given.message);
    EXPECT_EQ(out, given.message.empty() ? 3 : 0);
  }
}

XLA_FFI_DEFINE_HANDLER(
    kRefusing, [](Refuses, Result<Refuses>) { return Error::Success(); },
    Ffi::Bind().Arg<Refuses>().Ret<Refuses>());

TEST_F(BadCallTest, ADecodingThatSaysNothing) {
  Args(1);
  Rets(1);
  EXPECT_EQ(Call(kRefusing).message,
            kBad + "0, 1)\nDiagnostics:\nargument 0: cannot be decoded\nresult 0: no such result");
}

// ---- Counts -------------------------------------------------------------------------------------

XLA_FFI_DEFINE_HANDLER(
    kOptional,
    [](AnyBuffer, std::optional<AnyBuffer>, Result<AnyBuffer>, std::optional<Result<AnyBuffer>>) {
      return Error::Success();
    },
    Ffi::Bind()
        .Arg<AnyBuffer>()
        .OptionalArg<AnyBuffer>()
        .Ret<AnyBuffer>()
        .OptionalRet<AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(kRemaining, [](AnyBuffer, RemainingArgs, Result<AnyBuffer>, RemainingRets) {
  return Error::Success();
});
XLA_FFI_DEFINE_HANDLER(kOne, [](Buffer<F32>, Result<AnyBuffer>) { return Error::Success(); });
XLA_FFI_DEFINE_HANDLER(
    kWithAttribute, [](Buffer<F32>, int32_t) { return Error::Success(); },
    Ffi::Bind().Arg<Buffer<F32>>().Attr<int32_t>("n"));

TEST_F(BadCallTest, AtLeastThoseThatAreNotOptional) {
  for (XLA_FFI_Handler* handler : {kOptional, kRemaining}) {
    CallFrame none;
    EXPECT_EQ(Take(handler(none.ForCall(runtime))).message,
              "[execute] Wrong number of arguments: expected at least 1 but got 0\n"
              "Wrong number of results: expected at least 1 but got 0");
    for (int count : {1, 2}) {
      CallFrame enough;
      for (int i = 0; i < count; ++i) {
        enough.Arg(XLA_FFI_DataType_F32, {1}, data).Ret(XLA_FFI_DataType_F32, {1}, data);
      }
      EXPECT_EQ(Take(handler(enough.ForCall(runtime))).message, "");
    }
  }
}

TEST_F(BadCallTest, AttributesOfAHandlerWithoutAnyAreNoMatter) {
  Args(2);
  Rets(1);
  frame.attributes().S32("unused", 1);
  const Answer answer = Call(kOne);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_EQ(answer.message, "[execute] Wrong number of arguments: expected 1 but got 2");
}

TEST_F(BadCallTest, CountsStandBeforeOperands) {
  frame.Arg(XLA_FFI_DataType_S32, {1}, data);
  EXPECT_EQ(Call(kWithAttribute).message,
            "[execute] Wrong number of attributes: expected 1 but got 0\n"
            "Failed to decode all FFI handler operands (bad operands at: 0, 1)\nDiagnostics:\n"
            "argument 0: Wrong buffer dtype: expected F32 but got S32\n"
            "attribute n: Attribute name mismatch: not found among ");
  frame.attributes().S32("n", 1).S32("o", 1);
  EXPECT_EQ(Call(kWithAttribute).message,
            "[execute] Wrong number of attributes: expected 1 but got 2 with name(s): n, o\n"
            "Failed to decode all FFI handler operands (bad operands at: 0)\nDiagnostics:\n"
            "argument 0: Wrong buffer dtype: expected F32 but got S32");
}

// ---- Optional and remaining ones ----------------------------------------------------------------

XLA_FFI_DEFINE_HANDLER(
    kOptionalOwn,
    [](AnyBuffer, std::optional<Anything> a, std::optional<Refuses> b, Result<Buffer<S64>> out,
       std::optional<Result<Anything>> c, std::optional<Result<Refuses>> d, RemainingRets rest) {
      const int64_t seen[] = {a.has_value(),
                              b.has_value(),
                              c.has_value(),
                              d.has_value(),
                              static_cast<int64_t>(rest.size()),
                              rest.empty()};
      std::copy(std::begin(seen), std::end(seen), out->typed_data());
      return Error::Success();
    },
    Ffi::Bind()
        .Arg<AnyBuffer>()
        .OptionalArg<Anything>()
        .OptionalArg<Refuses>()
        .Ret<Buffer<S64>>()
        .OptionalRet<Anything>()
        .OptionalRet<Refuses>()
        .RemainingRets());

TEST_F(BadCallTest, OptionalTypesOfTheUser) {
  std::array<int64_t, 6> out = {};
  Args(1);
  frame.Ret(XLA_FFI_DataType_S64, {6}, out.data());
  EXPECT_EQ(Call(kOptionalOwn).message, "");
  EXPECT_THAT(out, ElementsAre(0, 0, 0, 0, 0, 1));
  Args(1);
  Rets(1);
  EXPECT_EQ(Call(kOptionalOwn).message, "");
  EXPECT_THAT(out, ElementsAre(1, 0, 1, 0, 0, 1));
  Args(1);
  Rets(1);
  EXPECT_EQ(Call(kOptionalOwn).message,
            kBad + "2, 5)\nDiagnostics:\nargument 2: cannot be decoded\nresult 2: no such result");
}

TEST_F(BadCallTest, AnOptionalBufferThatIsThereIsChecked) {
  const std::string argument =
      "1)\nDiagnostics:\nargument 1: Wrong argument type: expected buffer but got unknown (9)";
  const std::string result =
      "3)\nDiagnostics:\nresult 1: Wrong result type: expected buffer but got unknown (9)";
  for (const bool is_argument : {true, false}) {
    CallFrame call;
    call.Arg(XLA_FFI_DataType_F32, {1}, data)
        .Arg(XLA_FFI_DataType_F32, {1}, data, is_argument ? 9 : 1);
    call.Ret(XLA_FFI_DataType_F32, {1}, data)
        .Ret(XLA_FFI_DataType_F32, {1}, data, is_argument ? 1 : 9);
    EXPECT_EQ(Take(kOptional(call.ForCall(runtime))).message,
              kBad + (is_argument ? argument : result));
  }
}

std::string remaining_says;
template <typename T>
void Say(const T& got) {
  remaining_says += got.has_value() ? "ok;" : std::string(got.error().message()) + ";";
}
XLA_FFI_DEFINE_HANDLER(kAskRemaining,
                       [](AnyBuffer, RemainingArgs args, Result<AnyBuffer>, RemainingRets rets) {
                         remaining_says = "";
                         Say(args.get<Buffer<F32>>(0));
                         Say(args.get<Buffer<S8>>(0));
                         Say(args.get<AnyBuffer>(1));
                         Say(args.get<AnyBuffer>(2));
                         Say(args.get<Anything>(0));
                         Say(args.get<Refuses>(0));
                         Say(rets.get<Buffer<F32>>(0));
                         Say(rets.get<Buffer<S8>>(0));
                         Say(rets.get<AnyBuffer>(1));
                         Say(rets.get<AnyBuffer>(2));
                         Say(rets.get<Anything>(0));
                         Say(rets.get<Refuses>(0));
                         for (size_t i = 0; i < 2; ++i) {
                           remaining_says += args.isa<AnyBuffer>(i) ? 'A' : '-';
                           remaining_says += args.isa<Buffer<F32>>(i) ? 'F' : '-';
                           remaining_says += args.isa<Buffer<F64>>(i) ? 'D' : '-';
                           remaining_says += rets.isa<AnyBuffer>(i) ? 'A' : '-';
                           remaining_says += rets.isa<Buffer<F32>>(i) ? 'F' : '-';
                           remaining_says += rets.isa<Buffer<F64>>(i) ? 'D' : '-';
                         }
                         return args.get<AnyBuffer>(9).error();
                       });

TEST_F(BadCallTest, RemainingOnesAreNumberedLikeAll) {
  frame.Arg(XLA_FFI_DataType_F64, {}, data).Ret(XLA_FFI_DataType_F64, {}, data);
  Args(2, 1);
  Rets(2, 1);
  const Answer answer = Call(kAskRemaining);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_EQ(answer.message, "Index out of range: 9 of 2 remaining arguments");
  EXPECT_EQ(remaining_says,
            "ok;argument 1: Wrong buffer dtype: expected S8 but got F32;"
            "argument 2: Wrong argument type: expected buffer but got unknown (9);"
            "Index out of range: 2 of 2 remaining arguments;ok;argument 1: ;"
            "ok;result 1: Wrong buffer dtype: expected S8 but got F32;"
            "result 2: Wrong result type: expected buffer but got unknown (9);"
            "Index out of range: 2 of 2 remaining results;ok;result 1: no such result;"
            "AF-AF-------");
}

// ---- Attributes ---------------------------------------------------------------------------------

std::array<int32_t, 4> twice_got;
XLA_FFI_DEFINE_HANDLER(
    kTwice,
    [](int32_t b, int32_t c, int32_t b_again, int32_t a) {
      twice_got = {b, c, b_again, a};
      return Error::Success();
    },
    Ffi::Bind().Attr<int32_t>("b").Attr<int32_t>("c").Attr<int32_t>("b").Attr<int32_t>("a"));

TEST_F(BadCallTest, ANameThatIsBoundTwiceIsOneAttribute) {
  frame.attributes().S32("a", 1).S32("b", 2).S32("c", 3);
  EXPECT_EQ(Call(kTwice).message, "");
  EXPECT_THAT(twice_got, ElementsAre(2, 3, 2, 1));
  frame.attributes().S32("d", 4);
  EXPECT_EQ(Call(kTwice).message,
            "[execute] Wrong number of attributes: expected 3 but got 4 with name(s): a, b, c, d");
}

XLA_FFI_DEFINE_HANDLER(
    kPairOrText,
    [](std::variant<Pair, std::string_view> value) {
      return Error(ErrorCode::kAborted, std::to_string(value.index()));
    },
    Ffi::Bind().Attr<std::variant<Pair, std::string_view>>("either"));

// The type that matches is the one that is decoded, and its reasons are those that are told.
TEST_F(BadCallTest, AVariantThatMatchesAndCannotBeDecoded) {
  AttributeList pair;
  pair.S32("number", 5).S32("either", 6);
  frame.attributes().Nested("either", pair);
  EXPECT_EQ(Call(kPairOrText).message, "0");
  pair.F32("either", 6);
  frame.attributes().Nested("either", pair);
  EXPECT_EQ(Call(kPairOrText).message, kBad +
                                           "0)\nDiagnostics:\n"
                                           "attribute either: Wrong attribute type: it doesn't "
                                           "match any of the variant types: scalar F32");
}

XLA_FFI_DEFINE_HANDLER(
    kPair, [](Pair pair) { return Error(ErrorCode::kAborted, std::to_string(pair.number)); },
    Ffi::Bind().Attr<Pair>("pair"));

// The number of members and their names are known before any of them is decoded.
TEST_F(BadCallTest, MembersThatAreDecoded) {
  AttributeList pair;
  pair.S32("number", 5).String("either", "text");
  frame.attributes().Nested("pair", pair);
  EXPECT_EQ(Call(kPair).message, "5");
  pair.F32("either", 1);
  frame.attributes().Nested("pair", pair);
  EXPECT_EQ(Call(kPair).message, kBad +
                                     "0)\nDiagnostics:\n"
                                     "attribute pair: Wrong attribute type: it doesn't match any "
                                     "of the variant types: scalar F32");
  AttributeList misnamed;
  misnamed.S32("nomber", 5).S32("either", 6);
  frame.attributes().Nested("pair", misnamed);
  EXPECT_EQ(Call(kPair).message,
            kBad + "0)\nDiagnostics:\nattribute pair: Unexpected attribute: number not found");
  AttributeList alone;
  alone.S32("either", 6);
  frame.attributes().Nested("pair", alone);
  EXPECT_EQ(
      Call(kPair).message,
      kBad +
          "0)\nDiagnostics:\n"
          "attribute pair: Wrong number of attributes: expected 2 but got 1 with name(s): either\n"
          "Unexpected attribute: number not found");
  frame.attributes().S32("pair", 1);
  EXPECT_EQ(Call(kPair).message, kBad +
                                     "0)\nDiagnostics:\nattribute pair: Wrong attribute type: "
                                     "expected dictionary but got scalar");
}

}  // namespace
}  // namespace callbridge::typed_ffi::testing
