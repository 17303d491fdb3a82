#include "callbridge/tools/npy.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A file with that dictionary; `major` is 1, 2 or 3.
std::string Npy(absl::string_view dictionary, absl::string_view data, int major = 1) {
  std::string file = "\x93NUMPY";
  file.push_back(static_cast<char>(major));
  file.push_back('\0');
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    file.push_back(static_cast<char>(dictionary.size() >> (8 * i) & 0xFF));
  }
  return absl::StrCat(file, dictionary, data);
}

std::string Dictionary(absl::string_view descr, absl::string_view shape,
                       absl::string_view fortran_order = "False") {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': ", fortran_order,
                      ", 'shape': ", shape, ", }\n");
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string BytesOf(const Array& array) {
  return std::string(array.memory.data(), array.memory.size());
}

std::string Error(absl::string_view file, std::optional<PrimitiveType> declared = std::nullopt) {
  const absl::StatusOr<Array> array = DecodeNpy(file, declared);
  EXPECT_EQ(array.status().code(), absl::StatusCode::kInvalidArgument) << array.status();
  return std::string(array.status().message());
}

struct TypeCase {
  const char* descr;
  PrimitiveType type;
  bool declared;
};

constexpr TypeCase kTypes[] = {
    {"|b1", PrimitiveType::kPred, false},      {"|i1", PrimitiveType::kS8, false},
    {"<i2", PrimitiveType::kS16, false},       {"<i4", PrimitiveType::kS32, false},
    {"<i8", PrimitiveType::kS64, false},       {"|u1", PrimitiveType::kU8, false},
    {"<u2", PrimitiveType::kU16, false},       {"<u4", PrimitiveType::kU32, false},
    {"<u8", PrimitiveType::kU64, false},       {"<f2", PrimitiveType::kF16, false},
    {"<f4", PrimitiveType::kF32, false},       {"<f8", PrimitiveType::kF64, false},
    {"<c8", PrimitiveType::kC64, false},       {"<c16", PrimitiveType::kC128, false},
    {"<V2", PrimitiveType::kBf16, true},       {"<V1", PrimitiveType::kF8E5M2, true},
    {"<V1", PrimitiveType::kF8E4M3FN, true},   {"<V1", PrimitiveType::kS4, true},
    {"<V1", PrimitiveType::kU4, true},         {"<V1", PrimitiveType::kF8E4M3B11FNUZ, true},
    {"<V1", PrimitiveType::kF8E5M2FNUZ, true}, {"<V1", PrimitiveType::kF8E4M3FNUZ, true},
    {"<V1", PrimitiveType::kS2, true},         {"<V1", PrimitiveType::kU2, true},
    {"<V1", PrimitiveType::kF8E4M3, true},     {"<V1", PrimitiveType::kF8E3M4, true},
    {"<V1", PrimitiveType::kS1, true},         {"<V1", PrimitiveType::kU1, true},
    {"<V1", PrimitiveType::kF4E2M1FN, true},   {"<V1", PrimitiveType::kF8E8M0FNU, true},
};

TEST(Npy, CoversEveryElementType) {
  size_t types = 0;
  for (int64_t number = 0; number < 256; ++number) {
    if (IsPrimitiveType(number) && IsArrayElement(static_cast<PrimitiveType>(number))) ++types;
  }
  EXPECT_EQ(types, std::size(kTypes));
}

TEST(Npy, ReadsWhatItWrites) {
  for (const TypeCase& test : kTypes) {
    SCOPED_TRACE(PrimitiveTypeName(test.type));
    const Shape shape = *Shape::MakeArray(test.type, {3, 2});
    std::string data(6 * ElementBytes(test.type), '\0');
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i % 2);
    const std::string header = *NpyHeaderFor(shape);
    EXPECT_EQ(header.size() % 64, 0);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_THAT(header.substr(10), StartsWith(absl::StrCat("{'descr': '", test.descr, "', ")));
    const absl::StatusOr<Array> array =
        DecodeNpy(header + data, test.declared ? std::optional(test.type) : std::nullopt);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(BytesOf(*array), data);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->memory.data()) % 64, 0);
  }
}

TEST(Npy, ReadsAllVersionsAndSpellings) {
  const std::string data = Bytes<float>({1, 2});
  const std::string dictionaries[] = {
      Dictionary("<f4", "(2,)"),
      Dictionary("=f4", "(2,)"),
      Dictionary("f4", "(2,)"),
      Dictionary("<f4", "(2L,)"),
      "{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}",
      "  { 'shape' : ( 2 , ) , 'fortran_order' : True , 'descr' : '<f4' } \n\n",
  };
  for (const std::string& dictionary : dictionaries) {
    for (int major : {1, 2, 3}) {
      const absl::StatusOr<Array> array = DecodeNpy(Npy(dictionary, data, major), std::nullopt);
      ASSERT_TRUE(array.ok()) << dictionary << array.status();
      EXPECT_EQ(ShapeText(array->shape), "f32[2]");
      EXPECT_EQ(BytesOf(*array), data);
    }
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(ShapeText(DecodeNpy(Npy(Dictionary("<f4", "()"), "abcd"), {})->shape), "f32[]");
  const absl::StatusOr<Array> empty = DecodeNpy(Npy(Dictionary("<f4", "(2, 0, 3)"), ""), {});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(ShapeText(empty->shape), "f32[2,0,3]");
  EXPECT_NE(empty->memory.data(), nullptr);
  const absl::StatusOr<Array> huge =
      DecodeNpy(Npy(Dictionary("<f4", "(9223372036854775807, 0, 9223372036854775807)"), ""), {});
  EXPECT_TRUE(huge.ok()) << huge.status();
}

TEST(Npy, ConvertsFortranOrder) {
  // [[1, 2, 3], [4, 5, 6]] column by column.
  const absl::StatusOr<Array> matrix =
      DecodeNpy(Npy(Dictionary("<i4", "(2, 3)", "True"), Bytes<int32_t>({1, 4, 2, 5, 3, 6})), {});
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_FALSE(matrix->shape.layout().has_value());
  EXPECT_EQ(BytesOf(*matrix), Bytes<int32_t>({1, 2, 3, 4, 5, 6}));

  const absl::StatusOr<Array> cube = DecodeNpy(
      Npy(Dictionary("|u1", "(2, 1, 3)", "True"), Bytes<uint8_t>({1, 4, 2, 5, 3, 6})), {});
  ASSERT_TRUE(cube.ok()) << cube.status();
  EXPECT_EQ(BytesOf(*cube), Bytes<uint8_t>({1, 2, 3, 4, 5, 6}));

  EXPECT_TRUE(DecodeNpy(Npy(Dictionary("<f4", "(0, 3)", "True"), ""), {}).ok());
  EXPECT_TRUE(DecodeNpy(Npy(Dictionary("<f4", "()", "True"), "abcd"), {}).ok());
}

TEST(Npy, ConvertsBigEndian) {
  EXPECT_EQ(BytesOf(*DecodeNpy(Npy(Dictionary(">i2", "(2,)"), "\1\2\3\4"), {})), "\2\1\4\3");
  EXPECT_EQ(BytesOf(*DecodeNpy(Npy(Dictionary(">f8", "()"), "12345678"), {})), "87654321");
  EXPECT_EQ(BytesOf(*DecodeNpy(Npy(Dictionary(">c8", "()"), "12345678"), {})), "43218765");
  EXPECT_EQ(BytesOf(*DecodeNpy(Npy(Dictionary(">V2", "()"), "12"), PrimitiveType::kBf16)), "21");
  EXPECT_EQ(BytesOf(*DecodeNpy(Npy(Dictionary(">i2", "(1, 2)", "True"), "\1\2\3\4"), {})),
            "\2\1\4\3");
}

TEST(Npy, AsksForTypesThatTheFileCannotName) {
  const std::string bf16 = Npy(Dictionary("<V2", "(1,)"), "ab");
  EXPECT_EQ(Error(bf16),
            "its dtype '<V2' does not say the element type: put the type before the file, as in "
            "bf16:FILE");
  EXPECT_EQ(Error(bf16, PrimitiveType::kS4), "its dtype '<V2' cannot hold s4, only bf16");
  const std::string byte = Npy(Dictionary("|V1", "(1,)"), "a");
  EXPECT_EQ(Error(byte),
            "its dtype '|V1' does not say the element type: put the type before the file, as in "
            "f8e5m2:FILE; the types of this size are f8e5m2, f8e4m3fn, s4, u4, f8e4m3b11fnuz, "
            "f8e5m2fnuz, f8e4m3fnuz, s2, u2, f8e4m3, f8e3m4, s1, u1, f4e2m1fn, f8e8m0fnu");
  EXPECT_THAT(Error(byte, PrimitiveType::kU8), HasSubstr("cannot hold u8, only f8e5m2, f8e4m3fn"));
  EXPECT_EQ(Error(Npy(Dictionary("<f4", "()"), "abcd"), PrimitiveType::kF64),
            "expected f64, but it holds f32: a type before the file never converts");
  EXPECT_TRUE(DecodeNpy(Npy(Dictionary("<f4", "()"), "abcd"), PrimitiveType::kF32).ok());
  EXPECT_EQ(Error(byte, PrimitiveType::kBf16).find("its dtype '|V1' cannot hold bf16, only "), 0);
  // NumPy's other name of bool.
  EXPECT_EQ(ShapeText(DecodeNpy(Npy(Dictionary("?", "()"), "a"), {})->shape), "pred[]");
  EXPECT_EQ(ShapeText(DecodeNpy(Npy(Dictionary("|?", "()"), "a"), {})->shape), "pred[]");
  // numpy.save's own name of float8_e5m2.
  const absl::StatusOr<Array> f8e5m2 = DecodeNpy(Npy(Dictionary("<f1", "()"), "a"), {});
  ASSERT_TRUE(f8e5m2.ok()) << f8e5m2.status();
  EXPECT_EQ(ShapeText(f8e5m2->shape), "f8e5m2[]");
}

TEST(Npy, RefusesTypesThatXlaLacks) {
  for (const char* descr :
       {"<f16", "<c32", "|S3", "<U2", "<M8[s]", "<m8", "|O", "|V3", "|V0", "<W4", "", "<", "f",
        "<f4 ", "<<f4", "<V-1", "<V99999999999999999999"}) {
    EXPECT_EQ(Error(Npy(Dictionary(descr, "(1,)"), "abcdefghijklmnop")),
              absl::StrCat("its dtype '", descr,
                           "' has no XLA element type: convert it with astype and save it again"));
  }
  EXPECT_THAT(
      Error(Npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
      HasSubstr("a structured dtype has no XLA element type"));
}

TEST(Npy, ShowsTheBeginningOfADtype) {
  const std::string beginning(24, 'x');
  for (const std::string& descr : {beginning, beginning + "y"}) {
    EXPECT_THAT(Error(Npy(Dictionary(descr, "(1,)"), "")),
                StartsWith(absl::StrCat("its dtype '", beginning, "' has no XLA element type")));
  }
  EXPECT_THAT(Error(Npy(Dictionary("a\nb", "(1,)"), "")), StartsWith("its dtype 'a\\nb' has no"));
}

TEST(Npy, ShowsTheBeginningOfWhatIsMalformed) {
  const std::string shown = "{'colour': 1, 'a': 1234}";
  ASSERT_EQ(shown.size(), 24 + 0);
  EXPECT_THAT(Error(Npy(absl::StrCat("(", shown.substr(1)), "")),
              HasSubstr("character 1: expected \"{\", found \"(\\'colour\\': 1, \\'a\\': 1234}\""));
  EXPECT_THAT(Error(Npy(absl::StrCat("(", shown.substr(1), " "), "")), HasSubstr("1234}...\""));
}

TEST(Npy, ADtypeThatIsATupleIsStructured) {
  EXPECT_THAT(Error(Npy("{'descr': ('<i4', (2,)), 'fortran_order': False, 'shape': (1,), }", "")),
              HasSubstr("a structured dtype has no XLA element type"));
}

TEST(Npy, RefusesWhatIsNoNpy) {
  EXPECT_EQ(Error(""), "not a .npy file: expected \"\\x93NUMPY\" at its beginning, found \"\"");
  EXPECT_THAT(Error("PK\3\4 an archive"), HasSubstr("found \"PK\\x03\\x04 a\""));
  EXPECT_EQ(Error(Npy(Dictionary("<f4", "()"), "abcd", 4)),
            "expected .npy version 1.0, 2.0 or 3.0, got 4.0");
  EXPECT_EQ(Error("\x93NUMPY\1\1"), "expected .npy version 1.0, 2.0 or 3.0, got 1.1");
  EXPECT_EQ(Error("\x93NUMPY\1"), "truncated before its version");
  EXPECT_EQ(Error(std::string("\x93NUMPY\2\0\1\1\1", 11)),
            "truncated before the length of its header");
  EXPECT_EQ(Error(std::string("\x93NUMPY\3\0\xff\xff\xff\xff{", 13)),
            "truncated: expected a header of 4294967295 bytes, found 1");
}

TEST(Npy, RefusesMalformedHeaders) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "malformed .npy header, character 1: expected \"{\", found the end"},
      {"{",
       "malformed .npy header, character 2: expected one of the keys 'descr', 'fortran_order', "
       "'shape', each once, and \":\", found the end"},
      {"{}", "malformed .npy header: the key 'descr' is missing"},
      {"{'descr': '<f4'}", "malformed .npy header: the key 'fortran_order' is missing"},
      {"{'descr': '<f4', 'fortran_order': True}",
       "malformed .npy header: the key 'shape' is missing"},
      {"{'descr': '<f4', 'descr': '<f4'}", "expected one of the keys"},
      {"{'colour': 3}", "found \"\\'colour\\': 3}\""},
      {"{'descr' '<f4'}", "and \":\", found \"\\'<f4\\'}\""},
      {"{'descr': <f4}", "expected a dtype in quotes, found \"<f4}\""},
      {"{'descr': '<f4}", "expected a dtype in quotes"},
      {"{'descr': ", "expected a dtype in quotes, found the end"},
      {"{'fortran_order': 1}", "expected True or False, found \"1}\""},
      {"{'shape': 3}", "expected a tuple of dimensions"},
      {"{'shape': (3)}", "expected \",\", as in (3,), found \")}\""},
      {"{'shape': (3, 4}", "expected \",\" or \")\", found \"}\""},
      {"{'shape': (-3,)}", "expected a dimension from 0 to 2^63 - 1, found \"-3,)}\""},
      {"{'shape': (,)}", "expected a dimension from 0 to 2^63 - 1"},
      {"{'shape': (1.5,)}", "expected \",\", as in (3,), found \".5,)}\""},
      {"{'shape': (9223372036854775808,)}", "expected a dimension from 0 to 2^63 - 1"},
      {"{'descr': '<f4' 'shape': ()}", "expected \",\" or \"}\""},
      {Dictionary("<f4", "()") + "x", "expected the end of the header, found \"x\""},
  };
  for (const auto& [dictionary, message] : cases) {
    EXPECT_THAT(Error(Npy(dictionary, "")), HasSubstr(message)) << dictionary;
  }
}

TEST(Npy, RefusesSizesThatDoNotMatch) {
  EXPECT_EQ(Error(Npy(Dictionary("<f4", "(3, 2)"), "12345678901")),
            "truncated: f32[3,2] takes 24 bytes, found 11");
  EXPECT_EQ(Error(Npy(Dictionary("<f4", "()"), "12345")), "too long: f32[] takes 4 bytes, found 5");
  EXPECT_EQ(Error(Npy(Dictionary("|u1", "(0,)"), "1")), "too long: u8[0] takes 0 bytes, found 1");
  EXPECT_THAT(Error(Npy(Dictionary("<f4", "(4611686018427387904, 4)"), "")),
              HasSubstr("f32[4611686018427387904,4] is too large"));
  EXPECT_THAT(Error(Npy(Dictionary("<f4", "(1000000000000000,)"), "1234")),
              HasSubstr("takes 4000000000000000 bytes, found 4"));
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string file = *NpyHeaderFor(*Shape::MakeArray(PrimitiveType::kF32, {3, 2})) +
                           Bytes<float>({1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(DecodeNpy(file, {}).ok());
  for (size_t size = 0; size < file.size(); ++size) {
    // A copy of that size, so that asan sees reading beyond it.
    const std::vector<char> truncated(file.data(), file.data() + size);
    EXPECT_FALSE(DecodeNpy(absl::string_view(truncated.data(), size), {}).ok()) << size;
  }
}

TEST(Npy, SurvivesMutations) {
  const std::string dictionary = Dictionary("<f4", "(3, 2)", "True");
  const std::string data = Bytes<float>({1, 2, 3, 4, 5, 6});
  const absl::string_view interesting = "{}()[]'\",:<>=|L0123456789VfibcuO \n\\\xff";
  std::mt19937 random(20200229);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = Npy(dictionary, data, 1 + round % 3);
    for (size_t mutations = 1 + random() % 3; mutations > 0; --mutations) {
      char& byte = file[random() % (file.size() - data.size())];
      byte = random() % 2 == 0 ? interesting[random() % interesting.size()]
                               : static_cast<char>(random());
    }
    const std::vector<char> copy(file.begin(), file.end());
    const absl::StatusOr<Array> array = DecodeNpy(absl::string_view(copy.data(), copy.size()), {});
    if (!array.ok()) continue;
    ++accepted;
    EXPECT_EQ(array->memory.size(), static_cast<size_t>(*array->shape.ByteSize()));
  }
  EXPECT_GT(accepted, 50);
  EXPECT_LT(accepted, 10000);
}

TEST(Npy, WritesAtMostNumpysRank) {
  EXPECT_TRUE(
      NpyHeaderFor(*Shape::MakeArray(PrimitiveType::kF32, std::vector<int64_t>(64, 1))).ok());
  const absl::StatusOr<std::string> header =
      NpyHeaderFor(*Shape::MakeArray(PrimitiveType::kF32, std::vector<int64_t>(65, 1)));
  EXPECT_EQ(header.status().message(), "NumPy arrays have at most 64 dimensions, this one has 65");
}

}  // namespace
}  // namespace callbridge
