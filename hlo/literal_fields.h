// Which field of LiteralProto an array's elements are in.
#ifndef CALLBRIDGE_HLO_LITERAL_FIELDS_H_
#define CALLBRIDGE_HLO_LITERAL_FIELDS_H_

#include <string>
#include <type_traits>

#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Where the elements are bytes: whole ones for each element, little-endian. nullptr for all other
// types.
const std::string* BytesField(const xla::LiteralProto& literal, PrimitiveType type);
std::string* MutableBytesField(xla::LiteralProto* literal, PrimitiveType type);

// Calls `use` with the list where the elements are numbers of protobuf's: one for each element, two
// for complex ones. False for all other types. `Literal` is LiteralProto or a constant one.
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

#endif  // CALLBRIDGE_HLO_LITERAL_FIELDS_H_
