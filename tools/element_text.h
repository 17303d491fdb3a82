// Elements of arrays for people to read.
#ifndef CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_
#define CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_

#include <string>

#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// The element at `element`, which need not be aligned: "1", "-0.5", "nan", "true", "(1,-2)". Floats
// have the digits that tell them from their neighbours, so reading the text gives the element
// again. 4-bit and smaller elements are the low bits of a byte.
std::string ElementText(PrimitiveType type, const char* element);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ELEMENT_TEXT_H_
