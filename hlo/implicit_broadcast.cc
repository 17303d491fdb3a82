#include "callbridge/hlo/implicit_broadcast.h"

#include <string>

#include "callbridge/hlo/invalid_argument.h"

namespace callbridge::hlo {
namespace {

using Dimensions = absl::Span<const int64_t>;

// Of one rank: sizes are equal, or one of them is 1.
absl::StatusOr<std::vector<int64_t>> Combine(Dimensions left, Dimensions right,
                                             absl::string_view opcode, const std::string& shapes) {
  std::vector<int64_t> result(left.begin(), left.end());
  for (size_t i = 0; i < result.size(); ++i) {
    if (left[i] == 1) {
      result[i] = right[i];
    } else if (right[i] != 1 && right[i] != left[i]) {
      return Invalid("Binary op ", opcode, " with incompatible shapes: ", shapes, ".");
    }
  }
  return result;
}

bool IsIdentity(Dimensions dimensions, size_t rank) {
  if (dimensions.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> InferImplicitBroadcast(Dimensions left, Dimensions right,
                                                            Dimensions broadcast_dimensions,
                                                            absl::string_view opcode,
                                                            absl::string_view left_text,
                                                            absl::string_view right_text) {
  const std::string shapes = absl::StrCat(left_text, " and ", right_text);
  if (left.size() == right.size()) {
    if (!broadcast_dimensions.empty() && !IsIdentity(broadcast_dimensions, left.size())) {
      return Invalid(
          "Broadcast dimensions field must either be not set or be the identity on "
          "binary operations with operands of the same rank.");
    }
    return Combine(left, right, opcode, shapes);
  }
  const Dimensions larger = left.size() > right.size() ? left : right;
  const Dimensions smaller = left.size() > right.size() ? right : left;
  if (broadcast_dimensions.empty() && !smaller.empty()) {
    return Invalid("Shapes must be equal rank, but are ", shapes);
  }
  if (broadcast_dimensions.size() != smaller.size()) {
    return Invalid(
        "Size of broadcast_dimensions has to match lower-rank operand's rank;  lower-rank "
        "operand's rank is ",
        smaller.size(), ", size of broadcast_dimensions is ", broadcast_dimensions.size(), ".");
  }
  std::vector<int64_t> result(larger.begin(), larger.end());
  for (size_t i = 0; i < smaller.size(); ++i) {
    const int64_t to = broadcast_dimensions[i];
    if (to < 0) return Invalid("Broadcast dimension number (", to, ") cannot be negative.");
    if (static_cast<size_t>(to) >= larger.size()) {
      return Invalid("Broadcast dimension number (", to,
                     ") too large; higher-rank operand has rank ", larger.size(), ".");
    }
    if (smaller[i] != larger[to] && smaller[i] != 1 && larger[to] != 1) {
      return Invalid("Broadcast dimension ", i, " mismatch: ", smaller[i], " != ", larger[to], "; ",
                     shapes, ".");
    }
    if (i > 0 && broadcast_dimensions[i - 1] >= to) {
      return Invalid("Broadcast dimensions order is wrong: ", to, " comes after ",
                     broadcast_dimensions[i - 1], ".");
    }
    if (larger[to] == 1) result[to] = smaller[i];
  }
  return result;
}

absl::StatusOr<Stretch> StretchOf(Dimensions from, Dimensions to) {
  if (from.size() != to.size()) {
    return Invalid("stretching dimensions of size 1: expected ", to.size(), " dimensions, got ",
                   from.size());
  }
  Stretch stretch;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) {
      stretch.sizes.push_back(to[i]);
      stretch.dimensions.push_back(static_cast<int64_t>(i));
    } else if (from[i] != 1) {
      return Invalid(
          "Input dimension should be either 1 or equal to the output dimension it is broadcasting "
          "into; the ",
          i, "th operand dimension is ", from[i], ", the ", i, "th output dimension is ", to[i],
          ".");
    }
  }
  return stretch;
}

}  // namespace callbridge::hlo
