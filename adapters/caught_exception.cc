#include "callbridge/adapters/caught_exception.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_exception.h"
#include "callbridge/status_returning/status_storage.h"

namespace callbridge {

absl::Status CaughtException() {
  return CustomCallFailed(absl::StrCat("the target threw ", DescribeCaughtException()));
}

}  // namespace callbridge
