#include "callbridge/loader/library_target.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/target_evidence.h"

namespace callbridge {

bool HasItsType(const RegisteredTarget& target) {
  return FindTargetAbi(target.api_version) != nullptr;
}

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
  std::vector<LibraryTarget> all;
  all.reserve(handlers.size() + targets.size());
  for (const host::RegisteredHandler& handler : handlers) all.push_back(OfHandler(handler));
  std::move(targets.begin(), targets.end(), std::back_inserter(all));
  const auto is_before = [](const LibraryTarget& one, const LibraryTarget& two) {
    return std::tie(one.registered.name, one.registered.platform) <
           std::tie(two.registered.name, two.registered.platform);
  };
  std::stable_sort(all.begin(), all.end(), is_before);
  return all;
}

LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address) {
  if (HasItsType(target)) return WithItsType(target);
  const uint64_t address = reinterpret_cast<uintptr_t>(target.address) - load_address;
  TargetEvidence evidence = EvidenceOfSymbols(names.At(address), target.platform);
  return {target, evidence.api_version, std::move(evidence.text)};
}

}  // namespace callbridge
