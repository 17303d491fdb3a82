// What an xla::Shape must be to make sense.
#ifndef CALLBRIDGE_HLO_SHAPE_CHECK_H_
#define CALLBRIDGE_HLO_SHAPE_CHECK_H_

#include "absl/status/status.h"
#include "callbridge/hlo/shape.h"

namespace callbridge::hlo {

enum class Layouts { kOptional, kRequired };

// INVALID_ARGUMENT says what is wrong: a type, a dimension, a layout, a size beyond int64, nesting
// beyond Shape::kMaxTupleDepth. Dynamic dimensions, tiles and opaque shapes are fine.
absl::Status CheckXlaShape(const xla::Shape& shape, Layouts layouts);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_CHECK_H_
