// Single numbers in XLA's texts, as their bits.
#ifndef CALLBRIDGE_HLO_NUMBER_TEXT_H_
#define CALLBRIDGE_HLO_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// `type` is no complex one. A short text that reads as the same bits: "-1", "0.1", "inf",
// "-nan(0x3)"; preds are 0 and 1.
std::string NumberText(PrimitiveType type, uint64_t bits);

// As MLIR reads it: "true", "1.0", "0x7FC00000" for what is not finite.
std::string MlirNumberText(PrimitiveType type, uint64_t bits);

// Reads what NumberText() and XLA write. INVALID_ARGUMENT where it is no number of `type`.
absl::StatusOr<uint64_t> ReadNumber(PrimitiveType type, TextCursor* cursor);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_NUMBER_TEXT_H_
