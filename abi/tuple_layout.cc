#include "callbridge/abi/tuple_layout.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace callbridge {

absl::string_view TupleLayoutName(TupleLayout tuple_layout) {
  return tuple_layout == TupleLayout::kFlat ? "flat" : "nested";
}

absl::StatusOr<TupleLayout> ParseTupleLayout(absl::string_view name) {
  for (TupleLayout tuple_layout : {TupleLayout::kNested, TupleLayout::kFlat}) {
    if (TupleLayoutName(tuple_layout) == name) return tuple_layout;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown tuple layout \"", absl::CHexEscape(name),
                   "\": expected nested (nested tables of pointers) or flat (one list of leaves)"));
}

}  // namespace callbridge
