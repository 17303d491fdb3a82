#include "callbridge/abi/failure_status.h"

#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

constexpr absl::string_view kWords = "CustomCall failed: ";

absl::Status OutOfMemory() { return absl::Status(absl::StatusCode::kResourceExhausted, ""); }

}  // namespace

absl::Status CustomCallFailed(absl::string_view message) {
  return absl::InternalError(absl::StrCat(kWords, message));
}

absl::string_view MessageForCustomCallFailed(const absl::Status& status) {
  return absl::StripPrefix(status.message(), kWords);
}

absl::Status CaughtException(ThreadEnd thread_end) {
  return CustomCallFailed(absl::StrCat("the target threw ", DescribeCaughtException(thread_end)));
}

absl::Status CaughtStatus(ThreadEnd thread_end) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (...) {
    try {
      return absl::InternalError(absl::StrCat("threw ", DescribeCaughtException(thread_end)));
    } catch (const std::bad_alloc&) {
      return OutOfMemory();
    }
  }
}

}  // namespace callbridge
