// Tells what kind of file it is from its first bytes.
#ifndef CALLBRIDGE_LOADER_ELF_HEADER_H_
#define CALLBRIDGE_LOADER_ELF_HEADER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// OK if `bytes` begin with a whole ELF header for x86-64. INVALID_ARGUMENT says what they are
// instead: empty, text, an archive, code for another machine.
absl::Status CheckElfHeader(absl::string_view bytes);

// OK if they are a shared library, or a program that can be loaded anywhere. INVALID_ARGUMENT says
// what they are instead: an object file, a core dump. CheckElfHeader() must have found them good.
absl::Status CheckIsSharedLibrary(absl::string_view bytes);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ELF_HEADER_H_
