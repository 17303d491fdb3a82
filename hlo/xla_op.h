// xla::XlaOp: an instruction of a computation that is being built.
#ifndef CALLBRIDGE_HLO_XLA_OP_H_
#define CALLBRIDGE_HLO_XLA_OP_H_

#include <cstdint>
#include <ostream>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

class XlaBuilder;

namespace internal {
struct XlaBuilderFriend;
}  // namespace internal

// A number and a pointer, which outlives neither the builder nor its Build(): whoever is given a
// stale one reports an error, or ends the process with a message where the builder is gone.
class CALLBRIDGE_EXPORTED XlaOp {
 public:
  // Belongs to no builder.
  XlaOp() = default;

  // Ends the process where there is none.
  XlaBuilder* builder() const {
    if (builder_ == nullptr) internal::Die("an XlaOp that no builder made has no builder");
    return builder_;
  }
  // False of what a builder returns after an error, too.
  bool valid() const { return handle_ >= 0; }
  bool IsUninitialized() const { return builder_ == nullptr; }
  bool IsIdenticalTo(XlaOp other) const {
    return handle_ == other.handle_ && builder_ == other.builder_;
  }

  friend std::ostream& operator<<(std::ostream& out, XlaOp op) { return out << op.handle_; }

 private:
  friend class XlaBuilder;
  friend struct internal::XlaBuilderFriend;

  XlaOp(int64_t handle, XlaBuilder* builder) : handle_(handle), builder_(builder) {}
  int64_t handle() const { return handle_; }

  // Negative after an error.
  int64_t handle_ = -1;
  XlaBuilder* builder_ = nullptr;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_OP_H_
