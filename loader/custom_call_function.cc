#include "callbridge/loader/custom_call_function.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/target_evidence.h"

namespace callbridge {
namespace {

// The suffixes of linkers and optimisers that name a whole function. All others (".cold",
// ".part.0", ".constprop.0", ".isra.0") name a part of one, or one whose parameters changed.
constexpr absl::string_view kWholeFunctionSuffixes[] = {".lto_priv.", ".llvm.", ".localalias"};

bool IsWholeFunction(absl::string_view suffix) {
  if (suffix.empty()) return true;
  for (absl::string_view whole : kWholeFunctionSuffixes) {
    if (absl::StartsWith(suffix, whole)) return true;
  }
  return false;
}

// For a type that is not a pointer: "v"; "9CUstream_t"; "N3xla5ErrorE".
std::string MangledName(absl::string_view type) {
  static constexpr std::pair<absl::string_view, absl::string_view> kBuiltins[] = {
      {"void", "v"}, {"char", "c"}, {"int", "i"}, {"long", "l"}, {"unsigned long", "m"}};
  for (const auto& [name, code] : kBuiltins) {
    if (name == type) return std::string(code);
  }
  std::string mangled;
  for (absl::string_view name : absl::StrSplit(type, "::")) {
    absl::StrAppend(&mangled, name.size(), name);
  }
  return absl::StrContains(type, "::") ? absl::StrCat("N", mangled, "E") : mangled;
}

// "void const**" is PPKv: what follows the type's name is written before it, from left to right.
std::string MangledType(absl::string_view type) {
  if (absl::ConsumeSuffix(&type, "*")) return absl::StrCat("P", MangledType(type));
  if (absl::ConsumeSuffix(&type, " const")) return absl::StrCat("K", MangledType(type));
  return MangledName(type);
}

// The ends of the mangled names of custom calls, which are the types of the last parameter; and
// whether "Pv", a pointer to void, occurs before.
using MangledEnds = std::set<std::pair<std::string, bool>>;

void AddEnds(const Signature& signature, MangledEnds& ends) {
  if (!IsSeenInSymbols(signature)) return;
  std::string_view last;
  bool has_void_pointer = false;
  for (const std::string_view parameter : signature.parameters) {
    if (parameter.empty()) break;
    last = parameter;
    has_void_pointer |= parameter.substr(0, 5) == "void*";
  }
  AnyType(last, [&](std::string_view type) {
    ends.emplace(MangledType({type.data(), type.size()}), has_void_pointer);
    return false;
  });
  // S0_ and so on refer to a type that the name already contains.
  if (has_void_pointer) ends.emplace("_", true);
}

const MangledEnds& EndsOfCustomCalls() {
  static const auto& ends = *[] {
    auto* all = new MangledEnds;
    for (const TargetAbi* abi : TargetAbis()) {
      for (const PlatformAbi* platform : {&abi->host, &abi->gpu}) {
        for (const Signature& signature : platform->signatures) AddEnds(signature, *all);
      }
    }
    return all;
  }();
  return ends;
}

// Returns false if a mangled name cannot end with a custom call's parameters. Demangling all names
// of a large library would take seconds.
bool MayBeCustomCall(absl::string_view mangled) {
  for (const auto& [end, has_void_pointer] : EndsOfCustomCalls()) {
    if (!absl::EndsWith(mangled, end)) continue;
    if (!has_void_pointer || absl::StrContains(mangled, "Pv")) return true;
  }
  return false;
}

}  // namespace

std::optional<CustomCallFunction> AsCustomCall(const FileSymbol& symbol) {
  if (!symbol.is_function || !symbol.is_defined) return std::nullopt;
  if (!absl::StartsWith(symbol.name, "_Z")) return std::nullopt;
  const size_t end = symbol.name.find('.');
  const absl::string_view mangled = symbol.name.substr(0, end);
  if (!MayBeCustomCall(mangled)) return std::nullopt;
  if (!IsWholeFunction(symbol.name.substr(mangled.size()))) return std::nullopt;

  CustomCallFunction function;
  function.symbol = std::string(symbol.name);
  function.on_host = EvidenceOfSymbols({function.symbol}, "Host").api_version;
  function.on_gpu = EvidenceOfSymbols({function.symbol}, "CUDA").api_version;
  if (function.on_host == ApiVersion::kUnspecified && function.on_gpu == ApiVersion::kUnspecified) {
    return std::nullopt;
  }
  function.name = Demangled(mangled);
  function.address = symbol.address;
  function.is_exported = !symbol.is_local && !symbol.is_hidden;
  return function;
}

}  // namespace callbridge
