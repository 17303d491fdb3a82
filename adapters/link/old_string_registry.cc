#include "callbridge/adapters/link/old_string_registry.h"

#include <string>

#include "callbridge/legacy/target_registry.h"
#include "callbridge/status_returning/old_string.h"

namespace callbridge {
namespace {

std::string FromOldString(const void* string) {
  return {OldStringData(string), OldStringSize(string)};
}

}  // namespace

void RegisterByOldStrings(void* registry, const void* name, void* address, const void* platform) {
  static_cast<TargetRegistry*>(registry)->Register(
      {FromOldString(name), FromOldString(platform), address});
}

void* LookUpByOldStrings(const void* registry, const void* name, const void* platform) {
  return static_cast<const TargetRegistry*>(registry)->Lookup(FromOldString(name),
                                                              FromOldString(platform));
}

}  // namespace callbridge
