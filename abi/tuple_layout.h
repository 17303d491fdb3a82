// TupleLayout: how a runtime of its time hands tuples to custom calls on Host.
#ifndef CALLBRIDGE_ABI_TUPLE_LAYOUT_H_
#define CALLBRIDGE_ABI_TUPLE_LAYOUT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Measured on TensorFlow 2.13.1 and 2.21.0 and jaxlib 0.4.13 to 0.12.0.1.
enum class TupleLayout : uint8_t {
  // The documented one, TF 2.13.1 and jaxlib <= 0.4.30: nested tuples are nested tables of
  // pointers,
  // and an empty tuple has a slot of its own.
  kNested = 0,
  // TF 2.21.0 and jaxlib >= 0.4.38: operands are one flat list of leaves, in preorder; an empty
  // tuple
  // has no slot.
  kFlat = 1,
};

// "nested" and "flat".
absl::string_view TupleLayoutName(TupleLayout tuple_layout);
// INVALID_ARGUMENT names the two.
absl::StatusOr<TupleLayout> ParseTupleLayout(absl::string_view name);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TUPLE_LAYOUT_H_
