#include "callbridge/hlo/xla_own_calls.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace callbridge::hlo {
namespace {

constexpr absl::string_view kPatterns[] = {
#include "callbridge/hlo/xla_own_calls.inc"
};

bool Matches(absl::string_view target, absl::string_view pattern) {
  return absl::ConsumeSuffix(&pattern, "*") ? absl::StartsWith(target, pattern) : target == pattern;
}

}  // namespace

bool IsXlasOwnCall(absl::string_view target) {
  return std::any_of(std::begin(kPatterns), std::end(kPatterns),
                     [&](absl::string_view pattern) { return Matches(target, pattern); });
}

}  // namespace callbridge::hlo
