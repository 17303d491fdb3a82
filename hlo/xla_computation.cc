#include "callbridge/hlo/xla_computation.h"

#include "absl/strings/str_cat.h"

namespace xla {
inline namespace callbridge_v1 {

StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (proto_.has_host_program_shape()) return ProgramShape(proto_.host_program_shape());
  return absl::InvalidArgumentError(absl::StrCat(
      "computation \"", name(), "\" has no program shape: ",
      IsNull() ? "it is null, as after a failed build or a move" : "its module has none"));
}

}  // namespace callbridge_v1
}  // namespace xla
