// Numbers and literals in the texts of HLO and MLIR, and whether a literal's message fits its
// shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
namespace {

using ::testing::HasSubstr;

std::string Read(PrimitiveType type, const std::string& text) {
  TextCursor cursor(text);
  const absl::StatusOr<uint64_t> bits = ReadNumber(type, &cursor);
  return bits.ok() ? absl::StrCat(absl::Hex(*bits)) : std::string(bits.status().message());
}

TEST(NumberText, ReadsAsTheSameBits) {
  const std::tuple<PrimitiveType, uint64_t, const char*> cases[] = {
      {PrimitiveType::kPred, 1, "1"},
      {PrimitiveType::kPred, 0, "0"},
      {PrimitiveType::kS1, 1, "-1"},
      {PrimitiveType::kS2, 2, "-2"},
      {PrimitiveType::kS4, 8, "-8"},
      {PrimitiveType::kS4, 7, "7"},
      {PrimitiveType::kS8, 0x80, "-128"},
      {PrimitiveType::kS16, 0x8000, "-32768"},
      {PrimitiveType::kS32, 0xffffffff, "-1"},
      {PrimitiveType::kS64, 0x8000000000000000, "-9223372036854775808"},
      {PrimitiveType::kU1, 1, "1"},
      {PrimitiveType::kU2, 3, "3"},
      {PrimitiveType::kU4, 15, "15"},
      {PrimitiveType::kU8, 200, "200"},
      {PrimitiveType::kU16, 0xffff, "65535"},
      {PrimitiveType::kU32, 0xffffffff, "4294967295"},
      {PrimitiveType::kU64, 0xffffffffffffffff, "18446744073709551615"},
      {PrimitiveType::kF32, 0x3dcccccd, "0.1"},
      {PrimitiveType::kF32, 0x80000000, "-0.0"},
      {PrimitiveType::kF32, 0, "0"},
      {PrimitiveType::kF32, 0x7f800000, "inf"},
      {PrimitiveType::kF32, 0xff800000, "-inf"},
      {PrimitiveType::kF32, 0x7fc00000, "nan"},
      {PrimitiveType::kF32, 0xffc00000, "-nan"},
      {PrimitiveType::kF32, 0x7f800001, "nan(0x1)"},
      {PrimitiveType::kF32, 0xffffffff, "-nan(0x7fffff)"},
      {PrimitiveType::kF32, 0x7f7fffff, "3.4028235e+38"},
      {PrimitiveType::kF32, 1, "1e-45"},
      {PrimitiveType::kF64, 0x3fb999999999999a, "0.1"},
      {PrimitiveType::kF64, 0x7ff8000000000000, "nan"},
      {PrimitiveType::kF64, 0xfff0000000000000, "-inf"},
      {PrimitiveType::kF16, 0x3c00, "1"},
      {PrimitiveType::kF16, 0x8000, "-0.0"},
      {PrimitiveType::kF16, 0x7bff, "65504"},
      {PrimitiveType::kBf16, 0x3dcd, "0.1001"},
      {PrimitiveType::kF8E5M2, 0x7d, "nan(0x1)"},
      {PrimitiveType::kF8E5M2, 0xfe, "-nan"},
      {PrimitiveType::kF8E5M2, 0xfc, "-inf"},
      {PrimitiveType::kF8E4M3, 0x78, "inf"},
      {PrimitiveType::kF8E3M4, 0xf0, "-inf"},
      {PrimitiveType::kF8E4M3FN, 0x7f, "nan"},
      {PrimitiveType::kF8E4M3FN, 0xff, "-nan"},
      {PrimitiveType::kF8E4M3FN, 0x7e, "448"},
      {PrimitiveType::kF8E4M3FNUZ, 0x80, "nan"},
      {PrimitiveType::kF8E5M2FNUZ, 0x80, "nan"},
      {PrimitiveType::kF8E4M3B11FNUZ, 0x80, "nan"},
      {PrimitiveType::kF8E8M0FNU, 0xff, "nan"},
      {PrimitiveType::kF8E8M0FNU, 0x7f, "1"},
      {PrimitiveType::kF4E2M1FN, 0xf, "-6"},
      {PrimitiveType::kF4E2M1FN, 8, "-0.0"},
  };
  for (const auto& [type, bits, text] : cases) {
    EXPECT_EQ(NumberText(type, bits), text);
    EXPECT_EQ(Read(type, text), absl::StrCat(absl::Hex(bits)))
        << PrimitiveTypeName(type) << " " << text;
  }
}

TEST(MlirNumberText, FloatsHaveAPoint) {
  const std::tuple<PrimitiveType, uint64_t, const char*> cases[] = {
      {PrimitiveType::kPred, 1, "true"},
      {PrimitiveType::kPred, 0, "false"},
      {PrimitiveType::kS8, 0xff, "-1"},
      {PrimitiveType::kU8, 0xff, "255"},
      {PrimitiveType::kF32, 0x3f800000, "1.0"},
      {PrimitiveType::kF32, 0x3fc00000, "1.5"},
      {PrimitiveType::kF32, 0x60ad78ec, "1.0e+20"},
      {PrimitiveType::kF32, 0x80000000, "-0.0"},
      {PrimitiveType::kF32, 0x7f800000, "0x7F800000"},
      {PrimitiveType::kF32, 0xffc00000, "0xFFC00000"},
      {PrimitiveType::kF16, 0x7e00, "0x7E00"},
      {PrimitiveType::kF8E4M3FNUZ, 0x80, "0x80"},
      {PrimitiveType::kF8E8M0FNU, 0x7f, "1.0"},
      {PrimitiveType::kF64, 0xfff0000000000000, "0xFFF0000000000000"},
  };
  for (const auto& [type, bits, text] : cases) EXPECT_EQ(MlirNumberText(type, bits), text);
}

TEST(ReadNumber, ReadsWhatIsNotWritten) {
  const std::tuple<PrimitiveType, const char*, const char*> cases[] = {
      {PrimitiveType::kPred, "true", "1"},
      {PrimitiveType::kPred, "false", "0"},
      {PrimitiveType::kPred, "-2", "1"},
      // Too small: 0, as in XLA.
      {PrimitiveType::kF32, "1e-60", "0"},
      {PrimitiveType::kF32, "-1e-60", "80000000"},
      {PrimitiveType::kF64, "1e-400", "0"},
      {PrimitiveType::kF16, "1e-400", "0"},
      {PrimitiveType::kF32, "1e3", "447a0000"},
      // Rounded to what there is.
      {PrimitiveType::kF8E4M3FN, "450", "7e"},
      {PrimitiveType::kF4E2M1FN, "5.9", "7"},
      {PrimitiveType::kF4E2M1FN, "-6.0", "f"},
      // A NaN without a sign.
      {PrimitiveType::kF8E4M3FNUZ, "-nan", "80"},
      {PrimitiveType::kF8E8M0FNU, "-nan", "ff"},
  };
  for (const auto& [type, text, bits] : cases) EXPECT_EQ(Read(type, text), bits) << text;
  for (const char* behind : {",", "(", ")", "{", "}", "/", " ", "\t", "\r", "\n"}) {
    EXPECT_EQ(Read(PrimitiveType::kU8, absl::StrCat("12", behind, "3")), "c") << behind;
    EXPECT_EQ(Read(PrimitiveType::kF16, absl::StrCat("1", behind, "3")), "3c00") << behind;
  }
}

TEST(ReadNumber, RefusesWhatDoesNotFit) {
  const std::string at = "line 1, column 1: ";
  const auto message = [&](const std::string& expected, PrimitiveType type) {
    return absl::StrCat(at, "expected ", expected, " ", PrimitiveTypeName(type));
  };
  const std::pair<PrimitiveType, std::vector<const char*>> wholes[] = {
      {PrimitiveType::kS1, {"1", "-2"}},
      {PrimitiveType::kS4, {"8", "-9", "", "1.0", "x", "--1"}},
      {PrimitiveType::kS32, {"2147483648", "-2147483649"}},
      {PrimitiveType::kS64, {"9223372036854775808", "-9223372036854775809"}},
      {PrimitiveType::kU1, {"2", "-1"}},
      {PrimitiveType::kU4, {"16", "-1"}},
      {PrimitiveType::kU32, {"4294967296"}},
      {PrimitiveType::kU64, {"18446744073709551616", "-1"}},
  };
  for (const auto& [type, texts] : wholes) {
    for (const char* text : texts) {
      EXPECT_THAT(Read(type, text), HasSubstr(message("a whole number that fits", type))) << text;
    }
  }
  const std::pair<PrimitiveType, std::vector<const char*>> floats[] = {
      {PrimitiveType::kF32,
       {"1e39", "-1e39", "", "x", "1x", "infinity", "-infinity", "NAN", "--1"}},
      {PrimitiveType::kF64, {"1e309", "-1e309", "", "x", "1x", "infinity"}},
      {PrimitiveType::kF16, {"65520", "-65520", "", "x", "1x", "infinity"}},
      {PrimitiveType::kF8E4M3FN, {"500", "inf", "-inf", "infinity"}},
      {PrimitiveType::kF4E2M1FN, {"6.1", "-6.1", "inf", "x", "1e309"}},
      {PrimitiveType::kF8E4M3FNUZ, {"inf", "1000"}},
  };
  for (const auto& [type, texts] : floats) {
    for (const char* text : texts) {
      EXPECT_THAT(Read(type, text), HasSubstr(message("a number that fits", type))) << text;
    }
  }
  EXPECT_THAT(Read(PrimitiveType::kPred, "x"), HasSubstr(at + "expected true, false, 1 or 0"));
  EXPECT_THAT(Read(PrimitiveType::kPred, ""), HasSubstr(at + "expected true, false, 1 or 0"));
  EXPECT_THAT(Read(PrimitiveType::kF4E2M1FN, "nan"),
              HasSubstr("f4e2m1fn has no NaN; expected a number"));
  for (const char* text : {"nan()", "nan(1)", "nan(0x)", "nan(0x0)", "nan(0x4)", "nan(0xg)"}) {
    EXPECT_THAT(Read(PrimitiveType::kF8E5M2, text),
                HasSubstr("expected the mantissa of a NaN of type f8e5m2"))
        << text;
  }
  EXPECT_THAT(Read(PrimitiveType::kF8E4M3FN, "nan(0x7)"),
              HasSubstr("expected the mantissa of a NaN of type f8e4m3fn"));
  EXPECT_THAT(Read(PrimitiveType::kF8E5M2, "nan(0x1"), HasSubstr("expected"));
  EXPECT_THAT(Read(PrimitiveType::kF8E5M2, "nan(0x1,"), HasSubstr("\")\""));
}

}  // namespace
}  // namespace callbridge::hlo
