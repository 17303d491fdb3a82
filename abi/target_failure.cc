#include "callbridge/abi/target_failure.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace callbridge {

constexpr absl::string_view kWords = "CustomCall failed: ";

absl::Status CustomCallFailed(absl::string_view message) {
  return absl::InternalError(absl::StrCat(kWords, message));
}

absl::string_view MessageForCustomCallFailed(const absl::Status& status) {
  return absl::StripPrefix(status.message(), kWords);
}

absl::Status CaughtException(ThreadEnd thread_end) {
  return CustomCallFailed(absl::StrCat("the target threw ", DescribeCaughtException(thread_end)));
}

}  // namespace callbridge
