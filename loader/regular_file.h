// Reads a file that somebody named, whatever it turns out to be: a directory, a FIFO without a
// writer, a file that shrinks meanwhile.
#ifndef CALLBRIDGE_LOADER_REGULAR_FILE_H_
#define CALLBRIDGE_LOADER_REGULAR_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace callbridge {

// The bytes of the regular file at `path`; never blocks. NOT_FOUND: no such file.
// PERMISSION_DENIED: unreadable. INVALID_ARGUMENT: not a regular file, or larger than 4 GiB.
// Messages say what is wrong with the file and leave its name to the caller.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_REGULAR_FILE_H_
