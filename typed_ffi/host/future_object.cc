#include "callbridge/typed_ffi/host/future_object.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace callbridge {
namespace host {
namespace {

FutureObject& Of(XLA_FFI_Future* future) { return *reinterpret_cast<FutureObject*>(future); }

class BlockingWaiter : public FutureWaiter {
 public:
  BlockingWaiter() : FutureWaiter{&Ready} {}

  absl::Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [this] { return status_.has_value(); });
    return *std::move(status_);
  }

 private:
  static void Ready(FutureWaiter& waiter, absl::Status status) {
    auto& self = static_cast<BlockingWaiter&>(waiter);
    // Under the lock: once it is released, Wait() may return and destroy this object.
    std::lock_guard<std::mutex> lock(self.mutex_);
    self.status_ = std::move(status);
    self.ended_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  absl::optional<absl::Status> status_;
};

}  // namespace

absl::Status FutureObject::Complete(XLA_FFI_Future* future, absl::Status status) {
  FutureObject& object = Of(future);
  if (object.completed_.exchange(true)) {
    return absl::FailedPreconditionError("the XLA FFI future is already completed");
  }
  object.status_ = std::move(status);
  const uintptr_t before = object.state_.exchange(kDone);
  if (before == kPending) return absl::OkStatus();  // Take() or Abandon() will free it
  absl::Status result = std::move(object.status_);
  delete &object;
  if (before != kAbandoned) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    auto& waiter = *reinterpret_cast<FutureWaiter*>(before);
    waiter.ready(waiter, std::move(result));
  }
  return absl::OkStatus();
}

absl::optional<absl::Status> FutureObject::Take(XLA_FFI_Future* future, FutureWaiter& waiter) {
  FutureObject& object = Of(future);
  uintptr_t before = kPending;
  if (object.state_.compare_exchange_strong(before, reinterpret_cast<uintptr_t>(&waiter))) {
    return absl::nullopt;
  }
  absl::Status result = std::move(object.status_);
  delete &object;
  return result;
}

void FutureObject::Abandon(XLA_FFI_Future* future) {
  FutureObject& object = Of(future);
  uintptr_t before = kPending;
  if (!object.state_.compare_exchange_strong(before, kAbandoned)) delete &object;
}

absl::Status WaitFor(XLA_FFI_Future* future) {
  BlockingWaiter waiter;
  absl::optional<absl::Status> result = FutureObject::Take(future, waiter);
  return result.has_value() ? *std::move(result) : waiter.Wait();
}

}  // namespace host
}  // namespace callbridge
