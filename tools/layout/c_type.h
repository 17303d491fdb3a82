// The C types that declarations give the elements of arrays.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_
#define CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_

#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// The same in C99 and C++.
struct CType {
  // "float"; the part of a complex number, an element being an array of two; for what C cannot
  // name, an integer that holds its bits.
  absl::string_view name;
  bool is_complex;
  // The header that has it; empty where it needs none.
  absl::string_view header;
  // What the type's name does not say of the elements; empty if nothing.
  absl::string_view remark;
};

// `type` is an array element.
const CType& CTypeOf(PrimitiveType type);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_C_TYPE_H_
