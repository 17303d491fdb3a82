// The names of the tuple layouts, which abi/table_walk.h describes.
#ifndef CALLBRIDGE_ABI_TUPLE_LAYOUT_H_
#define CALLBRIDGE_ABI_TUPLE_LAYOUT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/table_walk.h"

namespace callbridge {

// Returns "nested" or "flat".
absl::string_view TupleLayoutName(TupleLayout tuple_layout);
// Parses a name that TupleLayoutName() returns. Returns INVALID_ARGUMENT, which lists both, for any
// other.
absl::StatusOr<TupleLayout> ParseTupleLayout(absl::string_view name);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TUPLE_LAYOUT_H_
