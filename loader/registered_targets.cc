#include "callbridge/loader/registered_targets.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/adapters/link/upstream_names.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/loaded_file.h"
#include "callbridge/loader/target_evidence.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// ---- Targets

bool HasItsType(const RegisteredTarget& target) {
  return FindTargetAbi(target.api_version) != nullptr;
}

LibraryTarget WithItsType(const RegisteredTarget& target) {
  return {target, target.api_version, "registered with its type"};
}

LibraryTarget OfHandler(const host::RegisteredHandler& handler) {
  return {{handler.name, handler.platform, reinterpret_cast<void*>(handler.handlers.execute),
           ApiVersion::kTypedFfi},
          ApiVersion::kTypedFfi,
          "registered as a typed FFI handler",
          handler.handlers,
          handler.traits};
}

std::vector<LibraryTarget> WithHandlers(std::vector<LibraryTarget> targets,
                                        const std::vector<host::RegisteredHandler>& handlers) {
  std::vector<LibraryTarget> all;
  all.reserve(handlers.size() + targets.size());
  for (const host::RegisteredHandler& handler : handlers) all.push_back(OfHandler(handler));
  std::move(targets.begin(), targets.end(), std::back_inserter(all));
  const auto is_before = [](const LibraryTarget& one, const LibraryTarget& two) {
    return std::tie(one.registered.name, one.registered.platform) <
           std::tie(two.registered.name, two.registered.platform);
  };
  std::stable_sort(all.begin(), all.end(), is_before);
  return all;
}

LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address) {
  if (HasItsType(target)) return WithItsType(target);
  const uint64_t address = reinterpret_cast<uintptr_t>(target.address) - load_address;
  TargetEvidence evidence = EvidenceOfSymbols(names.At(address), target.platform);
  return {target, evidence.api_version, std::move(evidence.text)};
}

// ---- Targets of this process

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

// Reads each file only once.
class Files {
 public:
  LibraryTarget WithEvidence(const RegisteredTarget& target) {
    if (HasItsType(target)) return WithItsType(target);
    const link_map* object = LoadedObject(target.address);
    if (object == nullptr) return Unproved(target, "no loaded file is at its address");
    const std::optional<std::string> found_path = LoadedFilePath(*object);
    if (!found_path.has_value()) {
      return Unproved(target,
                      absl::StrCat(object->l_name, " was removed or replaced after it was loaded"));
    }
    const std::string& path = *found_path;
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

// ---- Targets of a genuine XLA

namespace {

constexpr const char* kPlatforms[] = {"Host", "cpu", "CUDA", "ROCM", "gpu"};
constexpr size_t kLongestName = 255;

// Returns a symbol as the library sees it: in its own libraries, or else in the global scope.
// Returns null
// if it is callbridge's own.
void* FindGenuine(void* library, const char* symbol) {
  static const int here = 0;
  void* found = dlsym(library, symbol);
  if (found == nullptr) found = dlsym(RTLD_DEFAULT, symbol);
  return found != nullptr && LoadedObject(found) != LoadedObject(&here) ? found : nullptr;
}

// Returns the library that is loaded and lies at `path`; null if there is none. To ld.so whatever
// was loaded by that path is that library, also where another file lies there now.
void* OpenIfLoaded(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  void* library = error ? nullptr : dlopen(absolute.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return library;
  const std::optional<std::string> loaded = LoadedFilePath(*map);
  if (loaded.has_value() && IsSameFile(*loaded, absolute)) return library;
  dlclose(library);
  return nullptr;
}

bool IsName(absl::string_view text) {
  if (text.empty() || text.size() > kLongestName) return false;
  for (char c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

std::set<std::string> NamesIn(const std::string& bytes) {
  std::set<std::string> names;
  absl::string_view rest = bytes;
  while (!rest.empty()) {
    const absl::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    if (!IsName(text)) continue;
    names.emplace(text);
    const std::string function = Demangled(text);
    if (!function.empty()) names.emplace(UnqualifiedName(function));
  }
  return names;
}

}  // namespace

std::unique_ptr<GenuineBinding> GenuineBinding::Find(const std::string& path) {
  void* library = OpenIfLoaded(path);
  if (library == nullptr) return nullptr;
  auto* global = reinterpret_cast<void* (*)()>(FindGenuine(library, CALLBRIDGE_UPSTREAM_GLOBAL));
  auto* lookup = reinterpret_cast<LookupFunction>(FindGenuine(library, CALLBRIDGE_UPSTREAM_LOOKUP));
  if (global == nullptr || lookup == nullptr) {
    dlclose(library);
    return nullptr;
  }
  return absl::WrapUnique(new GenuineBinding(library, global(), lookup));
}

GenuineBinding::GenuineBinding(void* library, void* registry, LookupFunction lookup)
    : library_(library), registry_(registry), lookup_(lookup) {
  registry_file_ = LoadedObject(reinterpret_cast<void*>(lookup))->l_name;
  if (registry_file_.empty()) registry_file_ = "the program";
  link_map* map = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  load_address_ = map->l_addr;
}

GenuineBinding::~GenuineBinding() { dlclose(library_); }

void* GenuineBinding::Lookup(const std::string& name, const std::string& platform) const {
  void* address = lookup_(registry_, name, platform);
  const link_map* file = address != nullptr ? LoadedObject(address) : nullptr;
  return file != nullptr && file->l_addr == load_address_ ? address : nullptr;
}

std::vector<RegisteredTarget> GenuineBinding::TargetsNamedIn(const ElfFile& file) const {
  std::vector<RegisteredTarget> targets;
  for (const std::string& name : NamesIn(file.bytes())) {
    for (const char* platform : kPlatforms) {
      void* address = Lookup(name, platform);
      if (address != nullptr) targets.push_back({name, platform, address});
    }
  }
  return targets;
}

}  // namespace callbridge
