#include "callbridge/abi/shape_text.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

void AppendLayout(const Layout& layout, std::string* text) {
  absl::StrAppend(text, "{", absl::StrJoin(layout.minor_to_major, ","));
  if (layout.element_size_in_bits != 0) {
    absl::StrAppend(text, ":E(", layout.element_size_in_bits, ")");
  }
  text->push_back('}');
}

void AppendShape(const Shape& shape, std::string* text) {
  if (shape.IsTuple()) {
    text->push_back('(');
    for (const Shape& element : shape.tuple_elements()) {
      if (&element != &shape.tuple_elements().front()) text->push_back(',');
      AppendShape(element, text);
    }
    text->push_back(')');
    return;
  }
  absl::StrAppend(text, PrimitiveTypeName(shape.element_type()), "[",
                  absl::StrJoin(shape.dimensions(), ","), "]");
  if (shape.layout().has_value()) AppendLayout(*shape.layout(), text);
}

// A recursive-descent parser; `rest_` is the text that it has not read yet.
class ShapeParser {
 public:
  explicit ShapeParser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<Shape> ParseWholeText() {
    absl::StatusOr<Shape> shape = ParseShape(/*enclosing_tuples=*/0);
    if (!shape.ok()) return shape;
    SkipBlanks();
    if (!rest_.empty()) return Expected("the end of the text");
    return shape;
  }

 private:
  absl::StatusOr<Shape> ParseShape(int enclosing_tuples) {
    SkipBlanks();
    if (!absl::StartsWith(rest_, "(")) return ParseArrayOrToken();
    if (enclosing_tuples == Shape::kMaxTupleDepth) {
      return Expected(absl::StrCat("tuples nested at most ", Shape::kMaxTupleDepth, " deep"));
    }
    return ParseTuple(enclosing_tuples);
  }

  absl::StatusOr<Shape> ParseTuple(int enclosing_tuples) {
    Consume("(");
    std::vector<Shape> elements;
    if (Consume(")")) return Shape::MakeTuple(std::move(elements));
    do {
      absl::StatusOr<Shape> element = ParseShape(enclosing_tuples + 1);
      if (!element.ok()) return element;
      elements.push_back(*std::move(element));
    } while (Consume(","));
    if (!Consume(")")) return Expected("\",\" or \")\"");
    return Shape::MakeTuple(std::move(elements));
  }

  absl::StatusOr<Shape> ParseArrayOrToken() {
    const absl::string_view start = rest_;
    absl::StatusOr<PrimitiveType> type = ParseType();
    if (!type.ok()) return type.status();
    if (!Consume("[")) return Expected("\"[\"");
    if (*type == PrimitiveType::kToken) {
      if (!Consume("]")) return Expected("\"]\", as a token has no dimensions");
      return Shape::MakeToken();
    }
    absl::StatusOr<std::vector<int64_t>> dimensions = ParseDimensions();
    if (!dimensions.ok()) return dimensions.status();
    std::optional<Layout> layout;
    if (Consume("{")) {
      absl::StatusOr<Layout> parsed = ParseLayout();
      if (!parsed.ok()) return parsed.status();
      layout = *std::move(parsed);
    }
    absl::StatusOr<Shape> shape =
        Shape::MakeArray(*type, *std::move(dimensions), std::move(layout));
    if (!shape.ok()) return ErrorAt(start, shape.status().message());
    return shape;
  }

  absl::StatusOr<PrimitiveType> ParseType() {
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isalnum(rest_[length])) ++length;
    absl::StatusOr<PrimitiveType> type = ParsePrimitiveType(rest_.substr(0, length));
    if (!type.ok() || *type == PrimitiveType::kTuple) {
      return Expected("a tuple in parentheses, token[] or an array such as f32[8,4]");
    }
    rest_.remove_prefix(length);
    return type;
  }

  // Starts after "[", reads up to and including "]".
  absl::StatusOr<std::vector<int64_t>> ParseDimensions() {
    std::vector<int64_t> dimensions;
    if (Consume("]")) return dimensions;
    do {
      SkipBlanks();
      if (absl::StartsWith(rest_, "<") || absl::StartsWith(rest_, "?")) {
        return Expected("a static dimension (dynamic ones are not supported)");
      }
      absl::StatusOr<int64_t> dimension = ParseNumber("a dimension");
      if (!dimension.ok()) return dimension.status();
      dimensions.push_back(*dimension);
    } while (Consume(","));
    if (!Consume("]")) return Expected("\",\" or \"]\"");
    return dimensions;
  }

  // Starts after "{", reads up to and including "}".
  absl::StatusOr<Layout> ParseLayout() {
    Layout layout;
    if (Consume("}")) return layout;
    if (!StartsDetails()) {
      do {
        absl::StatusOr<int64_t> number = ParseNumber("a dimension number");
        if (!number.ok()) return number.status();
        layout.minor_to_major.push_back(*number);
      } while (Consume(","));
    }
    if (Consume(":")) {
      absl::StatusOr<int64_t> bits = ParseElementSize();
      if (!bits.ok()) return bits.status();
      layout.element_size_in_bits = *bits;
    }
    if (!Consume("}")) return Expected("\"}\"");
    return layout;
  }

  bool StartsDetails() {
    SkipBlanks();
    return absl::StartsWith(rest_, ":");
  }

  // Reads "E(4)". XLA also writes tiles, memory spaces and other details here.
  absl::StatusOr<int64_t> ParseElementSize() {
    if (!Consume("E")) {
      return Expected("E(bits) (tiles and other details of a layout are not supported)");
    }
    if (!Consume("(")) return Expected("\"(\"");
    SkipBlanks();
    const absl::string_view start = rest_;
    absl::StatusOr<int64_t> bits = ParseNumber("a number of bits");
    if (!bits.ok()) return bits;
    if (*bits == 0) return ErrorAt(start, "expected 1 bit or more, got 0");
    if (!Consume(")")) return Expected("\")\"");
    return bits;
  }

  absl::StatusOr<int64_t> ParseNumber(absl::string_view what) {
    SkipBlanks();
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isdigit(rest_[length])) ++length;
    if (length == 0) return Expected(what);
    int64_t number;
    if (!absl::SimpleAtoi(rest_.substr(0, length), &number)) {
      return Expected(absl::StrCat(what, " that fits 63 bits"));
    }
    rest_.remove_prefix(length);
    return number;
  }

  bool Consume(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }

  // Skips white space and the comments that XLA writes into long tuples: /*index=5*/.
  void SkipBlanks() {
    while (true) {
      rest_ = absl::StripLeadingAsciiWhitespace(rest_);
      if (!absl::StartsWith(rest_, "/*")) return;
      const size_t end = rest_.find("*/", 2);
      if (end == absl::string_view::npos) return;
      rest_.remove_prefix(end + 2);
    }
  }

  absl::Status Expected(absl::string_view what) {
    constexpr size_t kExcerpt = 24;
    SkipBlanks();
    const std::string found = rest_.empty()
                                  ? "the end"
                                  : absl::StrCat("\"", absl::CHexEscape(rest_.substr(0, kExcerpt)),
                                                 rest_.size() > kExcerpt ? "..." : "", "\"");
    return ErrorAt(rest_, absl::StrCat("expected ", what, ", found ", found));
  }

  // `at` is the unread text at the position of the error.
  absl::Status ErrorAt(absl::string_view at, absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat("shape text, character ", text_.size() - at.size() + 1, ": ", message));
  }

  const absl::string_view text_;
  absl::string_view rest_;
};

}  // namespace

std::string ShapeText(const Shape& shape) {
  std::string text;
  AppendShape(shape, &text);
  return text;
}

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  return ShapeParser(text).ParseWholeText();
}

}  // namespace callbridge
