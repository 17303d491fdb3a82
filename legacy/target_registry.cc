#include "callbridge/legacy/target_registry.h"

#include "callbridge/abi/loaded_object.h"
#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

thread_local RegistrationScope* innermost_scope = nullptr;

}  // namespace

TargetRegistry& TargetRegistry::Global() {
  const TableLock lock;
  static auto& registry = *new TargetRegistry;
  return registry;
}

void TargetRegistry::Register(RegisteredTarget target) {
  if (innermost_scope != nullptr) {
    innermost_scope->targets_.push_back(target);
  } else {
    KeepLoaded(target.address);
  }
  const TableLock lock;
  Key key(target.name, target.platform);
  targets_[std::move(key)] = std::move(target);
}

void* TargetRegistry::Lookup(const std::string& name, const std::string& platform) const {
  const TableLock lock;
  auto found = targets_.find(Key(name, platform));
  return found == targets_.end() ? nullptr : found->second.address;
}

std::vector<RegisteredTarget> TargetRegistry::Targets() const {
  const TableLock lock;
  std::vector<RegisteredTarget> targets;
  targets.reserve(targets_.size());
  for (const auto& entry : targets_) targets.push_back(entry.second);
  return targets;
}

void TargetRegistry::Forget(const RegisteredTarget& target) {
  const TableLock lock;
  auto found = targets_.find(Key(target.name, target.platform));
  if (found != targets_.end() && found->second.address == target.address) targets_.erase(found);
}

RegistrationScope::RegistrationScope() : outer_(innermost_scope) { innermost_scope = this; }

RegistrationScope::~RegistrationScope() { innermost_scope = outer_; }

}  // namespace callbridge
