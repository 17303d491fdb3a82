#include "callbridge/loader/missing_parts.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/loader_trace.h"

namespace callbridge {
namespace {

// Whoever needs so many has one problem, not many.
constexpr size_t kMaximumShown = 100;

// What ld.so says of the library: lines such as "libfoo.so.1 => not found" and
// "undefined symbol: f, version V	(/proc/123/fd/4)".
absl::StatusOr<std::string> AskForSymbols(const std::string& path) {
  absl::StatusOr<ChildOutcome> outcome =
      RunChild(LoaderTrace(path, {"LD_WARN=yes", "LD_BIND_NOW=1"}));
  if (!outcome.ok()) return outcome.status();
  return std::move(outcome->output);
}

bool IsLoaded(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

std::string Join(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaximumShown);
  std::string text = absl::StrJoin(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", ",
      [](std::string* out, const std::string& name) { out->append(ReadableName(name)); });
  if (shown < names.size()) absl::StrAppend(&text, " and ", names.size() - shown, " more");
  return text;
}

}  // namespace

absl::StatusOr<MissingParts> FindMissingParts(const std::string& path) {
  absl::StatusOr<std::string> trace = AskForSymbols(path);
  if (!trace.ok()) return trace.status();
  MissingParts missing;
  absl::flat_hash_set<absl::string_view> seen;
  for (absl::string_view line : absl::StrSplit(*trace, '\n', absl::SkipWhitespace())) {
    line = absl::StripAsciiWhitespace(line);
    if (!seen.insert(line).second) continue;
    if (absl::ConsumeSuffix(&line, " => not found")) {
      if (!IsLoaded(std::string(line))) missing.libraries.emplace_back(line);
    } else if (absl::ConsumePrefix(&line, "undefined symbol: ")) {
      std::string name(line.substr(0, line.find_first_of(",\t")));
      if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) missing.symbols.push_back(std::move(name));
    }
  }
  if (!missing.libraries.empty()) missing.symbols.clear();
  std::sort(missing.symbols.begin(), missing.symbols.end());
  return missing;
}

std::string DescribeMissingParts(const MissingParts& missing) {
  if (!missing.libraries.empty()) {
    return absl::StrCat("libraries that are not found: ", Join(missing.libraries),
                        " (add their folders to LD_LIBRARY_PATH)");
  }
  if (missing.symbols.empty()) return "";
  return absl::StrCat(missing.symbols.size() == 1 ? "undefined symbol: " : "undefined symbols: ",
                      Join(missing.symbols));
}

}  // namespace callbridge
