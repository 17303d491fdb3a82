// Archives of object files (.a), as `ar` makes them.
#ifndef CALLBRIDGE_RUNTIME_ARCHIVE_H_
#define CALLBRIDGE_RUNTIME_ARCHIVE_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace callbridge {

bool IsArchive(absl::string_view bytes);

// Visits the contents of every member, those among them that are no object files (indexes, long
// names). Ends where the archive is damaged.
void VisitMembers(absl::string_view archive, absl::FunctionRef<void(absl::string_view)> visit);

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_ARCHIVE_H_
