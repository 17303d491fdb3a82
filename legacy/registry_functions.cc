#include "callbridge/legacy/registry_functions.h"

#include <string>

#include "callbridge/legacy/target_registry.h"

using callbridge::RegisteredTarget;
using callbridge::TargetRegistry;

void callbridge_register_target(const char* name, size_t name_size, void* address,
                                const char* platform, size_t platform_size, int api_version) {
  if (name == nullptr || platform == nullptr) return;
  TargetRegistry::Global().Register({std::string(name, name_size),
                                     std::string(platform, platform_size), address,
                                     callbridge::ApiVersionOfNumber(api_version)});
}

void* callbridge_lookup_target(const char* name, size_t name_size, const char* platform,
                               size_t platform_size) {
  if (name == nullptr || platform == nullptr) return nullptr;
  return TargetRegistry::Global().Lookup(std::string(name, name_size),
                                         std::string(platform, platform_size));
}

void callbridge_visit_targets(void (*visit)(void* user, const char* name, size_t name_size,
                                            const char* platform, size_t platform_size,
                                            void* address, int api_version),
                              void* user) {
  if (visit == nullptr) return;
  for (const RegisteredTarget& target : TargetRegistry::Global().Targets()) {
    visit(user, target.name.data(), target.name.size(), target.platform.data(),
          target.platform.size(), target.address, static_cast<int>(target.api_version));
  }
}
