// An anonymous file for code that was made in this process: in memory, or, where that is forbidden,
// in a folder and at once unlinked.
#ifndef CALLBRIDGE_LOADER_CODE_FILE_H_
#define CALLBRIDGE_LOADER_CODE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/file_descriptor.h"

namespace callbridge {

// A file that holds `bytes` and may be mapped as code. PERMISSION_DENIED tells of each place that
// was tried: memory, then $TMPDIR (or /tmp).
absl::StatusOr<FileDescriptor> WriteCodeFile(absl::string_view bytes);

// The two places.
absl::StatusOr<FileDescriptor> WriteCodeFileInMemory(absl::string_view bytes);
absl::StatusOr<FileDescriptor> WriteCodeFileInFolder(absl::string_view bytes,
                                                     const std::string& folder);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_CODE_FILE_H_
