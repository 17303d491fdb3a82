// Whole files, read in one go.
#ifndef CALLBRIDGE_TOOLS_FILE_BYTES_H_
#define CALLBRIDGE_TOOLS_FILE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace callbridge {

// The contents of a file, pipe or device, up to its end. Errors name the path and the reason;
// INVALID_ARGUMENT where it has more than `most` bytes, of which no more are read then.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most = SIZE_MAX);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_FILE_BYTES_H_
