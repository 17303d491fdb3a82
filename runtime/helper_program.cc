#include "callbridge/runtime/helper_program.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/runtime/child_process.h"

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

// `folders` are relative to callbridge's own.
absl::StatusOr<std::string> Find(const std::string& name, const char* variable,
                                 std::initializer_list<const char*> folders, int access_mode) {
  std::vector<std::string> places;
  if (const char* declared = std::getenv(variable)) {
    places = {declared};
  } else {
    for (const char* folder : folders) {
      places.push_back((OwnFolder() / folder / name).lexically_normal());
    }
  }
  for (const std::string& path : places) {
    if (access(path.c_str(), access_mode) == 0) return path;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      name, " is not at ", absl::StrJoin(places, " nor at "), "; set ", variable, " to its path"));
}

}  // namespace

absl::StatusOr<std::string> FindHelperProgram(const std::string& name, const char* variable) {
  return Find(name, variable, {"", "../libexec/callbridge"}, X_OK);
}

absl::StatusOr<std::string> FindHelperLibrary(const std::string& name, const char* variable) {
  // Beside libcallbridge.so; from bin; from libexec/callbridge, where helper programs are.
  return Find(name, variable, {"", "../lib", "../../lib"}, R_OK);
}

std::string LoadedCallbridge() {
  void* library = dlopen(CALLBRIDGE_LIBRARY, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return "";
  link_map* map = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  std::string path = PathForChild(map->l_name);
  dlclose(library);
  return path;
}

void OpenLoadedCallbridge(const char* path) {
  // Where that fails, the error of the file that needs it tells.
  if (*path != '\0') dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

absl::StatusOr<std::string> FindPythonFolder() {
  return Find("python", "CALLBRIDGE_PYTHON_FOLDER", {"../.."}, R_OK);
}

}  // namespace callbridge
