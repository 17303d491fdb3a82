#include "callbridge/hlo/shape_ids.h"

#include <cstdint>
#include <utility>

namespace callbridge::hlo {

int ShapeIds::Of(const Shape& shape) {
  // The type, and the dimensions of an array or the numbers of a tuple's elements. Tuples are not
  // nested deeper than Shape::kMaxTupleDepth.
  std::string key(1, static_cast<char>(shape.element_type()));
  const auto append = [&key](int64_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int64_t dimension : shape.dimensions()) append(dimension);
  for (const Shape& element : shape.tuple_elements()) append(Of(element));
  return ids_.try_emplace(std::move(key), static_cast<int>(ids_.size())).first->second;
}

}  // namespace callbridge::hlo
