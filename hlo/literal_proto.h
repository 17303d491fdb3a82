// How xla::LiteralProto stores the elements of an array.
//
// Each element type has one field. The field holds either bytes (little-endian, whole bytes for
// each element) or protobuf numbers. An element has two *parts* if its type is complex, else one. A
// part is returned as its bits; the bits above its width are zero.
#ifndef CALLBRIDGE_HLO_LITERAL_PROTO_H_
#define CALLBRIDGE_HLO_LITERAL_PROTO_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Returns OK if `literal` holds all elements of `shape`, which must be the shape that
// `literal.shape()` describes. Returns INVALID_ARGUMENT with the array, the expected and the actual
// number of bytes or values. Returns UNIMPLEMENTED for element types without a field in
// xla_data.proto.
absl::Status CheckLiteral(const xla::LiteralProto& literal, const Shape& shape);

// Returns OK if `literal` holds all elements of `array`. Returns UNIMPLEMENTED for element types
// without a field in xla_data.proto.
absl::Status CheckStoredElements(const xla::LiteralProto& literal, const Shape& array);

// Returns 2 for complex types, 1 for all others.
int PartsOfElement(PrimitiveType type);
// Returns the type of one part: F32 for C64, F64 for C128, else `type`.
PrimitiveType PartType(PrimitiveType type);

// Returns the part with this index in storage order. CheckStoredElements() must have returned OK.
uint64_t StoredPart(const xla::LiteralProto& literal, PrimitiveType type, int64_t index);

// Stores `parts`, which are in storage order, as the elements of `literal`. Returns UNIMPLEMENTED
// for element types without a field in xla_data.proto.
absl::Status StoreParts(PrimitiveType type, const std::vector<uint64_t>& parts,
                        xla::LiteralProto* literal);

// Returns, for each dimension, the distance in elements between two neighbours in storage. An array
// without a layout is row-major. All strides of an empty array are 0.
std::vector<int64_t> StorageStrides(const Shape& array);

// Returns the field of a type that is stored as bytes, or null for all other types.
const std::string* BytesField(const xla::LiteralProto& literal, PrimitiveType type);
std::string* MutableBytesField(xla::LiteralProto* literal, PrimitiveType type);

// Calls `use` with the field of a type that is stored as numbers: one number for each element, two
// for a complex one. Returns false for all other types. `Literal` is xla::LiteralProto or const
// xla::LiteralProto.
template <typename Literal, typename Use>
bool WithNumbersField(Literal& literal, PrimitiveType type, const Use& use) {
#define CALLBRIDGE_FIELD(primitive_type, field) \
  case PrimitiveType::primitive_type:           \
    if constexpr (std::is_const_v<Literal>) {   \
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

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_PROTO_H_
