#include "callbridge/abi/float_format.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "callbridge/abi/machine.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

const FloatFormat& Format(PrimitiveType type) { return *FindFloatFormat(type); }

void Mix(uint64_t word, uint64_t& hash) {
  hash = (hash ^ word) * 0x100000001b3;
  hash ^= hash >> 32;
}

// Of the bits of every value of the format, all NaNs being one.
uint64_t HashOfValues(const FloatFormat& format) {
  const int width = BitWidth(format.type);
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t bits = 0; bits < uint64_t{1} << width; ++bits) {
    const double value = format.Decode(bits);
    uint64_t of_value = 0x7ff8000000000000;
    if (!std::isnan(value)) std::memcpy(&of_value, &value, sizeof(of_value));
    Mix(of_value, hash);
  }
  return hash;
}

// Of what becomes of the floats halfway between neighbouring values, of their neighbours, and of
// those beyond the ends.
uint64_t HashOfRounding(const FloatFormat& format) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](float value) { Mix(format.Encode(value), hash); };
  const int width = BitWidth(format.type);
  for (uint64_t bits = 0; bits + 1 < uint64_t{1} << width; ++bits) {
    const double value = format.Decode(bits);
    const double next = format.Decode(bits + 1);
    if (!std::isfinite(value) || !std::isfinite(next)) continue;
    const auto halfway = static_cast<float>(value / 2 + next / 2);
    add(halfway);
    add(std::nextafter(halfway, kInfinity));
    add(std::nextafter(halfway, -kInfinity));
  }
  for (float value : {0.0f, -0.0f, kInfinity, -kInfinity, 3.4e38f, -3.4e38f, 1e-40f, -1e-40f}) {
    add(value);
  }
  return hash;
}

struct Expected {
  PrimitiveType type;
  uint64_t values;
  uint64_t rounding;
};

// What ml_dtypes 0.6.0 computes of the same numbers, and numpy for f16. But of f8e8m0fnu one number
// is rounded here as all others are: ml_dtypes rounds the subnormal float below a tie up.
constexpr Expected kExpected[] = {
    {PrimitiveType::kF16, 0x675a38f966a5a730, 0x570c40d2d263965f},
    {PrimitiveType::kBf16, 0x5ffc2ba218247857, 0x51a5ade1a5824d36},
    {PrimitiveType::kF8E5M2, 0x916e136321a97b80, 0x2aebbb097b3ef59f},
    {PrimitiveType::kF8E4M3, 0x497531bc64cf093a, 0xf6e3ef47a01811aa},
    {PrimitiveType::kF8E3M4, 0xd054aa7893c15221, 0x4edae47eddc308f1},
    {PrimitiveType::kF8E4M3FN, 0xcd061ef77dc7213d, 0x6e365786a726bd20},
    {PrimitiveType::kF8E4M3B11FNUZ, 0x3fd5bcefac92462a, 0xa232d50978670bb7},
    {PrimitiveType::kF8E5M2FNUZ, 0x83086d6caef1692f, 0xa232d50978670bb7},
    {PrimitiveType::kF8E4M3FNUZ, 0x55e5b94c97fbf778, 0xa232d50978670bb7},
    {PrimitiveType::kF4E2M1FN, 0xdf627ef8153981bc, 0xce74ab4430c3785c},
    {PrimitiveType::kF8E8M0FNU, 0x5f37c66d4114179f, 0xc2685f99765a86fa},
};

TEST(FloatFormat, EveryValueAndEveryTieIsThatOfMlDtypes) {
  for (const Expected& expected : kExpected) {
    const FloatFormat& format = Format(expected.type);
    EXPECT_EQ(HashOfValues(format), expected.values) << PrimitiveTypeName(expected.type);
    EXPECT_EQ(HashOfRounding(format), expected.rounding) << PrimitiveTypeName(expected.type);
  }
}

TEST(FloatFormat, EveryNumberEncodesToItself) {
  for (const FloatFormat& format : kFloatFormats) {
    const int width = BitWidth(format.type);
    if (width > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << width; ++bits) {
      if (format.IsNan(bits)) {
        ASSERT_TRUE(std::isnan(format.Decode(bits))) << PrimitiveTypeName(format.type) << bits;
        ASSERT_TRUE(format.IsNan(format.Encode(format.Decode(bits))));
      } else {
        ASSERT_EQ(format.Encode(format.Decode(bits)), bits) << PrimitiveTypeName(format.type);
      }
    }
    EXPECT_EQ(format.Decode(format.One()), 1) << PrimitiveTypeName(format.type);
    EXPECT_FALSE(format.IsNan(format.Greatest())) << PrimitiveTypeName(format.type);
  }
}

// The processor's own conversions are the oracle.
TEST(FloatFormat, FloatsAndDoublesAreTheProcessors) {
  const FloatFormat& f32 = Format(PrimitiveType::kF32);
  const FloatFormat& f64 = Format(PrimitiveType::kF64);
  uint64_t random = 1;
  for (int i = 0; i < 300'000; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    // Exponents of floats, subnormal and too large ones too, in half of the doubles.
    uint64_t bits = random;
    if (i % 2 == 0) bits = (bits & 0x800fffffffffffff) | (random % 290 + 873) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    EXPECT_EQ(f64.Encode(value), bits);
    EXPECT_EQ(f64.Decode(bits), value);
    const auto narrow = static_cast<float>(value);
    uint32_t narrow_bits;
    std::memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
    ASSERT_EQ(f32.Encode(value), narrow_bits) << value;
    ASSERT_EQ(f32.Decode(narrow_bits), static_cast<double>(narrow)) << value;
  }
}

TEST(FloatFormat, NansKeepTheirSignAndWhatFits) {
  const FloatFormat& f16 = Format(PrimitiveType::kF16);
  const FloatFormat& f32 = Format(PrimitiveType::kF32);
  EXPECT_EQ(ConvertFloat(f16, 0xfc01, f32), 0xff802000);
  EXPECT_EQ(ConvertFloat(f32, 0xff802000, f16), 0xfe00);
  EXPECT_EQ(ConvertFloat(f32, 0x7fc00000, Format(PrimitiveType::kF8E4M3FN)), 0x7f);
  EXPECT_EQ(ConvertFloat(f32, 0xffc00000, Format(PrimitiveType::kF8E4M3FN)), 0xff);
  EXPECT_EQ(ConvertFloat(f32, 0xffc00000, Format(PrimitiveType::kF8E8M0FNU)), 0xff);
  EXPECT_EQ(ConvertFloat(Format(PrimitiveType::kF8E5M2FNUZ), 0x80, f32), 0x7fc00000);
  EXPECT_FALSE(std::signbit(Format(PrimitiveType::kF8E8M0FNU).Decode(0xff)));
}

TEST(FloatFormat, IsTheSameWhereSubnormalFloatsAreZeros) {
  const uint32_t mode = FloatingPointControl();
  SetFloatingPointControl(mode | kThisMachine.flushed_subnormals);
  const FloatFormat& f32 = Format(PrimitiveType::kF32);
  const uint64_t bf16_to_f32 = ConvertFloat(Format(PrimitiveType::kBf16), 0x0001, f32);
  const uint64_t f32_to_bf16 = ConvertFloat(f32, 0x0001'8000, Format(PrimitiveType::kBf16));
  const uint64_t f16_to_f32 = ConvertFloat(Format(PrimitiveType::kF16), 0x0001, f32);
  const uint64_t f64 = Format(PrimitiveType::kF64).Encode(Format(PrimitiveType::kF64).Decode(1));
  SetFloatingPointControl(mode);
  EXPECT_EQ(bf16_to_f32, 0x0001'0000u);
  EXPECT_EQ(f32_to_bf16, 0x0002u);
  EXPECT_EQ(f16_to_f32, 0x33800000u);
  EXPECT_EQ(f64, 1u);
}

TEST(FloatFormat, LeastIsTheGreatestsNegativeUnlessThereIsNoSign) {
  for (const FloatFormat& format : kFloatFormats) {
    SCOPED_TRACE(PrimitiveTypeName(format.type));
    const bool is_unsigned = format.type == PrimitiveType::kF8E8M0FNU;
    const double greatest = format.Decode(format.Greatest());
    EXPECT_EQ(format.Decode(format.Least()), is_unsigned ? std::ldexp(1, -127) : -greatest);
    EXPECT_EQ(std::isinf(greatest), format.specials == FloatFormat::Specials::kIeee);
    EXPECT_EQ(format.IsInfinite(format.Greatest()), std::isinf(greatest));
    EXPECT_EQ(format.IsInfinite(format.Least()), std::isinf(greatest));
    EXPECT_FALSE(format.IsInfinite(format.One()));
    const bool has_nan = format.specials != FloatFormat::Specials::kNone;
    EXPECT_EQ(format.IsNan(format.QuietNan()), has_nan);
    EXPECT_EQ(std::isnan(format.Decode(format.QuietNan())), has_nan);
    EXPECT_FALSE(format.IsNan(format.Least()));
  }
}

TEST(FloatFormat, DigitsTellAllNumbersApart) {
  EXPECT_EQ(Format(PrimitiveType::kF64).Digits(), std::numeric_limits<double>::max_digits10);
  EXPECT_EQ(Format(PrimitiveType::kF32).Digits(), std::numeric_limits<float>::max_digits10);
  EXPECT_EQ(Format(PrimitiveType::kF16).Digits(), 5);
  EXPECT_EQ(Format(PrimitiveType::kF8E5M2).Digits(), 2);
  EXPECT_EQ(FindFloatFormat(PrimitiveType::kS32), nullptr);
  EXPECT_EQ(FindFloatFormat(PrimitiveType::kC64), nullptr);
}

}  // namespace
}  // namespace callbridge
