#include "callbridge/abi/caught_status.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

absl::Status OutOfMemory() { return absl::Status(absl::StatusCode::kResourceExhausted, ""); }

}  // namespace

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
