// The names by which MindSpore tells an operator the element types of its tensors.
#ifndef CALLBRIDGE_MINDSPORE_AOT_DTYPE_NAME_H_
#define CALLBRIDGE_MINDSPORE_AOT_DTYPE_NAME_H_

#include "callbridge/abi/primitive_type.h"

namespace callbridge {
namespace mindspore_aot {

// Returns "float32", "bool", "bfloat16" and so on, as MindSpore 2.10.0 passes them to operators,
// its documentation's names and those that it omits (bfloat16, complex64, complex128). Returns null
// for element types that MindSpore has no tensors of. Static storage.
const char* DtypeName(PrimitiveType type);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_DTYPE_NAME_H_
