#include "callbridge/loader/target_evidence.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {
namespace {

// Returns the parameters of "name(types)". Returns nothing if there are none, or if the name is an
// operator's or belongs to a function that returns a function.
std::vector<absl::string_view> ParameterTypes(absl::string_view function) {
  function = function.substr(0, function.find(" [clone "));  // what optimisers append
  if (!absl::EndsWith(function, ")")) return {};
  int depth = 0;
  size_t open = function.size();
  do {
    if (open == 0) return {};
    --open;
    if (function[open] == ')') ++depth;
    if (function[open] == '(') --depth;
  } while (depth > 0);
  if (absl::EndsWith(function.substr(0, open), ")")) return {};
  const absl::string_view list = function.substr(open + 1, function.size() - open - 2);
  return absl::StrSplit(list, ", ", absl::SkipEmpty());
}

}  // namespace

TargetEvidence EvidenceOfSymbols(absl::Span<const std::string> symbols,
                                 absl::string_view platform) {
  if (symbols.empty()) return {ApiVersion::kUnspecified, "no symbol at its address"};
  const absl::StatusOr<Platform> known_platform = ParsePlatform(platform);
  std::vector<TargetEvidence> proofs;  // of different ABIs
  std::string unproved;
  for (const std::string& symbol : symbols) {
    const std::string function = Demangled(symbol);
    if (function.empty()) {
      if (unproved.empty())
        unproved = absl::StrCat("symbol ", symbol,
                                IsCheapToDemangle(symbol) ? " has no type (extern \"C\")"
                                                          : " is too costly to demangle");
      continue;
    }
    const ApiVersion version = known_platform.ok()
                                   ? ApiVersionOfSymbol(ParameterTypes(function), *known_platform)
                                   : ApiVersion::kUnspecified;
    if (version == ApiVersion::kUnspecified) {
      unproved = absl::StrCat("symbol ", function,
                              " is not a custom call that callbridge knows on \"", platform, "\"");
    } else if (proofs.empty() || proofs.back().api_version != version) {
      proofs.push_back({version, absl::StrCat("symbol ", function)});
    }
  }
  if (proofs.empty()) return {ApiVersion::kUnspecified, unproved};
  if (proofs.size() == 1) return proofs.front();
  // Linkers may merge functions with the same code.
  return {
      ApiVersion::kUnspecified,
      absl::StrCat("contradictory: ",
                   absl::StrJoin(proofs, ", ", [](std::string* out, const TargetEvidence& proof) {
                     out->append(proof.text);
                   }))};
}

}  // namespace callbridge
