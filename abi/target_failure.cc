#include "callbridge/abi/target_failure.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {

absl::Status CustomCallFailed(absl::string_view message) {
  return absl::InternalError(absl::StrCat("CustomCall failed: ", message));
}

absl::Status CaughtException() {
  return CustomCallFailed(absl::StrCat("the target threw ", DescribeCaughtException()));
}

}  // namespace callbridge
