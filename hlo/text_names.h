// Names in a text: what a module calls its parts may be any bytes, and the same ones twice.
#ifndef CALLBRIDGE_HLO_TEXT_NAMES_H_
#define CALLBRIDGE_HLO_TEXT_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace callbridge::hlo {

class TextNames {
 public:
  // True for letters, digits, ".", "_" and "-", of which there is one at least.
  static bool IsName(absl::string_view name);

  // A name that nothing added before has: `name` itself where it can be, with "_" for what no name
  // has in it; `fallback` where it is empty; its first 256 characters where it is longer, since a
  // text says a name wherever it is used; and a number behind it where there is one already.
  std::string Add(absl::string_view name, absl::string_view fallback);

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> next_number_;
};

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_TEXT_NAMES_H_
