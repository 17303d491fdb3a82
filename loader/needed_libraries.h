// Which libraries a file needs and where ld.so finds them, without running any code of it.
#ifndef CALLBRIDGE_LOADER_NEEDED_LIBRARIES_H_
#define CALLBRIDGE_LOADER_NEEDED_LIBRARIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

struct NeededLibrary {
  std::string name;  // "libstdc++.so.6"
  std::string path;  // where ld.so finds it; empty: nowhere
};

struct LoaderAnswer {
  // What the file needs and what those need in turn, ld.so itself included.
  std::vector<NeededLibrary> libraries;
  // Versions that the libraries found do not have, in ld.so's words.
  std::vector<std::string> missing_versions;
};

// Asks ld.so in its trace mode: it maps the file, relocates and runs nothing. The file's tables
// must have been checked, since ld.so believes them. FAILED_PRECONDITION says why ld.so refuses the
// file; UNAVAILABLE, CANCELLED: ld.so could not be asked (child_process.h).
absl::StatusOr<LoaderAnswer> AskLoader(const std::string& path);

// Reads what ld.so prints in that mode.
LoaderAnswer ParseLoaderAnswer(absl::string_view output, absl::string_view path);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_NEEDED_LIBRARIES_H_
