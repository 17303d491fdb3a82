// test_run.py compares every bit pattern of the small types with ml_dtypes; here is what it cannot
// see.
#include "callbridge/tools/element_text.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace callbridge {
namespace {

template <typename T>
std::string Text(PrimitiveType type, T element) {
  char bytes[1 + sizeof(T)];
  std::memcpy(bytes + 1, &element, sizeof(T));  // not aligned
  return ElementText(type, bytes + 1);
}

TEST(ElementText, Integers) {
  EXPECT_EQ(Text(PrimitiveType::kPred, uint8_t{0}), "false");
  EXPECT_EQ(Text(PrimitiveType::kPred, uint8_t{1}), "true");
  EXPECT_EQ(Text(PrimitiveType::kS8, int8_t{-128}), "-128");
  EXPECT_EQ(Text(PrimitiveType::kU8, uint8_t{255}), "255");
  EXPECT_EQ(Text(PrimitiveType::kPred, uint8_t{2}), "true");
  EXPECT_EQ(Text(PrimitiveType::kS16, int16_t{-32768}), "-32768");
  EXPECT_EQ(Text(PrimitiveType::kU16, uint16_t{65535}), "65535");
  EXPECT_EQ(Text(PrimitiveType::kS32, std::numeric_limits<int32_t>::min()), "-2147483648");
  EXPECT_EQ(Text(PrimitiveType::kU32, std::numeric_limits<uint32_t>::max()), "4294967295");
  EXPECT_EQ(Text(PrimitiveType::kS64, std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Text(PrimitiveType::kU64, std::numeric_limits<uint64_t>::max()),
            "18446744073709551615");
}

TEST(ElementText, SmallIntegersAreTheLowBits) {
  EXPECT_EQ(Text(PrimitiveType::kS4, uint8_t{0x0F}), "-1");
  EXPECT_EQ(Text(PrimitiveType::kS4, uint8_t{0xF8}), "-8");
  EXPECT_EQ(Text(PrimitiveType::kS4, uint8_t{0xF7}), "7");
  EXPECT_EQ(Text(PrimitiveType::kU4, uint8_t{0xFF}), "15");
  EXPECT_EQ(Text(PrimitiveType::kS2, uint8_t{2}), "-2");
  EXPECT_EQ(Text(PrimitiveType::kU2, uint8_t{2}), "2");
  EXPECT_EQ(Text(PrimitiveType::kS1, uint8_t{1}), "-1");
  EXPECT_EQ(Text(PrimitiveType::kU1, uint8_t{1}), "1");
}

TEST(ElementText, FloatsReadBackAsThemselves) {
  EXPECT_EQ(Text(PrimitiveType::kF32, 0.1f), "0.1");
  EXPECT_EQ(Text(PrimitiveType::kF64, 0.1), "0.1");
  EXPECT_EQ(Text(PrimitiveType::kF32, 1e10f), "1e+10");
  EXPECT_EQ(Text(PrimitiveType::kF64, -0.0), "-0");
  EXPECT_EQ(Text(PrimitiveType::kF32, -std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(Text(PrimitiveType::kF64, -std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(Text(PrimitiveType::kF64, std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(Text(PrimitiveType::kBf16, uint16_t{0x3F80}), "1");
  EXPECT_EQ(Text(PrimitiveType::kF16, uint16_t{0x7C00}), "inf");
  EXPECT_EQ(Text(PrimitiveType::kF16, uint16_t{0xFE00}), "nan");
  EXPECT_EQ(Text(PrimitiveType::kF32, std::numeric_limits<float>::max()), "3.4028235e+38");
  EXPECT_EQ(Text(PrimitiveType::kF64, -std::numeric_limits<double>::max()),
            "-1.7976931348623157e+308");
  EXPECT_EQ(Text(PrimitiveType::kF8E8M0FNU, uint8_t{0}), "5.87747175e-39");
}

TEST(ElementText, ComplexNumbers) {
  EXPECT_EQ(Text(PrimitiveType::kC64, std::complex<float>(1, -2.5)), "(1,-2.5)");
  EXPECT_EQ(Text(PrimitiveType::kC128, std::complex<double>(-0.1, 3)), "(-0.1,3)");
}

TEST(ElementText, WhatIsNoElementIsAQuestionMark) {
  EXPECT_EQ(Text(PrimitiveType::kToken, uint8_t{0}), "?");
}

}  // namespace
}  // namespace callbridge
