// xla::Client: compiles and runs computations, with the interface of XLA's C++ API.
#ifndef CALLBRIDGE_CLIENT_CLIENT_H_
#define CALLBRIDGE_CLIENT_CLIENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/client/execution_messages.h"
#include "callbridge/client/global_data.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/xla_computation.h"

namespace xla {
inline namespace callbridge_v1 {

// Runs computations on the embedded runtime. A custom call finds the targets that are registered in
// the process when the computation is compiled. Thread-safe. ClientLibrary returns one.
class CALLBRIDGE_EXPORTED Client {
 public:
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns INVALID_ARGUMENT if the shapes, without layouts, are not the parameters', and
  // UNIMPLEMENTED for an instruction that the embedded runtime does not have.
  StatusOr<ExecutionHandle> Compile(const XlaComputation& computation,
                                    absl::Span<const Shape> argument_shapes,
                                    const ExecutionOptions* execution_options = nullptr);

  // Runs the computation on the calling thread and returns when it is done. Arguments may have any
  // layout.
  StatusOr<std::unique_ptr<GlobalData>> Execute(const ExecutionHandle& handle,
                                                absl::Span<GlobalData* const> arguments,
                                                ExecutionProfile* execution_profile = nullptr);
  StatusOr<std::unique_ptr<GlobalData>> Execute(const XlaComputation& computation,
                                                absl::Span<GlobalData* const> arguments,
                                                const ExecutionOptions* execution_options = nullptr,
                                                ExecutionProfile* execution_profile = nullptr);
  StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation,
                                       absl::Span<GlobalData* const> arguments,
                                       const ExecutionOptions* execution_options = nullptr,
                                       ExecutionProfile* execution_profile = nullptr);

  // Returns a copy of the value, in the layout of `shape_with_layout` if that is given.
  StatusOr<Literal> Transfer(const GlobalData& data, const Shape* shape_with_layout = nullptr);
  // Copies the literal.
  StatusOr<std::unique_ptr<GlobalData>> TransferToServer(
      const LiteralSlice& literal, const DeviceHandle* device_handle = nullptr);

  Status Unregister(const GlobalData& data);
  // Returns copies of the tuple's elements.
  StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData& data);
  StatusOr<Shape> GetShape(const GlobalData& data);
  StatusOr<std::unique_ptr<ProgramShape>> GetComputationShape(const XlaComputation& computation);
  // Returns the only device. Returns INVALID_ARGUMENT if `device_count` is not 1.
  StatusOr<std::vector<DeviceHandle>> GetDeviceHandles(int64_t device_count);

 protected:
  Client() = default;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_CLIENT_H_
