// How elementwise instructions of two operands of different shapes broadcast them, by XLA's rules.
#ifndef CALLBRIDGE_HLO_IMPLICIT_BROADCAST_H_
#define CALLBRIDGE_HLO_IMPLICIT_BROADCAST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge::hlo {

// The dimensions of the result. `broadcast_dimensions` is empty, or has a dimension of the larger
// operand for each one of the smaller. INVALID_ARGUMENT where that combines nothing; `opcode`,
// `left_text` and `right_text` are for its message.
absl::StatusOr<std::vector<int64_t>> InferImplicitBroadcast(
    absl::Span<const int64_t> left, absl::Span<const int64_t> right,
    absl::Span<const int64_t> broadcast_dimensions, absl::string_view opcode,
    absl::string_view left_text, absl::string_view right_text);

// How dimensions of size 1 are stretched, which takes two instructions: a reshape leaves them out,
// and a broadcast puts them in again.
struct Stretch {
  // What remains, and where it stands in the result.
  std::vector<int64_t> sizes;
  std::vector<int64_t> dimensions;
};
// INVALID_ARGUMENT unless they have one rank, and each size is `to`'s or 1.
absl::StatusOr<Stretch> StretchOf(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_IMPLICIT_BROADCAST_H_
