#include "callbridge/client/target_table.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/nearest_name.h"
#include "callbridge/client/c_status.h"

namespace callbridge::client {
namespace {

// Compares platforms without case; "cpu" is "Host". Keeps platforms that XLA does not know as they
// were registered: calls do not find them, but errors list them.
std::string PlatformKey(absl::string_view platform) {
  std::string key = absl::AsciiStrToUpper(platform);
  if (key == "CPU" || key == "HOST") return "Host";
  return key;
}

}  // namespace

absl::StatusOr<TargetTable> TargetTable::OfProcess() {
  callbridge_library* library = nullptr;
  absl::Status opened = TakeStatus(callbridge_library_of_process(&library));
  if (!opened.ok()) return opened;
  TargetTable table;
  absl::Status added = table.Add(library);
  // Closes only the view of the process; the libraries stay loaded.
  absl::Status closed = TakeStatus(callbridge_library_close(library));
  if (!added.ok()) return added;
  if (!closed.ok()) return closed;
  return table;
}

absl::Status TargetTable::Add(const callbridge_library* library) {
  const size_t count = callbridge_library_target_count(library);
  std::map<Key, Named> added;
  for (size_t i = 0; i < count; ++i) {
    callbridge_target target = {};
    target.struct_size = sizeof target;
    absl::Status read = TakeStatus(callbridge_library_target(library, i, &target));
    if (!read.ok()) return read;
    Named& named = added[{target.name, PlatformKey(target.platform)}];
    // Find() returns the key's texts; these are the library's.
    target.name = target.platform = target.evidence = nullptr;
    const bool is_typed = target.api_version == CALLBRIDGE_API_VERSION_TYPED_FFI;
    (is_typed ? named.typed : named.untyped) = target;
  }
  for (const auto& [key, named] : added) targets_[key] = named;
  return absl::OkStatus();
}

absl::StatusOr<callbridge_target> TargetTable::Find(absl::string_view name,
                                                    absl::string_view platform, bool typed) const {
  const auto found = targets_.find({std::string(name), PlatformKey(platform)});
  if (found != targets_.end()) {
    const auto& [typed_target, untyped_target] = found->second;
    const bool takes_typed = typed_target.has_value() && (typed || !untyped_target.has_value());
    callbridge_target target = takes_typed ? *typed_target : *untyped_target;
    target.name = found->first.first.c_str();
    target.platform = found->first.second.c_str();
    return target;
  }
  // A module may have any number of calls and a process any number of targets, so the list is
  // limited.
  constexpr size_t kShown = 20;
  std::vector<std::string> names;
  for (const auto& [key, target] : targets_) names.push_back(key.first);
  std::vector<std::string> registered;
  for (const auto& [key, target] : targets_) {
    if (registered.size() == kShown) {
      registered.push_back(absl::StrCat("and ", targets_.size() - kShown, " more"));
      break;
    }
    registered.push_back(absl::StrCat("\"", key.first, "\" for ", key.second));
  }
  return absl::NotFoundError(absl::StrCat(
      "no target \"", name, "\" is registered for ", PlatformKey(platform),
      registered.empty() ? "; nothing is registered"
                         : absl::StrCat("; registered are ", absl::StrJoin(registered, ", ")),
      ". Register it with XLA_REGISTER_CUSTOM_CALL_TARGET, or load its library",
      absl::c_linear_search(names, name) ? "" : DidYouMean(name, names)));
}

}  // namespace callbridge::client
