// Archives of object files (.a), as `ar` makes them.
#ifndef CALLBRIDGE_LOADER_ARCHIVE_H_
#define CALLBRIDGE_LOADER_ARCHIVE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

bool IsArchive(absl::string_view bytes);
// One that holds the names of its members in place of their contents (`ar rcT`).
bool IsThinArchive(absl::string_view bytes);

// Visits the contents of every member, those among them that are no object files (indexes, long
// names). Ends where the archive is damaged.
void VisitMembers(absl::string_view archive, absl::FunctionRef<void(absl::string_view)> visit);

// The members of a thin archive, in order, each once: paths from the archive's folder, or absolute,
// as whoever wrote the archive pleased. Ends where it is damaged. INVALID_ARGUMENT where a member
// is in another archive, since such names lead to any depth; it says how to do without.
absl::StatusOr<std::vector<std::string>> ThinMembers(absl::string_view archive);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ARCHIVE_H_
