#include "callbridge/loader/process_targets.h"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/function_names.h"
#include "callbridge/loader/regular_file.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

absl::StatusOr<FunctionNames> ReadNames(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<ElfFile> file = ElfFile::ParseLoaded(*std::move(bytes));
  if (!file.ok()) return file.status();
  return FunctionNames(*file);
}

LibraryTarget Unproved(const RegisteredTarget& target, std::string why) {
  return {target, ApiVersion::kUnspecified, std::move(why)};
}

// Reads each file once.
class Files {
 public:
  LibraryTarget WithEvidence(const RegisteredTarget& target) {
    if (HasItsType(target)) return WithItsType(target);
    const link_map* object = LoadedObject(target.address);
    if (object == nullptr) return Unproved(target, "no loaded file is at its address");
    const std::string path = *object->l_name != '\0' ? object->l_name : "/proc/self/exe";
    auto found = files_.find(path);
    if (found == files_.end()) found = files_.emplace(path, ReadNames(path)).first;
    const absl::StatusOr<FunctionNames>& names = found->second;
    if (names.ok()) return callbridge::WithEvidence(target, *names, object->l_addr);
    return Unproved(target, absl::StrCat(path, ": ", names.status().message()));
  }

 private:
  std::map<std::string, absl::StatusOr<FunctionNames>> files_;
};

}  // namespace

std::vector<LibraryTarget> ProcessTargets() {
  Files files;
  std::vector<LibraryTarget> targets;
  for (const RegisteredTarget& target : TargetRegistry::Global().Targets()) {
    targets.push_back(files.WithEvidence(target));
  }
  return WithHandlers(std::move(targets), host::RegistryOf(typed_ffi::kNewestVersion).List());
}

}  // namespace callbridge
