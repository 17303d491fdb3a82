// What stablehlo.custom_call says of a call beyond its operands and results.
#ifndef CALLBRIDGE_HLO_STABLEHLO_CUSTOM_CALL_H_
#define CALLBRIDGE_HLO_STABLEHLO_CUSTOM_CALL_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// "has_side_effect = true, ..." of the custom call `call`; `functions` are the symbols of
// computations by id. A schedule, a literal, a window and the like are hints to XLA's passes which
// StableHLO cannot say, and left out. UNIMPLEMENTED for layouts inside of tuples other than
// row-major ones, and for what else would change what the call means.
absl::StatusOr<std::string> StableHloCustomCallAttributes(
    const xla::HloInstructionProto& call,
    const absl::flat_hash_map<int64_t, std::string>& functions);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_STABLEHLO_CUSTOM_CALL_H_
