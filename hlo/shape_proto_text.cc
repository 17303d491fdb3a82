#include "callbridge/hlo/shape_proto_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/shape_proto.h"
#include "google/protobuf/unknown_field_set.h"

namespace callbridge::hlo {
namespace {

using xla::LayoutProto;
using xla::ShapeProto;

constexpr absl::string_view kOpaque = "opaque";
constexpr absl::string_view kBuffer = "b";
// The size of an unbounded dimension, and the size in a tile that combines a dimension with the
// next more minor one.
constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();
constexpr int64_t kCombined = std::numeric_limits<int64_t>::min();

// Returns an empty view if the type has no name.
absl::string_view TypeName(int type) {
  if (type == xla::OPAQUE_TYPE) return kOpaque;
  return IsPrimitiveType(type) ? PrimitiveTypeName(static_cast<PrimitiveType>(type)) : "";
}

// Returns PRIMITIVE_TYPE_INVALID if no type has this name.
xla::PrimitiveType TypeOf(absl::string_view name) {
  if (name == kOpaque) return xla::OPAQUE_TYPE;
  const absl::StatusOr<PrimitiveType> type = ParsePrimitiveType(name);
  return type.ok() ? static_cast<xla::PrimitiveType>(*type) : xla::PRIMITIVE_TYPE_INVALID;
}

// ---- Reading ------------------------------------------------------------------------------------

class ShapeReader {
 public:
  explicit ShapeReader(TextCursor* cursor) : cursor_(cursor) {}

  absl::Status Read(int depth, ShapeProto* shape) {
    if (depth > Shape::kMaxTupleDepth) {
      return cursor_->Expected(
          absl::StrCat("tuples nested at most ", Shape::kMaxTupleDepth, " deep"));
    }
    if (cursor_->Consume("(")) {
      shape->set_element_type(xla::TUPLE);
      if (cursor_->Consume(")")) return absl::OkStatus();
      do {
        absl::Status status = Read(depth + 1, shape->add_tuple_shapes());
        if (!status.ok()) return status;
      } while (cursor_->Consume(","));
      return cursor_->Consume(")") ? absl::OkStatus() : cursor_->Expected("\",\" or \")\"");
    }
    const size_t begin = cursor_->position();
    const absl::string_view type = cursor_->PeekWord();
    if (type == kBuffer) {
      cursor_->ReadWord();
      shape->set_element_type(xla::BUFFER);
      absl::Status status = cursor_->Expect("(");
      if (status.ok()) status = Read(depth + 1, shape->add_tuple_shapes());
      return status.ok() ? cursor_->Expect(")") : status;
    }
    shape->set_element_type(TypeOf(type));
    if (shape->element_type() == xla::PRIMITIVE_TYPE_INVALID ||
        shape->element_type() == xla::TUPLE || shape->element_type() == xla::BUFFER) {
      return cursor_->InvalidAt(
          begin, absl::StrCat("expected a shape, such as f32[8,4]{1,0} or (f32[], token[]), found ",
                              "the element type \"", type, "\""));
    }
    cursor_->ReadWord();
    if (absl::Status status = cursor_->Expect("["); !status.ok()) return status;
    if (shape->element_type() == xla::TOKEN || shape->element_type() == xla::OPAQUE_TYPE) {
      if (cursor_->Consume("]")) return absl::OkStatus();
      return cursor_->Expected(
          absl::StrCat("\"]\", as a shape of type ", type, " has no dimensions"));
    }
    absl::Status status = ReadDimensions(shape);
    if (!status.ok() || !cursor_->NextIs('{')) return status;
    cursor_->Consume("{");
    return ReadLayout(depth, shape->mutable_layout());
  }

 private:
  // Starts after "[", reads up to and including "]".
  absl::Status ReadDimensions(ShapeProto* shape) {
    if (cursor_->Consume("]")) return absl::OkStatus();
    do {
      const bool is_unbounded = cursor_->Consume("?");
      const bool is_bounded = !is_unbounded && cursor_->Consume("<=");
      shape->add_is_dynamic_dimension(is_unbounded || is_bounded);
      if (is_unbounded) {
        shape->add_dimensions(kUnbounded);
        continue;
      }
      absl::StatusOr<int64_t> size = ReadNumber("a dimension");
      if (!size.ok()) return size.status();
      shape->add_dimensions(*size);
    } while (cursor_->Consume(","));
    return cursor_->Consume("]") ? absl::OkStatus() : cursor_->Expected("\",\" or \"]\"");
  }

  // Starts after "{", reads up to and including "}".
  absl::Status ReadLayout(int depth, LayoutProto* layout) {
    if (!cursor_->Peek(":") && !cursor_->Peek("}")) {
      do {
        absl::StatusOr<int64_t> number = ReadNumber("a dimension number");
        if (!number.ok()) return number.status();
        layout->add_minor_to_major(*number);
      } while (cursor_->Consume(","));
    }
    if (cursor_->Consume(":")) {
      while (!cursor_->Peek("}")) {
        if (absl::Status status = ReadDetail(depth, layout); !status.ok()) return status;
      }
    }
    return cursor_->Expect("}");
  }

  absl::Status ReadDetail(int depth, LayoutProto* layout) {
    if (cursor_->Consume("T(")) {
      if (absl::Status status = ReadTile(layout); !status.ok()) return status;
      while (cursor_->Consume("(")) {
        if (absl::Status status = ReadTile(layout); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    if (cursor_->Consume("SC(")) {
      if (absl::Status status = ReadSplit(layout); !status.ok()) return status;
      while (cursor_->Consume("(")) {
        if (absl::Status status = ReadSplit(layout); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    if (cursor_->Consume("D(")) return ReadLevels(layout);
    if (cursor_->Consume("P(")) {
      absl::Status status = Read(depth + 1, layout->mutable_physical_shape());
      return status.ok() ? cursor_->Expect(")") : status;
    }
    for (const bool is_index : {true, false}) {
      if (!cursor_->Consume(is_index ? "#(" : "*(")) continue;
      const xla::PrimitiveType type = TypeOf(cursor_->PeekWord());
      if (type == xla::PRIMITIVE_TYPE_INVALID) return cursor_->Expected("an integer type");
      cursor_->ReadWord();
      is_index ? layout->set_index_primitive_type(type) : layout->set_pointer_primitive_type(type);
      return cursor_->Expect(")");
    }
    const struct {
      absl::string_view name;
      void (*set)(int64_t, LayoutProto*);
    } numbers[] = {
        {"E(", SetElementSizeInBits},
        {"L(", SetTailPaddingAlignmentInElements},
        {"M(", [](int64_t n, LayoutProto* l) { l->set_dynamic_shape_metadata_prefix_bytes(n); }},
        {"S(", [](int64_t n, LayoutProto* l) { l->set_memory_space(n); }},
    };
    for (const auto& number : numbers) {
      if (!cursor_->Consume(number.name)) continue;
      absl::StatusOr<int64_t> value = ReadNumber("a number");
      if (!value.ok()) return value.status();
      number.set(*value, layout);
      return cursor_->Expect(")");
    }
    return cursor_->Expected("a detail of a layout, such as T(8,128), E(4) or S(1), or \"}\"");
  }

  // Starts after "(", reads up to and including ")".
  absl::Status ReadTile(LayoutProto* layout) {
    xla::TileProto* tile = layout->add_tiles();
    do {
      if (cursor_->Consume("*")) {
        tile->add_dimensions(kCombined);
        continue;
      }
      absl::StatusOr<int64_t> size = cursor_->ReadInteger("the size of a tile");
      if (!size.ok()) return size.status();
      tile->add_dimensions(*size);
    } while (cursor_->Consume(","));
    return cursor_->Expect(")");
  }

  // Starts after "(", reads "0:64,128)".
  absl::Status ReadSplit(LayoutProto* layout) {
    LayoutSplit split;
    absl::StatusOr<int64_t> dimension = ReadNumber("a dimension number");
    if (!dimension.ok()) return dimension.status();
    split.dimension = *dimension;
    if (absl::Status status = cursor_->Expect(":"); !status.ok()) return status;
    do {
      absl::StatusOr<int64_t> index = ReadNumber("an index");
      if (!index.ok()) return index.status();
      split.indices.push_back(*index);
    } while (cursor_->Consume(","));
    AddSplit(split, layout);
    return cursor_->Expect(")");
  }

  // Starts after "(", reads "D,C+~)": "+" is not unique, "~" is not ordered.
  absl::Status ReadLevels(LayoutProto* layout) {
    do {
      const absl::string_view letter = cursor_->PeekWord();
      const size_t level = absl::string_view("DCSH").find(letter);
      if (letter.size() != 1 || level == absl::string_view::npos) {
        return cursor_->Expected("D, C, S or H");
      }
      cursor_->ReadWord();
      layout->add_dim_level_types(static_cast<xla::DimLevelType>(level));
      layout->add_dim_unique(!cursor_->Consume("+"));
      layout->add_dim_ordered(!cursor_->Consume("~"));
    } while (cursor_->Consume(","));
    return cursor_->Expect(")");
  }

  absl::StatusOr<int64_t> ReadNumber(absl::string_view what) {
    if (cursor_->Peek("-")) return cursor_->Expected(what);
    return cursor_->ReadInteger(what);
  }

  TextCursor* const cursor_;
};

// ---- Printing -----------------------------------------------------------------------------------

absl::Status AppendShape(const ShapeProto& shape, bool with_layouts, std::string* text);

absl::Status AppendLayout(const LayoutProto& layout, std::string* text) {
  std::string details;
  const bool is_dense =
      std::all_of(layout.dim_level_types().begin(), layout.dim_level_types().end(),
                  [](int type) { return type == xla::DIM_DENSE; });
  if (!is_dense) {
    absl::StrAppend(&details, "D(");
    for (int i = 0; i < layout.dim_level_types_size(); ++i) {
      const int level = layout.dim_level_types(i);
      if (level < 0 || level > 3) {
        return absl::UnimplementedError(
            absl::StrCat("a layout's dim_level_type ", level, " has no text"));
      }
      absl::StrAppend(&details, i == 0 ? "" : ",", absl::string_view("DCSH").substr(level, 1),
                      i < layout.dim_unique_size() && !layout.dim_unique(i) ? "+" : "",
                      i < layout.dim_ordered_size() && !layout.dim_ordered(i) ? "~" : "");
    }
    details.push_back(')');
  }
  if (layout.tiles_size() != 0) details.push_back('T');
  for (const xla::TileProto& tile : layout.tiles()) {
    absl::StrAppend(&details, "(",
                    absl::StrJoin(tile.dimensions(), ",",
                                  [](std::string* out, int64_t size) {
                                    if (size == kCombined) {
                                      out->push_back('*');
                                    } else {
                                      absl::StrAppend(out, size);
                                    }
                                  }),
                    ")");
  }
  if (const int64_t tail = TailPaddingAlignmentInElements(layout); tail > 1) {
    absl::StrAppend(&details, "L(", tail, ")");
  }
  const auto append_type = [&](absl::string_view mark, int type) {
    if (type != xla::PRIMITIVE_TYPE_INVALID) {
      absl::StrAppend(&details, mark, "(", TypeName(type), ")");
    }
  };
  append_type("#", layout.index_primitive_type());
  append_type("*", layout.pointer_primitive_type());
  if (const int64_t bits = ElementSizeInBits(layout); bits != 0) {
    absl::StrAppend(&details, "E(", bits, ")");
  }
  if (layout.memory_space() != 0) absl::StrAppend(&details, "S(", layout.memory_space(), ")");
  const std::vector<LayoutSplit> splits = Splits(layout);
  if (!splits.empty()) absl::StrAppend(&details, "SC");
  for (const LayoutSplit& split : splits) {
    absl::StrAppend(&details, "(", split.dimension, ":", absl::StrJoin(split.indices, ","), ")");
  }
  if (layout.has_physical_shape()) {
    absl::StrAppend(&details, "P(");
    absl::Status status = AppendShape(layout.physical_shape(), /*with_layouts=*/true, &details);
    if (!status.ok()) return status;
    details.push_back(')');
  }
  if (const int64_t bytes = layout.dynamic_shape_metadata_prefix_bytes(); bytes != 0) {
    absl::StrAppend(&details, "M(", bytes, ")");
  }
  absl::StrAppend(text, "{", absl::StrJoin(layout.minor_to_major(), ","),
                  details.empty() ? "" : ":", details, "}");
  return absl::OkStatus();
}

// Recursive, as deep as shapes may be.
absl::Status AppendShape(const ShapeProto& shape, bool with_layouts, std::string* text) {
  const int type = shape.element_type();
  if (type == xla::TUPLE || type == xla::BUFFER) {
    absl::StrAppend(text, type == xla::BUFFER ? "b(" : "(");
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      if (i != 0) absl::StrAppend(text, ", ");
      // XLA numbers every fifth element.
      if (i != 0 && i % 5 == 0) absl::StrAppend(text, "/*index=", i, "*/");
      absl::Status status = AppendShape(shape.tuple_shapes(i), with_layouts, text);
      if (!status.ok()) return status;
    }
    text->push_back(')');
    return absl::OkStatus();
  }
  const absl::string_view name = TypeName(type);
  if (name.empty()) {
    return absl::UnimplementedError(absl::StrCat("the element type number ", type,
                                                 " has no name; write the module as a proto"));
  }
  absl::StrAppend(text, name, "[");
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    if (i != 0) text->push_back(',');
    const bool is_dynamic = i < shape.is_dynamic_dimension_size() && shape.is_dynamic_dimension(i);
    if (is_dynamic && shape.dimensions(i) == kUnbounded) {
      text->push_back('?');
    } else {
      absl::StrAppend(text, is_dynamic ? "<=" : "", shape.dimensions(i));
    }
  }
  text->push_back(']');
  if (!with_layouts || !shape.has_layout() || type == xla::TOKEN || type == xla::OPAQUE_TYPE) {
    return absl::OkStatus();
  }
  const size_t before = text->size();
  absl::Status status = AppendLayout(shape.layout(), text);
  // Scalars have a layout only if it says something.
  if (status.ok() && shape.dimensions_size() == 0 && text->size() == before + 2) {
    text->resize(before);
  }
  return status;
}

absl::StatusOr<std::string> TextOf(const ShapeProto& shape, bool with_layouts) {
  std::string text;
  if (absl::Status status = AppendShape(shape, with_layouts, &text); !status.ok()) return status;
  return text;
}

}  // namespace

bool PeekShape(TextCursor* cursor) {
  if (cursor->Peek("(")) return true;
  const absl::string_view word = cursor->PeekWord();
  if (!std::all_of(word.begin(), word.end(), absl::ascii_isalnum) || word.empty()) return false;
  return cursor->PeekAfterWord() == '[' || (word == kBuffer && cursor->PeekAfterWord() == '(');
}

absl::StatusOr<ShapeProto> ReadShape(TextCursor* cursor) {
  if (!PeekShape(cursor)) {
    return cursor->Expected("a shape, such as f32[8,4]{1,0} or (f32[], token[])");
  }
  ShapeProto shape;
  absl::Status status = ShapeReader(cursor).Read(/*depth=*/0, &shape);
  if (!status.ok()) return status;
  return shape;
}

absl::StatusOr<std::string> ShapeProtoText(const ShapeProto& shape) {
  return TextOf(shape, /*with_layouts=*/true);
}

absl::StatusOr<std::string> ShapeProtoTextWithoutLayouts(const ShapeProto& shape) {
  return TextOf(shape, /*with_layouts=*/false);
}

bool EqualButForLayouts(const ShapeProto& a, const ShapeProto& b) {
  const auto is_dynamic = [](const ShapeProto& shape, int i) {
    return i < shape.is_dynamic_dimension_size() && shape.is_dynamic_dimension(i);
  };
  if (a.element_type() != b.element_type() || a.dimensions_size() != b.dimensions_size() ||
      a.tuple_shapes_size() != b.tuple_shapes_size()) {
    return false;
  }
  for (int i = 0; i < a.dimensions_size(); ++i) {
    if (a.dimensions(i) != b.dimensions(i) || is_dynamic(a, i) != is_dynamic(b, i)) return false;
  }
  for (int i = 0; i < a.tuple_shapes_size(); ++i) {
    if (!EqualButForLayouts(a.tuple_shapes(i), b.tuple_shapes(i))) return false;
  }
  return true;
}

}  // namespace callbridge::hlo
