// The error that most checks of modules make.
#ifndef CALLBRIDGE_HLO_INVALID_ARGUMENT_H_
#define CALLBRIDGE_HLO_INVALID_ARGUMENT_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace callbridge::hlo {

// INVALID_ARGUMENT with the parts as its message.
template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_INVALID_ARGUMENT_H_
