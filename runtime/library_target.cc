#include "callbridge/runtime/library_target.h"

#include <utility>

#include "callbridge/runtime/target_evidence.h"

namespace callbridge {

LibraryTarget WithItsType(const RegisteredTarget& target) {
  return {target, target.api_version, "registered with its type"};
}

LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address) {
  if (target.api_version != ApiVersion::kUnspecified) return WithItsType(target);
  const uint64_t address = reinterpret_cast<uintptr_t>(target.address) - load_address;
  TargetEvidence evidence = EvidenceOfSymbols(names.At(address), target.platform);
  return {target, evidence.api_version, std::move(evidence.text)};
}

}  // namespace callbridge
