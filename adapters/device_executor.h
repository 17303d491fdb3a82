// The embedded runtime on a CUDA device: calls of GPU targets, on memory of the device.
#ifndef CALLBRIDGE_ADAPTERS_DEVICE_EXECUTOR_H_
#define CALLBRIDGE_ADAPTERS_DEVICE_EXECUTOR_H_

#include <cstddef>
#include <mutex>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/target.h"
#include "callbridge/cuda/stream.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"

namespace callbridge {

// Scratch memory on a stream's device, in the order of the stream. Thread-safe.
class DeviceScratch : public host::ScratchAllocator {
 public:
  // Of every allocation, in bytes.
  static constexpr size_t kAlignment = 256;

  // Borrows the stream.
  explicit DeviceScratch(const cuda::Stream& stream) : stream_(stream) {}

  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) override;
  // Returns UNIMPLEMENTED for an alignment that the device does not have, else the driver's error.
  absl::Status Failure(size_t size) const override;

  // Returns the first error of Free().
  absl::Status free_error() const;

 private:
  const cuda::Stream& stream_;
  mutable std::mutex mutex_;
  absl::Status failure_;
  absl::Status free_error_;
};

// A context that provides what XLA:GPU does: the stream, the device ordinal, a run id and scratch
// memory, each unless `context` has one. Must live until the call is over. Borrows `stream`.
class DeviceContext {
 public:
  DeviceContext(const ExecutionContext& context, const cuda::Stream& stream);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const ExecutionContext& get() const { return context_; }
  const DeviceScratch& scratch() const { return scratch_; }

 private:
  DeviceScratch scratch_;
  host::RuntimeServices services_;
  ExecutionContext context_;
};

// Executes a call of a CUDA target: with the device's context current on this thread, and with what
// DeviceContext provides. The work that the target enqueues on `stream` may be going on when this
// returns, and its errors come with a later call.
//
// If `synchronizes` is set, each error comes with the call that caused it: waits for the stream
// before the call and after it, and returns what failed there; returns INVALID_ARGUMENT if a
// pointer is not of the device's memory, or the stream not of its context. Not for a capturing
// stream.
absl::Status ExecuteOnDevice(const BoundCall& call, const CallBuffers& buffers,
                             const ExecutionContext& context, const cuda::Stream& stream,
                             bool synchronizes);

// The two halves of that, for a call that is started and over later: what is checked before it, and
// the status of a run that ended with `status`.
absl::Status CheckBeforeCall(const CallBuffers& buffers, const cuda::Stream& stream);
absl::Status SynchronizeAfterCall(absl::Status status, const cuda::Stream& stream);

// Same, on arrays in host memory: copies the operands and the results to the device, calls, and
// copies the results back. Waits for all of it. The arrays' sizes must be those of the leaves; an
// array that is null and empty, as a token's, is null for the target too.
absl::Status ExecuteOnDevice(const BoundCall& call, absl::Span<const HostArray> operands,
                             absl::Span<const HostArray> results, const ExecutionContext& context,
                             const cuda::Stream& stream, bool synchronizes);

// Binds with the device's context current. Returns INVALID_ARGUMENT if the target is not for CUDA,
// and the errors of Bind().
absl::StatusOr<BoundCall> BindOnDevice(const CallSite& site, const Target& target,
                                       const ExecutionContext& context, const cuda::Device& device);

// Binds a target, calls it once on arrays in host memory, as above, and destroys the call. Checks
// the arrays as Execute() does.
absl::Status ExecuteOnDevice(const CallSite& site, const Target& target,
                             absl::Span<const HostArray> operands,
                             absl::Span<const HostArray> results, const ExecutionContext& context,
                             const cuda::Stream& stream, bool synchronizes);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_DEVICE_EXECUTOR_H_
