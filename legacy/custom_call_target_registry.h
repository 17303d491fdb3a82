// xla::CustomCallTargetRegistry and xla::RegisterCustomCallTarget, source-compatible with XLA's
// header of the same name. The classes live in an inline namespace and are inline throughout, so a
// process that also holds a real XLA has no clash; what they import is registry_functions.h.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_LEGACY_CUSTOM_CALL_TARGET_REGISTRY_H_
#define CALLBRIDGE_LEGACY_CUSTOM_CALL_TARGET_REGISTRY_H_

#include <string>
#include <vector>

#include "callbridge/legacy/registry_functions.h"

namespace xla {
inline namespace callbridge_v1 {

class __attribute__((visibility("hidden"))) CustomCallTargetRegistry {
 public:
  struct Target {
    std::string symbol;
    std::string platform;
    void* address;
    int api_version;  // the ABI's number; 0 where the function's type was not known
  };

  static CustomCallTargetRegistry* Global() {
    static CustomCallTargetRegistry registry;
    return &registry;
  }

  // A symbol that is registered again replaces the earlier one in silence, as in TensorFlow 2.13.1.
  // Platforms are compared exactly. Thread-safe, as are the others.
  void Register(const std::string& symbol, void* address, const std::string& platform) {
    RegisterWithVersion(symbol, address, platform, 0);
  }
  // The same where the function's type is known.
  void RegisterWithVersion(const std::string& symbol, void* address, const std::string& platform,
                           int api_version) {
    callbridge_register_target(symbol.data(), symbol.size(), address, platform.data(),
                               platform.size(), api_version);
  }

  // Null where there is none.
  void* Lookup(const std::string& symbol, const std::string& platform) const {
    return callbridge_lookup_target(symbol.data(), symbol.size(), platform.data(), platform.size());
  }

  // All that is registered in the process, by symbol, then platform.
  std::vector<Target> Targets() const {
    std::vector<Target> targets;
    callbridge_visit_targets(
        [](void* user, const char* symbol, size_t symbol_size, const char* platform,
           size_t platform_size, void* address, int api_version) {
          static_cast<std::vector<Target>*>(user)->push_back({std::string(symbol, symbol_size),
                                                              std::string(platform, platform_size),
                                                              address, api_version});
        },
        &targets);
    return targets;
  }
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_LEGACY_CUSTOM_CALL_TARGET_REGISTRY_H_
