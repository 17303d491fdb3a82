// What an XLA_FFI_Future is where callbridge is the runtime: a result that comes later. The handler
// creates it and completes it, once, on any thread; the host takes it, once.
//
// A future is freed when it has been both completed and taken (or abandoned). One that is never
// completed leaks, and whoever waits for it waits forever; one that was never handed to a host
// leaks too, as in XLA.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_FUTURE_OBJECT_H_
#define CALLBRIDGE_TYPED_FFI_HOST_FUTURE_OBJECT_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Who is told of a future's end. It is the host's, and lives until it has been told; the future is
// gone by then, so the waiter may be too when `ready` returns.
struct FutureWaiter {
  // On the thread that completes the future.
  void (*ready)(FutureWaiter& waiter, absl::Status status);
};

class FutureObject {
 public:
  // One allocation.
  static XLA_FFI_Future* Create() { return reinterpret_cast<XLA_FFI_Future*>(new FutureObject); }

  // The handler's side. FAILED_PRECONDITION where the future is completed already; to be asked of a
  // future that may have been freed is the handler's bug, as in XLA.
  static absl::Status Complete(XLA_FFI_Future* future, absl::Status status);

  // The host's side, once: the result where it is there; else nothing, and `waiter` will be told.
  // Neither allocates.
  static absl::optional<absl::Status> Take(XLA_FFI_Future* future, FutureWaiter& waiter);
  // The host's side, instead of Take(): the result is of no interest.
  static void Abandon(XLA_FFI_Future* future);

 private:
  FutureObject() = default;

  // kPending, kDone, kAbandoned, or the address of a FutureWaiter.
  static constexpr uintptr_t kPending = 0;
  static constexpr uintptr_t kDone = 1;
  static constexpr uintptr_t kAbandoned = 2;

  std::atomic<uintptr_t> state_{kPending};
  std::atomic<bool> completed_{false};
  absl::Status status_;
};

// Takes the future and waits for it.
absl::Status WaitFor(XLA_FFI_Future* future);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_FUTURE_OBJECT_H_
