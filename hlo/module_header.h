// The first line of HLO text.
#ifndef CALLBRIDGE_HLO_MODULE_HEADER_H_
#define CALLBRIDGE_HLO_MODULE_HEADER_H_

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

struct ModuleHeader {
  // Its name, aliases and, where the header says them, the layouts of its entry computation.
  xla::HloModuleProto module;
  // The instructions stand in the order in which they run.
  bool is_scheduled = false;
};

// Reads the header, and the tables of source lines behind it, which metadata refers to and which
// are left out. UNIMPLEMENTED for attributes that are not known and modules for several devices.
absl::StatusOr<ModuleHeader> ReadModuleHeader(TextCursor* cursor);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_MODULE_HEADER_H_
