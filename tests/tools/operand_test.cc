#include "callbridge/tools/operand.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The operand as it was understood, files in <>.
std::string Text(const Operand& operand) {
  if (operand.kind == Operand::Kind::kToken) return "token";
  if (operand.kind == Operand::Kind::kTuple) {
    return absl::StrCat("(",
                        absl::StrJoin(operand.elements, " ",
                                      [](std::string* text, const Operand& element) {
                                        absl::StrAppend(text, Text(element));
                                      }),
                        ")");
  }
  return absl::StrCat(
      operand.element_type.has_value() ? PrimitiveTypeName(*operand.element_type) : "", "<",
      operand.path, ">");
}

std::string Parsed(absl::string_view text) {
  const absl::StatusOr<Operand> operand = ParseOperand(text);
  return operand.ok() ? Text(*operand) : operand.status().ToString();
}

TEST(ParseOperand, Files) {
  EXPECT_EQ(Parsed("x.npy"), "<x.npy>");
  EXPECT_EQ(Parsed("bf16:x.npy"), "bf16<x.npy>");
  EXPECT_EQ(Parsed("f8e4m3fn:/a/b c.npy"), "f8e4m3fn</a/b c.npy>");
  EXPECT_EQ(Parsed("x(1),2.npy"), "<x(1),2.npy>");
  EXPECT_EQ(Parsed("./bf16:x.npy"), "<./bf16:x.npy>");
  EXPECT_EQ(Parsed("./(x).npy"), "<./(x).npy>");
  EXPECT_EQ(Parsed(":x.npy"), "<:x.npy>");
  EXPECT_EQ(Parsed("/dev/fd/63"), "</dev/fd/63>");
}

TEST(ParseOperand, TokensAndTuples) {
  EXPECT_EQ(Parsed("token[]"), "token");
  EXPECT_EQ(Parsed("()"), "()");
  EXPECT_EQ(Parsed("(a.npy)"), "(<a.npy>)");
  EXPECT_EQ(Parsed("(a.npy,(b.npy,bf16:c.npy),d.npy)"), "(<a.npy> (<b.npy> bf16<c.npy>) <d.npy>)");
  EXPECT_EQ(Parsed(" ( a b.npy , ( ) , token[] ) "), "(<a b.npy> () token)");
}

TEST(ParseOperand, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "\"\", character 1: expected a .npy file, token[] or a tuple, found the end"},
      {"bf16:", "expected a .npy file, token[] or a tuple, found \"bf16:\""},
      {"bf17:x.npy",
       "\"bf17:x.npy\", character 1: expected the element type of an array before \":\" (./ before "
       "a "
       "file named so), found \"bf17:x.npy\""},
      {"tuple:x.npy", "expected the element type of an array"},
      {"token:x.npy", "expected the element type of an array"},
      {"(", "\"(\", character 2: expected a .npy file, token[] or a tuple, found the end"},
      {"(a", "\"(a\", character 3: expected \",\" or \")\", found the end"},
      {"(a,)", "\"(a,)\", character 4: expected a .npy file, token[] or a tuple, found \")\""},
      {"(,a)", "character 2: expected a .npy file"},
      {"(a(b))", "character 3: expected \",\" or \")\", found \"(b))\""},
      {"(a))", "character 4: expected the end of the operand, found \")\""},
      {"(a) b", "character 5: expected the end of the operand, found \"b\""},
      {"bf17:abcdefghijklmnop.npy", "found \"bf17:abcdefghijklmnop.np...\""},
      {"bf17:abcdefghijklmno.npy", "found \"bf17:abcdefghijklmno.npy\""},
      {"(x.npy, f17:y.npy)", "character 9: expected the element type of an array"},
  };
  for (const auto& [text, message] : cases) {
    const absl::StatusOr<Operand> operand = ParseOperand(text);
    EXPECT_EQ(operand.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(operand.status().message()), HasSubstr(message));
  }
}

TEST(ParseOperand, LimitsNesting) {
  const auto nested = [](int depth) { return std::string(depth, '(') + std::string(depth, ')'); };
  EXPECT_TRUE(ParseOperand(nested(Shape::kMaxTupleDepth)).ok());
  EXPECT_THAT(std::string(ParseOperand(nested(Shape::kMaxTupleDepth + 1)).status().message()),
              HasSubstr("expected tuples nested at most 128 deep"));
  EXPECT_FALSE(ParseOperand(std::string(1000000, '(')).ok());
}

std::string Path(absl::string_view name) {
  return absl::StrCat(::testing::TempDir(), "/operand_test_", getpid(), "_", name);
}

std::string WriteNpy(absl::string_view name, PrimitiveType type, const std::string& data) {
  std::string path = Path(name);
  std::ofstream(path, std::ios::binary)
      << *NpyHeaderFor(
             *Shape::MakeArray(type, {static_cast<int64_t>(data.size()) / ElementBytes(type)}))
      << data;
  return path;
}

TEST(LoadOperand, GathersLeavesInPreorder) {
  const std::string a = WriteNpy("a.npy", PrimitiveType::kS8, "a");
  const std::string b = WriteNpy("b.npy", PrimitiveType::kBf16, "bbbb");
  std::vector<Array> leaves;
  const absl::StatusOr<Operand> operand =
      ParseOperand(absl::StrCat("(", a, ",(bf16:", b, ",(),token[]),", a, ")"));
  ASSERT_TRUE(operand.ok()) << operand.status();
  const absl::StatusOr<Shape> shape = LoadOperand(*operand, &leaves);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(ShapeText(*shape), "(s8[1],(bf16[2],(),token[]),s8[1])");
  ASSERT_EQ(leaves.size(), 4);
  EXPECT_EQ(leaves[1].memory.data()[0], 'b');
  EXPECT_EQ(leaves[2].memory.data(), nullptr);
  EXPECT_EQ(leaves[3].memory.data()[0], 'a');
  std::remove(a.c_str());
  std::remove(b.c_str());
}

TEST(LoadOperand, NamesTheFile) {
  std::vector<Array> leaves;
  const auto error = [&](const std::string& path) {
    return LoadOperand(*ParseOperand(path), &leaves).status().ToString();
  };
  EXPECT_EQ(error("/nowhere/x.npy"), "NOT_FOUND: /nowhere/x.npy: No such file or directory");
  EXPECT_THAT(error(::testing::TempDir()), HasSubstr("Is a directory"));
  EXPECT_THAT(error("/dev/null"), StartsWith("INVALID_ARGUMENT: /dev/null: not a .npy file"));
  const std::string bf16 = WriteNpy("bf16.npy", PrimitiveType::kBf16, "bb");
  EXPECT_THAT(error(bf16), HasSubstr(bf16 + ": its dtype '<V2' does not say the element type"));
  std::remove(bf16.c_str());
}

}  // namespace
}  // namespace callbridge
