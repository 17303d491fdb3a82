// Names as C++ programmers know them.
#ifndef CALLBRIDGE_LOADER_DEMANGLED_NAME_H_
#define CALLBRIDGE_LOADER_DEMANGLED_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

// "f(int)" for "_Z1fi"; empty if the name is not C++'s, or hostile: costly to demangle
// (demangling_cost.h), or more than 64 KiB when that is done.
std::string Demangled(absl::string_view symbol);

// The same for people, std::string by that name in both string ABIs; the symbol itself where
// Demangled() is empty.
std::string ReadableName(absl::string_view symbol);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DEMANGLED_NAME_H_
