// Shardings in HLO text. They mean nothing on one device, and are carried for XLA.
#ifndef CALLBRIDGE_HLO_SHARDING_TEXT_H_
#define CALLBRIDGE_HLO_SHARDING_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// "{replicated}", "{devices=[2,1]0,1}", "{{maximal device=0}, {manual}}". UNIMPLEMENTED for what
// `OpSharding` has no fields for.
absl::StatusOr<std::string> ShardingText(const xla::OpSharding& sharding);
absl::StatusOr<xla::OpSharding> ReadSharding(TextCursor* cursor);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHARDING_TEXT_H_
