// Driver: CUDA's driver library, libcuda.so.1, opened at run time, and the functions of it that
// callbridge calls.
#ifndef CALLBRIDGE_CUDA_DRIVER_H_
#define CALLBRIDGE_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/cuda/driver_types.h"

namespace callbridge {
namespace cuda {

// An opened libcuda.so.1. Never closed, since a driver cannot be unloaded.
class DriverLibrary {
 public:
  // Returns UNAVAILABLE if ld.so does not find it.
  static absl::StatusOr<DriverLibrary> Open();

  // Returns null if the library lacks the symbol. Find() also remembers that.
  void* Find(const char* symbol);
  void* FindIfThere(const char* symbol) const;
  const std::vector<std::string>& missing() const { return missing_; }

  // Returns the status of a failed call. The message has the function's name, and CUDA's name and
  // text of the error. RESOURCE_EXHAUSTED if there is no memory; UNAVAILABLE if there is no device,
  // or the driver does not run; INVALID_ARGUMENT for an invalid argument; else INTERNAL. If the
  // context is lost, says so, and that the process must be restarted.
  absl::Status ErrorOf(const char* function, Result result) const;

 private:
  using ErrorText = Result(Result, const char**);

  explicit DriverLibrary(void* library);

  std::vector<std::string> missing_;  // before what Find() finds
  void* library_;
  ErrorText* error_name_;
  ErrorText* error_string_;
};

// Returns FAILED_PRECONDITION in a process that was forked from one that had used the driver, which
// does not survive a fork.
absl::Status CheckNotForked();

// A function of the driver.
template <typename... Parameters>
class DriverFunction {
 public:
  using Signature = Result(Parameters...);

  // `name` is that of the symbol, with its version.
  DriverFunction(DriverLibrary& library, const char* name)
      : library_(library),
        name_(name),
        function_(reinterpret_cast<Signature*>(library.Find(name))) {}

  // A function that drivers callbridge serves may lack: is_there() says whether to call it.
  struct IfThere {};
  DriverFunction(const DriverLibrary& library, const char* name, IfThere)
      : library_(library),
        name_(name),
        function_(reinterpret_cast<Signature*>(library.FindIfThere(name))) {}

  bool is_there() const { return function_ != nullptr; }

  // Calls it. Returns the errors of CheckNotForked() and DriverLibrary::ErrorOf().
  absl::Status operator()(Parameters... arguments) const {
    absl::Status usable = CheckNotForked();
    if (!usable.ok()) return usable;
    const Result result = function_(arguments...);
    return result == result::kSuccess ? absl::OkStatus() : library_.ErrorOf(name_, result);
  }

  // Calls it, where a result other than success is an answer; Error() makes a status of it.
  Result Call(Parameters... arguments) const { return function_(arguments...); }
  absl::Status Error(Result result) const { return library_.ErrorOf(name_, result); }

 private:
  const DriverLibrary& library_;
  const char* const name_;
  Signature* const function_;
};

// The version of CUDA that a driver must support: the first with stream-ordered memory.
inline constexpr int kOldestDriverVersion = 11020;

class Driver {
 public:
  // Returns the driver, which the first call opens and initialises; after a failure, the next call
  // tries again. Returns UNAVAILABLE if the library is missing, is older than kOldestDriverVersion,
  // lacks a function, or finds no device. Lives as long as the process. Thread-safe.
  static absl::StatusOr<const Driver*> Get();

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

 private:
  explicit Driver(DriverLibrary library) : library_(std::move(library)) {}

  static absl::StatusOr<const Driver*> Make();

  DriverLibrary library_;  // before the functions, which refer to it

  template <typename... Parameters>
  using Function = DriverFunction<Parameters...>;

 public:
  const Function<int*> driver_get_version{library_, "cuDriverGetVersion"};
  const Function<unsigned> init{library_, "cuInit"};

  const Function<int*> device_get_count{library_, "cuDeviceGetCount"};
  const Function<DeviceHandle*, int> device_get{library_, "cuDeviceGet"};
  const Function<int*, int, DeviceHandle> device_get_attribute{library_, "cuDeviceGetAttribute"};
  const Function<ContextHandle*, DeviceHandle> primary_context_retain{library_,
                                                                      "cuDevicePrimaryCtxRetain"};
  const Function<DeviceHandle> primary_context_release{library_, "cuDevicePrimaryCtxRelease_v2"};

  const Function<ContextHandle> context_push{library_, "cuCtxPushCurrent_v2"};
  const Function<ContextHandle*> context_pop{library_, "cuCtxPopCurrent_v2"};
  const Function<DeviceHandle*> context_get_device{library_, "cuCtxGetDevice"};

  const Function<StreamHandle*, unsigned> stream_create{library_, "cuStreamCreate"};
  const Function<StreamHandle> stream_destroy{library_, "cuStreamDestroy_v2"};
  const Function<StreamHandle> stream_synchronize{library_, "cuStreamSynchronize"};
  const Function<StreamHandle, ContextHandle*> stream_get_context{library_, "cuStreamGetCtx"};

  const Function<DevicePointer*, size_t> allocate{library_, "cuMemAlloc_v2"};
  const Function<DevicePointer> free{library_, "cuMemFree_v2"};
  const Function<DevicePointer*, size_t, StreamHandle> allocate_async{library_, "cuMemAllocAsync"};
  const Function<DevicePointer, StreamHandle> free_async{library_, "cuMemFreeAsync"};
  const Function<DevicePointer, const void*, size_t, StreamHandle> copy_to_device{
      library_, "cuMemcpyHtoDAsync_v2"};
  const Function<void*, DevicePointer, size_t, StreamHandle> copy_to_host{library_,
                                                                          "cuMemcpyDtoHAsync_v2"};
  const Function<DevicePointer, DevicePointer, size_t, StreamHandle> copy_on_device{
      library_, "cuMemcpyDtoDAsync_v2"};
  const Function<void*, int, DevicePointer> pointer_get_attribute{library_,
                                                                  "cuPointerGetAttribute"};

  // Since CUDA 11.3.
  const Function<StreamHandle, CaptureStatus*, uint64_t*, GraphHandle*, const NodeHandle**, size_t*>
      stream_get_capture_info{library_, "cuStreamGetCaptureInfo_v2", {}};
  const Function<GraphHandle, NodeHandle*, size_t*> graph_get_nodes{library_, "cuGraphGetNodes"};
};

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_DRIVER_H_
