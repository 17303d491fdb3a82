#include <string>

#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/layout_forms.h"
#include "callbridge/tools/layout/svg_canvas.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgCanvas, WritesElements) {
  SvgCanvas canvas;
  canvas.Rectangle("frame", {1, 2, 3, 4});
  canvas.Text("name", 5, 6, "a <= b && b > c");
  canvas.Line({10, 20, 30, 40});
  canvas.Arrow({0, 0, 100, 20}, {160, 50, 10, 30});
  const std::string document = canvas.Document(300, 200);
  EXPECT_THAT(
      document,
      StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"200\" "));
  EXPECT_THAT(document, HasSubstr(R"(<rect class="page" width="300" height="200"/>
<rect class="frame" x="1" y="2" width="3" height="4"/>
<text class="name" x="5" y="6">a &lt;= b &amp;&amp; b &gt; c</text>
<path class="line" d="M10 20 H40"/>
<circle class="dot" cx="90" cy="10" r="3"/>
<path class="arrow" d="M90 10 H100 C130 10 130 65 160 65"/>
</svg>
)"));
}

TEST(SvgOf, AnArrowForEachPointerToATable) {
  const Shape operands = *ParseShape("((f32[32],(f32[64],f32[128]),f32[256]))");
  const Shape result = *ParseShape("(f32[512],f32[1024])");
  const std::string svg =
      SvgOf(PlanLayouts(operands.tuple_elements(), &result, TupleLayout::kNested));
  // in, p0, p0_1, out; buffers.
  EXPECT_EQ(Count(svg, "class=\"arrow\""), 5);
  EXPECT_EQ(Count(svg, "class=\"operand\""), 1 + 3 + 2 + 4);
  EXPECT_EQ(Count(svg, "class=\"result\""), 2 + 2);
  EXPECT_EQ(Count(svg, ">p0_1_1</text>"), 2);
  EXPECT_EQ(Count(svg, ">+16</text>"), 2);
  EXPECT_THAT(svg, HasSubstr(">TensorFlow 2.13.1, jaxlib &lt;= 0.4.30</text>"));
  EXPECT_THAT(svg, HasSubstr(">void target(void* out, const void** in)</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("flat tuple layout")));
}

TEST(SvgOf, AnArrayResultIsABoxOfItsOwn) {
  const Shape result = *ParseShape("f32[512]");
  const std::string svg = SvgOf(PlanLayouts({}, &result, std::nullopt));
  EXPECT_THAT(svg, HasSubstr(">r f32[512]</text>"));
  EXPECT_THAT(svg, HasSubstr(">in (empty)</text>"));
}

}  // namespace
}  // namespace callbridge
