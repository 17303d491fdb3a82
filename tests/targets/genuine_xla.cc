// What a genuine XLA exports to those who link it, as far as registering goes.
#include <map>
#include <string>
#include <utility>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

namespace xla {

CustomCallTargetRegistry* CustomCallTargetRegistry::Global() {
  static auto* registry = new CustomCallTargetRegistry;
  return registry;
}

static auto& Targets() {
  static auto& targets = *new std::map<std::pair<std::string, std::string>, void*>;
  return targets;
}

void CustomCallTargetRegistry::Register(const std::string& symbol, void* address,
                                        const std::string& platform) {
  Targets()[{symbol, platform}] = address;
}

void* CustomCallTargetRegistry::Lookup(const std::string& symbol,
                                       const std::string& platform) const {
  auto found = Targets().find({symbol, platform});
  return found == Targets().end() ? nullptr : found->second;
}

}  // namespace xla
