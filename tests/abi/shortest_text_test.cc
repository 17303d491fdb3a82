#include "callbridge/abi/shortest_text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace callbridge {
namespace {

template <typename Float>
std::string ByStandardLibrary(Float value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

template <typename Float>
void ExpectSame(Float value) {
  EXPECT_EQ(SearchShortestText(value), ByStandardLibrary(value));
  EXPECT_EQ(ShortestText(value), ByStandardLibrary(value));
}

template <typename Float, typename Bits>
void CompareRandomBits(int count) {
  std::mt19937_64 random(7);
  for (int i = 0; i < count; ++i) {
    const Bits bits = static_cast<Bits>(random());
    Float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isnan(value)) ExpectSame(value);
  }
}

template <typename Float>
void CompareChosen() {
  using Limits = std::numeric_limits<Float>;
  for (Float value : {Float(0), Float(1), Float(0.1), Float(1.5), Float(100), Float(100000),
                      Float(123456789), Float(1e-5), Float(0.001), Float(1.0 / 3), Limits::min(),
                      Limits::denorm_min(), Limits::max(), Limits::epsilon(), Limits::infinity()}) {
    ExpectSame(value);
    ExpectSame(-value);
  }
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < Limits::max_exponent;
       ++exponent) {
    const Float power = std::ldexp(Float(1), exponent);
    ExpectSame(power);
    ExpectSame(std::nextafter(power, Float(0)));
    ExpectSame(std::nextafter(power, Limits::infinity()));
  }
  for (int exponent = -30; exponent < 30; ++exponent) {
    ExpectSame(static_cast<Float>(std::pow(10.0, exponent)));
  }
}

TEST(ShortestText, OfFloatsIsThatOfTheStandardLibrary) {
  CompareChosen<float>();
  CompareRandomBits<float, uint32_t>(3000);
}

TEST(ShortestText, OfDoublesIsThatOfTheStandardLibrary) {
  CompareChosen<double>();
  CompareRandomBits<double, uint64_t>(3000);
}

}  // namespace
}  // namespace callbridge
