// Whole files in one go.
#ifndef CALLBRIDGE_TOOLS_FILE_BYTES_H_
#define CALLBRIDGE_TOOLS_FILE_BYTES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// The contents of a file, pipe or device, up to its end. Errors name the path and the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Creates or replaces the file with `head` and then `tail`. Errors name the path and the reason,
// and may leave a part of the file.
absl::Status WriteFile(const std::string& path, absl::string_view head, absl::string_view tail);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_FILE_BYTES_H_
