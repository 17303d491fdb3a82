#include "callbridge/hlo/xla_own_calls.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"

namespace callbridge::hlo {
namespace {

// Names that are in TensorFlow 2.13.1's XLA or jaxlib 0.10.2's.
constexpr absl::string_view kTargets[] = {
    "AllocateBuffer",
    "CreateBuffer",
    "InspectSharding",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "PadToStatic",
    "PinToDevice",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "SetBound",
    "Sharding",
    "SliceToDynamic",
    "TopK",
    "Unpin",
    "X64Combine",
    "X64SplitHigh",
    "X64SplitLow",
    "annotate_device_placement",
};

}  // namespace

bool IsXlasOwnCall(absl::string_view target) {
  return absl::StartsWith(target, "xla.sdy.") ||
         std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

}  // namespace callbridge::hlo
