#include "callbridge/hlo/literal_text.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/literal_proto.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::hlo {
namespace {

using xla::LiteralProto;

// These limits keep the size of a text in proportion to the size of the literal. Each element costs
// up to two braces for each dimension. An empty literal costs two for each index into the
// dimensions before the empty one.
constexpr size_t kMaxRank = 64;
constexpr int64_t kMaxEmptyBraces = 1 << 20;

absl::Status CheckCanBeText(const Shape& array) {
  if (array.dimensions().size() > kMaxRank) {
    return absl::UnimplementedError(absl::StrCat("expected a literal of at most ", kMaxRank,
                                                 " dimensions to write as text, got ",
                                                 array.dimensions().size()));
  }
  if (array.ElementCount() != 0) return absl::OkStatus();
  int64_t braces = 1;
  for (int64_t dimension : array.dimensions()) {
    if (dimension == 0) break;
    if (dimension > kMaxEmptyBraces / braces) {
      return absl::UnimplementedError(
          absl::StrCat("expected an empty literal of at most ", kMaxEmptyBraces,
                       " braces to write as text, got one of shape ", ShapeText(array)));
    }
    braces *= dimension;
  }
  return absl::OkStatus();
}

// Visits an array's elements in the order of the text, with their indices in storage.
class ElementWalk {
 public:
  explicit ElementWalk(const Shape& array)
      : dimensions_(array.dimensions()),
        strides_(StorageStrides(array)),
        index_(array.dimensions().size()) {}

  // Calls Begin(depth) and End(depth) at the braces of each dimension, Element(stored index) for
  // each element, and Between(depth) between two. They return false to stop.
  template <typename Visitor>
  void Visit(Visitor visitor) {
    const size_t rank = dimensions_.size();
    if (rank == 0) {
      visitor.Element(0);
      return;
    }
    if (!visitor.Begin(0)) return;
    size_t depth = 0;
    while (true) {
      if (index_[depth] == dimensions_[depth]) {
        if (!visitor.End(depth) || depth == 0) return;
        stored_ -= index_[depth] * strides_[depth];
        --depth;
        Advance(depth);
        continue;
      }
      if (index_[depth] != 0 && !visitor.Between(depth)) return;
      if (depth + 1 < rank) {
        ++depth;
        index_[depth] = 0;
        if (!visitor.Begin(depth)) return;
      } else {
        if (!visitor.Element(stored_)) return;
        Advance(depth);
      }
    }
  }

 private:
  void Advance(size_t depth) {
    ++index_[depth];
    stored_ += strides_[depth];
  }

  const absl::Span<const int64_t> dimensions_;
  const std::vector<int64_t> strides_;
  std::vector<int64_t> index_;
  int64_t stored_ = 0;
};

using FormatNumber = std::string (*)(PrimitiveType, uint64_t);

void AppendElement(const LiteralProto& literal, PrimitiveType type, int64_t index,
                   FormatNumber format, std::string* text) {
  const PrimitiveType part_type = PartType(type);
  if (PartsOfElement(type) == 1) {
    absl::StrAppend(text, format(type, StoredPart(literal, type, index)));
    return;
  }
  absl::StrAppend(text, "(", format(part_type, StoredPart(literal, type, 2 * index)), ", ",
                  format(part_type, StoredPart(literal, type, 2 * index + 1)), ")");
}

struct HloWriter {
  const LiteralProto& literal;
  const Shape& array;
  std::string* text;

  bool IsInnermost(size_t depth) const { return depth + 1 == array.dimensions().size(); }
  bool Begin(size_t depth) {
    absl::StrAppend(text, IsInnermost(depth) ? "{" : "{ ");
    return true;
  }
  bool End(size_t depth) {
    absl::StrAppend(text, IsInnermost(depth) ? "}" : " }");
    return true;
  }
  bool Between(size_t) {
    absl::StrAppend(text, ", ");
    return true;
  }
  bool Element(int64_t index) {
    AppendElement(literal, array.element_type(), index, NumberText, text);
    return true;
  }
};

struct MlirWriter {
  const LiteralProto& literal;
  PrimitiveType type;
  std::string* text;

  bool Begin(size_t) {
    text->push_back('[');
    return true;
  }
  bool End(size_t) {
    text->push_back(']');
    return true;
  }
  bool Between(size_t) {
    absl::StrAppend(text, ", ");
    return true;
  }
  bool Element(int64_t index) {
    AppendElement(literal, type, index, MlirNumberText, text);
    return true;
  }
};

absl::Status CheckWritable(const LiteralProto& literal, const Shape& array) {
  if (!array.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a literal of arrays, got one of shape ", ShapeText(array)));
  }
  if (absl::Status status = CheckStoredElements(literal, array); !status.ok()) return status;
  return CheckCanBeText(array);
}

// Recursive, as deep as shapes may be.
absl::Status AppendLiteral(const LiteralProto& literal, const Shape& shape, std::string* text) {
  if (!shape.IsTuple()) {
    if (absl::Status status = CheckWritable(literal, shape); !status.ok()) return status;
    if (shape.element_type() == PrimitiveType::kPred && shape.dimensions().empty()) {
      absl::StrAppend(text, StoredPart(literal, PrimitiveType::kPred, 0) != 0 ? "true" : "false");
      return absl::OkStatus();
    }
    ElementWalk(shape).Visit(HloWriter{literal, shape, text});
    return absl::OkStatus();
  }
  const absl::Span<const Shape> elements = shape.tuple_elements();
  if (literal.tuple_literals_size() != static_cast<int>(elements.size())) {
    return absl::InvalidArgumentError(absl::StrCat("expected a literal of ", elements.size(),
                                                   " elements for ", ShapeText(shape), ", got ",
                                                   literal.tuple_literals_size()));
  }
  absl::StrAppend(text, "( ");
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) absl::StrAppend(text, ", ");
    const LiteralProto& element = literal.tuple_literals(static_cast<int>(i));
    if (absl::Status status = AppendLiteral(element, elements[i], text); !status.ok()) {
      return status;
    }
  }
  absl::StrAppend(text, " )");
  return absl::OkStatus();
}

// Reads the parts of elements in the order of the text.
struct Reader {
  TextCursor* cursor;
  PrimitiveType type;
  std::vector<uint64_t>* parts;     // in the order of the text
  std::vector<int64_t>* stored_at;  // of each element
  absl::Status* status;

  bool Take(absl::Status next) {
    *status = std::move(next);
    return status->ok();
  }
  bool Begin(size_t) {
    if (!Take(cursor->Expect("{"))) return false;
    if (!cursor->Peek("...")) return true;
    return Take(
        cursor->Expected("the literal's elements; print the module with its large constants "
                         "(print_large_constants)"));
  }
  bool End(size_t) { return Take(cursor->Expect("}")); }
  // Like XLA, takes two rows without a comma between them.
  bool Between(size_t) { return cursor->Peek("{") || Take(cursor->Expect(",")); }
  bool Number() {
    absl::StatusOr<uint64_t> number = ReadNumber(PartType(type), cursor);
    if (number.ok()) parts->push_back(*number);
    return Take(number.status());
  }
  bool Element(int64_t index) {
    stored_at->push_back(index);
    if (PartsOfElement(type) == 1) return Number();
    return Take(cursor->Expect("(")) && Number() && Take(cursor->Expect(",")) && Number() &&
           Take(cursor->Expect(")"));
  }
};

absl::Status ReadArray(const Shape& array, TextCursor* cursor, LiteralProto* literal) {
  std::vector<uint64_t> parts;
  std::vector<int64_t> stored_at;
  absl::Status status;
  ElementWalk(array).Visit(Reader{cursor, array.element_type(), &parts, &stored_at, &status});
  if (!status.ok()) return status;

  const size_t per_element = PartsOfElement(array.element_type());
  std::vector<uint64_t> stored(parts.size());
  for (size_t i = 0; i < stored_at.size(); ++i) {
    for (size_t part = 0; part < per_element; ++part) {
      stored[stored_at[i] * per_element + part] = parts[i * per_element + part];
    }
  }
  return StoreParts(array.element_type(), stored, literal);
}

// Recursive, as deep as shapes may be.
absl::Status ReadInto(const Shape& shape, TextCursor* cursor, LiteralProto* literal) {
  *literal->mutable_shape() = ShapeToProto(shape);
  if (shape.IsToken()) return cursor->Expected("no token in a literal");
  if (!shape.IsTuple()) return ReadArray(shape, cursor, literal);
  if (absl::Status status = cursor->Expect("("); !status.ok()) return status;
  const absl::Span<const Shape> elements = shape.tuple_elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) {
      if (absl::Status status = cursor->Expect(","); !status.ok()) return status;
    }
    absl::Status status = ReadInto(elements[i], cursor, literal->add_tuple_literals());
    if (!status.ok()) return status;
  }
  return cursor->Expect(")");
}

}  // namespace

absl::StatusOr<LiteralProto> ReadLiteral(const Shape& shape, TextCursor* cursor) {
  LiteralProto literal;
  if (absl::Status status = ReadInto(shape, cursor, &literal); !status.ok()) return status;
  return literal;
}

absl::StatusOr<std::string> LiteralText(const LiteralProto& literal, const Shape& shape) {
  std::string text;
  if (absl::Status status = AppendLiteral(literal, shape, &text); !status.ok()) return status;
  return text;
}

absl::StatusOr<std::string> DenseElementsText(const LiteralProto& literal, const Shape& array) {
  if (absl::Status status = CheckWritable(literal, array); !status.ok()) return status;
  std::string text;
  if (array.ElementCount() == 0) return text;
  ElementWalk(array).Visit(MlirWriter{literal, array.element_type(), &text});
  return text;
}

}  // namespace callbridge::hlo
