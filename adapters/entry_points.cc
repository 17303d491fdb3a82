#include "callbridge/adapters/entry_points.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/entry_target.h"
#include "callbridge/adapters/trampolines.h"

namespace callbridge {
namespace {

// Thread-safe. Never destroyed: runtimes keep entry points.
class EntryTargets {
 public:
  static EntryTargets& Global() {
    static auto& targets = *new EntryTargets;
    return targets;
  }

  absl::StatusOr<EntryPoints> Get(const Target& target, const UntypedAbi& abi) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Key key(target.address, target.platform, &abi);
    auto found = made_.find(key);
    if (found != made_.end()) return found->second.points;
    Made made{std::make_unique<EntryTarget>(target, abi), {}};
    absl::StatusOr<EntryPoints> points = MakeTrampolines(*made.target);
    if (!points.ok()) return points;
    made.points = *points;
    made_.emplace(key, std::move(made));
    return points;
  }

 private:
  using Key = std::tuple<void*, Platform, const UntypedAbi*>;
  struct Made {
    std::unique_ptr<EntryTarget> target;
    EntryPoints points;
  };

  std::mutex mutex_;
  std::map<Key, Made> made_;
};

}  // namespace

absl::StatusOr<EntryPoints> GetEntryPoints(const Target& target) {
  if (target.address == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom call \"", target.name, "\" has a null address"));
  }
  absl::StatusOr<const UntypedAbi*> abi = FindUntypedAbi(target);
  if (!abi.ok()) return abi.status();
  return EntryTargets::Global().Get(target, **abi);
}

}  // namespace callbridge
