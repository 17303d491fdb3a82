// Operator information through the C API, on targets of every ABI.
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/callbridge_operator_info.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// s32 to s32 on the CPU, with these attributes.
std::string Json(const std::string& attributes = "") {
  return R"({"op_name": "copy_cpu", "inputs": [{"name": "x"}], "outputs": [{"name": "y"}],
             "dtype_format": [[["int32", "DefaultFormat"], ["int32", "DefaultFormat"]]],
             "target": "CPU", "attr": [)" +
         attributes + "]}";
}

struct Info {
  explicit Info(const std::string& json) {
    EXPECT_EQ(ErrorText(callbridge_operator_info_create(json.data(), json.size(), &handle)), "OK");
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() { callbridge_operator_info_destroy(handle); }

  callbridge_operator_info* handle = nullptr;
};

std::string Bound(const callbridge_target& target, const callbridge_site& site) {
  callbridge_call* call = nullptr;
  const std::string text = ErrorText(callbridge_call_bind(&target, &site, nullptr, &call));
  callbridge_call_destroy(call);
  return text;
}

TEST(OperatorInfoTest, IsCheckedWhereACallIsBound) {
  const Info info(Json());
  callbridge_target target = OriginalTarget();
  callbridge_site site = CopySite();
  site.operator_info = info.handle;
  EXPECT_EQ(Bound(target, site), "OK");
  EXPECT_EQ(ErrorText(callbridge_operator_info_check(&target, &site)), "OK");
  site.result = "f32[]";
  const std::string refused = Bound(target, site);
  EXPECT_EQ(
      refused,
      "INVALID_ARGUMENT: custom call \"copy\": its operator information \"copy_cpu\" allows "
      "(x s32) -> (y s32), but the call has (s32[]) -> (f32[]); result 0 (y) must be s32, but "
      "is f32[]");
  EXPECT_EQ(ErrorText(callbridge_operator_info_check(&target, &site)), refused);
  int32_t in = 3;
  int32_t out = 0;
  const callbridge_array operand = {&in, sizeof(in)};
  const callbridge_array result = {&out, sizeof(out)};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, &operand, 1, &result, 1, nullptr)),
            refused);
  EXPECT_EQ(out, 0) << "nothing ran";
  site.result = "s32[]";
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, &operand, 1, &result, 1, nullptr)), "OK");
  EXPECT_EQ(out, 3);
  target.platform = "CUDA";
  EXPECT_EQ(Bound(target, site),
            "INVALID_ARGUMENT: custom call \"copy\": its operator information \"copy_cpu\" is for "
            "CPU, but the call is made on CUDA");
}

TEST(OperatorInfoTest, NothingIsCheckedWithout) {
  const callbridge_target target = OriginalTarget();
  callbridge_site site = CopySite();
  site.result = "f32[]";
  EXPECT_EQ(ErrorText(callbridge_operator_info_check(&target, &site)), "OK");
  // A caller that does not know the field, behind whose struct there is something else.
  const Info info(Json());
  site.operator_info = info.handle;
  site.struct_size = offsetof(callbridge_site, operator_info);
  EXPECT_EQ(ErrorText(callbridge_operator_info_check(&target, &site)), "OK");
  EXPECT_EQ(Bound(target, site), "OK");
}

TEST(OperatorInfoTest, IsBorrowedUntilTheCallIsBound) {
  const callbridge_target target = OriginalTarget();
  callbridge_site site = CopySite();
  callbridge_call* call = nullptr;
  {
    const Info info(Json());
    site.operator_info = info.handle;
    ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  }
  int32_t in = 5;
  int32_t out = 0;
  void* operands[] = {&in};
  void* results[] = {&out};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, operands, 1, results, 1, nullptr)), "OK");
  EXPECT_EQ(out, 5);
  callbridge_call_destroy(call);
}

TEST(OperatorInfoTest, WhatIsNoneIsRefused) {
  callbridge_operator_info* info = nullptr;
  EXPECT_EQ(
      ErrorText(callbridge_operator_info_create("[]", 2, &info)),
      "INVALID_ARGUMENT: operator information: the whole text is a list of 0: expected an object");
  EXPECT_EQ(ErrorText(callbridge_operator_info_create(nullptr, 0, &info)),
            "INVALID_ARGUMENT: operator information: JSON: parse error at line 1, column 1: syntax "
            "error while parsing value - unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(ErrorText(callbridge_operator_info_create(nullptr, 1, &info)),
            "INVALID_ARGUMENT: json is null");
  const std::string with_nul("{}\0", 3);
  EXPECT_THAT(ErrorText(callbridge_operator_info_create(with_nul.data(), with_nul.size(), &info)),
              EndsWith("operator information: JSON: the text has a NUL"));
  EXPECT_EQ(info, nullptr);
}

// ---- Attributes ---------------------------------------------------------------------------------

int64_t seen;  // the attribute "n" of the last call; -1 if it has none
XLA_FFI_Error* See(XLA_FFI_CallFrame* frame) {
  seen = -1;
  for (int64_t i = 0; i < frame->attrs.size; ++i) {
    if (std::string(frame->attrs.names[i]->ptr, frame->attrs.names[i]->len) != "n") continue;
    seen = *static_cast<const int64_t*>(
        static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[i])->value);
  }
  return nullptr;
}

TEST(OperatorInfoTest, DefaultsReachAHandler) {
  const Info info(Json(R"({"name": "n", "paramType": "required", "type": "int", "value": 7})"));
  const callbridge_target target = TypedTarget(Handlers(&See));
  callbridge_site site = CopySite();
  site.release = "0.4.30";
  site.operator_info = info.handle;
  int32_t number = 0;
  const callbridge_array array = {&number, sizeof(number)};
  ASSERT_EQ(ErrorText(callbridge_execute(&target, &site, &array, 1, &array, 1, nullptr)), "OK");
  EXPECT_EQ(seen, 7);
  callbridge_ffi_attributes* attributes = nullptr;
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes)), "OK");
  const int64_t nine = 9;
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_set_scalar(attributes, "n", 5, &nine)), "OK");
  site.attributes = attributes;
  ASSERT_EQ(ErrorText(callbridge_execute(&target, &site, &array, 1, &array, 1, nullptr)), "OK");
  EXPECT_EQ(seen, 9);
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_set_string(attributes, "n", "9", 1)), "OK");
  EXPECT_THAT(Bound(target, site), EndsWith("declares attribute \"n\" as int, but the call has a "
                                            "string"));
  callbridge_ffi_attributes_destroy(attributes);
  site.attributes = nullptr;
  EXPECT_THAT(Bound(OriginalTarget(), site), HasSubstr("the target is untyped"));
}

TEST(OperatorInfoTest, VisitsDefaults) {
  const Info info(Json(R"({"name": "lists", "value": [[1, 2], []]}, {"name": "half", "value": 0.5},
      {"name": "text", "value": "a\u0000b"}, {"name": "none"}, {"name": "on", "value": true},
      {"name": "list", "type": "f32[]", "value": [1]})"));
  std::vector<std::string> visited;
  const auto visit = [](void* user, const char* name, int32_t kind, int32_t type, const void* data,
                        size_t count) {
    std::string text = std::string(name) + " " + std::to_string(kind) + " " + std::to_string(type) +
                       " " + std::to_string(count);
    if (kind == CALLBRIDGE_ATTRIBUTE_STRING) {
      EXPECT_EQ(std::string(static_cast<const char*>(data), count), std::string("a\0b", 3));
    } else if (std::string(name) == "half") {
      EXPECT_EQ(*static_cast<const double*>(data), 0.5);
    }
    static_cast<std::vector<std::string>*>(user)->push_back(text);
  };
  EXPECT_EQ(ErrorText(callbridge_operator_info_visit_defaults(info.handle, visit, &visited)), "OK");
  EXPECT_THAT(visited, ElementsAre("half 3 12 1", "list 1 11 1", "lists 2 0 2", "0 1 5 2",
                                   "1 1 5 0", "on 3 1 1", "text 4 0 3"));
  const auto fail = [](void*, const char*, int32_t, int32_t, const void*, size_t) { throw 5; };
  EXPECT_THAT(ErrorText(callbridge_operator_info_visit_defaults(info.handle, fail, nullptr)),
              HasSubstr("INTERNAL: "));
}

TEST(OperatorInfoTest, KindsAreXlas) {
  EXPECT_EQ(CALLBRIDGE_ATTRIBUTE_ARRAY, static_cast<int>(XLA_FFI_AttrType_ARRAY));
  EXPECT_EQ(CALLBRIDGE_ATTRIBUTE_DICTIONARY, static_cast<int>(XLA_FFI_AttrType_DICTIONARY));
  EXPECT_EQ(CALLBRIDGE_ATTRIBUTE_SCALAR, static_cast<int>(XLA_FFI_AttrType_SCALAR));
  EXPECT_EQ(CALLBRIDGE_ATTRIBUTE_STRING, static_cast<int>(XLA_FFI_AttrType_STRING));
}

TEST(OperatorInfoTest, IsUsedByManyThreads) {
  const Info info(Json());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        callbridge_site site = CopySite();
        site.operator_info = info.handle;
        EXPECT_EQ(Bound(OriginalTarget(), site), "OK");
        site.result = "f32[]";
        EXPECT_THAT(Bound(OriginalTarget(), site), HasSubstr("result 0 (y) must be s32"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace callbridge
