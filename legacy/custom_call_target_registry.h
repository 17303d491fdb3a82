// xla::CustomCallTargetRegistry, source-compatible with XLA's header of the same name;
// xla::RegisterCustomCallTarget is in include/callbridge/register.h. The class is inline and in an
// inline namespace, so it does not clash with a real XLA in the same process. It imports the
// functions of registry_functions.h.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_LEGACY_CUSTOM_CALL_TARGET_REGISTRY_H_
#define CALLBRIDGE_LEGACY_CUSTOM_CALL_TARGET_REGISTRY_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "callbridge/legacy/registry_functions.h"

namespace xla {
inline namespace callbridge_v1 {

// The targets of this process, by name and platform. Thread-safe.
class __attribute__((visibility("hidden"))) CustomCallTargetRegistry {
 public:
  // A registered function.
  struct Target {
    std::string symbol;    // the name that it is registered under
    std::string platform;  // as registered; "Host", "CUDA"
    void* address;         // the function
    int api_version;       // the ABI's number; 0 where the function's type was not known
  };

  // Returns the process's registry. Never null; lives as long as the process.
  static CustomCallTargetRegistry* Global() {
    static CustomCallTargetRegistry registry;
    return &registry;
  }

  // Registers `address` under `symbol` for `platform`. Replaces an earlier registration silently,
  // as TensorFlow 2.13.1 does. Compares platforms exactly. Thread-safe.
  void Register(const std::string& symbol, void* address, const std::string& platform) {
    RegisterWithVersion(symbol, address, platform, 0);
  }
  // Registers a function whose ABI is known from its type. `api_version` is the ABI's number.
  // Thread-safe.
  void RegisterWithVersion(const std::string& symbol, void* address, const std::string& platform,
                           int api_version) {
    callbridge_register_target(symbol.data(), symbol.size(), address, platform.data(),
                               platform.size(), api_version);
  }

  // Returns null if nothing is registered. Thread-safe.
  void* Lookup(const std::string& symbol, const std::string& platform) const {
    return callbridge_lookup_target(symbol.data(), symbol.size(), platform.data(), platform.size());
  }

  // Returns the addresses of the targets that are registered for `platform` at the time of the
  // call, by symbol. Thread-safe.
  std::unordered_map<std::string, void*> registered_symbols(const std::string& platform) const {
    std::unordered_map<std::string, void*> symbols;
    for (Target& target : Targets()) {
      if (target.platform == platform) symbols[std::move(target.symbol)] = target.address;
    }
    return symbols;
  }

  // Returns all targets of the process, by symbol, then platform. Thread-safe.
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
