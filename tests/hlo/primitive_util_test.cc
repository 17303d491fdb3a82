// What is known of each element type, and the types of which C++ has none: half, bfloat16, s4, u4.
#include "callbridge/hlo/primitive_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

#include "callbridge/hlo/shape_util.h"

namespace {

using ::xla::PrimitiveType;
using ::xla::ShapeUtil;
namespace primitive_util = ::xla::primitive_util;

struct Known {
  PrimitiveType type;
  const char* name;
  int bits;   // 0: of no element
  char kind;  // Predicate, Signed, Unsigned, Float, Complex, or none
};

constexpr Known kTypes[] = {
    {xla::PRED, "pred", 8, 'p'},
    {xla::S1, "s1", 1, 's'},
    {xla::S2, "s2", 2, 's'},
    {xla::S4, "s4", 4, 's'},
    {xla::S8, "s8", 8, 's'},
    {xla::S16, "s16", 16, 's'},
    {xla::S32, "s32", 32, 's'},
    {xla::S64, "s64", 64, 's'},
    {xla::U1, "u1", 1, 'u'},
    {xla::U2, "u2", 2, 'u'},
    {xla::U4, "u4", 4, 'u'},
    {xla::U8, "u8", 8, 'u'},
    {xla::U16, "u16", 16, 'u'},
    {xla::U32, "u32", 32, 'u'},
    {xla::U64, "u64", 64, 'u'},
    {xla::F16, "f16", 16, 'f'},
    {xla::BF16, "bf16", 16, 'f'},
    {xla::F32, "f32", 32, 'f'},
    {xla::F64, "f64", 64, 'f'},
    {xla::C64, "c64", 64, 'c'},
    {xla::C128, "c128", 128, 'c'},
    {xla::F4E2M1FN, "f4e2m1fn", 4, 'f'},
    {xla::F8E8M0FNU, "f8e8m0fnu", 8, 'f'},
    {xla::F8E3M4, "f8e3m4", 8, 'f'},
    {xla::F8E4M3, "f8e4m3", 8, 'f'},
    {xla::F8E4M3FN, "f8e4m3fn", 8, 'f'},
    {xla::F8E4M3FNUZ, "f8e4m3fnuz", 8, 'f'},
    {xla::F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, 'f'},
    {xla::F8E5M2, "f8e5m2", 8, 'f'},
    {xla::F8E5M2FNUZ, "f8e5m2fnuz", 8, 'f'},
    {xla::TUPLE, "tuple", 0, '-'},
    {xla::OPAQUE_TYPE, "opaque", 0, '-'},
    {xla::TOKEN, "token", 0, '-'},
    {xla::BUFFER, "buffer", 0, '-'},
    {xla::F6E3M2FN, "f6e3m2fn", 0, '-'},
    {xla::F6E2M3FN, "f6e2m3fn", 0, '-'},
};

TEST(PrimitiveUtil, KnowsEveryType) {
  std::set<int> numbers;
  for (const auto& [type, name, bits, kind] : kTypes) {
    numbers.insert(type);
    EXPECT_EQ(primitive_util::LowercasePrimitiveTypeName(type), name);
    const auto named = primitive_util::StringToPrimitiveType(name);
    ASSERT_TRUE(named.ok()) << named.status();
    EXPECT_EQ(*named, type);
    EXPECT_TRUE(primitive_util::IsPrimitiveTypeName(name));
    EXPECT_EQ(primitive_util::BitWidth(type), bits) << name;
    EXPECT_EQ(primitive_util::ByteWidth(type), bits == 0 ? 0 : bits < 8 ? 1 : bits / 8) << name;
    EXPECT_EQ(primitive_util::IsArrayType(type), kind != '-') << name;
    EXPECT_EQ(ShapeUtil::IsArrayPrimitiveType(type), kind != '-') << name;
    EXPECT_EQ(primitive_util::IsFloatingPointType(type), kind == 'f') << name;
    EXPECT_EQ(primitive_util::IsComplexType(type), kind == 'c') << name;
    EXPECT_EQ(primitive_util::IsSignedIntegralType(type), kind == 's') << name;
    EXPECT_EQ(primitive_util::IsUnsignedIntegralType(type), kind == 'u') << name;
    EXPECT_EQ(primitive_util::IsIntegralType(type), kind == 's' || kind == 'u') << name;
    EXPECT_EQ(primitive_util::ComplexComponentType(type), type == xla::C64 ? xla::F32
                                                          : type == xla::C128
                                                              ? xla::F64
                                                              : xla::PRIMITIVE_TYPE_INVALID)
        << name;
    if (kind == '-') continue;
    EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(type), primitive_util::ByteWidth(type));
    const xla::Shape shape = ShapeUtil::MakeShape(type, {2});
    EXPECT_EQ(ShapeUtil::ElementIsIntegral(shape), kind == 's' || kind == 'u') << name;
    EXPECT_EQ(shape.IsInteger(), kind == 's' || kind == 'u') << name;
    EXPECT_EQ(ShapeUtil::ElementIsFloating(shape), kind == 'f') << name;
    EXPECT_EQ(ShapeUtil::ElementIsComplex(shape), kind == 'c') << name;
    EXPECT_EQ(ShapeUtil::ElementIsSigned(shape), kind == 's' || kind == 'f') << name;
  }
  for (int number = -1; number <= xla::PrimitiveType_ARRAYSIZE; ++number) {
    if (numbers.count(number) != 0) continue;
    const auto type = static_cast<PrimitiveType>(number);
    EXPECT_EQ(primitive_util::LowercasePrimitiveTypeName(type), "primitive_type_invalid") << number;
    EXPECT_FALSE(primitive_util::IsArrayType(type)) << number;
    EXPECT_EQ(primitive_util::BitWidth(type), 0) << number;
  }
}

TEST(PrimitiveUtil, RefusesNamesOfNoType) {
  for (const char* name :
       {"", "F32", "f31", "primitive_type_invalid", "opaque_type", " f32", "f32 "}) {
    EXPECT_FALSE(primitive_util::IsPrimitiveTypeName(name)) << name;
    const auto type = primitive_util::StringToPrimitiveType(name);
    EXPECT_EQ(type.status(),
              absl::InvalidArgumentError(absl::StrCat(
                  "expected the name of an element type, such as f32; got \"", name, "\"")));
  }
}

template <typename NativeT, PrimitiveType type>
void ExpectNative() {
  EXPECT_EQ(primitive_util::NativeToPrimitiveType<NativeT>(), type);
  EXPECT_TRUE((std::is_same_v<typename primitive_util::PrimitiveTypeToNative<type>::type, NativeT>))
      << type;
  EXPECT_EQ(static_cast<int>(sizeof(NativeT)), primitive_util::ByteWidth(type)) << type;
  EXPECT_EQ(ShapeUtil::MakeShapeWithType<NativeT>({2, 3}), ShapeUtil::MakeShape(type, {2, 3}));
}

TEST(PrimitiveUtil, KnowsTheTypesOfCpp) {
  ExpectNative<bool, xla::PRED>();
  ExpectNative<xla::s4, xla::S4>();
  ExpectNative<int8_t, xla::S8>();
  ExpectNative<int16_t, xla::S16>();
  ExpectNative<int32_t, xla::S32>();
  ExpectNative<int64_t, xla::S64>();
  ExpectNative<xla::u4, xla::U4>();
  ExpectNative<uint8_t, xla::U8>();
  ExpectNative<uint16_t, xla::U16>();
  ExpectNative<uint32_t, xla::U32>();
  ExpectNative<uint64_t, xla::U64>();
  ExpectNative<xla::half, xla::F16>();
  ExpectNative<xla::bfloat16, xla::BF16>();
  ExpectNative<float, xla::F32>();
  ExpectNative<double, xla::F64>();
  ExpectNative<xla::complex64, xla::C64>();
  ExpectNative<xla::complex128, xla::C128>();
  EXPECT_EQ(primitive_util::NativeToPrimitiveType<long long>(),
            xla::S64);  // NOLINT(google-runtime-int)
  EXPECT_EQ(primitive_util::NativeToPrimitiveType<std::string>(), xla::PRIMITIVE_TYPE_INVALID);
}

// Each comparison, as one digit, of 1 with 2, of 2 with 2 and of 3 with 2.
template <typename T>
std::string Comparisons() {
  std::string text;
  const T two(2);
  for (const int value : {1, 2, 3}) {
    const T a(value);
    for (const bool result : {a == two, a != two, a<two, a <= two, a> two, a >= two})
      text += result ? '1' : '0';
    text += ' ';
  }
  return text;
}

template <typename T>
std::string Printed(T value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(SmallFloats, ComputeAndCompareAsFloats) {
  EXPECT_EQ(Comparisons<xla::half>(), "011100 100101 010011 ");
  EXPECT_EQ(Comparisons<xla::bfloat16>(), "011100 100101 010011 ");
  const xla::half six(6);
  const xla::half four(4.0);
  EXPECT_EQ(static_cast<float>(six + four), 10);
  EXPECT_EQ(static_cast<float>(six - four), 2);
  EXPECT_EQ(static_cast<float>(six * four), 24);
  EXPECT_EQ(static_cast<float>(six / four), 1.5);
  EXPECT_EQ((-six).x, 0xc600);
  EXPECT_EQ(Printed(six / four), "1.5");
  EXPECT_EQ(Printed(xla::bfloat16(-0.5)), "-0.5");
  EXPECT_EQ(static_cast<double>(four), 4);
  EXPECT_EQ(static_cast<int>(four), 4);
  EXPECT_TRUE(static_cast<bool>(four));
  EXPECT_EQ(xla::half().x, 0);
  EXPECT_EQ(xla::half::FromBits(0x3c00), xla::half(1));
  EXPECT_EQ(xla::bfloat16::FromBits(0x3f80), xla::bfloat16(1));
  // Zeros of either sign are equal, and a NaN is equal to nothing.
  EXPECT_TRUE(xla::half(0.0f) == xla::half(-0.0f));
  EXPECT_FALSE(xla::half::FromBits(0x7e00) == xla::half::FromBits(0x7e00));
}

TEST(SmallIntegers, WrapAroundAndCompare) {
  EXPECT_EQ(Comparisons<int>(), "011100 100101 010011 ");
  for (int value = -20; value < 36; ++value) {
    const int low = value & 15;
    EXPECT_EQ(static_cast<int>(xla::u4(value)), low) << value;
    EXPECT_EQ(static_cast<int>(xla::s4(value)), low < 8 ? low : low - 16) << value;
  }
  EXPECT_TRUE(xla::s4(-1) == xla::s4(15));
  EXPECT_FALSE(xla::s4(-1) == xla::s4(1));
  EXPECT_TRUE(xla::s4(-1) != xla::s4(1));
  EXPECT_FALSE(xla::s4(-1) != xla::s4(15));
  EXPECT_TRUE(xla::s4(-1) < xla::s4(0));
  EXPECT_FALSE(xla::s4(0) < xla::s4(0));
  EXPECT_FALSE(xla::u4(15) < xla::u4(0));
  EXPECT_EQ(Printed(xla::s4(-7)), "-7");
  EXPECT_EQ(Printed(xla::u4(9)), "9");
}

}  // namespace
