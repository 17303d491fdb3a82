// The debug link (.gnu_debuglink): the name of a file, beside the library, that holds its debug
// information. Debuggers look for it beside what they see, and what they see is the copy.
#ifndef CALLBRIDGE_LOADER_DEBUG_LINK_H_
#define CALLBRIDGE_LOADER_DEBUG_LINK_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// `file`, whose original lies in `folder`, with a debug link that leads from /proc/<pid>/fd/, where
// the copy is seen, to the file it names: in `folder`, or in .debug there, as debuggers search. The
// new link is behind everything else; nothing moves.
//
// Unchanged where there is no debug link, or no such file.
absl::StatusOr<ElfFile> WithDebugLink(ElfFile file, const std::string& folder);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DEBUG_LINK_H_
