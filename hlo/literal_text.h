// Values in XLA's texts.
#ifndef CALLBRIDGE_HLO_LITERAL_TEXT_H_
#define CALLBRIDGE_HLO_LITERAL_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/text_cursor.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// In HLO text: "1.5", "{ {1, 2}, {3, inf} }", "( {1, 2}, (1, -0.5) )". `shape` is the literal's.
// Reading the text gives the same bits, a NaN's included.
absl::StatusOr<std::string> LiteralText(const xla::LiteralProto& literal, const Shape& shape);

// Reads what LiteralText() and XLA write for a value of `shape`. Elements that XLA left out,
// "{...}", are an error.
absl::StatusOr<xla::LiteralProto> ReadLiteral(const Shape& shape, TextCursor* cursor);

// In StableHLO, within dense<...>: "1.5", "[[1, 2], [3, 4]]". `array` is the literal's shape.
absl::StatusOr<std::string> DenseElementsText(const xla::LiteralProto& literal, const Shape& array);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LITERAL_TEXT_H_
