#include "callbridge/tools/layout/svg_canvas.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace callbridge {
namespace {

constexpr char kStyle[] = R"(<style>
text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1e293b; }
.title { font: bold 17px "DejaVu Sans", Helvetica, Arial, sans-serif; }
.callers { font: 13px "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #64748b; }
.index, .pointee { fill: #475569; }
.offset { fill: #475569; text-anchor: end; }
.head { font-weight: bold; fill: #ffffff; }
.page, .body { fill: #ffffff; }
.header { fill: #334155; }
.operand { fill: #dbeafe; }
.result { fill: #d1fae5; }
.frame { fill: none; stroke: #334155; }
.line { stroke: #cbd5e1; }
.arrow { fill: none; stroke: #64748b; stroke-width: 1.5; marker-end: url(#tip); }
.dot { fill: #64748b; }
</style>
<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"
  orient="auto"><path class="dot" d="M0 0.5 L10 5 L0 9.5 z"/></marker>
)";

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

}  // namespace

void SvgCanvas::Text(absl::string_view type, int x, int y, absl::string_view text) {
  absl::StrAppend(&elements_, "<text class=\"", type, "\" x=\"", x, "\" y=\"", y, "\">",
                  Escaped(text), "</text>\n");
}

void SvgCanvas::Rectangle(absl::string_view type, const Box& box) {
  absl::StrAppend(&elements_, "<rect class=\"", type, "\" x=\"", box.x, "\" y=\"", box.y);
  absl::StrAppend(&elements_, "\" width=\"", box.width, "\" height=\"", box.height, "\"/>\n");
}

void SvgCanvas::Line(const Box& box) {
  absl::StrAppend(&elements_, "<path class=\"line\" d=\"M", box.x, " ", box.y, " H", box.right(),
                  "\"/>\n");
}

void SvgCanvas::Arrow(const Box& from, const Box& to) {
  const int x = from.right() - kPadding;
  const int y = from.y + from.height / 2;
  const int end = to.y + to.height / 2;
  const int middle = (from.right() + to.x) / 2;
  absl::StrAppend(&elements_, "<circle class=\"dot\" cx=\"", x, "\" cy=\"", y, "\" r=\"3\"/>\n");
  absl::StrAppend(&elements_, "<path class=\"arrow\" d=\"M", x, " ", y, " H", from.right(), " C",
                  middle, " ", y, " ", middle, " ", end);
  absl::StrAppend(&elements_, " ", to.x, " ", end, "\"/>\n");
}

std::string SvgCanvas::Document(int width, int height) const {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"",
                      height, "\" viewBox=\"0 0 ", width, " ", height, "\">\n", kStyle,
                      "<rect class=\"page\" width=\"", width, "\" height=\"", height, "\"/>\n",
                      elements_, "</svg>\n");
}

}  // namespace callbridge
