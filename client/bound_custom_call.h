// BoundCustomCall: a custom-call instruction, bound to its target through the C API.
#ifndef CALLBRIDGE_CLIENT_BOUND_CUSTOM_CALL_H_
#define CALLBRIDGE_CLIENT_BOUND_CUSTOM_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::client {

class BoundCustomCall {
 public:
  BoundCustomCall() = default;
  // `operands` and `result` are what the target is given, layouts and all. The instruction's
  // api_version is taken at its word where nobody knows the target's ABI, and else tells whether
  // the call is typed. An untyped target of a typed call is called by its typed entry point, which
  // upgraded modules lead to. Errors name the instruction and the target.
  static absl::StatusOr<BoundCustomCall> Bind(const xla::HloInstructionProto& instruction,
                                              const TargetTable& targets,
                                              absl::Span<const Shape> operands,
                                              const Shape& result);

  // The leaves' pointers, in preorder; the lists are undefined afterwards. `run_id` is what typed
  // targets are told.
  absl::Status Execute(absl::Span<void*> operands, absl::Span<void*> results, int64_t run_id) const;

 private:
  struct Destroy {
    void operator()(callbridge_call* call) const { callbridge_call_destroy(call); }
  };

  absl::Status ExecuteTyped(absl::Span<void*> operands, absl::Span<void*> results,
                            int64_t run_id) const;
  absl::Status Named(const absl::Status& status) const;

  std::unique_ptr<callbridge_call, Destroy> call_;
  bool is_typed_ = false;
  std::string instruction_;
  std::string target_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_BOUND_CUSTOM_CALL_H_
