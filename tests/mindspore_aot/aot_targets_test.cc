#include "callbridge/mindspore_aot/aot_targets.h"

#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/mindspore_aot/aot_operators.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// The operator's target on the host.
Target TargetOf(const std::string& function) {
  const std::string name = LibraryOf("new") + ":" + function;
  const auto targets = LoadAotTargets(name);
  EXPECT_TRUE(targets.ok()) << targets.status();
  Target target;
  target.name = name;
  target.address = targets.ok() ? targets->back().registered.address : nullptr;
  return target;
}

absl::StatusOr<Shape> Infer(const std::string& function, const std::vector<std::string>& operands,
                            const Attributes& attributes = {}) {
  CallSite site;
  for (const std::string& operand : operands) site.operands.push_back(ParseShape(operand).value());
  site.attributes = attributes;
  return InferResult(TargetOf(function), site);
}

Attributes Reduction(int64_t axis) {
  const bool keep_dim = false;
  Attributes attributes;
  attributes.SetScalar("axis", PrimitiveType::kS64, &axis);
  attributes.SetScalar("keep_dim", PrimitiveType::kPred, &keep_dim);
  return attributes;
}

TEST(AotTargetsTest, AreOnBothPlatforms) {
  const std::string name = LibraryOf("old") + ":Add";
  const auto targets = LoadAotTargets(name);
  ASSERT_TRUE(targets.ok()) << targets.status();
  ASSERT_EQ(targets->size(), 2);
  EXPECT_EQ(targets->front().registered.platform, "CUDA");
  EXPECT_EQ(targets->back().registered.platform, "Host");
  for (const LibraryTarget& target : *targets) {
    EXPECT_EQ(target.registered.name, name);
    EXPECT_EQ(target.api_version, ApiVersion::kTypedFfi);
    EXPECT_EQ(target.evidence, kEvidence);
  }
  EXPECT_EQ(LoadAotTargets(LibraryOf("old") + ":Nope").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(LoadAotTargets("Add").status().code(), StatusCode::kInvalidArgument);
}

TEST(AotTargetsTest, AResultHasTheOperandsType) {
  EXPECT_EQ(ShapeText(*Infer("AddReduce", {"f32[4,5]", "f32[4,5]"}, Reduction(1))), "f32[4]");
  EXPECT_EQ(ShapeText(*Infer("AddReduce", {"(f64[4,5],(f64[]))"}, Reduction(0))), "f64[5]");
}

TEST(AotTargetsTest, WhatIsNotKnownIsAnError) {
  const auto refused = [](const absl::StatusOr<Shape>& shape) {
    EXPECT_EQ(shape.status().code(), StatusCode::kInvalidArgument);
    return std::string(shape.status().message());
  };
  EXPECT_THAT(refused(Infer("AddReduce", {"f32[4,5]", "s32[]"})), HasSubstr("of f32 and of s32"));
  EXPECT_THAT(refused(Infer("AddReduce", {})), HasSubstr("has no operands"));
  Attributes attributes;
  const int64_t unknown[] = {2, -1};
  attributes.SetArray("shape", PrimitiveType::kS64, unknown, 2);
  EXPECT_THAT(refused(Infer("Describe", {"u8[1]"}, attributes)),
              HasSubstr("returned [2,-1], in which -1 is not known"));
  const int64_t too_large[] = {INT64_MAX, INT64_MAX};
  attributes.SetArray("shape", PrimitiveType::kS64, too_large, 2);
  refused(Infer("Describe", {"u8[1]"}, attributes));
  EXPECT_EQ(Infer("Add", {"f32[4]"}).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
