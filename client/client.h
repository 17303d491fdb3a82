// xla::Client: compiles and runs computations, as programs of XLA's C++ API do.
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

// Over the embedded runtime. Custom calls find the targets that are registered in the process when
// the computation is compiled. Thread-safe. Get one from ClientLibrary.
class CALLBRIDGE_EXPORTED Client {
 public:
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // INVALID_ARGUMENT where the shapes are not those of the parameters, layouts aside.
  // UNIMPLEMENTED for instructions that the embedded runtime does not have.
  StatusOr<ExecutionHandle> Compile(const XlaComputation& computation,
                                    absl::Span<const Shape> argument_shapes,
                                    const ExecutionOptions* execution_options = nullptr);

  // On the calling thread; done when it returns. Arguments may be in any layout.
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

  // A copy of the value; in the layout of `shape_with_layout`, where that is given.
  StatusOr<Literal> Transfer(const GlobalData& data, const Shape* shape_with_layout = nullptr);
  // A copy of the literal.
  StatusOr<std::unique_ptr<GlobalData>> TransferToServer(
      const LiteralSlice& literal, const DeviceHandle* device_handle = nullptr);

  Status Unregister(const GlobalData& data);
  // Copies of the tuple's elements.
  StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData& data);
  StatusOr<Shape> GetShape(const GlobalData& data);
  StatusOr<std::unique_ptr<ProgramShape>> GetComputationShape(const XlaComputation& computation);
  // `device_count` times the one device.
  StatusOr<std::vector<DeviceHandle>> GetDeviceHandles(int64_t device_count);

 protected:
  Client() = default;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_CLIENT_H_
