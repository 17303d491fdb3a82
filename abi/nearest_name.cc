#include "callbridge/abi/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

constexpr size_t kLongest = 128;       // characters of a name that are compared
constexpr double kLeastShared = 0.65;  // "rum" and "run" share 67%

// Returns how many characters both texts have in the same order.
size_t SharedCharacters(absl::string_view one, absl::string_view two) {
  // row[j]: of the part of `one` that was read and the first j characters of `two`.
  std::vector<size_t> row(two.size() + 1, 0);
  for (const char c : one) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= two.size(); ++j) {
      const size_t above = row[j];
      row[j] = c == two[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

std::string Compared(absl::string_view name) {
  return absl::AsciiStrToLower(name.substr(0, kLongest));
}

// Returns 0 for names without a likeness, 1 for equal ones.
double Likeness(const std::string& given, const std::string& known) {
  const double shared = 2.0 * static_cast<double>(SharedCharacters(given, known)) /
                        static_cast<double>(given.size() + known.size());
  if (given.size() > 1 && absl::StartsWith(known, given)) return std::max(shared, kLeastShared);
  return shared >= kLeastShared ? shared : 0;
}

}  // namespace

absl::string_view NearestName(absl::string_view given, absl::Span<const std::string> known) {
  if (given.empty()) return "";
  const std::string compared = Compared(given);
  absl::string_view nearest;
  double likeness = 0;
  for (const std::string& name : known) {
    const double found = Likeness(compared, Compared(name));
    if (found > likeness) {
      likeness = found;
      nearest = name;
    }
  }
  return nearest;
}

std::string DidYouMean(absl::string_view given, absl::Span<const std::string> known) {
  const absl::string_view nearest = NearestName(given, known);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?");
}

}  // namespace callbridge
