// Reads the attributes of a typed call as AotExtra gives them out.
#ifndef CALLBRIDGE_MINDSPORE_AOT_READ_ATTRIBUTES_H_
#define CALLBRIDGE_MINDSPORE_AOT_READ_ATTRIBUTES_H_

#include "absl/status/statusor.h"
#include "callbridge/mindspore_aot/extra_object.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace mindspore_aot {

// The table is in aot_handler.h. Returns INVALID_ARGUMENT, naming the attribute, for one of another
// type, and for an integer that is no int64_t.
absl::StatusOr<AttributeValues> ReadAttributes(const XLA_FFI_Attrs& attrs);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_READ_ATTRIBUTES_H_
