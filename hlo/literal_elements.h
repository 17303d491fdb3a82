// How LiteralProto stores an array's elements.
#ifndef CALLBRIDGE_HLO_LITERAL_ELEMENTS_H_
#define CALLBRIDGE_HLO_LITERAL_ELEMENTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Complex elements have two parts, all others are one. A part is the bits of a number, those above
// its width being zero.
int PartsOfElement(PrimitiveType type);
PrimitiveType PartType(PrimitiveType type);

// OK if `literal` stores the elements that `array` has. UNIMPLEMENTED for element types that XLA
// did not store when LiteralProto got its fields.
absl::Status CheckStoredElements(const xla::LiteralProto& literal, const Shape& array);

// The part with this index in the order of storage. CheckStoredElements() must have been OK.
uint64_t StoredPart(const xla::LiteralProto& literal, PrimitiveType type, int64_t index);

// Makes `parts`, in the order of storage, the elements of `literal`. UNIMPLEMENTED as above.
absl::Status StoreParts(PrimitiveType type, const std::vector<uint64_t>& parts,
                        xla::LiteralProto* literal);

// By how many elements in storage two neighbours along each dimension are apart. Row-major where
// `array` has no layout, and 0 where it has no elements.
std::vector<int64_t> StorageStrides(const Shape& array);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_ELEMENTS_H_
