#include "callbridge/adapters/entry_points/entry_points.h"

#include <map>
#include <memory>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/entry_points/entry_target.h"
#include "callbridge/adapters/entry_points/trampolines.h"

namespace callbridge {
namespace {

// The entry points of each target. Thread-safe. Never destroyed, because runtimes keep entry
// points.
template <typename Key, typename Entry>
class Entries {
 public:
  static Entries& Global() {
    const TableLock lock;
    static auto& entries = *new Entries;
    return entries;
  }

  // Returns the entry points for `key`, and makes them of Entry(arguments...) on the first call.
  template <typename... Arguments>
  absl::StatusOr<EntryPoints> Get(const Key& key, const Arguments&... arguments) {
    const TableLock lock;
    auto found = made_.find(key);
    if (found != made_.end()) return found->second.points;
    Made made{std::make_unique<Entry>(arguments...), {}};
    absl::StatusOr<EntryPoints> points = MakeTrampolines(*made.entry);
    if (!points.ok()) return points;
    made.points = *points;
    made_.emplace(key, std::move(made));
    return points;
  }

 private:
  struct Made {
    std::unique_ptr<Entry> entry;
    EntryPoints points;
  };

  std::map<Key, Made> made_;  // under the TableLock
};

absl::StatusOr<EntryPoints> GetTyped(const Target& target) {
  using Key = std::tuple<void*, Platform, XLA_FFI_Handler*, XLA_FFI_Handler*, XLA_FFI_Handler*>;
  const XLA_FFI_Handler_Bundle& stages = target.stages;
  const Key key(target.address, target.platform, stages.instantiate, stages.prepare,
                stages.initialize);
  return Entries<Key, UntypedToTypedEntry>::Global().Get(key, target);
}

absl::StatusOr<EntryPoints> GetUntyped(const Target& target) {
  using Key = std::tuple<void*, Platform, const UntypedAbi*, XLA_FFI_Handler_Traits>;
  absl::StatusOr<const UntypedAbi*> abi = FindUntypedAbi(target);
  if (!abi.ok()) return abi.status();
  const Key key(target.address, target.platform, *abi, target.traits);
  return Entries<Key, EntryTarget>::Global().Get(key, target, **abi);
}

}  // namespace

absl::StatusOr<EntryPoints> GetEntryPoints(const Target& target) {
  if (target.address == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom call \"", target.name, "\" has a null address"));
  }
  return target.api_version == ApiVersion::kTypedFfi ? GetTyped(target) : GetUntyped(target);
}

}  // namespace callbridge
