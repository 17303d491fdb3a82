// Handlers that are called with frames made by hand, on a runtime made by hand. The same test for
// handlers that are built with callbridge's headers and, with GENUINE, with XLA's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

extern "C" {
XLA_FFI_Handler Add, Describe, DescribeInferred, DescribeWrapped, TakeToken, Variadic, Optional,
    Scalars, AllAsStruct, StructInferred, OneStruct, Named, Variant, AllAsDictionary, Own, Fail,
    Nothing, Compatible, Instantiate, Prepare, Initialize, Record, Boxed;
}

namespace callbridge::typed_ffi::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kOk = 0;
constexpr int kInvalid = XLA_FFI_Error_Code_INVALID_ARGUMENT;

// Whether callbridge's texts are tested, which say more than XLA's.
#ifdef GENUINE
constexpr bool kOurs = false;
#else
constexpr bool kOurs = true;
#endif

class HandlerTest : public ::testing::Test {
 protected:
  ~HandlerTest() override { EXPECT_EQ(live_errors, 0); }

  Answer Call(XLA_FFI_Handler* handler) { return Take(handler(frame.ForCall(runtime))); }

  // What a handler wrote that succeeds.
  std::vector<int64_t> Result(XLA_FFI_Handler* handler, size_t count) {
    WithOut();
    const Answer answer = Call(handler);
    EXPECT_EQ(answer.code, kOk) << answer.message;
    return std::vector<int64_t>(out.begin(), out.begin() + static_cast<ptrdiff_t>(count));
  }
  void WithOut() { frame.Ret(XLA_FFI_DataType_S64, {16}, out.data()); }

  FakeRuntime runtime{kRuntimeVersionCount - 1};
  CallFrame frame;
  std::vector<int64_t> out = std::vector<int64_t>(16);
};

TEST_F(HandlerTest, TypedBuffers) {
  float a[] = {1, 2, 3}, b[] = {10, 20, 30}, c[3] = {};
  frame.Arg(XLA_FFI_DataType_F32, {3}, a).Arg(XLA_FFI_DataType_F32, {3}, b);
  frame.Ret(XLA_FFI_DataType_F32, {3}, c);
  EXPECT_EQ(Call(Add).code, kOk);
  EXPECT_THAT(c, ElementsAre(11, 22, 33));
}

TEST_F(HandlerTest, AnyBuffers) {
  for (XLA_FFI_Handler* handler : {Describe, DescribeInferred, DescribeWrapped}) {
    CallFrame any;
    int16_t data[6];
    any.Arg(XLA_FFI_DataType_S16, {2, 3}, data).Ret(XLA_FFI_DataType_S64, {7}, out.data());
    EXPECT_EQ(Take(handler(any.ForCall(runtime))).code, kOk);
    EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 7),
                ElementsAre(XLA_FFI_DataType_S16, 12, 6, 2, 2, 3, 1));
  }
}

TEST_F(HandlerTest, Token) {
  frame.Arg(XLA_FFI_DataType_TOKEN, {}, nullptr);
  EXPECT_THAT(Result(TakeToken, 1), ElementsAre(1));
}

TEST_F(HandlerTest, AllThatIsWrongIsSaid) {
  float a[4] = {};
  frame.Arg(XLA_FFI_DataType_F64, {2}, a).Arg(XLA_FFI_DataType_S32, {2, 2}, a);
  frame.Ret(XLA_FFI_DataType_F32, {2}, a, 9);
  const Answer answer = Call(Add);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message, StartsWith("[execute] Failed to decode all FFI handler operands (bad "
                                         "operands at: 0, 1, 2)\nDiagnostics:\n"));
  EXPECT_THAT(answer.message, AllOf(HasSubstr("Wrong buffer dtype: expected F32 but got F64"),
                                    HasSubstr("Wrong buffer dtype: expected F32 but got S32"),
                                    HasSubstr("Wrong result type: expected ")));
  if (kOurs) {
    EXPECT_THAT(
        answer.message,
        AllOf(HasSubstr("argument 0: Wrong"), HasSubstr("\nargument 1: Wrong"),
              HasSubstr("Wrong buffer rank: expected 1 but got 2"),
              HasSubstr("\nresult 0: Wrong result type: expected buffer but got unknown (9)")));
  }
}

TEST_F(HandlerTest, Counts) {
  float a[1];
  frame.Arg(XLA_FFI_DataType_F32, {1}, a);
  const Answer few = Call(Add);
  EXPECT_EQ(few.code, kInvalid);
  EXPECT_THAT(few.message, HasSubstr("[execute] Wrong number of arguments: expected 2 but got 1"));
  if (kOurs) {
    EXPECT_THAT(few.message, HasSubstr("\nWrong number of results: expected 1 but got 0"));
  }

  frame.Arg(XLA_FFI_DataType_F32, {1}, a);
  const Answer none = Call(Add);
  EXPECT_THAT(none.message, HasSubstr("Wrong number of results: expected 1 but got 0"));

  // Who takes none does not mind how many there are.
  frame.attributes().S32("x", 1);
  EXPECT_EQ(Call(Nothing).code, kOk);
}

TEST_F(HandlerTest, Variadic) {
  int32_t a = 3, b = 4, more = 0;
  frame.Arg(XLA_FFI_DataType_F32, {1}, &a).Arg(XLA_FFI_DataType_S32, {1}, &a);
  frame.Arg(XLA_FFI_DataType_S32, {1}, &b);
  frame.Ret(XLA_FFI_DataType_S64, {5}, out.data()).Ret(XLA_FFI_DataType_S32, {1}, &more);
  EXPECT_EQ(Call(::Variadic).code, kOk);
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 5), ElementsAre(2, 1, 7, 1, 1));
  EXPECT_EQ(more, 99);

  frame.Arg(XLA_FFI_DataType_F32, {1}, &b);
  const Answer wrong = Call(::Variadic);
  EXPECT_EQ(wrong.code, XLA_FFI_Error_Code_INTERNAL);
  EXPECT_THAT(wrong.message, HasSubstr("Wrong buffer dtype: expected S32 but got F32"));
  if (kOurs) {
    EXPECT_THAT(wrong.message, StartsWith("argument 3: "));
  }
}

TEST_F(HandlerTest, VariadicWithTooFew) {
  const Answer few = Call(::Variadic);
  EXPECT_EQ(few.code, kInvalid);
  EXPECT_THAT(few.message, HasSubstr("Wrong number of arguments: expected at least "));
  if (kOurs) {
    EXPECT_THAT(few.message, HasSubstr("expected at least 1 but got 0"));
  }
}

TEST_F(HandlerTest, OptionalOperands) {
  int32_t a = 5;
  frame.Arg(XLA_FFI_DataType_F32, {1}, &a).Ret(XLA_FFI_DataType_S64, {5}, out.data());
  EXPECT_EQ(Call(::Optional).code, kOk);
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 5), ElementsAre(0, -1, 0, -1, 0));

  frame.Arg(XLA_FFI_DataType_S32, {1}, &a).Arg(XLA_FFI_DataType_S32, {8}, &a);
  frame.Ret(XLA_FFI_DataType_F32, {1}, &a);
  EXPECT_EQ(Call(::Optional).code, kOk);
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 5), ElementsAre(1, 5, 1, 8, 1));

  // Each is looked for in its own list: two operands and a result, one operand and two results.
  for (const int more : {0, 1}) {
    CallFrame lists;
    lists.Arg(XLA_FFI_DataType_F32, {1}, &a).Ret(XLA_FFI_DataType_S64, {5}, out.data());
    if (more == 0) lists.Arg(XLA_FFI_DataType_S32, {1}, &a);
    if (more == 1) lists.Ret(XLA_FFI_DataType_F32, {1}, &a);
    EXPECT_EQ(Take(::Optional(lists.ForCall(runtime))).code, kOk);
    EXPECT_EQ(out[0], 1 - more);
    EXPECT_EQ(out[4], more);
  }

  // One that is there must be right; XLA's headers take it for one that is not there.
  CallFrame wrong;
  wrong.Arg(XLA_FFI_DataType_F32, {1}, &a).Arg(XLA_FFI_DataType_F32, {1}, &a);
  wrong.Ret(XLA_FFI_DataType_S64, {5}, out.data());
  const Answer answer = Take(::Optional(wrong.ForCall(runtime)));
  if (kOurs) {
    EXPECT_EQ(answer.code, kInvalid);
    EXPECT_THAT(answer.message, HasSubstr("(bad operands at: 1)"));
  } else {
    EXPECT_EQ(answer.code, kOk);
    EXPECT_EQ(out[0], 0);
  }
}

void FillScalars(AttributeList& attributes, int64_t* pointed) {
  const bool yes = true;
  const int8_t small = -8;
  const uint64_t large = 1ull << 40;
  const double real = 2.5;
  const std::complex<float> complex(1, 6);
  const int64_t array[] = {4, 5, 6};
  attributes.Scalar("zz", XLA_FFI_DataType_PRED, &yes, sizeof(yes))
      .Scalar("int8", XLA_FFI_DataType_S8, &small, sizeof(small))
      .Scalar("a_name_that_is_longer_than_32_characters", XLA_FFI_DataType_U64, &large,
              sizeof(large))
      .Scalar("m", XLA_FFI_DataType_F64, &real, sizeof(real))
      .Scalar("complex", XLA_FFI_DataType_C64, &complex, sizeof(complex))
      .S32("mode", 7)
      .S64("pointer_", reinterpret_cast<intptr_t>(pointed))
      .String("text", std::string("with\0NUL", 8))
      .Array("array_of_numbers", XLA_FFI_DataType_S64, 3, array, sizeof(array));
}

TEST_F(HandlerTest, AttributesOfEveryKind) {
  int64_t pointed = 31;
  FillScalars(frame.attributes(), &pointed);
  EXPECT_THAT(Result(Scalars, 10), ElementsAre(1, -8, 1ll << 40, 2, 6, 7, 31, 8, 3, 6));
}

TEST_F(HandlerTest, AttributesOfTheWrongKind) {
  int64_t pointed = 31;
  FillScalars(frame.attributes(), &pointed);
  frame.attributes().String("zz", "true").S64("int8", 1).S64("text", 0).F32("pointer_", 1);
  const float array[] = {1};
  frame.attributes().Array("array_of_numbers", XLA_FFI_DataType_F32, 1, array, sizeof(array));
  WithOut();
  const Answer answer = Call(Scalars);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message,
              AllOf(HasSubstr("(bad operands at: 1, 2, 7, 8, 9)"),
                    HasSubstr("Wrong attribute type: expected scalar but got string"),
                    HasSubstr("Wrong scalar data type: expected S8 but got S64"),
                    HasSubstr("Wrong attribute type: expected string but got scalar"),
                    HasSubstr("Wrong array data type: expected S64 but got F32")));
  if (kOurs) {
    EXPECT_THAT(answer.message,
                AllOf(HasSubstr("attribute zz: Wrong"), HasSubstr("\nattribute int8: Wrong"),
                      HasSubstr("\nattribute pointer_: Wrong scalar data type: expected S64")));
  }
}

TEST_F(HandlerTest, AttributesThatAreMissing) {
  WithOut();
  frame.attributes().S64("lo", 1).S64("high", 2);
  const Answer other = Call(AllAsStruct);
  EXPECT_EQ(other.code, kInvalid);
  EXPECT_THAT(other.message, HasSubstr("Unexpected attribute: hi"));

  const Answer count = Call(OneStruct);
  EXPECT_EQ(count.code, kInvalid);
  EXPECT_THAT(count.message, HasSubstr("[execute] Wrong number of attributes: expected 1 but got 2 "
                                       "with name(s): high, lo"));
  if (kOurs) {
    EXPECT_THAT(count.message,
                HasSubstr("attribute range: Attribute name mismatch: not found among high, lo"));
  }

  CallFrame misnamed;
  misnamed.Ret(XLA_FFI_DataType_S64, {2}, out.data()).attributes().S32("ranges", 1);
  const Answer name = Take(OneStruct(misnamed.ForCall(runtime)));
  EXPECT_EQ(name.code, kInvalid);
  EXPECT_THAT(name.message, HasSubstr("Attribute name mismatch: "));
}

TEST_F(HandlerTest, Structs) {
  AttributeList range;
  range.S64("lo", -4).S64("hi", 40);
  frame.attributes().Nested("range", range);
  EXPECT_THAT(Result(OneStruct, 2), ElementsAre(-4, 40));

  for (XLA_FFI_Handler* handler : {AllAsStruct, StructInferred}) {
    CallFrame all;
    all.Ret(XLA_FFI_DataType_S64, {2}, out.data()).attributes().S64("lo", 8).S64("hi", 9);
    EXPECT_EQ(Take(handler(all.ForCall(runtime))).code, kOk);
    EXPECT_EQ(out[0], 8);
    EXPECT_EQ(out[1], 9);
  }
}

TEST_F(HandlerTest, StructWithWrongMembers) {
  AttributeList range;
  range.S64("lo", -4).S32("hi", 40).S64("more", 1);
  frame.attributes().Nested("range", range);
  WithOut();
  const Answer answer = Call(OneStruct);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message, HasSubstr("Wrong number of attributes: expected 2 "));
  if (kOurs) {
    EXPECT_THAT(answer.message,
                AllOf(HasSubstr("attribute range: Wrong number of attributes: expected 2 but got 3 "
                                "with name(s): hi, lo, more"),
                      HasSubstr("member hi: Wrong scalar data type: expected S64 but got S32")));
  }
}

TEST_F(HandlerTest, NamedParameter) {
  frame.attributes().S32("factor", 12);
  EXPECT_THAT(Result(Named, 1), ElementsAre(12));
}

TEST_F(HandlerTest, VariantAttribute) {
  frame.attributes().String("v", "text");
  EXPECT_THAT(Result(::Variant, 1), ElementsAre(1));
  frame.attributes().S32("v", 3);
  EXPECT_EQ(Call(::Variant).code, kOk);
  frame.attributes().F32("v", 3);
  const Answer answer = Call(::Variant);
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message, HasSubstr("it doesn't match any of the variant types"));
}

TEST_F(HandlerTest, DictionaryOfFewAndOfMany) {
  for (int count : {0, 1, 6, 40}) {
    CallFrame call;
    std::vector<int64_t> result(10);
    call.Ret(XLA_FFI_DataType_S64, {10}, result.data());
    AttributeList nested, range;
    range.S64("lo", 1).S64("hi", count);
    nested.Nested("range", range);
    call.attributes().S32("a", 1).Nested("nested", nested);
    size_t length = 7;
    for (int i = 0; i < count; ++i) {
      const std::string name = "x" + std::to_string(i);
      call.attributes().S32(name, i);
      length += name.size();
    }
    const Answer answer = Take(AllAsDictionary(call.ForCall(runtime)));
    EXPECT_EQ(answer.code, kOk) << answer.message;
    EXPECT_THAT(result, ElementsAre(count + 2, length, count, 1, 1, 0, 1, 1, 0, count > 18));
  }
}

TEST_F(HandlerTest, DictionaryWithoutWhatIsAskedFor) {
  WithOut();
  const Answer none = Call(AllAsDictionary);
  EXPECT_EQ(none.code, XLA_FFI_Error_Code_INTERNAL);
  EXPECT_THAT(none.message, HasSubstr("Unexpected attribute: nested"));
  frame.attributes().S32("nested", 1);
  const Answer wrong = Call(AllAsDictionary);
  EXPECT_THAT(wrong.message, HasSubstr("Wrong attribute type: expected dictionary but got scalar"));
}

TEST_F(HandlerTest, TypesOfTheUser) {
  float data[3];
  frame.Arg(XLA_FFI_DataType_F32, {3}, data);
  WithOut();
  frame.Ret(XLA_FFI_DataType_F32, {9}, data).attributes().S32("rows", 1);
  EXPECT_EQ(Call(Own).code, kOk);
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 4), ElementsAre(11, 3, 9, 5));
}

TEST_F(HandlerTest, TypesOfTheUserThatCannotBeDecoded) {
  float data[3];
  frame.Arg(XLA_FFI_DataType_F32, {}, data);
  WithOut();
  frame.Ret(XLA_FFI_DataType_F32, {9}, data).attributes().String("rows", "");
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->ctx = nullptr;
  const Answer answer = Take(Own(call));
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message,
              AllOf(HasSubstr("(bad operands at: 0, 1, 4)"), HasSubstr("no context"),
                    HasSubstr("no rows in rank 0"), HasSubstr("a string has no rows")));
  if (kOurs) {
    EXPECT_THAT(answer.message, AllOf(HasSubstr("\nno context\nargument 0: no rows"),
                                      HasSubstr("\nattribute rows: a string")));
  }
}

TEST_F(HandlerTest, TheFunctionsOwnError) {
  frame.Arg(XLA_FFI_DataType_F32, {}, nullptr);
  const Answer answer = Call(Fail);
  EXPECT_EQ(answer.code, XLA_FFI_Error_Code_DATA_LOSS);
  EXPECT_EQ(answer.message, "the message");
}

TEST_F(HandlerTest, Objects) {
  frame.attributes().S32("name", 2);
  EXPECT_THAT(Result(Boxed, 1), ElementsAre(42));
}

TEST_F(HandlerTest, Stages) {
  struct {
    XLA_FFI_Handler* handler;
    int stage;
  } const handlers[] = {{Instantiate, 0}, {Prepare, 1}, {Initialize, 2}, {Nothing, 3}, {Record, 4}};
  for (auto [handler, own] : handlers) {
    for (int stage = 0; stage < 5; ++stage) {
      const Answer answer = Take(handler(frame.ForCall(runtime, stage)));
      EXPECT_EQ(answer.code, stage == own ? kOk : kInvalid);
      if (stage != own) {
        EXPECT_THAT(answer.message, HasSubstr("Wrong execution stage: expected `"));
      }
    }
  }
  EXPECT_THAT(Take(Prepare(frame.ForCall(runtime, 3))).message,
              HasSubstr("Wrong execution stage: expected `prepare` but got `execute`"));
}

TEST_F(HandlerTest, FrameThatIsTooSmall) {
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->struct_size = 160;
  const Answer answer = Take(Nothing(call));
  EXPECT_EQ(answer.code, kInvalid);
  EXPECT_THAT(answer.message, AllOf(HasSubstr("Unexpected XLA_FFI_CallFrame size: expected "),
                                    HasSubstr("168 got 160. Check installed software versions.")));
}

TEST_F(HandlerTest, Metadata) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension = {
      {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr}, &metadata};
  for (auto [handler, traits] :
       {std::pair<XLA_FFI_Handler*, uint32_t>(Nothing, 0), {Compatible, 1}}) {
    metadata.state_type_id.type_id = 99;
    XLA_FFI_CallFrame* call = frame.ForCall(runtime);
    call->extension_start = &extension.extension_base;
    EXPECT_EQ(Take(handler(call)).code, kOk);
    EXPECT_EQ(metadata.api_version.major_version, 0);
    EXPECT_EQ(metadata.api_version.minor_version, kOurs ? 1 : 5);
    EXPECT_EQ(metadata.traits, traits);
    EXPECT_EQ(metadata.state_type_id.type_id, 0);
  }
  metadata.struct_size = 20;
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->extension_start = &extension.extension_base;
  EXPECT_THAT(Take(Nothing(call)).message,
              HasSubstr("Unexpected XLA_FFI_Metadata size: expected at least 36 got 20"));
}

}  // namespace
}  // namespace callbridge::typed_ffi::testing
