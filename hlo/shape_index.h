// xla::ShapeIndex: the way from a shape to one of those in it.
#ifndef CALLBRIDGE_HLO_SHAPE_INDEX_H_
#define CALLBRIDGE_HLO_SHAPE_INDEX_H_

#include <cstdint>
#include <iosfwd>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"

namespace xla {
inline namespace callbridge_v1 {

using ShapeIndexView = absl::Span<const int64_t>;

// Which element of each tuple to take, the outermost first; {} is the shape itself.
struct CALLBRIDGE_EXPORTED ShapeIndex : public absl::InlinedVector<int64_t, 2> {
  using InlinedVector::InlinedVector;
  ShapeIndex() = default;
  explicit ShapeIndex(ShapeIndexView view) : ShapeIndex(view.begin(), view.end()) {}

  void push_front(int64_t value) { insert(begin(), value); }
  void pop_front() { erase(begin()); }

  // "{1,0}".
  std::string ToString() const;
};

CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const ShapeIndex& index);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_SHAPE_INDEX_H_
