#include "callbridge/hlo/shape_index.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
inline namespace callbridge_v1 {

std::string ShapeIndex::ToString() const {
  return absl::StrCat("{", absl::StrJoin(*this, ","), "}");
}

std::ostream& operator<<(std::ostream& out, const ShapeIndex& index) {
  return out << index.ToString();
}

}  // namespace callbridge_v1
}  // namespace xla
