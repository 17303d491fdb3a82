// What a file holds, as a short text, so that it can be compared later and in other processes.
#ifndef CALLBRIDGE_LOADER_CONTENT_DIGEST_H_
#define CALLBRIDGE_LOADER_CONTENT_DIGEST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

// Returns the SHA-256 of `bytes` (FIPS 180-4), as 64 hexadecimal digits in lower case.
std::string ContentDigest(absl::string_view bytes);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_CONTENT_DIGEST_H_
