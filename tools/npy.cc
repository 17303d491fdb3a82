#include "callbridge/tools/npy.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/npy_header.h"

namespace callbridge {
namespace {

struct NamedType {
  absl::string_view descr;  // without the byte order
  PrimitiveType type;
};

// The types that a .npy file can name.
constexpr NamedType kNamedTypes[] = {
    {"b1", PrimitiveType::kPred},   {"?", PrimitiveType::kPred}, {"i1", PrimitiveType::kS8},
    {"i2", PrimitiveType::kS16},    {"i4", PrimitiveType::kS32}, {"i8", PrimitiveType::kS64},
    {"u1", PrimitiveType::kU8},     {"u2", PrimitiveType::kU16}, {"u4", PrimitiveType::kU32},
    {"u8", PrimitiveType::kU64},    {"f2", PrimitiveType::kF16}, {"f4", PrimitiveType::kF32},
    {"f8", PrimitiveType::kF64},    {"c8", PrimitiveType::kC64}, {"c16", PrimitiveType::kC128},
    {"f1", PrimitiveType::kF8E5M2},
};

// Returns true for the types that a .npy file stores as 'V'.
bool IsVoid(PrimitiveType type) {
  if (type == PrimitiveType::kF8E5M2) return true;
  return std::none_of(std::begin(kNamedTypes), std::end(kNamedTypes),
                      [&](const NamedType& named) { return named.type == type; });
}

bool IsComplex(PrimitiveType type) {
  return type == PrimitiveType::kC64 || type == PrimitiveType::kC128;
}

// Returns the types that a 'V' of so many bytes can be.
std::vector<PrimitiveType> VoidTypes(int64_t element_bytes) {
  std::vector<PrimitiveType> types;
  for (int64_t number = 0; number <= UINT8_MAX; ++number) {
    if (!IsPrimitiveType(number)) continue;
    const PrimitiveType type = static_cast<PrimitiveType>(number);
    if (IsArrayElement(type) && IsVoid(type) && ElementBytes(type) == element_bytes) {
      types.push_back(type);
    }
  }
  return types;
}

std::string NamesOf(const std::vector<PrimitiveType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* text, PrimitiveType type) {
    absl::StrAppend(text, PrimitiveTypeName(type));
  });
}

absl::Status NoElementType(absl::string_view descr) {
  return absl::InvalidArgumentError(
      absl::StrCat("its dtype '", absl::CHexEscape(descr.substr(0, 24)),
                   "' has no XLA element type: convert it with astype and save it again"));
}

absl::StatusOr<PrimitiveType> TypeOfVoid(absl::string_view descr, int64_t element_bytes,
                                         std::optional<PrimitiveType> declared) {
  const std::vector<PrimitiveType> types = VoidTypes(element_bytes);
  if (types.empty()) return NoElementType(descr);
  if (!declared.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its dtype '", descr,
        "' does not say the element type: put the type before the file, as in ",
        PrimitiveTypeName(types[0]), ":FILE",
        types.size() > 1 ? absl::StrCat("; the types of this size are ", NamesOf(types)) : ""));
  }
  if (std::find(types.begin(), types.end(), *declared) == types.end()) {
    return absl::InvalidArgumentError(absl::StrCat("its dtype '", descr, "' cannot hold ",
                                                   PrimitiveTypeName(*declared), ", only ",
                                                   NamesOf(types)));
  }
  return *declared;
}

absl::StatusOr<PrimitiveType> TypeOf(absl::string_view descr,
                                     std::optional<PrimitiveType> declared) {
  absl::string_view kind_and_size = descr;
  kind_and_size.remove_prefix(kind_and_size.find_first_not_of("<>=|") == 1 ? 1 : 0);
  for (const NamedType& named : kNamedTypes) {
    if (named.descr != kind_and_size) continue;
    if (declared.value_or(named.type) == named.type) return named.type;
    return absl::InvalidArgumentError(absl::StrCat("expected ", PrimitiveTypeName(*declared),
                                                   ", but it holds ", PrimitiveTypeName(named.type),
                                                   ": a type before the file never converts"));
  }
  int64_t element_bytes;
  if (absl::ConsumePrefix(&kind_and_size, "V") && absl::SimpleAtoi(kind_and_size, &element_bytes)) {
    return TypeOfVoid(descr, element_bytes, declared);
  }
  return NoElementType(descr);
}

// A complex number is two numbers, each with its own byte order.
void SwapBytes(PrimitiveType type, AlignedMemory* memory) {
  const size_t width = ElementBytes(type) / (IsComplex(type) ? 2 : 1);
  for (size_t at = 0; at < memory->size(); at += width) {
    std::reverse(memory->data() + at, memory->data() + at + width);
  }
}

absl::Status CheckSize(const Shape& shape, size_t expected, size_t found) {
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(found < expected ? "truncated: " : "too long: ", ShapeText(shape), " takes ",
                   expected, " bytes, found ", found));
}

std::optional<Layout> LayoutOf(const NpyHeader& header) {
  if (!header.fortran_order) return std::nullopt;
  Layout column_major;
  column_major.minor_to_major.resize(header.dimensions.size());
  std::iota(column_major.minor_to_major.begin(), column_major.minor_to_major.end(), 0);
  return column_major;
}

std::string DescrOf(PrimitiveType type) {
  if (IsVoid(type)) return absl::StrCat("<V", ElementBytes(type));
  const NamedType* named =
      std::find_if(std::begin(kNamedTypes), std::end(kNamedTypes),
                   [&](const NamedType& candidate) { return candidate.type == type; });
  return absl::StrCat(ElementBytes(type) == 1 ? "|" : "<", named->descr);
}

}  // namespace

absl::StatusOr<Array> DecodeNpy(absl::string_view file, std::optional<PrimitiveType> declared) {
  absl::StatusOr<NpyParts> parts = SplitNpy(file);
  if (!parts.ok()) return parts.status();
  const NpyHeader& header = parts->header;
  const absl::StatusOr<PrimitiveType> type = TypeOf(header.descr, declared);
  if (!type.ok()) return type.status();
  const absl::StatusOr<Shape> shape = Shape::MakeArray(*type, header.dimensions, LayoutOf(header));
  if (!shape.ok()) return shape.status();
  const size_t size = *shape->ByteSize();  // MakeArray saw that it fits
  if (absl::Status status = CheckSize(*shape, size, parts->data.size()); !status.ok()) {
    return status;
  }

  absl::StatusOr<Array> array = MakeArrayOfZeros(*shape);
  if (!array.ok()) return array;
  if (size != 0) std::memcpy(array->memory.data(), parts->data.data(), size);
  if (header.descr[0] == '>') SwapBytes(*type, &array->memory);
  return ToRowMajor(*std::move(array));
}

absl::StatusOr<std::string> NpyHeaderFor(const Shape& shape) {
  return EncodeNpyHeader(DescrOf(shape.element_type()),
                         {shape.dimensions().begin(), shape.dimensions().end()});
}

}  // namespace callbridge
