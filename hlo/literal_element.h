// One element of a literal, whatever its type.
#ifndef CALLBRIDGE_HLO_LITERAL_ELEMENT_H_
#define CALLBRIDGE_HLO_LITERAL_ELEMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// `element` points to an element of the type, which is an array's.

// As XLA prints it: with the digits that give the same value back; "true" and "false" for pred.
std::string ElementText(xla::PrimitiveType type, const void* element);
// Nothing where it is no integer or pred, or is too large.
std::optional<int64_t> ElementAsInt64(xla::PrimitiveType type, const void* element);
// Nothing where it is no float.
std::optional<double> ElementAsDouble(xla::PrimitiveType type, const void* element);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_ELEMENT_H_
