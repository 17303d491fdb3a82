// FutureObject: an XLA_FFI_Future of callbridge's own runtime. The handler creates it and completes
// it, once, on any thread; the host takes it, once.
//
// Freed when it has been both completed and taken (or abandoned). A future that is never completed
// leaks, and waiting for it never ends. One that is never handed to a host leaks too, as in XLA.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_FUTURE_OBJECT_H_
#define CALLBRIDGE_TYPED_FFI_HOST_FUTURE_OBJECT_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Waits for a future. The host owns it and must keep it until `ready` is called. The future is gone
// by then, so `ready` may destroy the waiter.
struct FutureWaiter {
  // Called on the thread that completes the future.
  void (*ready)(FutureWaiter& waiter, absl::Status status);
};

class FutureObject {
 public:
  // Allocates once.
  static XLA_FFI_Future* Create() { return reinterpret_cast<XLA_FFI_Future*>(new FutureObject); }

  // For handlers. Returns FAILED_PRECONDITION if the future is already completed. Completing a
  // future that may have been freed is the handler's bug, as in XLA.
  static absl::Status Complete(XLA_FFI_Future* future, absl::Status status);

  // For the host, once: returns the result if there is one; otherwise returns nullopt and calls
  // `waiter` later. Does not allocate, nor does Complete().
  static absl::optional<absl::Status> Take(XLA_FFI_Future* future, FutureWaiter& waiter);
  // For the host, instead of Take(), if it does not need the result.
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
