// An XLA as PyTorch/XLA's extension module holds it: its functions are hidden, and listed in the
// symbol table alone. What is exported is for the tests.
//
// Options: WITHOUT_LOOKUP has no Lookup; REBUILT is another build.
#include <map>
#include <string>
#include <utility>

struct XLA_FFI_Api;

extern "C" {
__attribute__((visibility("default"))) const XLA_FFI_Api* api = nullptr;
__attribute__((visibility("default"))) void* registered(const char* name, const char* platform);
}

#define HIDDEN __attribute__((visibility("hidden"), noinline, used))

namespace xla {

class CustomCallTargetRegistry {
 public:
  HIDDEN static CustomCallTargetRegistry* Global();
  HIDDEN void Register(const std::string& symbol, void* address, const std::string& platform);
  HIDDEN void* Lookup(const std::string& symbol, const std::string& platform) const;

  std::map<std::pair<std::string, std::string>, void*> targets;
};

CustomCallTargetRegistry* CustomCallTargetRegistry::Global() {
  static auto* registry = new CustomCallTargetRegistry;
  return registry;
}

void CustomCallTargetRegistry::Register(const std::string& symbol, void* address,
                                        const std::string& platform) {
  targets[{symbol, platform}] = address;
}

#ifndef WITHOUT_LOOKUP
void* CustomCallTargetRegistry::Lookup(const std::string& symbol,
                                       const std::string& platform) const {
  auto found = targets.find({symbol, platform});
  return found == targets.end() ? nullptr : found->second;
}
#endif

namespace ffi {
HIDDEN const XLA_FFI_Api* GetXlaFfiApi() { return api; }
}  // namespace ffi

}  // namespace xla

#ifdef REBUILT
extern "C" __attribute__((visibility("default"))) const int rebuilt = 1;
#endif

void* registered(const char* name, const char* platform) {
  const auto& targets = xla::CustomCallTargetRegistry::Global()->targets;
  auto found = targets.find({name, platform});
  return found == targets.end() ? nullptr : found->second;
}
