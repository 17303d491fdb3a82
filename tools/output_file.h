// Writes files completely or not at all. python/callbridge/_core/_output.py does the same.
#ifndef CALLBRIDGE_TOOLS_OUTPUT_FILE_H_
#define CALLBRIDGE_TOOLS_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Creates or replaces the file with `head`, then `tail`. Errors name the path and the reason; the
// old file, or its absence, is then unchanged.
//
// Writes to a temporary file in the same folder, which then takes the file's name, and the old
// file's mode, owner and group. A symbolic link stays, and the file that it leads to is replaced;
// other hard links keep the old content.
//
// These are written in place, so an error may leave a part: pipes, devices and all that is not a
// regular file; the target of a link in /proc, as of /dev/stdout; files in folders where no other
// can be created; and files whose owner or group could not be kept.
absl::Status WriteFile(const std::string& path, absl::string_view head, absl::string_view tail);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_OUTPUT_FILE_H_
