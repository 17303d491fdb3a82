#include "callbridge/loader/string_abi.h"

#include "absl/strings/match.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {
namespace {

bool HasNewString(absl::string_view symbol) { return absl::StrContains(symbol, "7__cxx11"); }

// "Ss" is the mangled std::string, but may also be a part of some name.
bool HasOldString(absl::string_view symbol) {
  if (!absl::StrContains(symbol, "Ss")) return false;
  const std::string name = Demangled(symbol);
  return absl::StrContains(name, "std::string") ||
         absl::StrContains(name, "std::basic_string<char, std::char_traits<char>");
}

}  // namespace

absl::string_view StringAbiName(StringAbi abi) {
  switch (abi) {
    case StringAbi::kNotSeen:
      return "not_seen";
    case StringAbi::kNew:
      return "new";
    case StringAbi::kOld:
      return "old";
    case StringAbi::kBoth:
      return "both";
  }
  return "";
}

StringAbi StringAbiOf(const absl::flat_hash_map<std::string, bool>& undefined) {
  bool has_new = false;
  bool has_old = false;
  for (const auto& [symbol, is_weak] : undefined) {
    has_new = has_new || HasNewString(symbol);
    has_old = has_old || HasOldString(symbol);
  }
  if (has_new && has_old) return StringAbi::kBoth;
  if (has_new) return StringAbi::kNew;
  return has_old ? StringAbi::kOld : StringAbi::kNotSeen;
}

}  // namespace callbridge
