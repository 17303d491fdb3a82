#include "callbridge/abi/caught_status.h"

#include <cxxabi.h>

#include <new>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {
namespace {

absl::Status OutOfMemory() { return absl::Status(absl::StatusCode::kResourceExhausted, ""); }

}  // namespace

absl::Status CaughtStatus() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (...) {
    try {
      return absl::InternalError(absl::StrCat("threw ", DescribeCaughtException()));
    } catch (const std::bad_alloc&) {
      return OutOfMemory();
    }
  }
}

}  // namespace callbridge
