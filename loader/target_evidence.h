// What a target's symbol proves of its ABI: C++ mangles the parameters' types into the name.
#ifndef CALLBRIDGE_LOADER_TARGET_EVIDENCE_H_
#define CALLBRIDGE_LOADER_TARGET_EVIDENCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/api_version.h"

namespace callbridge {

struct TargetEvidence {
  // kUnspecified where nothing is proved.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // One line for people: "symbol do_custom_call(void*, void const**)".
  std::string text;
};

// `symbols` are all names, as linkers know them, of the function; `platform` is what it was
// registered for: the same parameters mean another version there.
TargetEvidence EvidenceOfSymbols(absl::Span<const std::string> symbols, absl::string_view platform);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TARGET_EVIDENCE_H_
