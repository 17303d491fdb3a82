// StableHLO text, in the form that current JAX and XLA read.
#ifndef CALLBRIDGE_HLO_STABLEHLO_TEXT_H_
#define CALLBRIDGE_HLO_STABLEHLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// The module's entry computation as @main, other computations as private functions. @main takes and
// returns the leaves of its parameters and of its result, since runtimes pass arrays; aliases
// follow them. What is an instruction of HLO alone is `mhlo.add_dependency`, or is left out where
// it changes no values: copies, layouts but those of custom calls, schedules. `module` must have
// passed CheckModule(). UNIMPLEMENTED names an opcode that opcode.h has not, and what StableHLO
// cannot say: control dependencies, layouts inside of tuples.
absl::StatusOr<std::string> PrintStableHloText(const xla::HloModuleProto& module);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_STABLEHLO_TEXT_H_
