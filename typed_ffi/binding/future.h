// xla::ffi::Future, the result of a handler that finishes later, and Promise and CountDownPromise,
// which complete it. As in XLA, a promise has at most one future, and a future at most one waiter.
//
//   Future Handle(ThreadPool pool, ...) {
//     Promise promise;
//     Future future(promise);
//     pool.Schedule([promise = std::move(promise)]() mutable { ...; promise.SetAvailable(); });
//     return future;
//   }
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_H_

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// What a promise and its future share: whether it is done and, until then, the waiter, in one word,
// so that neither side locks.
class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // The last promise is gone. Gives the waiter an error, or it would wait forever.
  ~Completion() {
    if (Waiter* waiter = WaiterIn(word_.load(std::memory_order_acquire))) {
      error_.emplace(ErrorCode::kInternal, "the promise was dropped before it was completed");
      waiter->RunAndDelete(waiter, error_);
    }
  }

  bool done() const { return word_.load(std::memory_order_acquire) == kDone; }

  // The error of a completion that is done; empty for success.
  const std::optional<Error>& error() const { return error_; }

  // Call one of these, at most once.
  void Fail(Error error) {
    assert(!done() && "a promise is completed once");
    error_.emplace(std::move(error));
    Complete();
  }
  void Complete() {
    assert(!done() && "a promise is completed once");
    const uintptr_t previous = word_.exchange(kDone, std::memory_order_acq_rel);
    if (Waiter* waiter = WaiterIn(previous)) waiter->RunAndDelete(waiter, error_);
  }

  // Calls `f` when done: now, or later on the thread that completes the promise. Call it at most
  // once.
  template <typename F>
  void OnReady(F&& f) {
    if (done()) {
      f(error_);
      return;
    }
    auto* waiter = new WaiterOf<std::decay_t<F>>(std::forward<F>(f));
    uintptr_t previous = kPending;
    if (!word_.compare_exchange_strong(previous, reinterpret_cast<uintptr_t>(waiter),
                                       std::memory_order_acq_rel, std::memory_order_acquire)) {
      assert(previous == kDone && "a future has at most one waiter");
      waiter->RunAndDelete(waiter, error_);
    }
  }

 private:
  struct Waiter {
    void (*RunAndDelete)(Waiter* self, const std::optional<Error>& error);
  };
  template <typename F>
  struct CALLBRIDGE_FFI_HIDDEN WaiterOf : Waiter {
    template <typename G>     // a function, never a WaiterOf
    explicit WaiterOf(G&& g)  // NOLINT(bugprone-forwarding-reference-overload)
        : Waiter{[](Waiter* self, const std::optional<Error>& error) {
            std::unique_ptr<WaiterOf> owner(static_cast<WaiterOf*>(self));
            owner->function(error);
          }},
          function(std::forward<G>(g)) {}
    F function;
  };

  // `word_` is one of these or a Waiter's address, which is even and not null.
  static constexpr uintptr_t kPending = 0;
  static constexpr uintptr_t kDone = 1;
  static Waiter* WaiterIn(uintptr_t word) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an atomic holds either a number or an address
    return word == kDone ? nullptr : reinterpret_cast<Waiter*>(word);
  }

  std::atomic<uintptr_t> word_{kPending};
  std::optional<Error> error_;
};

struct FutureAccess;

}  // namespace internal

class CountDownPromise;
class Promise;

// Movable. A moved-from future may only be assigned to or destroyed.
class Future {
 public:
  // Makes the future that `promise` completes. A promise may have at most one.
  explicit Future(const Promise& promise);
  explicit Future(const CountDownPromise& promise);

  Future(Future&&) = default;
  Future& operator=(Future&&) = default;

  // Calls f(const std::optional<Error>&) once it is completed, empty for success: now, or later on
  // the thread that completes the promise. If the promise is dropped, with an error.
  template <typename F>
  void OnReady(F&& f) {
    static_assert(std::is_invocable_v<F, const std::optional<Error>&>,
                  "OnReady takes a function of (const std::optional<xla::ffi::Error>& error)");
    completion_->OnReady(std::forward<F>(f));
  }

 private:
  friend struct internal::FutureAccess;

  std::shared_ptr<internal::Completion> completion_;
};

namespace internal {

// Lets the encoding of futures check whether one is done before it waits.
struct FutureAccess {
  static const Completion& CompletionOf(const Future& future) { return *future.completion_; }
};

}  // namespace internal

// Copies complete the same future; only one of them may.
class Promise {
 public:
  // Makes a promise that no future shares yet.
  Promise() : completion_(std::make_shared<internal::Completion>()) {}

  // Completes the future with success.
  void SetAvailable() { completion_->Complete(); }

  // `error` must be a failure.
  void SetError(Error error) {
    assert(error.failure() && "a promise fails with a failure");
    completion_->Fail(std::move(error));
  }

 private:
  friend class Future;

  std::shared_ptr<internal::Completion> completion_;
};

// Completes its promise when it has been counted down `count` times: with success, or with the last
// error of a count. Thread-safe.
class CountDownPromise {
 public:
  // May only be assigned to or destroyed.
  CountDownPromise() = default;
  // Completes `promise` after `count` counts, which must be positive.
  CountDownPromise(Promise promise, int64_t count)
      : state_(std::make_shared<State>(std::move(promise), count)) {
    assert(count > 0 && "a promise is counted down from a positive number");
  }
  // Same, with a promise of its own: make a Future of this object.
  explicit CountDownPromise(int64_t count) : CountDownPromise(Promise(), count) {}

  // Returns true for the call that completed the promise.
  bool CountDown(size_t count, const Error& error = Error::Success()) {
    assert(state_->count.load() >= static_cast<int64_t>(count) && "counted down below zero");
    if (XLA_FFI_PREDICT_FALSE(error.failure())) state_->Keep(error);
    // Acquires what other threads kept; releases what this one kept.
    const int64_t before =
        state_->count.fetch_sub(static_cast<int64_t>(count), std::memory_order_acq_rel);
    if (before != static_cast<int64_t>(count)) return false;
    if (state_->error.has_value()) {
      state_->promise.SetError(*std::move(state_->error));
    } else {
      state_->promise.SetAvailable();
    }
    return true;
  }
  // Same, by one.
  bool CountDown(const Error& error = Error::Success()) { return CountDown(1, error); }

 private:
  friend class Future;

  struct State {
    State(Promise p, int64_t n) : promise(std::move(p)), count(n) {}

    // Spins if another thread is storing its error: errors are rare and the assignment is short.
    void Keep(const Error& failure) {
      while (keeping.test_and_set(std::memory_order_acquire)) {
      }
      error = failure;
      keeping.clear(std::memory_order_release);
    }

    Promise promise;
    std::atomic<int64_t> count;
    std::atomic_flag keeping = ATOMIC_FLAG_INIT;
    std::optional<Error> error;
  };

  std::shared_ptr<State> state_;
};

inline Future::Future(const Promise& promise) : completion_(promise.completion_) {}
inline Future::Future(const CountDownPromise& promise) : Future(promise.state_->promise) {}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_H_
