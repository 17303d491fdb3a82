// xla::XlaComputation: what XlaBuilder::Build() makes, a module.
#ifndef CALLBRIDGE_HLO_XLA_COMPUTATION_H_
#define CALLBRIDGE_HLO_XLA_COMPUTATION_H_

#include <cstdint>
#include <string>
#include <utility>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/statusor.h"

namespace xla {
inline namespace callbridge_v1 {

class CALLBRIDGE_EXPORTED XlaComputation {
 public:
  // A null computation.
  XlaComputation() = default;
  // Any module, unchecked: those who use it check it.
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

  // INVALID_ARGUMENT where the module has none.
  StatusOr<ProgramShape> GetProgramShape() const;
  const std::string& name() const { return proto_.name(); }
  const HloModuleProto& proto() const { return proto_; }
  HloModuleProto* mutable_proto() { return &proto_; }
  // Also of one that was moved from.
  bool IsNull() const { return unique_id_ == -1; }

 private:
  int64_t unique_id_ = -1;
  HloModuleProto proto_;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_COMPUTATION_H_
