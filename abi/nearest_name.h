// The name that a user may have meant who typed another: "did you mean".
#ifndef CALLBRIDGE_ABI_NEAREST_NAME_H_
#define CALLBRIDGE_ABI_NEAREST_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge {

// Returns the name in `known` that is most like `given`, without regard to case, or "" if none is
// like it: one that begins with it, or else one with which it shares more than 65% of the
// characters, in order. Of several, returns the first. Long names are compared by their first 128
// characters.
absl::string_view NearestName(absl::string_view given, absl::Span<const std::string> known);

// Returns the end of an error about a name that is not known: "; did you mean scale?", or "".
std::string DidYouMean(absl::string_view given, absl::Span<const std::string> known);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_NEAREST_NAME_H_
