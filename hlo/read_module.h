// Modules from files, in any of the forms that are read.
#ifndef CALLBRIDGE_HLO_READ_MODULE_H_
#define CALLBRIDGE_HLO_READ_MODULE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// The module in `bytes`: a serialized HloModuleProto or HloProto, or HLO text. It has passed
// CheckModule(). INVALID_ARGUMENT where it is neither, with what each reader said.
absl::StatusOr<xla::HloModuleProto> ReadModule(absl::string_view bytes);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_READ_MODULE_H_
