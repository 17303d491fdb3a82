#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/layout_forms.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

// The drawing of a call, of which `text` is the tuple of operands and `result`, if any, the result.
std::string Drawing(size_t plan, const std::string& text, const std::string& result = "") {
  const Shape operands = *ParseShape(text);
  const Shape result_shape = *ParseShape(result.empty() ? "()" : result);
  return "\n" +
         DrawingOf(PlanLayouts(operands.tuple_elements(), result.empty() ? nullptr : &result_shape,
                               std::nullopt)[plan]);
}

constexpr char kDocumented[] = "((f32[32],(f32[64],f32[128]),f32[256]))";

TEST(DrawingOf, TheDocumentedExample) {
  EXPECT_EQ(Drawing(0, kDocumented, "(f32[512],f32[1024])"), R"(
in  ─▶ │ [0] +0  p0 ─▶ │ [0]  +0  p0_0  f32[32]
                       │ [1]  +8  p0_1 ─▶ │ [0] +0  p0_1_0  f32[64]
                       │                  │ [1] +8  p0_1_1  f32[128]
                       │ [2] +16  p0_2  f32[256]
out ─▶ │ [0] +0  r_0  f32[512]
       │ [1] +8  r_1  f32[1024]
)");
  EXPECT_EQ(Drawing(1, kDocumented, "(f32[512],f32[1024])"), R"(
in  ─▶ │ [0]  +0  p0_0    f32[32]
       │ [1]  +8  p0_1_0  f32[64]
       │ [2] +16  p0_1_1  f32[128]
       │ [3] +24  p0_2    f32[256]
out ─▶ │ [0] +0  r_0  f32[512]
       │ [1] +8  r_1  f32[1024]
)");
  EXPECT_EQ(Drawing(2, kDocumented, "(f32[512],f32[1024])"), R"(
buffers ─▶ │ [0]  +0  p0_0    f32[32]
           │ [1]  +8  p0_1_0  f32[64]
           │ [2] +16  p0_1_1  f32[128]
           │ [3] +24  p0_2    f32[256]
           │ [4] +32  r_0     f32[512]
           │ [5] +40  r_1     f32[1024]
)");
}

TEST(DrawingOf, ArraysAndTokens) {
  EXPECT_EQ(Drawing(0, "(f32[2]{0},token[])", "s8[]"), R"(
in  ─▶ │ [0] +0  p0  f32[2]{0}
       │ [1] +8  p1  token[] (no buffer)
out ─▶ r  s8[]
)");
  EXPECT_EQ(Drawing(0, "()", "token[]"), R"(
in  ─▶ (empty)
out ─▶ r  token[] (no buffer)
)");
  EXPECT_EQ(Drawing(0, "(f32[])"), R"(
in  ─▶ │ [0] +0  p0  f32[]
)");
  EXPECT_EQ(Drawing(1, "()"), R"(
buffers ─▶ (empty)
)");
}

TEST(DrawingOf, EmptyAndNestedTuples) {
  EXPECT_EQ(Drawing(0, "((),((u8[])),u8[])", "(u8[],(),(u8[],u8[]))"), R"(
in  ─▶ │ [0]  +0  p0 ─▶ (empty)
       │ [1]  +8  p1 ─▶ │ [0] +0  p1_0 ─▶ │ [0] +0  p1_0_0  u8[]
       │ [2] +16  p2  u8[]
out ─▶ │ [0]  +0  r_0  u8[]
       │ [1]  +8  r_1 ─▶ (empty)
       │ [2] +16  r_2 ─▶ │ [0] +0  r_2_0  u8[]
                         │ [1] +8  r_2_1  u8[]
)");
  EXPECT_EQ(Drawing(0, "((u8[],u8[]))", "()"), R"(
in  ─▶ │ [0] +0  p0 ─▶ │ [0] +0  p0_0  u8[]
                       │ [1] +8  p0_1  u8[]
out ─▶ (empty)
)");
}

TEST(DrawingOf, TablesForWhichThereIsNoRoomStandBelow) {
  const std::string wide = absl::StrCat("f32[", std::string(15, '1'), "]");
  EXPECT_EQ(Drawing(0, absl::StrCat("((", wide, ",(((", wide, ",u8[])))),u8[])"), "u8[]"), R"(
in  ─▶ │ [0] +0  p0 ─▶ │ [0] +0  p0_0  f32[111111111111111]
       │               │ [1] +8  p0_1 ─▶ │ [0] +0  p0_1_0 ─▶ │ [0] +0  p0_1_0_0 ─▶ below
       │ [1] +8  p1  u8[]
out ─▶ r  u8[]

p0_1_0_0 ─▶ │ [0] +0  p0_1_0_0_0  f32[111111111111111]
            │ [1] +8  p0_1_0_0_1  u8[]
)");
}

// A drawing may have a hundred columns.
TEST(DrawingOf, ATableForWhichThereIsJustRoomStandsBeside) {
  std::string ones;
  for (int i = 0; i < 27; ++i) ones += ",1";
  const std::string fits = "f32[11" + ones + "]";
  EXPECT_EQ(Drawing(0, "((" + fits + "))"),
            "\nin  ─▶ │ [0] +0  p0 ─▶ │ [0] +0  p0_0  " + fits + "\n");
  EXPECT_NE(Drawing(0, "((f32[111" + ones + "]))").find(" p0 ─▶ below\n"), std::string::npos);
}

TEST(DrawingOf, ALineForEachLeaf) {
  std::string many = "(f32[]";
  for (int i = 1; i < 10000; ++i) many += ",f32[]";
  const std::string drawing = Drawing(0, many + ")");
  const std::vector<std::string> lines = absl::StrSplit(drawing, '\n');
  ASSERT_EQ(lines.size(), 10002);
  EXPECT_EQ(lines[1], "in  ─▶ │    [0]     +0  p0     f32[]");
  EXPECT_EQ(lines[10000], "       │ [9999] +79992  p9999  f32[]");
}

TEST(DrawingOf, DeepTuples) {
  const std::string deep = std::string(127, '(') + "f32[]" + std::string(127, ')');
  const std::string drawing = Drawing(0, absl::StrCat("(", deep, ")"));
  const std::vector<std::string> lines = absl::StrSplit(drawing, '\n');
  EXPECT_NE(drawing.find(" ─▶ │ [0] +0  p0_0_0_0 ─▶ below\n"), std::string::npos);
  EXPECT_EQ(lines[lines.size() - 2].substr(lines[lines.size() - 2].size() - 5), "f32[]");
}

}  // namespace
}  // namespace callbridge
