// xla::XlaComputation: the module that XlaBuilder::Build() returns.
#ifndef CALLBRIDGE_HLO_XLA_COMPUTATION_H_
#define CALLBRIDGE_HLO_XLA_COMPUTATION_H_

#include <cstdint>
#include <string>
#include <utility>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

class CALLBRIDGE_EXPORTED XlaComputation {
 public:
  // Makes a null computation.
  XlaComputation() = default;
  // Does not check the module.
  XlaComputation(HloModuleProto proto) : unique_id_(proto.id()), proto_(std::move(proto)) {}
  XlaComputation(const XlaComputation&) = delete;
  XlaComputation& operator=(const XlaComputation&) = delete;
  XlaComputation(XlaComputation&& other) noexcept
      : unique_id_(std::exchange(other.unique_id_, -1)), proto_(std::move(other.proto_)) {}
  XlaComputation& operator=(XlaComputation&& other) noexcept {
    unique_id_ = std::exchange(other.unique_id_, -1);
    proto_ = std::move(other.proto_);
    return *this;
  }

  // Returns INVALID_ARGUMENT if the module has no program shape.
  StatusOr<ProgramShape> GetProgramShape() const;
  const std::string& name() const { return proto_.name(); }
  const HloModuleProto& proto() const { return proto_; }
  HloModuleProto* mutable_proto() { return &proto_; }
  // Returns true for a null computation and after a move.
  bool IsNull() const { return unique_id_ == -1; }

 private:
  int64_t unique_id_ = -1;
  HloModuleProto proto_;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_COMPUTATION_H_
