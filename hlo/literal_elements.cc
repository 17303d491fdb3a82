#include "callbridge/hlo/literal_elements.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge::hlo {
namespace {

using xla::LiteralProto;

// The field of a type whose elements are stored as bytes; nullptr for all other types.
const std::string* BytesOf(const LiteralProto& literal, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS4:
      return &literal.s4s();
    case PrimitiveType::kU4:
      return &literal.u4s();
    case PrimitiveType::kS8:
      return &literal.s8s();
    case PrimitiveType::kU8:
      return &literal.u8s();
    case PrimitiveType::kS16:
      return &literal.s16s();
    case PrimitiveType::kU16:
      return &literal.u16s();
    case PrimitiveType::kF16:
      return &literal.f16s();
    case PrimitiveType::kBf16:
      return &literal.bf16s();
    case PrimitiveType::kF8E5M2:
      return &literal.f8e5m2s();
    case PrimitiveType::kF8E4M3FN:
      return &literal.f8e4m3fns();
    case PrimitiveType::kF8E4M3B11FNUZ:
      return &literal.f8e4m3b11fnuzs();
    case PrimitiveType::kF8E5M2FNUZ:
      return &literal.f8e5m2fnuzs();
    case PrimitiveType::kF8E4M3FNUZ:
      return &literal.f8e4m3fnuzs();
    case PrimitiveType::kF8E4M3:
      return &literal.f8e4m3s();
    case PrimitiveType::kF8E3M4:
      return &literal.f8e3m4s();
    case PrimitiveType::kS2:
      return &literal.s2s();
    case PrimitiveType::kU2:
      return &literal.u2s();
    case PrimitiveType::kS1:
      return &literal.s1s();
    case PrimitiveType::kU1:
      return &literal.u1s();
    default:
      return nullptr;
  }
}

std::string* MutableBytesOf(LiteralProto* literal, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS4:
      return literal->mutable_s4s();
    case PrimitiveType::kU4:
      return literal->mutable_u4s();
    case PrimitiveType::kS8:
      return literal->mutable_s8s();
    case PrimitiveType::kU8:
      return literal->mutable_u8s();
    case PrimitiveType::kS16:
      return literal->mutable_s16s();
    case PrimitiveType::kU16:
      return literal->mutable_u16s();
    case PrimitiveType::kF16:
      return literal->mutable_f16s();
    case PrimitiveType::kBf16:
      return literal->mutable_bf16s();
    case PrimitiveType::kF8E5M2:
      return literal->mutable_f8e5m2s();
    case PrimitiveType::kF8E4M3FN:
      return literal->mutable_f8e4m3fns();
    case PrimitiveType::kF8E4M3B11FNUZ:
      return literal->mutable_f8e4m3b11fnuzs();
    case PrimitiveType::kF8E5M2FNUZ:
      return literal->mutable_f8e5m2fnuzs();
    case PrimitiveType::kF8E4M3FNUZ:
      return literal->mutable_f8e4m3fnuzs();
    case PrimitiveType::kF8E4M3:
      return literal->mutable_f8e4m3s();
    case PrimitiveType::kF8E3M4:
      return literal->mutable_f8e3m4s();
    case PrimitiveType::kS2:
      return literal->mutable_s2s();
    case PrimitiveType::kU2:
      return literal->mutable_u2s();
    case PrimitiveType::kS1:
      return literal->mutable_s1s();
    case PrimitiveType::kU1:
      return literal->mutable_u1s();
    default:
      return nullptr;
  }
}

// Calls `use` with the field of a type whose elements are numbers of protobuf's. False for all
// other types. `Literal` is LiteralProto or a constant one.
template <typename Literal, typename Use>
bool WithNumbers(Literal& literal, PrimitiveType type, const Use& use) {
  constexpr bool kConstant = std::is_const_v<Literal>;
#define CALLBRIDGE_FIELD(primitive_type, field) \
  case PrimitiveType::primitive_type:           \
    if constexpr (kConstant) {                  \
      use(literal.field());                     \
    } else {                                    \
      use(*literal.mutable_##field());          \
    }                                           \
    return true
  switch (type) {
    CALLBRIDGE_FIELD(kPred, preds);
    CALLBRIDGE_FIELD(kS32, s32s);
    CALLBRIDGE_FIELD(kU32, u32s);
    CALLBRIDGE_FIELD(kS64, s64s);
    CALLBRIDGE_FIELD(kU64, u64s);
    CALLBRIDGE_FIELD(kF32, f32s);
    CALLBRIDGE_FIELD(kF64, f64s);
    CALLBRIDGE_FIELD(kC64, c64s);
    CALLBRIDGE_FIELD(kC128, c128s);
    default:
      return false;
  }
#undef CALLBRIDGE_FIELD
}

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
  int64_t expected = count;
  int64_t stored = 0;
  absl::string_view unit = "elements";
  if (const std::string* bytes = BytesOf(literal, type); bytes != nullptr) {
    unit = "bytes";
    stored = static_cast<int64_t>(bytes->size());
    expected = count * BytesOfPart(type);
  } else if (WithNumbers(literal, type, [&](const auto& field) { stored = field.size(); })) {
    expected = count * PartsOfElement(type);
  } else {
    return NoStorage(type);
  }
  if (stored == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected a literal of ", ShapeText(array),
                                                 " to have ", expected, " ", unit, ", got ",
                                                 stored));
}

uint64_t StoredPart(const LiteralProto& literal, PrimitiveType type, int64_t index) {
  if (const std::string* bytes = BytesOf(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    uint64_t part = 0;
    std::memcpy(&part, bytes->data() + index * size, size);
    // Of a sub-byte element only the low bits count.
    return part & ((uint64_t{1} << BitWidth(type)) - 1);
  }
  uint64_t part = 0;
  WithNumbers(literal, type, [&](const auto& field) {
    const auto value = field.Get(static_cast<int>(index));
    std::memcpy(&part, &value, sizeof(value));
  });
  return part;
}

absl::Status StoreParts(PrimitiveType type, const std::vector<uint64_t>& parts,
                        LiteralProto* literal) {
  if (std::string* bytes = MutableBytesOf(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    bytes->reserve(parts.size() * size);
    for (uint64_t part : parts) bytes->append(reinterpret_cast<const char*>(&part), size);
    return absl::OkStatus();
  }
  const bool known = WithNumbers(*literal, type, [&](auto& field) {
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
