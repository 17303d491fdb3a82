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
  // Binds the instruction to its target. `operands` and `result` are the shapes that the target
  // gets, with layouts. If the target's ABI is not known, the instruction's api_version is used;
  // else api_version only says whether the call is typed. A typed call of an untyped target, as in
  // upgraded modules, goes through the target's typed entry point. Errors name the instruction and
  // the target. The call runs at the table's place: on a device, on copies of the arrays.
  static absl::StatusOr<BoundCustomCall> Bind(const xla::HloInstructionProto& instruction,
                                              const TargetTable& targets,
                                              absl::Span<const Shape> operands,
                                              const Shape& result);

  // Calls the target with the leaves' pointers, in preorder; the lists' contents are undefined
  // afterwards. Typed targets get `run_id`.
  absl::Status Execute(absl::Span<void*> operands, absl::Span<void*> results, int64_t run_id) const;

  // What Execute() does no more than execute: the call of an untyped target on the host; else null.
  const callbridge_call* untyped_host_call() const {
    return is_typed_ || place_.device != nullptr ? nullptr : call_.get();
  }
  // Takes the call's error, not null, and names the instruction and the target.
  absl::Status ErrorOf(callbridge_error* error) const;

 private:
  struct Destroy {
    void operator()(callbridge_call* call) const { callbridge_call_destroy(call); }
  };

  absl::Status ExecuteTyped(absl::Span<void*> operands, absl::Span<void*> results,
                            int64_t run_id) const;
  absl::Status ExecuteOnDevice(absl::Span<void*> operands, absl::Span<void*> results,
                               const callbridge_runtime_services* services) const;
  absl::Status Named(const absl::Status& status) const;

  std::unique_ptr<callbridge_call, Destroy> call_;
  bool is_typed_ = false;
  CallPlace place_;
  // In bytes, by leaf; on a device alone.
  std::vector<size_t> operand_sizes_;
  std::vector<size_t> result_sizes_;
  std::string instruction_;
  std::string target_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_BOUND_CUSTOM_CALL_H_
