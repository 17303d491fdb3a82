#include "callbridge/hlo/text_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace callbridge::hlo {
namespace {

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool TextNames::IsName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter);
}

std::string TextNames::Add(absl::string_view name, absl::string_view fallback) {
  constexpr size_t kLongest = 256;
  std::string wanted(name.empty() ? fallback : name.substr(0, kLongest));
  for (char& c : wanted) {
    if (!IsNameCharacter(c)) c = '_';
  }
  // "a" and "a.1" may both be there already. The numbers behind a name only grow, so that many
  // equal names take no longer than different ones.
  std::string added = wanted;
  while (!taken_.insert(added).second) {
    added = absl::StrCat(wanted, ".", ++next_number_[wanted]);
  }
  return added;
}

}  // namespace callbridge::hlo
