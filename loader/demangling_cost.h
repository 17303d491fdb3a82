// What it may cost to demangle a name: mangled names are compressed, and a hostile one of a hundred
// bytes stands for gigabytes. The C++ runtime's demangler knows no limit.
#ifndef CALLBRIDGE_LOADER_DEMANGLING_COST_H_
#define CALLBRIDGE_LOADER_DEMANGLING_COST_H_

#include "absl/strings/string_view.h"

namespace callbridge {

// Whether `mangled` ("_Z...") can be demangled in little time, stack and memory. Found in one pass,
// from an upper bound of what the demangler visits; nothing is expanded. Of libtensorflow_cc.so.2's
// 208,113 names 3% are not.
//
// Three things multiply in the Itanium mangling: substitutions (S0_), which repeat what stands
// before them; template parameters (T_), which repeat an argument of a function around them; and
// pack expansions (Dp), which repeat a pattern per element, in nests even without a substitution.
// Names that cannot be split without a grammar, and those with an unresolved member (sr), on which
// libstdc++ 12 may never end, are left alone too.
bool IsCheapToDemangle(absl::string_view mangled);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DEMANGLING_COST_H_
