#include "callbridge/loader/genuine_binding.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/memory/memory.h"
#include "absl/strings/ascii.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/adapters/link/upstream_names.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {
namespace {

constexpr const char* kPlatforms[] = {"Host", "cpu", "CUDA", "ROCM", "gpu"};
constexpr size_t kLongestName = 255;

// A symbol as the library sees it: in its own libraries, or else in the global scope. Null where it
// is callbridge's own.
void* FindCrossVersion(void* library, const char* symbol) {
  static const int here = 0;
  void* found = dlsym(library, symbol);
  if (found == nullptr) found = dlsym(RTLD_DEFAULT, symbol);
  return found != nullptr && LoadedObject(found) != LoadedObject(&here) ? found : nullptr;
}

void* OpenIfLoaded(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? nullptr : dlopen(absolute.c_str(), RTLD_NOLOAD | RTLD_LAZY);
}

// "f" of "a::f(int)".
absl::string_view Unqualified(absl::string_view function) {
  function = function.substr(0, function.find('('));
  return function.substr(function.rfind(':') + 1);  // npos + 1 is 0
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
    if (!function.empty()) names.emplace(Unqualified(function));
  }
  return names;
}

}  // namespace

std::unique_ptr<GenuineBinding> GenuineBinding::Find(const std::string& path) {
  void* library = OpenIfLoaded(path);
  if (library == nullptr) return nullptr;
  auto* global = reinterpret_cast<void* (*)()>(FindCrossVersion(library, CALLBRIDGE_UPSTREAM_GLOBAL));
  auto* lookup = reinterpret_cast<LookupFunction>(FindCrossVersion(library, CALLBRIDGE_UPSTREAM_LOOKUP));
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
