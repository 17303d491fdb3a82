#include "callbridge/loader/library_target.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "callbridge/loader/target_evidence.h"

namespace callbridge {

LibraryTarget WithItsType(const RegisteredTarget& target) {
  return {target, target.api_version, "registered with its type"};
}

LibraryTarget OfHandler(const host::RegisteredHandler& handler) {
  return {{handler.name, handler.platform, reinterpret_cast<void*>(handler.handlers.execute),
           ApiVersion::kTypedFfi},
          ApiVersion::kTypedFfi,
          "registered as a typed FFI handler",
          handler.handlers};
}

std::vector<LibraryTarget> WithHandlers(std::vector<LibraryTarget> targets,
                                        const std::vector<host::RegisteredHandler>& handlers) {
  for (const host::RegisteredHandler& handler : handlers) targets.push_back(OfHandler(handler));
  std::sort(targets.begin(), targets.end(), [](const LibraryTarget& one, const LibraryTarget& two) {
    // By the number of the ABI, that of typed handlers being the greatest.
    return std::tie(one.registered.name, one.registered.platform, two.api_version) <
           std::tie(two.registered.name, two.registered.platform, one.api_version);
  });
  return targets;
}

LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address) {
  if (target.api_version != ApiVersion::kUnspecified) return WithItsType(target);
  const uint64_t address = reinterpret_cast<uintptr_t>(target.address) - load_address;
  TargetEvidence evidence = EvidenceOfSymbols(names.At(address), target.platform);
  return {target, evidence.api_version, std::move(evidence.text)};
}

}  // namespace callbridge
