// MissingParts: all that a library needs and this machine has not. dlopen() names the first thing
// only.
#ifndef CALLBRIDGE_LOADER_MISSING_PARTS_H_
#define CALLBRIDGE_LOADER_MISSING_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace callbridge {

// Each is there once.
struct MissingParts {
  std::vector<std::string> libraries;  // "libfoo.so.1"
  // Symbols of no library, as linkers know them, sorted. With a library missing they are not known:
  // its symbols cannot be told from those that are nowhere.
  std::vector<std::string> symbols;
};

// Asks ld.so, in a process of its own and in the mode that runs no code of the library (nor of
// those that it needs). What this process has is not missing: symbols in its global scope,
// libraries that are loaded. Fails where ld.so cannot be asked.
absl::StatusOr<MissingParts> FindMissingParts(const std::string& path);

// "undefined symbols: f(int), g", "libraries that are not found: libfoo.so.1"; empty where nothing
// is missing.
std::string DescribeMissingParts(const MissingParts& missing);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_MISSING_PARTS_H_
