// Prints the elements of arrays.
#ifndef CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_
#define CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_

#include <string>

#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// Returns the text of the element at `element`, which need not be aligned: "1", "-0.5", "nan",
// "true", "(1,-2)". Floats have as many digits as are needed to read back the same value. Elements
// of 4 bits and fewer are the low bits of a byte.
std::string ElementText(PrimitiveType type, const char* element);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_
