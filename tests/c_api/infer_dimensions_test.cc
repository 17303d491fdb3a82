#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using testing::HasSubstr;

// An operator of tests/mindspore_aot/operators.cc, and attributes for a call of it.
class InferDimensionsTest : public testing::Test {
 protected:
  InferDimensionsTest() {
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes_)), "OK");
  }
  ~InferDimensionsTest() override {
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
    EXPECT_EQ(ErrorText(callbridge_library_target(library, 1, &target)), "OK");
    return target;
  }
  void SetReduction(int64_t axis, bool keep_dim) {
    callbridge_ffi_attributes_set_scalar(attributes_, "axis", 5, &axis);
    callbridge_ffi_attributes_set_scalar(attributes_, "keep_dim", 1, &keep_dim);
  }

  // What is inferred, or the error.
  std::string Infer(const callbridge_target& target,
                    const std::vector<std::vector<int64_t>>& operands, size_t results,
                    bool with_attributes = true) {
    std::vector<callbridge_dimensions> given;
    for (const std::vector<int64_t>& sizes : operands)
      given.push_back({sizes.data(), sizes.size()});
    std::string text;
    const auto visit = [](void* user, const callbridge_dimensions* dimensions) {
      absl::StrAppend(static_cast<std::string*>(user), "[",
                      absl::StrJoin(dimensions->sizes, dimensions->sizes + dimensions->count, ","),
                      "]");
    };
    const std::string error =
        ErrorText(callbridge_infer_dimensions(&target, with_attributes ? attributes_ : nullptr,
                                              given.data(), given.size(), results, visit, &text));
    return error == "OK" ? text : error;
  }

  callbridge_ffi_attributes* attributes_ = nullptr;
  std::vector<callbridge_library*> libraries_;
};

TEST_F(InferDimensionsTest, OneResult) {
  const callbridge_target reduce = Operator("AddReduce");
  SetReduction(1, false);
  EXPECT_EQ(Infer(reduce, {{4, 5}, {4, 5}}, 1), "[4]");
  EXPECT_EQ(Infer(reduce, {{4, -1}, {4, -1}}, 1), "[4]");
  EXPECT_EQ(Infer(reduce, {{-1, 5}, {-1, 5}}, 1), "[-1]");
  EXPECT_EQ(Infer(reduce, {{-2}, {-2}}, 1), "[-2]");
  EXPECT_EQ(Infer(reduce, {{0, 5}, {0, 5}}, 1), "[0]");
  SetReduction(0, true);
  EXPECT_EQ(Infer(reduce, {{4, 5}, {4, 5}}, 1), "[1,5]");
}

TEST_F(InferDimensionsTest, SeveralResults) {
  const callbridge_target several = Operator("AddMulDiv");
  EXPECT_EQ(Infer(several, {{2, 3}, {2, 3}}, 3), "[2,3][2,3][2,3]");
  EXPECT_EQ(Infer(several, {{}, {}}, 3, /*with_attributes=*/false), "[][][]");
  EXPECT_THAT(Infer(several, {{2}, {2}}, 2),
              HasSubstr("AddMulDivInferShape) returned 3 shapes for 2 outputs"));
}

TEST_F(InferDimensionsTest, Errors) {
  EXPECT_THAT(Infer(Operator("Add"), {{2}, {2}}, 1),
              HasSubstr("FAILED_PRECONDITION: " AOT_OPERATORS "new.so:Add has no function"));
  EXPECT_THAT(Infer(OriginalTarget(), {{2}}, 1),
              HasSubstr("INVALID_ARGUMENT: target \"copy\" is not an AOT operator of MindSpore"));
  const callbridge_target reduce = Operator("AddReduce");
  EXPECT_THAT(Infer(reduce, {{4, 5}}, 1), HasSubstr("INTERNAL: "));  // there are no attributes
  for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{-3}, {2, -2}, {INT64_MIN}}) {
    EXPECT_THAT(Infer(reduce, {wrong}, 1),
                HasSubstr("INVALID_ARGUMENT: an operand has the dimensions ["));
  }
  SetReduction(1, false);
  EXPECT_EQ(Infer(reduce, {{4, 5}}, 1), "[4]");
}

TEST_F(InferDimensionsTest, ArgumentsAreChecked) {
  const callbridge_target several = Operator("AddMulDiv");
  const auto visit = [](void*, const callbridge_dimensions*) {};
  callbridge_dimensions operand = {nullptr, 1};
  EXPECT_EQ(
      ErrorText(callbridge_infer_dimensions(&several, nullptr, &operand, 1, 3, visit, nullptr)),
      "INVALID_ARGUMENT: operands[0].sizes is null");
  operand.count = SIZE_MAX;
  const int64_t size = 1;
  operand.sizes = &size;
  EXPECT_THAT(
      ErrorText(callbridge_infer_dimensions(&several, nullptr, &operand, 1, 3, visit, nullptr)),
      HasSubstr("INVALID_ARGUMENT: operands[0].count is"));
  EXPECT_THAT(ErrorText(callbridge_infer_dimensions(&several, nullptr, &operand, SIZE_MAX, 3, visit,
                                                    nullptr)),
              HasSubstr("INVALID_ARGUMENT: operand_count is"));
  operand.count = 1;
  const auto thrower = [](void*, const callbridge_dimensions*) { throw std::runtime_error("no"); };
  EXPECT_EQ(
      ErrorText(callbridge_infer_dimensions(&several, nullptr, &operand, 1, 3, thrower, nullptr)),
      "INTERNAL: threw std::runtime_error: no");
}

}  // namespace
}  // namespace callbridge
