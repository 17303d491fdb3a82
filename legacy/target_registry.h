// TargetRegistry: where custom-call targets are registered by name and platform, whichever way they
// came: the source-compatible xla::CustomCallTargetRegistry, an old binary's bound symbols, or the
// C API.
#ifndef CALLBRIDGE_LEGACY_TARGET_REGISTRY_H_
#define CALLBRIDGE_LEGACY_TARGET_REGISTRY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/api_version.h"

namespace callbridge {

struct RegisteredTarget {
  std::string name;
  // As it was written: the registry compares it exactly, as XLA's does.
  std::string platform;
  void* address = nullptr;
  // Where the registering code showed the function's type; kUnspecified elsewhere.
  ApiVersion api_version = ApiVersion::kUnspecified;
};

// Thread-safe. Old binaries keep its address for as long as they live, so Global() is never
// destroyed.
class TargetRegistry {
 public:
  static TargetRegistry& Global();

  // A name that is registered again replaces the earlier one in silence, as in TensorFlow 2.13.1.
  // Outside of a RegistrationScope, whose owner says when what it gathered is unloaded, the library
  // that holds the target stays loaded for good: nobody would say that its targets are gone.
  void Register(RegisteredTarget target);
  // Null where there is none.
  void* Lookup(const std::string& name, const std::string& platform) const;
  // All of them, by name, then platform.
  std::vector<RegisteredTarget> Targets() const;
  // Forgets a target that is about to be unloaded; does nothing if the name leads elsewhere by now.
  void Forget(const RegisteredTarget& target);

 private:
  using Key = std::pair<std::string, std::string>;  // name, platform

  std::map<Key, RegisteredTarget> targets_;  // under the TableLock
};

// While it lives, gathers a copy of what the thread that made it registers in any TargetRegistry:
// the constructors of a library run on the thread that opens it. Scopes nest, and each gathers what
// is registered while it is the innermost one.
class RegistrationScope {
 public:
  RegistrationScope();
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  // In the order of registration. A name may be there twice; the last one counts.
  const std::vector<RegisteredTarget>& targets() const { return targets_; }

 private:
  friend class TargetRegistry;

  RegistrationScope* outer_;
  std::vector<RegisteredTarget> targets_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LEGACY_TARGET_REGISTRY_H_
