// Which of libstdc++'s two std::strings code was compiled for.
#ifndef CALLBRIDGE_LOADER_STRING_ABI_H_
#define CALLBRIDGE_LOADER_STRING_ABI_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum class StringAbi {
  kNotSeen,
  kNew,   // _GLIBCXX_USE_CXX11_ABI=1: std::__cxx11::basic_string
  kOld,   // _GLIBCXX_USE_CXX11_ABI=0: "Ss"
  kBoth,  // libraries of one that were linked into the other
};

// "not_seen", "new", "old", "both". Static storage.
absl::string_view StringAbiName(StringAbi abi);

// Tells by the names of imported functions, the keys of `undefined`: their types are in them.
StringAbi StringAbiOf(const absl::flat_hash_map<std::string, bool>& undefined);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_STRING_ABI_H_
