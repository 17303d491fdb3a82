#include "callbridge/abi/operator_info.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using Elements = OperatorInfo::AttributeType::Elements;
using Kind = OperatorInfo::AttributeType::Kind;
using Presence = OperatorInfo::Presence;

OperatorInfo::AttributeType Type(Kind kind, Elements elements,
                                 PrimitiveType exact = PrimitiveType::kInvalid) {
  return {kind, elements, exact, "declared"};
}

OperatorInfo Info(std::vector<Presence> operands, std::vector<Presence> results = {}) {
  OperatorInfo info;
  for (const Presence presence : operands) info.operands.push_back({"", presence});
  for (const Presence presence : results) info.results.push_back({"", presence});
  return info;
}

TEST(OperatorInfoTest, NothingDeclaredIsWhole) {
  EXPECT_EQ(CheckOperatorInfo({}), absl::OkStatus());
  EXPECT_EQ(CheckOperatorInfo(Info({Presence::kRequired}, {Presence::kDynamic})), absl::OkStatus());
}

TEST(OperatorInfoTest, CombinationsHaveAFormForEach) {
  OperatorInfo info = Info({Presence::kRequired, Presence::kRequired}, {Presence::kRequired});
  info.combinations.resize(2);
  info.combinations[0].resize(3);
  info.combinations[1].resize(2);
  EXPECT_EQ(
      Refused(CheckOperatorInfo(info)),
      "combination 2 has 2 entries: expected 3, one for each of the 2 operands and 1 results");
  info.combinations[1].resize(3);
  EXPECT_EQ(CheckOperatorInfo(info), absl::OkStatus());
}

TEST(OperatorInfoTest, OnlyTheLastAreOptional) {
  EXPECT_EQ(CheckOperatorInfo(Info({Presence::kDynamic, Presence::kOptional, Presence::kOptional},
                                   {Presence::kOptional})),
            absl::OkStatus());
  EXPECT_EQ(Refused(CheckOperatorInfo(Info({Presence::kOptional, Presence::kRequired}))),
            "operand 1 must be optional, since operand 0 is: only the last ones of a call may be "
            "missing");
  EXPECT_EQ(Refused(CheckOperatorInfo(Info({}, {Presence::kOptional, Presence::kDynamic}))),
            "result 1 must be optional, since result 0 is: only the last ones of a call may be "
            "missing");
}

TEST(OperatorInfoTest, AttributesAndDefaultsFit) {
  OperatorInfo info;
  info.attributes = {{"axis", true, Type(Kind::kScalar, Elements::kIntegers)}, {"name", false, {}}};
  const int64_t one = 1;
  info.defaults.SetScalar("axis", PrimitiveType::kS64, &one).SetString("name", "x");
  EXPECT_EQ(CheckOperatorInfo(info), absl::OkStatus());
  OperatorInfo wrong = info;
  wrong.defaults.SetString("axis", "1");
  EXPECT_EQ(Refused(CheckOperatorInfo(wrong)),
            "attribute \"axis\" is declared as declared, but its value is a string");
  wrong = info;
  wrong.defaults.SetString("other", "1");
  EXPECT_EQ(Refused(CheckOperatorInfo(wrong)),
            "the default of attribute \"other\", which is not declared");
  wrong = info;
  wrong.attributes.push_back(wrong.attributes[0]);
  EXPECT_EQ(Refused(CheckOperatorInfo(wrong)), "duplicate attribute \"axis\"");
}

// ---- The types of attributes --------------------------------------------------------------------

// One attribute of each kind and of each element type, by its text.
std::vector<std::pair<std::string, Attributes::Value>> Values() {
  Attributes all;
  const char bytes[16] = {};
  for (int number = 0; number < 40; ++number) {
    const auto type = static_cast<PrimitiveType>(number);
    if (!IsPrimitiveType(number) || !IsArrayElement(type)) continue;
    const std::string name(PrimitiveTypeName(type));
    all.SetScalar(name, type, bytes).SetArray(name + "[1]", type, bytes, 1);
  }
  all.SetString("a string", "").SetDictionary("a dictionary", {});
  return {all.values().begin(), all.values().end()};
}

std::vector<std::string> Fitting(const OperatorInfo::AttributeType& type) {
  std::vector<std::string> texts;
  for (const auto& [text, value] : Values()) {
    EXPECT_EQ(AttributeText(value), text);
    if (Fits(type, value)) texts.push_back(text);
  }
  return texts;
}

TEST(OperatorInfoTest, AttributesFitTheirTypes) {
  using ::testing::ElementsAre;
  EXPECT_EQ(Fitting({}).size(), Values().size());
  EXPECT_EQ(Values().size(), 2 * 30U + 2);
  EXPECT_THAT(Fitting(Type(Kind::kString, Elements::kExact)), ElementsAre("a string"));
  EXPECT_THAT(Fitting(Type(Kind::kScalar, Elements::kBools)), ElementsAre("pred"));
  EXPECT_THAT(Fitting(Type(Kind::kArray, Elements::kBools)), ElementsAre("pred[1]"));
  EXPECT_THAT(Fitting(Type(Kind::kScalar, Elements::kIntegers)),
              ElementsAre("s1", "s16", "s2", "s32", "s4", "s64", "s8", "u1", "u16", "u2", "u32",
                          "u4", "u64", "u8"));
  EXPECT_THAT(
      Fitting(Type(Kind::kScalar, Elements::kFloats)),
      ElementsAre("bf16", "f16", "f32", "f4e2m1fn", "f64", "f8e3m4", "f8e4m3", "f8e4m3b11fnuz",
                  "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0fnu"));
  EXPECT_EQ(Fitting(Type(Kind::kArray, Elements::kFloats)).size(), 13U);
  EXPECT_THAT(Fitting(Type(Kind::kScalar, Elements::kExact, PrimitiveType::kC64)),
              ElementsAre("c64"));
  EXPECT_THAT(Fitting(Type(Kind::kArray, Elements::kExact, PrimitiveType::kS4)),
              ElementsAre("s4[1]"));
}

}  // namespace
}  // namespace callbridge
