// SvgCanvas: writes an SVG document, from back to front.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_SVG_CANVAS_H_
#define CALLBRIDGE_TOOLS_LAYOUT_SVG_CANVAS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "callbridge/tools/layout/layout_geometry.h"

namespace callbridge {

// A `type` is a class of the style sheet in svg_canvas.cc.
class SvgCanvas {
 public:
  // `y` is the base line. Escapes the text.
  void Text(absl::string_view type, int x, int y, absl::string_view text);
  void Rectangle(absl::string_view type, const Box& box);
  // Draws along the top of the box.
  void Line(const Box& box);
  // Draws from a dot inside the right edge of `from` to the left edge of `to`, at half of their
  // heights.
  void Arrow(const Box& from, const Box& to);

  // Returns the document, on a white page of this size.
  std::string Document(int width, int height) const;

 private:
  std::string elements_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_SVG_CANVAS_H_
