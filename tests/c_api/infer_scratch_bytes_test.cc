#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// `Describe` of tests/mindspore_aot/operators.cc, whose FInit asks for what an attribute says.
class InferScratchBytesTest : public testing::Test {
 protected:
  InferScratchBytesTest() {
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes_)), "OK");
  }
  ~InferScratchBytesTest() override {
    callbridge_ffi_attributes_destroy(attributes_);
    for (callbridge_library* library : libraries_) {
      EXPECT_EQ(ErrorText(callbridge_library_close(library)), "OK");
    }
  }

  callbridge_target Operator(const std::string& function) {
    callbridge_library* library = nullptr;
    const std::string name = absl::StrCat(AOT_OPERATORS "new.so:", function);
    EXPECT_EQ(ErrorText(callbridge_library_load(name.c_str(), &library)), "OK");
    libraries_.push_back(library);
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    EXPECT_EQ(ErrorText(callbridge_library_target(library, 0, &target)), "OK");
    EXPECT_STREQ(target.platform, "CUDA");
    return target;
  }

  std::string Infer(const callbridge_target& target, const std::vector<int64_t>& workspaces,
                    const char* operand = "f32[2,3]") {
    callbridge_ffi_attributes_set_array(attributes_, "workspaces", 5, workspaces.data(),
                                        workspaces.size());
    callbridge_site site = {};
    site.struct_size = sizeof(site);
    site.operands = &operand;
    site.operand_count = 1;
    site.result = "u8[99]";
    site.attributes = attributes_;
    int64_t bytes = -1;
    const std::string error = ErrorText(callbridge_infer_scratch_bytes(&target, &site, &bytes));
    return error == "OK" ? absl::StrCat(bytes) : error;
  }

  callbridge_ffi_attributes* attributes_ = nullptr;
  std::vector<callbridge_library*> libraries_;
};

TEST_F(InferScratchBytesTest, IsWhatFInitAsksForInWholeUnits) {
  const callbridge_target describe = Operator("Describe");
  EXPECT_EQ(Infer(describe, {}), "0");
  EXPECT_EQ(Infer(describe, {1}), "64");
  EXPECT_EQ(Infer(describe, {64, 65}), "192");
  EXPECT_EQ(Infer(describe, {0, 0}), "128") << "each has a pointer";
  EXPECT_EQ(Infer(describe, {1 << 20}), "1048576");
}

TEST_F(InferScratchBytesTest, WithoutFInitItIsNothing) {
  EXPECT_EQ(Infer(Operator("Add"), {}), "0");
}

TEST_F(InferScratchBytesTest, WhatCannotBeSaidIsAnError) {
  const callbridge_target describe = Operator("Describe");
  constexpr int64_t kHuge = INT64_MAX;
  EXPECT_THAT(Infer(describe, {kHuge, kHuge}),
              AllOf(StartsWith("RESOURCE_EXHAUSTED: "), HasSubstr("more than 2^63 - 1 bytes")));
  EXPECT_THAT(Infer(describe, {-1}),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("asked for a workspace of")));
  EXPECT_THAT(Infer(describe, {}, "token[]"),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("MindSpore has no tensors of")));
  EXPECT_THAT(Infer(TypedTarget(Handlers()), {}),
              AllOf(StartsWith("INVALID_ARGUMENT: "),
                    HasSubstr("is not an AOT operator of MindSpore"), HasSubstr("scratch_bytes")));
  EXPECT_EQ(Infer(describe, {1}), "64") << "a second try";
}

}  // namespace
}  // namespace callbridge
