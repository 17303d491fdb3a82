// Reads whole files.
#ifndef CALLBRIDGE_TOOLS_FILE_BYTES_H_
#define CALLBRIDGE_TOOLS_FILE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Returns the contents of a file, pipe or device, up to its end. Errors name the path and the
// reason. Returns INVALID_ARGUMENT if there are more than `most` bytes, and stops reading there.
// If the contents do not begin with `begin`, returns only their first bytes, as many as show it: a
// device may have no end.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most = SIZE_MAX,
                                     absl::string_view begin = "");

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_FILE_BYTES_H_
