// TargetRegistry: the custom-call targets of this process, by name and platform. The
// source-compatible xla::CustomCallTargetRegistry, the bound symbols of old binaries and the C API
// register here.
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
  // As registered: the registry compares it exactly, as XLA's does.
  std::string platform;
  void* address = nullptr;
  // kUnspecified if the registering code did not show the function's type.
  ApiVersion api_version = ApiVersion::kUnspecified;
};

// Thread-safe. Global() is never destroyed, because old binaries keep its address.
class TargetRegistry {
 public:
  static TargetRegistry& Global();

  // Registers a target. Replaces an earlier one of the same name silently, as TensorFlow 2.13.1
  // does. Outside of a RegistrationScope, keeps the library that holds the target loaded until the
  // process ends, because nothing would tell the registry that it is unloaded.
  void Register(RegisteredTarget target);
  // Returns null if nothing is registered.
  void* Lookup(const std::string& name, const std::string& platform) const;
  // Returns all targets, by name, then platform.
  std::vector<RegisteredTarget> Targets() const;
  // Removes a target whose library is about to be unloaded. Does nothing if the name leads
  // elsewhere by now.
  void Forget(const RegisteredTarget& target);

 private:
  using Key = std::pair<std::string, std::string>;  // name, platform

  std::map<Key, RegisteredTarget> targets_;  // under the TableLock
};

// While it lives, collects what the thread that made it registers in any TargetRegistry: a
// library's constructors run on the thread that opens it. Scopes nest; the innermost one collects.
class RegistrationScope {
 public:
  RegistrationScope();
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope&) = delete;
  RegistrationScope& operator=(const RegistrationScope&) = delete;

  // In the order of registration. Of two with the same name, the last counts.
  const std::vector<RegisteredTarget>& targets() const { return targets_; }

 private:
  friend class TargetRegistry;

  RegistrationScope* outer_;
  std::vector<RegisteredTarget> targets_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LEGACY_TARGET_REGISTRY_H_
