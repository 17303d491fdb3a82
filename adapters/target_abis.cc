#include "callbridge/adapters/target_abis.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/adapters/target_abi_list.h"
#include "callbridge/adapters/untyped_abi.h"
#include "callbridge/adapters/untyped_calls.h"
#include "callbridge/legacy/target_call.h"
#include "callbridge/status_returning/target_call.h"
#ifdef CALLBRIDGE_MORE_ABI_CALLS
#include CALLBRIDGE_MORE_ABI_CALLS
#else
#define CALLBRIDGE_MORE_UNTYPED_ABIS
#endif

namespace callbridge {
namespace {

// An ABI is called by the code of its row's `called_as`, unless it has code of its own for targets
// whose type proves it.
constexpr UntypedAbi kUntypedAbis[] = {
    WithTables<HostOriginal>(kOriginalAbi, /*needs_proof=*/true),
    WithTables<HostStatusReturning>(kStatusReturningAbi),
    WithTables<OpaqueStatusReturning>(kStatusReturningUnifiedAbi),
    WithStream<GpuOriginal>(kOriginalAbi, /*needs_proof=*/true),
    WithStream<OpaqueStatusReturning>(kStatusReturningAbi),
    CALLBRIDGE_MORE_UNTYPED_ABIS};

const UntypedAbi* FindCalls(bool is_gpu, ApiVersion version, bool needs_proof) {
  const auto* found =
      std::find_if(std::begin(kUntypedAbis), std::end(kUntypedAbis), [&](const UntypedAbi& abi) {
        return abi.is_gpu() == is_gpu && abi.row.number == version &&
               abi.needs_proof == needs_proof;
      });
  return found != std::end(kUntypedAbis) ? found : nullptr;
}

// Returns the row that decides how the target is called, or null if its ABI is not known.
const TargetAbi* RowOf(const Target& target) {
  if (const TargetAbi* known = FindTargetAbi(target.api_version)) return known;
  for (const TargetAbi* abi : kTargetAbis) {
    if (On(target.platform, *abi).serves_unknown) return abi;
  }
  return nullptr;
}

// `type` is spelled as the demangler spells it.
bool IsDeclaredAs(std::string_view parameter_types, absl::string_view type) {
  return AnyType(parameter_types, [&](std::string_view known) {
    return known == parameter::kStream ? absl::EndsWith(type, "*")
                                       : absl::string_view(known.data(), known.size()) == type;
  });
}

bool Matches(const Signature& signature, absl::Span<const absl::string_view> types) {
  if (!IsSeenInSymbols(signature) || types.size() > kMaxParameters) return false;
  for (size_t i = 0; i < kMaxParameters; ++i) {
    const std::string_view parameter = signature.parameters[i];
    if (i >= types.size()) return parameter.empty();
    if (parameter.empty() || !IsDeclaredAs(parameter, types[i])) return false;
  }
  return true;
}

std::string Listed(const std::vector<absl::string_view>& names) {
  if (names.size() < 2) return absl::StrJoin(names, "");
  const auto last = names.end() - 1;
  return absl::StrCat(absl::StrJoin(names.begin(), last, ", "), " or ", *last);
}

}  // namespace

absl::Span<const TargetAbi* const> TargetAbis() { return kTargetAbis; }

const TargetAbi* FindTargetAbi(int64_t number) {
  for (const TargetAbi* abi : kTargetAbis) {
    if (static_cast<int64_t>(abi->number) == number) return abi;
  }
  return nullptr;
}

absl::string_view ApiVersionName(ApiVersion version) {
  if (version == ApiVersion::kUnspecified) return "unspecified";
  const TargetAbi* abi = FindTargetAbi(version);
  return abi != nullptr ? abi->name : "unknown";
}

absl::StatusOr<ApiVersion> ParseApiVersion(absl::string_view name) {
  if (name == ApiVersionName(ApiVersion::kUnspecified)) return ApiVersion::kUnspecified;
  for (const TargetAbi* abi : kTargetAbis) {
    if (name == abi->name) return abi->number;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown API version \"", absl::CHexEscape(name), "\": expected one of ",
                   ApiVersionName(ApiVersion::kUnspecified), ", ",
                   absl::StrJoin(kTargetAbis, ", ", [](std::string* out, const TargetAbi* abi) {
                     absl::StrAppend(out, abi->name);
                   })));
}

ApiVersion ApiVersionOfSymbol(absl::Span<const absl::string_view> types, Platform platform) {
  for (const TargetAbi* abi : kTargetAbis) {
    for (const Signature& signature : On(platform, *abi).signatures) {
      if (Matches(signature, types)) return abi->number;
    }
  }
  return ApiVersion::kUnspecified;
}

std::string TargetAbiNames() {
  std::vector<absl::string_view> names;
  for (const TargetAbi* abi : kTargetAbis) names.push_back(abi->name);
  return Listed(names);
}

std::string UntypedAbiNames(Platform platform) {
  std::vector<absl::string_view> names;
  for (const TargetAbi* abi : kTargetAbis) {
    const PlatformAbi& on_platform = On(platform, *abi);
    if (on_platform.called_as != ApiVersion::kUnspecified &&
        (on_platform.provides & provides::kAttributes) == 0) {
      names.push_back(abi->name);
    }
  }
  return Listed(names);
}

std::string ApiVersionNumbers() {
  std::string text = "0";
  int first = 0;
  int last = 0;
  const auto end_range = [&] {
    if (last > first) absl::StrAppend(&text, " to ", last);
  };
  for (const TargetAbi* abi : kTargetAbis) {
    const int number = static_cast<int>(abi->number);
    if (number != last + 1) {
      end_range();
      absl::StrAppend(&text, ", ", number);
      first = number;
    }
    last = number;
  }
  end_range();
  return text;
}

absl::StatusOr<const UntypedAbi*> FindUntypedAbi(const Target& target) {
  const bool is_gpu = IsGpu(target.platform);
  const absl::string_view platform = PlatformName(target.platform);
  const TargetAbi* row = RowOf(target);
  if (row == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ABI of custom call \"", target.name, "\" on ", platform,
                     " is not known, and calling it wrong could crash: declare it (",
                     UntypedAbiNames(target.platform), ")"));
  }
  const UntypedAbi* abi = nullptr;
  if (target.api_version_is_proved) abi = FindCalls(is_gpu, row->number, /*needs_proof=*/true);
  if (abi == nullptr) {
    abi = FindCalls(is_gpu, On(target.platform, *row).called_as, /*needs_proof=*/false);
  }
  if (abi != nullptr) return abi;
  return absl::InvalidArgumentError(absl::StrCat(
      "custom call \"", target.name, "\" on ", platform, " is declared ", row->name,
      ", an ABI that ", platform, " does not have; it has ", UntypedAbiNames(target.platform)));
}

}  // namespace callbridge
