// Tells what kind of file it is from its first bytes.
#ifndef CALLBRIDGE_RUNTIME_ELF_HEADER_H_
#define CALLBRIDGE_RUNTIME_ELF_HEADER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// OK if `bytes` begin with a whole ELF header of a shared library for x86-64. INVALID_ARGUMENT says
// what they are instead: empty, text, an archive, an object file, code for another machine.
absl::Status CheckElfHeader(absl::string_view bytes);

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_ELF_HEADER_H_
