// Reads archives of object files (.a), as `ar` writes them.
#ifndef CALLBRIDGE_LOADER_ARCHIVE_H_
#define CALLBRIDGE_LOADER_ARCHIVE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Returns whether `bytes` begin as an archive does that holds the contents of its members.
bool IsArchive(absl::string_view bytes);

// Returns whether `bytes` begin as a thin archive does (`ar rcT`), which holds the names of its
// members instead of their contents.
bool IsThinArchive(absl::string_view bytes);

// Calls `visit` with the contents of each member, in order. Members that are not object files
// (symbol index, long names) are visited too. Stops where the archive is damaged.
void VisitMembers(absl::string_view archive, absl::FunctionRef<void(absl::string_view)> visit);

// Returns the paths of a thin archive's members, in order and without duplicates. A path is
// absolute, or relative to the archive's folder. Stops where the archive is damaged.
//
// Returns INVALID_ARGUMENT for a member that is in another archive, since such archives can nest to
// any depth; the message names the archive to inspect instead.
absl::StatusOr<std::vector<std::string>> ThinMembers(absl::string_view archive);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ARCHIVE_H_
