// Reading a list at an index that a caller brought, where the old API has no way to report an
// error.
#ifndef CALLBRIDGE_HLO_ELEMENT_AT_H_
#define CALLBRIDGE_HLO_ELEMENT_AT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/status.h"

namespace callbridge::hlo {

// list[index], or the end of the process, saying that there is no such `what`.
template <typename List>
auto& ElementAt(List& list, int64_t index, absl::string_view what) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) {
    xla::internal::Die(
        absl::StrCat("there is no ", what, " ", index, ": there are ", list.size(), ", from 0"));
  }
  return list[static_cast<size_t>(index)];
}

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_ELEMENT_AT_H_
