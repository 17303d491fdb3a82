// One binary of a handler on the runtimes of all versions, and what only callbridge's headers do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/binding/ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "tests/counted_allocations.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

extern "C" {
XLA_FFI_Handler Add, Variadic, OneStruct, AllAsDictionary, Nothing, Compatible, Instantiate,
    Prepare, Initialize, Record, DeepStruct, OfTheDocumentation, Throw, ThrowException,
    NeedsExtension, NeedsFloatsAndExtension, MakesState;
}
extern XLA_FFI_TypeId& state_type_id;

namespace callbridge::typed_ffi::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RuntimesTest : public ::testing::TestWithParam<int> {
 protected:
  ~RuntimesTest() override { EXPECT_EQ(live_errors, 0); }

  // What the metadata query answers, with a metadata object as large as the runtime makes it.
  Answer Query(XLA_FFI_Handler* handler, XLA_FFI_Metadata& metadata) {
    const RuntimeVersion& version = runtime.version();
    auto* services = static_cast<XLA_FFI_Metadata*>(malloc(version.metadata_size));
    memset(services, 0, version.metadata_size);
    services->struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
    XLA_FFI_Metadata_Extension extension = {
        {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr}, services};
    XLA_FFI_CallFrame* call = frame.ForCall(runtime);
    call->extension_start = &extension.extension_base;
    if (version.null_api_in_query) call->api = nullptr;
    const Answer answer = Take(handler(call));
    metadata = {};
    memcpy(&metadata, services, version.metadata_size);
    free(services);
    return answer;
  }

  FakeRuntime runtime{GetParam()};
  CallFrame frame;
};

INSTANTIATE_TEST_SUITE_P(All, RuntimesTest, ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) {
                           const RuntimeVersion& version = kRuntimeVersions[info.param];
                           return "v0_" + std::to_string(version.minor) + "_row" +
                                  std::to_string(info.param);
                         });

TEST_P(RuntimesTest, Calls) {
  float a[] = {1, 2}, b[] = {3, 4}, c[2] = {};
  frame.Arg(XLA_FFI_DataType_F32, {2}, a).Arg(XLA_FFI_DataType_F32, {2}, b);
  frame.Ret(XLA_FFI_DataType_F32, {2}, c);
  EXPECT_EQ(Take(Add(frame.ForCall(runtime))).code, 0);
  EXPECT_THAT(c, ElementsAre(4, 6));

  frame.Arg(XLA_FFI_DataType_F32, {2}, a);
  const Answer answer = Take(Add(frame.ForCall(runtime)));
  EXPECT_EQ(answer.code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(answer.message, "[execute] Wrong number of arguments: expected 2 but got 3");
}

TEST_P(RuntimesTest, StagesByTheRuntimesNumbers) {
  const RuntimeVersion& version = runtime.version();
  struct {
    XLA_FFI_Handler* handler;
    int stage;
    const char* name;
  } const handlers[] = {{Instantiate, version.instantiate, "instantiate"},
                        {Prepare, version.prepare, "prepare"},
                        {Initialize, version.initialize, "initialize"},
                        {Nothing, version.execute, "execute"},
                        {Record, version.record, "record"}};
  for (const auto& right : handlers) {
    for (const auto& given : handlers) {
      if (given.stage == kNoStage) continue;
      const Answer answer = Take(right.handler(frame.ForCall(runtime, given.stage)));
      if (right.stage == given.stage) {
        EXPECT_EQ(answer.code, 0) << answer.message;
      } else {
        EXPECT_EQ(answer.message, std::string("Wrong execution stage: expected `") + right.name +
                                      "` but got `" + given.name + "`");
      }
    }
    EXPECT_THAT(Take(right.handler(frame.ForCall(runtime, 77))).message, HasSubstr("got `77`"));
  }
}

TEST_P(RuntimesTest, Metadata) {
  const RuntimeVersion& version = runtime.version();
  if (version.metadata_size == 0) GTEST_SKIP() << version.releases << " does not ask";
  XLA_FFI_Metadata metadata;
  struct {
    XLA_FFI_Handler* handler;
    int needs;
    uint32_t traits;
  } const handlers[] = {
      {Nothing, 1, 0}, {Compatible, 1, 1}, {Record, 4, 0}, {NeedsExtension, 4, 0}};
  for (const auto& expected : handlers) {
    EXPECT_EQ(Query(expected.handler, metadata).code, 0);
    EXPECT_EQ(metadata.api_version.struct_size, XLA_FFI_Api_Version_STRUCT_SIZE);
    EXPECT_EQ(metadata.api_version.major_version, 0);
    EXPECT_EQ(metadata.api_version.minor_version, std::min<int>(expected.needs, version.minor));
    EXPECT_EQ(metadata.traits, expected.traits);
  }

  const bool has_room = version.metadata_size == sizeof(XLA_FFI_Metadata);
  state_type_id.type_id = 0;
  EXPECT_EQ(Query(MakesState, metadata).code,
            has_room ? XLA_FFI_Error_Code_FAILED_PRECONDITION : XLA_FFI_Error_Code_OK);
  state_type_id.type_id = 12;
  EXPECT_EQ(Query(MakesState, metadata).code, 0);
  EXPECT_EQ(metadata.state_type_id.type_id, has_room ? 12 : 0);
}

TEST_P(RuntimesTest, WhatTheRuntimeLacksIsUnimplemented) {
  if (runtime.Has(ApiFunction::kExtensions)) GTEST_SKIP() << "it has extensions";
  const Answer answer = Take(NeedsExtension(frame.ForCall(runtime)));
  EXPECT_EQ(answer.code, XLA_FFI_Error_Code_UNIMPLEMENTED) << answer.message;
  EXPECT_THAT(answer.message, AllOf(HasSubstr("(bad operands at: 0)"), HasSubstr("jaxlib 0.11")));
}

// A call that no runtime could make is the caller's mistake, whatever else this one lacks.
TEST_P(RuntimesTest, WhatIsWrongOutweighsWhatTheRuntimeLacks) {
  if (runtime.Has(ApiFunction::kExtensions)) GTEST_SKIP() << "it has extensions";
  frame.Arg(XLA_FFI_DataType_S32, {}, nullptr);
  const Answer answer = Take(NeedsFloatsAndExtension(frame.ForCall(runtime)));
  EXPECT_EQ(answer.code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(answer.message,
              AllOf(HasSubstr("(bad operands at: 0, 1)"), HasSubstr("expected F32 but got S32"),
                    HasSubstr("jaxlib 0.11")));
}

TEST_P(RuntimesTest, Exceptions) {
  frame.Arg(XLA_FFI_DataType_F32, {}, nullptr);
  const Answer text = Take(Throw(frame.ForCall(runtime)));
  EXPECT_EQ(text.code, XLA_FFI_Error_Code_INTERNAL);
  EXPECT_THAT(text.message, HasSubstr("the handler threw std::__cxx11::basic_string"));
  const Answer exception = Take(ThrowException(frame.ForCall(runtime)));
  EXPECT_EQ(exception.code, XLA_FFI_Error_Code_INTERNAL);
  EXPECT_THAT(exception.message, HasSubstr("the handler threw std::out_of_range: basic_string"));
}

class OursTest : public ::testing::Test {
 protected:
  FakeRuntime runtime{kRuntimeVersionCount - 1};
  CallFrame frame;
  std::vector<int64_t> out = std::vector<int64_t>(16);
};

TEST_F(OursTest, StructOfStructs) {
  AttributeList range;
  range.S64("lo", 5).S64("hi", 6);
  frame.Ret(XLA_FFI_DataType_S64, {16}, out.data());
  frame.attributes().S32("a", 4).Nested("range", range).F32("either", 1).S32("mode", 7);
  const Answer answer = Take(DeepStruct(frame.ForCall(runtime)));
  EXPECT_EQ(answer.code, 0) << answer.message;
  EXPECT_THAT(std::vector<int64_t>(out.begin(), out.begin() + 5), ElementsAre(4, 5, 6, 1, 7));

  range.S32("lo", 5);
  frame.attributes().Nested("range", range).String("either", "");
  EXPECT_EQ(
      Take(DeepStruct(frame.ForCall(runtime))).message,
      "[execute] Failed to decode all FFI handler operands (bad operands at: 1)\n"
      "Diagnostics:\n"
      "attributes: member range: member lo: Wrong scalar data type: expected S64 but got S32\n"
      "member either: Wrong attribute type: it doesn't match any of the variant types: string");
}

TEST_F(OursTest, TheBuffersOfTheDocumentationOf2024) {
  float in[] = {1, 2, 3}, result[3];
  frame.Arg(XLA_FFI_DataType_F32, {3}, in).Ret(XLA_FFI_DataType_F32, {3}, result);
  EXPECT_EQ(Take(OfTheDocumentation(frame.ForCall(runtime))).code, 0);
  EXPECT_THAT(result, ElementsAre(2, 4, 6));
}

TEST_F(OursTest, FramesThatNoRuntimeMakes) {
  frame.Ret(XLA_FFI_DataType_S64, {16}, out.data());
  frame.attributes().S32("range", 1);
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->attrs.names[0]->ptr = nullptr;
  EXPECT_EQ(Take(OneStruct(call)).code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  call = frame.ForCall(runtime);
  call->attrs.names[0] = nullptr;
  EXPECT_EQ(Take(OneStruct(call)).code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Take(AllAsDictionary(call)).code, XLA_FFI_Error_Code_INTERNAL);
  call->args.size = call->attrs.size = call->rets.size = -1;
  EXPECT_EQ(Take(OneStruct(call)).code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Take(Variadic(call)).code, XLA_FFI_Error_Code_INVALID_ARGUMENT);

  // An extension that is not known is passed over.
  XLA_FFI_InternalExtension unknown = {XLA_FFI_InternalExtension_STRUCT_SIZE,
                                       static_cast<XLA_FFI_InternalExtension_Type>(1000), nullptr};
  call->extension_start = &unknown;
  EXPECT_EQ(Take(Nothing(call)).code, 0);
}

TEST_F(OursTest, SuccessAllocatesNothing) {
  float a[1] = {}, c[1];
  frame.Arg(XLA_FFI_DataType_F32, {1}, a).Arg(XLA_FFI_DataType_F32, {1}, a);
  frame.Ret(XLA_FFI_DataType_F32, {1}, c);
  AttributeList range;
  range.S64("lo", 5).S64("hi", 6);
  CallFrame with_attributes;
  with_attributes.Ret(XLA_FFI_DataType_S64, {16}, out.data()).attributes().Nested("range", range);
  XLA_FFI_CallFrame* add = frame.ForCall(runtime);
  XLA_FFI_CallFrame* one_struct = with_attributes.ForCall(runtime);
  const int64_t before = allocations;
  EXPECT_EQ(Add(add), nullptr);
  EXPECT_EQ(OneStruct(one_struct), nullptr);
  EXPECT_EQ(allocations, before);
}

// What a handler's name takes, it takes once, however often the handler is made.
TEST_F(OursTest, ANameIsKeptOnce) {
  const auto bind = [](const std::string& name) {
    const int64_t before = allocations;
    xla::ffi::Ffi::Bind().Attr<int32_t>(name).To(
        [](int32_t) { return xla::ffi::Error::Success(); });
    return allocations - before;
  };
  const int64_t first = bind("a name of more than fifteen characters");
  if (first == 0) GTEST_SKIP() << "nothing is counted here";
  EXPECT_LT(bind("a name of more than fifteen characters"), first);
  EXPECT_EQ(bind("another one of more than fifteen characters"), first);
  EXPECT_LT(bind("a name of more than fifteen characters"), first);
}

}  // namespace
}  // namespace callbridge::typed_ffi::testing
