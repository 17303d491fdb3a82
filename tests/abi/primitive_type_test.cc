#include "callbridge/abi/primitive_type.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

struct Expected {
  int number;
  PrimitiveType type;
  absl::string_view name;
  int bits;
};

// xla.PrimitiveType of xla_data.proto and XLA_FFI_DataType of XLA's c_api.h.
constexpr Expected kExpected[] = {
    {1, PrimitiveType::kPred, "pred", 8},
    {2, PrimitiveType::kS8, "s8", 8},
    {3, PrimitiveType::kS16, "s16", 16},
    {4, PrimitiveType::kS32, "s32", 32},
    {5, PrimitiveType::kS64, "s64", 64},
    {6, PrimitiveType::kU8, "u8", 8},
    {7, PrimitiveType::kU16, "u16", 16},
    {8, PrimitiveType::kU32, "u32", 32},
    {9, PrimitiveType::kU64, "u64", 64},
    {10, PrimitiveType::kF16, "f16", 16},
    {11, PrimitiveType::kF32, "f32", 32},
    {12, PrimitiveType::kF64, "f64", 64},
    {13, PrimitiveType::kTuple, "tuple", 0},
    {15, PrimitiveType::kC64, "c64", 64},
    {16, PrimitiveType::kBf16, "bf16", 16},
    {17, PrimitiveType::kToken, "token", 0},
    {18, PrimitiveType::kC128, "c128", 128},
    {19, PrimitiveType::kF8E5M2, "f8e5m2", 8},
    {20, PrimitiveType::kF8E4M3FN, "f8e4m3fn", 8},
    {21, PrimitiveType::kS4, "s4", 4},
    {22, PrimitiveType::kU4, "u4", 4},
    {23, PrimitiveType::kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 8},
    {24, PrimitiveType::kF8E5M2FNUZ, "f8e5m2fnuz", 8},
    {25, PrimitiveType::kF8E4M3FNUZ, "f8e4m3fnuz", 8},
    {26, PrimitiveType::kS2, "s2", 2},
    {27, PrimitiveType::kU2, "u2", 2},
    {28, PrimitiveType::kF8E4M3, "f8e4m3", 8},
    {29, PrimitiveType::kF8E3M4, "f8e3m4", 8},
    {30, PrimitiveType::kS1, "s1", 1},
    {31, PrimitiveType::kU1, "u1", 1},
    {32, PrimitiveType::kF4E2M1FN, "f4e2m1fn", 4},
    {33, PrimitiveType::kF8E8M0FNU, "f8e8m0fnu", 8},
    {34, PrimitiveType::kBuffer, "buffer", 0},
    {35, PrimitiveType::kF6E3M2FN, "f6e3m2fn", 0},
    {36, PrimitiveType::kF6E2M3FN, "f6e2m3fn", 0},
};

TEST(PrimitiveTypeTest, NumbersNamesAndWidthsAreXlas) {
  for (const Expected& e : kExpected) {
    EXPECT_EQ(static_cast<int>(e.type), e.number) << e.name;
    EXPECT_EQ(PrimitiveTypeName(e.type), e.name);
    EXPECT_EQ(BitWidth(e.type), e.bits) << e.name;
    EXPECT_EQ(IsArrayElement(e.type), e.bits != 0) << e.name;
    const absl::StatusOr<PrimitiveType> parsed = ParsePrimitiveType(e.name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, e.type);
  }
}

TEST(PrimitiveTypeTest, OtherNumbersAreNoTypes) {
  std::set<int64_t> numbers;
  for (const Expected& e : kExpected) numbers.insert(e.number);
  for (int64_t value = -300; value <= 300; ++value) {
    EXPECT_EQ(IsPrimitiveType(value), numbers.count(value) == 1) << value;
  }
  EXPECT_FALSE(IsPrimitiveType(INT64_MIN));
  EXPECT_FALSE(IsPrimitiveType(INT64_MAX));
  EXPECT_FALSE(IsPrimitiveType((int64_t{1} << 32) + 11));
}

TEST(PrimitiveTypeTest, WhatIsNoTypeIsInvalid) {
  for (int number : {0, 14, 37, 255}) {
    const auto type = static_cast<PrimitiveType>(number);
    EXPECT_EQ(PrimitiveTypeName(type), "invalid") << number;
    EXPECT_EQ(BitWidth(type), 0) << number;
    EXPECT_FALSE(IsArrayElement(type)) << number;
  }
}

TEST(PrimitiveTypeTest, RefusesOtherNames) {
  for (absl::string_view name : {"", "F32", "f3", "f322", "invalid", "opaque", "float"}) {
    const absl::Status status = ParsePrimitiveType(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("\"" + std::string(name) + "\""));
  }
}

}  // namespace
}  // namespace callbridge
