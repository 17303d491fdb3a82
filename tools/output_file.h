// Files that are written whole or not at all. As python/callbridge/_output_file.py.
#ifndef CALLBRIDGE_TOOLS_OUTPUT_FILE_H_
#define CALLBRIDGE_TOOLS_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Creates or replaces the file with `head` and then `tail`. Errors name the path and the reason; a
// file that was there then has its old content, and one that was not is not there.
//
// The bytes go to a temporary file in the same folder, which takes the file's name at the end. It
// has the old file's mode, owner and group. Symbolic links stay, and what they lead to is replaced;
// other hard links keep the old content.
//
// Written in place, so that an error may leave a part, are pipes, devices and what else is no
// regular file; what a link in /proc leads to, as /dev/stdout does; files in folders in which no
// other can be made; and those whose owner or group could not be kept.
absl::Status WriteFile(const std::string& path, absl::string_view head, absl::string_view tail);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_OUTPUT_FILE_H_
