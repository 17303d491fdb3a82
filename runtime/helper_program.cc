#include "callbridge/runtime/helper_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/runtime/loaded_object.h"

namespace callbridge {
namespace {

// The folder of the library or program that this code is part of.
std::filesystem::path OwnFolder() {
  static const int here = 0;
  const link_map* object = LoadedObject(&here);
  const bool is_library = object != nullptr && *object->l_name != '\0';
  std::error_code error;
  const std::filesystem::path path = is_library
                                         ? std::filesystem::path(object->l_name)
                                         : std::filesystem::read_symlink("/proc/self/exe", error);
  return path.parent_path();
}

std::vector<std::string> Places(const std::string& name, const char* variable) {
  if (const char* declared = std::getenv(variable)) return {declared};
  const std::filesystem::path folder = OwnFolder();
  return {folder / name, folder.parent_path() / "libexec" / "callbridge" / name};
}

}  // namespace

absl::StatusOr<std::string> FindHelperProgram(const std::string& name, const char* variable) {
  const std::vector<std::string> places = Places(name, variable);
  for (const std::string& path : places) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      name, " is not at ", absl::StrJoin(places, " nor at "), "; set ", variable, " to its path"));
}

}  // namespace callbridge
