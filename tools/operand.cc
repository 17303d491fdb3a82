#include "callbridge/tools/operand.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "callbridge/tools/file_bytes.h"
#include "callbridge/tools/npy.h"
#include "callbridge/tools/npy_header.h"
#include "callbridge/tools/packed_elements.h"

namespace callbridge {
namespace {

constexpr absl::string_view kToken = "token[]";

// Returns the text before the first ":", if it consists of letters and digits.
absl::string_view TypePrefix(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos || colon == 0) return {};
  const absl::string_view prefix = text.substr(0, colon);
  return std::all_of(prefix.begin(), prefix.end(), absl::ascii_isalnum) ? prefix
                                                                        : absl::string_view();
}

// A recursive-descent parser; `rest_` is the text that it has not read yet.
class OperandParser {
 public:
  explicit OperandParser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<Operand> Parse() {
    SkipBlanks();
    if (!absl::StartsWith(rest_, "(")) return ParseLeaf(text_);
    absl::StatusOr<Operand> operand = ParseTuple(/*enclosing_tuples=*/0);
    if (!operand.ok()) return operand;
    SkipBlanks();
    if (!rest_.empty()) return Expected("the end of the operand");
    return operand;
  }

 private:
  absl::StatusOr<Operand> ParseTuple(int enclosing_tuples) {
    if (enclosing_tuples == Shape::kMaxTupleDepth) {
      return Expected(absl::StrCat("tuples nested at most ", Shape::kMaxTupleDepth, " deep"));
    }
    Operand tuple;
    tuple.kind = Operand::Kind::kTuple;
    Consume("(");
    if (Consume(")")) return tuple;
    do {
      absl::StatusOr<Operand> element = ParseElement(enclosing_tuples + 1);
      if (!element.ok()) return element;
      tuple.elements.push_back(*std::move(element));
    } while (Consume(","));
    if (!Consume(")")) return Expected("\",\" or \")\"");
    return tuple;
  }

  absl::StatusOr<Operand> ParseElement(int enclosing_tuples) {
    SkipBlanks();
    if (absl::StartsWith(rest_, "(")) return ParseTuple(enclosing_tuples);
    const absl::string_view text =
        absl::StripTrailingAsciiWhitespace(rest_.substr(0, rest_.find_first_of("(),")));
    absl::StatusOr<Operand> leaf = ParseLeaf(text);
    rest_.remove_prefix(text.size());
    return leaf;
  }

  absl::StatusOr<Operand> ParseLeaf(absl::string_view text) {
    Operand leaf;
    if (text == kToken) {
      leaf.kind = Operand::Kind::kToken;
      return leaf;
    }
    if (const absl::string_view prefix = TypePrefix(text); !prefix.empty()) {
      const absl::StatusOr<PrimitiveType> type = ParsePrimitiveType(prefix);
      if (!type.ok() || !IsArrayElement(*type)) {
        return Expected("the element type of an array before \":\" (./ before a file named so)");
      }
      leaf.element_type = *type;
      text.remove_prefix(prefix.size() + 1);
    }
    if (text.empty()) return Expected("a .npy file, token[] or a tuple");
    leaf.path = std::string(text);
    return leaf;
  }

  bool Consume(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }

  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  absl::Status Expected(absl::string_view what) const {
    constexpr size_t kExcerpt = 24;
    const std::string found = rest_.empty()
                                  ? "the end"
                                  : absl::StrCat("\"", rest_.substr(0, kExcerpt),
                                                 rest_.size() > kExcerpt ? "..." : "", "\"");
    return absl::InvalidArgumentError(absl::StrCat("\"", text_, "\", character ",
                                                   text_.size() - rest_.size() + 1, ": expected ",
                                                   what, ", found ", found));
  }

  const absl::string_view text_;
  absl::string_view rest_;
};

absl::StatusOr<Array> LoadArray(const Operand& operand) {
  const absl::StatusOr<std::string> file = ReadFile(operand.path, SIZE_MAX, kNpyMagic);
  if (!file.ok()) return file.status();
  absl::StatusOr<Array> array = DecodeNpy(*file, operand.element_type);
  if (array.ok()) return PackElements(*std::move(array));
  return absl::Status(array.status().code(),
                      absl::StrCat(operand.path, ": ", array.status().message()));
}

}  // namespace

absl::StatusOr<Operand> ParseOperand(absl::string_view text) { return OperandParser(text).Parse(); }

absl::StatusOr<Shape> LoadOperand(const Operand& operand, std::vector<Array>* leaves) {
  if (operand.kind == Operand::Kind::kTuple) {
    std::vector<Shape> elements;
    for (const Operand& element : operand.elements) {
      absl::StatusOr<Shape> shape = LoadOperand(element, leaves);
      if (!shape.ok()) return shape;
      elements.push_back(*std::move(shape));
    }
    return Shape::MakeTuple(std::move(elements));
  }
  absl::StatusOr<Array> leaf =
      operand.kind == Operand::Kind::kToken ? Array{Shape::MakeToken(), {}} : LoadArray(operand);
  if (!leaf.ok()) return leaf.status();
  leaves->push_back(*std::move(leaf));
  return leaves->back().shape;
}

}  // namespace callbridge
