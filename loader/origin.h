// $ORIGIN, the folder of a library in the paths that it has built in. A copy without a folder has
// to be told.
#ifndef CALLBRIDGE_LOADER_ORIGIN_H_
#define CALLBRIDGE_LOADER_ORIGIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// Whether ld.so would replace something in `text`: "$ORIGIN" or "${ORIGIN}", as a whole word.
bool HasOrigin(absl::string_view text);
// `text` with `folder` in place of each.
std::string ReplaceOrigin(absl::string_view text, absl::string_view folder);

// `file` with `folder` in place of $ORIGIN in its search paths and in the names of the libraries
// that it needs. What does not fit into the string table goes into a segment of its own at the end,
// together with the program headers, which grow by it; nothing else moves. INVALID_ARGUMENT where
// the dynamic section is damaged.
//
// Unchanged where there is no $ORIGIN, where `folder` is not known (empty), or where ld.so would
// misread the folder's name in a list of paths: with a ':' or a '$' in it.
absl::StatusOr<ElfFile> WithOrigin(ElfFile file, absl::string_view folder);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ORIGIN_H_
