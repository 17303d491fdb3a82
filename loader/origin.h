// Paths in a library that depend on its own folder: $ORIGIN in search paths, and the debug link. A
// private copy has no folder, so both are rewritten to lead to the original's.
#ifndef CALLBRIDGE_LOADER_ORIGIN_H_
#define CALLBRIDGE_LOADER_ORIGIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// ---- $ORIGIN

// Returns whether `text` contains "$ORIGIN" or "${ORIGIN}" as a whole word, which ld.so replaces.
bool HasOrigin(absl::string_view text);

// Returns `text` with every "$ORIGIN" and "${ORIGIN}" replaced by `folder`.
std::string ReplaceOrigin(absl::string_view text, absl::string_view folder);

// Returns `file` with $ORIGIN replaced by `folder` in its search paths and in the names of the
// libraries that it needs. Appends a segment for the new string table and for the program headers,
// which grow by that segment; moves nothing else. Returns INVALID_ARGUMENT if the dynamic section
// is damaged.
//
// Returns `file` unchanged if it has no $ORIGIN, if `folder` is empty (unknown), or if `folder` has
// a ':' or '$' in it, which ld.so would misread in a list of paths.
absl::StatusOr<ElfFile> WithOrigin(ElfFile file, absl::string_view folder);

// ---- The debug link (.gnu_debuglink)

// Returns `file`, whose original is in `folder`, with a debug link to the original's debug file. A
// debug link names a file that debuggers look for in the library's folder, and in .debug there;
// they see the copy in /proc/<pid>/fd/. Appends the new link; moves nothing else.
//
// Returns `file` unchanged if it has no debug link or the debug file is not found.
absl::StatusOr<ElfFile> WithDebugLink(ElfFile file, const std::string& folder);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ORIGIN_H_
