// Parses the numbers in an MLIR attribute's text.
#ifndef CALLBRIDGE_CLIENT_ATTRIBUTE_ELEMENTS_H_
#define CALLBRIDGE_CLIENT_ATTRIBUTE_ELEMENTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge::client {

// Parses MLIR's name of an element type: "i1", "i32", "ui8", "si16", "f32", "bf16". Returns nothing
// for types that attributes cannot have.
std::optional<PrimitiveType> ParseMlirType(absl::string_view name);

// Appends the element that `word` denotes: "true", "-12", "1.5e-3", "0x7F800000" (a float's bits).
// Returns false if it is not of the type or out of its range.
bool AppendElement(absl::string_view word, PrimitiveType type, std::string& bytes);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ATTRIBUTE_ELEMENTS_H_
