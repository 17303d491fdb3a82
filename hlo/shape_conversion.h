// From xla::Shape, which old code speaks, to callbridge::Shape, which everything here does, and
// back.
#ifndef CALLBRIDGE_HLO_SHAPE_CONVERSION_H_
#define CALLBRIDGE_HLO_SHAPE_CONVERSION_H_

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/shape.h"

namespace callbridge::hlo {

// The errors of ShapeFromProto() (module_check.h).
absl::StatusOr<Shape> ShapeFromXla(const xla::Shape& shape);
// Layouts as they are: arrays that have none get none.
xla::Shape ShapeToXla(const Shape& shape);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_CONVERSION_H_
