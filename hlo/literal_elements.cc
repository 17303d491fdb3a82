#include "callbridge/hlo/literal_elements.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/literal_fields.h"

namespace callbridge::hlo {
namespace {

using xla::LiteralProto;

absl::Status NoStorage(PrimitiveType type) {
  return absl::UnimplementedError(absl::StrCat("literals of type ", PrimitiveTypeName(type),
                                               " are not supported; run this module on XLA"));
}

// Of elements with fewer bits than a byte each has one of its own.
int BytesOfPart(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

}  // namespace

int PartsOfElement(PrimitiveType type) {
  return type == PrimitiveType::kC64 || type == PrimitiveType::kC128 ? 2 : 1;
}

PrimitiveType PartType(PrimitiveType type) {
  if (type == PrimitiveType::kC64) return PrimitiveType::kF32;
  if (type == PrimitiveType::kC128) return PrimitiveType::kF64;
  return type;
}

absl::Status CheckStoredElements(const LiteralProto& literal, const Shape& array) {
  const PrimitiveType type = array.element_type();
  const int64_t count = array.ElementCount();
  int64_t stored = 0;
  int64_t per_element = 1;
  absl::string_view unit;
  if (const std::string* bytes = BytesField(literal, type); bytes != nullptr) {
    unit = "bytes";
    stored = static_cast<int64_t>(bytes->size());
    per_element = BytesOfPart(type);
  } else if (WithNumbersField(literal, type, [&](const auto& field) { stored = field.size(); })) {
    unit = "numbers";
    per_element = PartsOfElement(type);
  } else {
    return NoStorage(type);
  }
  // Divided, since with a layout that packs elements their natural size may be too large.
  if (stored % per_element == 0 && stored / per_element == count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a literal of the shape ", ShapeText(array),
                                                 ": expected its ", count, " elements, got ",
                                                 stored, " ", unit));
}

uint64_t StoredPart(const LiteralProto& literal, PrimitiveType type, int64_t index) {
  if (const std::string* bytes = BytesField(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    uint64_t part = 0;
    std::memcpy(&part, bytes->data() + index * size, size);
    // Of a sub-byte element only the low bits count.
    return part & ((uint64_t{1} << BitWidth(type)) - 1);
  }
  uint64_t part = 0;
  WithNumbersField(literal, type, [&](const auto& field) {
    const auto value = field.Get(static_cast<int>(index));
    std::memcpy(&part, &value, sizeof(value));
  });
  return part;
}

absl::Status StoreParts(PrimitiveType type, const std::vector<uint64_t>& parts,
                        LiteralProto* literal) {
  if (std::string* bytes = MutableBytesField(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    bytes->reserve(parts.size() * size);
    for (uint64_t part : parts) bytes->append(reinterpret_cast<const char*>(&part), size);
    return absl::OkStatus();
  }
  const bool known = WithNumbersField(*literal, type, [&](auto& field) {
    field.Reserve(static_cast<int>(parts.size()));
    for (uint64_t part : parts) {
      std::remove_reference_t<decltype(field.Get(0))> constant{};
      std::remove_const_t<decltype(constant)> value;
      std::memcpy(&value, &part, sizeof(value));
      field.Add(value);
    }
  });
  return known ? absl::OkStatus() : NoStorage(type);
}

std::vector<int64_t> StorageStrides(const Shape& array) {
  const size_t rank = array.dimensions().size();
  std::vector<int64_t> strides(rank);
  // The dimensions of what has no elements may multiply to anything.
  if (array.ElementCount() == 0) return strides;
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t dimension =
        array.layout().has_value() ? array.layout()->minor_to_major[i] : rank - 1 - i;
    strides[dimension] = stride;
    stride *= array.dimensions()[dimension];
  }
  return strides;
}

}  // namespace callbridge::hlo
