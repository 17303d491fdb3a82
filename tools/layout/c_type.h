// The C types of array elements in declarations.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_
#define CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_

#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// Valid in C99 and C++.
struct CType {
  // "float". For complex types, the type of one part: an element is an array of two. For types that
  // C lacks, an integer that holds the bits.
  absl::string_view name;
  bool is_complex;
  // The header that declares it; empty if it needs none.
  absl::string_view header;
  // What the type's name does not say about the elements; empty if nothing.
  absl::string_view remark;
};

// `type` must be an array element.
const CType& CTypeOf(PrimitiveType type);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_
