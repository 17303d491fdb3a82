// Values in HLO text and StableHLO text: single numbers, and whole literals.
#ifndef CALLBRIDGE_HLO_LITERAL_TEXT_H_
#define CALLBRIDGE_HLO_LITERAL_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/text_cursor.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Returns the literal as HLO text: "1.5", "{ {1, 2}, {3, inf} }", "( {1, 2}, (1, -0.5) )". `shape`
// must be the literal's shape. ReadLiteral() of the text returns the same bits, those of NaNs
// included.
absl::StatusOr<std::string> LiteralText(const xla::LiteralProto& literal, const Shape& shape);

// Reads a literal of `shape` that LiteralText() or XLA wrote. Returns INVALID_ARGUMENT for elements
// that XLA left out, "{...}".
absl::StatusOr<xla::LiteralProto> ReadLiteral(const Shape& shape, TextCursor* cursor);

// Returns the elements as StableHLO writes them within dense<...>: "1.5", "[[1, 2], [3, 4]]".
// `array` must be the literal's shape.
absl::StatusOr<std::string> DenseElementsText(const xla::LiteralProto& literal, const Shape& array);

// ---- Single numbers (number_text.cc) ------------------------------------------------------------

// Returns a short text that ReadNumber() reads as the same bits: "-1", "0.1", "inf", "-nan(0x3)",
// "1" for true. `type` must not be complex.
std::string NumberText(PrimitiveType type, uint64_t bits);

// Returns the number as MLIR reads it: "true", "1.0", "0x7FC00000" for NaNs and infinities. `type`
// must not be complex.
std::string MlirNumberText(PrimitiveType type, uint64_t bits);

// Reads a number that NumberText() or XLA wrote. Returns INVALID_ARGUMENT if it is not a number of
// `type`.
absl::StatusOr<uint64_t> ReadNumber(PrimitiveType type, TextCursor* cursor);

// Returns the element that `element` points to as xla::Literal prints it: with as many digits as
// give the same value back, "true" and "false" for PRED. `type` must be the type of an array.
std::string ElementText(xla::PrimitiveType type, const void* element);
// Returns nothing if the element is neither an integer nor a PRED, or does not fit int64.
std::optional<int64_t> ElementAsInt64(xla::PrimitiveType type, const void* element);
// Returns nothing if the element is not a float.
std::optional<double> ElementAsDouble(xla::PrimitiveType type, const void* element);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_TEXT_H_
