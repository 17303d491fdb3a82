#include "callbridge/loader/custom_call_function.h"

#include "absl/strings/match.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/target_evidence.h"

namespace callbridge {
namespace {

// What linkers' and optimisers' suffixes tell: the first ones name a whole function, all others
// (".cold", ".part.0", ".constprop.0", ".isra.0") a piece of one, or one whose parameters changed.
constexpr absl::string_view kWholeFunctionSuffixes[] = {".lto_priv.", ".llvm.", ".localalias"};

bool IsWholeFunction(absl::string_view suffix) {
  if (suffix.empty()) return true;
  for (absl::string_view whole : kWholeFunctionSuffixes) {
    if (absl::StartsWith(suffix, whole)) return true;
  }
  return false;
}

// Whether a mangled name may end with a custom call's parameters. Their types are the name's last
// part: "void const**" is PPKv; "unsigned long" m; a type that the name has already, S0_ and so on.
// To demangle all of a large library's names would take seconds.
bool MayBeCustomCall(absl::string_view mangled) {
  switch (mangled.back()) {
    case 'v':
      return absl::EndsWith(mangled, "PKv");
    case 'm':
    case '_':
      return absl::StrContains(mangled, "Pv");
    case 's':
      return absl::EndsWith(mangled, "XlaCustomCallStatus");
    case 'e':
      return absl::EndsWith(mangled, "XLA_FFI_CallFrame");
    default:
      return false;
  }
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
