// NameUniquer: valid and unique names for a text. A module's names may be any bytes, and may
// repeat.
#ifndef CALLBRIDGE_HLO_NAME_UNIQUER_H_
#define CALLBRIDGE_HLO_NAME_UNIQUER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace callbridge::hlo {

class NameUniquer {
 public:
  // Returns true for one or more letters, digits, ".", "_" and "-".
  static bool IsName(absl::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter);
  }

  // Returns a name that this function has not returned before. Starts from `name`, or from
  // `fallback` if `name` is empty; replaces each character that no name may have by "_"; keeps the
  // first 256 characters, since a text repeats a name at each use; appends "." and a number if the
  // result is taken.
  std::string GetUniqueName(absl::string_view name, absl::string_view fallback) {
    constexpr size_t kLongest = 256;
    std::string wanted(name.empty() ? fallback : name.substr(0, kLongest));
    for (char& c : wanted) {
      if (!IsNameCharacter(c)) c = '_';
    }
    // "a" and "a.1" may both be taken. The number for a name only grows, so that many equal names
    // take no longer than different ones.
    std::string unique = wanted;
    while (!taken_.insert(unique).second) {
      unique = absl::StrCat(wanted, ".", ++last_number_[wanted]);
    }
    return unique;
  }

 private:
  static bool IsNameCharacter(char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
  }

  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> last_number_;
};

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_NAME_UNIQUER_H_
