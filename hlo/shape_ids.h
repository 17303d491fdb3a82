// Numbers for shapes: equal ones for shapes that are equal but for their layouts.
#ifndef CALLBRIDGE_HLO_SHAPE_IDS_H_
#define CALLBRIDGE_HLO_SHAPE_IDS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "callbridge/abi/shape.h"

namespace callbridge::hlo {

// So that a module in which many instructions meet many large shapes is checked in linear time.
class ShapeIds {
 public:
  int Of(const Shape& shape);

 private:
  absl::flat_hash_map<std::string, int> ids_;
};

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_IDS_H_
