// Whether a literal's message holds the elements of its shape.
#ifndef CALLBRIDGE_HLO_LITERAL_CHECK_H_
#define CALLBRIDGE_HLO_LITERAL_CHECK_H_

#include "absl/status/status.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// INVALID_ARGUMENT names the array, how many elements or bytes it should have, and how many it has;
// UNIMPLEMENTED for arrays of a type that xla_data.proto has no field for. `shape` is what
// `literal.shape()` says.
absl::Status CheckLiteral(const xla::LiteralProto& literal, const Shape& shape);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_CHECK_H_
