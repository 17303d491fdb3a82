#include "callbridge/abi/tuple_era.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace callbridge {

absl::string_view TupleEraName(TupleEra era) { return era == TupleEra::kFlat ? "flat" : "classic"; }

absl::StatusOr<TupleEra> ParseTupleEra(absl::string_view name) {
  for (TupleEra era : {TupleEra::kClassic, TupleEra::kFlat}) {
    if (TupleEraName(era) == name) return era;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown tuple era \"", absl::CHexEscape(name),
      "\": expected classic (nested tables of pointers) or flat (one list of leaves)"));
}

}  // namespace callbridge
