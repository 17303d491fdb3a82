// The part of callbridge.h that binds, executes and starts calls.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/device_executor.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/started_call.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/devices.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"

using callbridge::BoundCall;
using callbridge::CallBuffers;
using callbridge::CallContext;
using callbridge::CallSite;
using callbridge::CheckArrays;
using callbridge::DeviceContext;
using callbridge::DeviceOfContext;
using callbridge::ExecutionContext;
using callbridge::FromC;
using callbridge::StartedCall;
using callbridge::Target;
using callbridge::ToC;
using callbridge::WithoutExceptions;

struct callbridge_call {
  // Takes away one owner: its user, or a run, during which the user may destroy it.
  struct Release {
    void operator()(const callbridge_call* call) const {
      if (call->owners.fetch_sub(1) == 1) delete call;
    }
  };
  using Owner = std::unique_ptr<const callbridge_call, Release>;

  BoundCall call;
  bool is_for_cuda;
  mutable std::atomic<int> owners{1};
};

namespace {

// What `context` provides. Refers to it and to `services`, which it fills where XLA:CPU's are asked
// for.
ExecutionContext Provided(const CallContext& context, callbridge::host::RuntimeServices& services) {
  if (!context.as_xla_cpu()) return context.get();
  return callbridge::WithServicesOfXlaCpu(context.get(), services);
}

absl::Status CheckDeviceContext(const CallContext& context) {
  if (!context.as_xla_cpu()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "callbridge_execution_context has a device, and as_xla_cpu is set: expected one of them");
}

absl::Status CheckCanRunOnDevice(const callbridge_call& call) {
  if (call.is_for_cuda) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "callbridge_execution_context has a device, but the call's target is not for CUDA");
}

absl::Status ExecuteOnDevice(const callbridge_call& call, const CallBuffers& buffers,
                             const CallContext& context, const DeviceOfContext& device) {
  absl::Status checked = CheckCanRunOnDevice(call);
  if (!checked.ok()) return checked;
  return callbridge::ExecuteOnDevice(call.call, buffers, context.get(), device.stream(),
                                     device.synchronizes());
}

}  // namespace

// A run, which its handle and a typed handler's future own together.
struct callbridge_run {
 public:
  struct Release {
    void operator()(callbridge_run* run) const {
      if (run->owners_.fetch_sub(1) == 1) delete run;
    }
  };
  using Owner = std::unique_ptr<callbridge_run, Release>;

  // Calls `done` as callbridge_call_start has it. On an error nothing was started.
  absl::Status Start(const callbridge_call& call, const CallBuffers& buffers,
                     const callbridge_execution_context* context, callbridge_done* done,
                     void* user) {
    absl::Status copied = context_.Copy(context);
    if (!copied.ok()) return copied;
    done_ = done;
    user_ = user;
    device_.emplace(context);
    if (*device_) return StartOnDevice(call, buffers);
    callbridge::host::RuntimeServices services;
    const ExecutionContext provided = Provided(context_, services);
    started_.emplace(call.call);
    Own(call);  // until the run is over; from here on nothing throws
    started_->Start(call.call, buffers, provided, &End, this);
    return absl::OkStatus();
  }

  // The run's status, or DEADLINE_EXCEEDED where it is not over in time.
  absl::Status Wait(int64_t timeout_milliseconds) const {
    std::unique_lock<std::mutex> lock(mutex_);
    if (WaitUntilOver(lock, timeout_milliseconds)) return status_;
    return absl::DeadlineExceededError(absl::StrCat(
        "the handler returned a future and has not completed it in ", timeout_milliseconds, " ms"));
  }

 private:
  absl::Status StartOnDevice(const callbridge_call& call, const CallBuffers& buffers) {
    absl::Status checked = CheckCanRunOnDevice(call);
    if (checked.ok()) checked = CheckDeviceContext(context_);
    if (!checked.ok()) return checked;
    const callbridge::cuda::CurrentContext current(device_->device());
    if (!current.status().ok()) return current.status();
    if (device_->synchronizes()) checked = CheckBeforeCall(buffers, device_->stream());
    if (!checked.ok()) return checked;
    on_device_.emplace(context_.get(), device_->stream());
    started_.emplace(call.call);
    Own(call);  // as above
    started_->Start(call.call, buffers, on_device_->get(), &End, this);
    return absl::OkStatus();
  }

  // Makes the run an owner of itself and of the call.
  void Own(const callbridge_call& call) {
    ++owners_;
    ++call.owners;
    call_.reset(&call);
  }

  absl::Status StatusOfEnd(absl::Status status) const {
    if (!on_device_.has_value()) return status;
    try {
      if (status.ok()) status = on_device_->scratch().free_error();
      if (!device_->synchronizes()) return status;
      return callbridge::SynchronizeAfterCall(std::move(status), device_->stream());
    } catch (...) {
      return callbridge::CaughtStatus();  // no memory for the message
    }
  }

  // Ends the waiting, even where `done` ends its thread.
  struct OverAtExit {
    ~OverAtExit() {
      const std::lock_guard<std::mutex> lock(run.mutex_);
      run.is_over_ = true;
      run.changed_.notify_all();
    }
    callbridge_run& run;
  };

  // NOLINTNEXTLINE(performance-unnecessary-value-param): StartedCall::Done is so
  static void End(void* user, absl::Status status) {
    const Owner run(static_cast<callbridge_run*>(user));  // maybe the last: the handle may be gone
    run->started_.reset();
    run->call_.reset();
    run->status_ = run->StatusOfEnd(std::move(status));
    const OverAtExit over{*run};
    if (run->done_ == nullptr) return;
    try {
      run->done_(run->user_, ToC(run->status_));
    } catch (...) {
      // Nobody waits for what it says. A thread's cancellation goes on.
      static_cast<void>(callbridge::CaughtStatus());
    }
  }

  // Whether it is over before the time is up. Times that the clock cannot hold, 292 years, are
  // never.
  bool WaitUntilOver(std::unique_lock<std::mutex>& lock, int64_t milliseconds) const {
    using std::chrono::steady_clock;
    const auto is_over = [this] { return is_over_; };
    if (is_over()) return true;
    const steady_clock::time_point now = steady_clock::now();
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(
        steady_clock::time_point::max() - now);
    if (milliseconds >= 0 && milliseconds < longest.count()) {
      return changed_.wait_until(lock, now + std::chrono::milliseconds(milliseconds), is_over);
    }
    changed_.wait(lock, is_over);
    return true;
  }

  std::atomic<int> owners_{1};
  CallContext context_;
  absl::optional<DeviceOfContext> device_;
  absl::optional<DeviceContext> on_device_;  // before what uses it
  absl::optional<StartedCall> started_;
  callbridge_call::Owner call_;
  callbridge_done* done_ = nullptr;
  void* user_ = nullptr;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_over_ = false;
  absl::Status status_;  // written before is_over_
};

callbridge_error* callbridge_call_bind(const callbridge_target* target, const callbridge_site* site,
                                       const callbridge_execution_context* context,
                                       callbridge_call** call) {
  return WithoutExceptions({{"target", target}, {"site", site}, {"call", call}}, [&] {
    absl::StatusOr<Target> known = FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<CallSite> call_site = FromC(*site, *known);
    if (!call_site.ok()) return call_site.status();
    CallContext copy;
    absl::Status copied = copy.Copy(context);
    if (!copied.ok()) return copied;
    const DeviceOfContext device(context);
    if (device) {
      absl::Status checked = CheckDeviceContext(copy);
      if (!checked.ok()) return checked;
    }
    callbridge::host::RuntimeServices services;
    absl::StatusOr<BoundCall> bound =
        device ? callbridge::BindOnDevice(*call_site, *known, copy.get(), device.device())
               : callbridge::Bind(*call_site, *known, Provided(copy, services));
    if (!bound.ok()) return bound.status();
    *call = new callbridge_call{*std::move(bound), known->platform == callbridge::Platform::kCuda};
    return absl::OkStatus();
  });
}

void callbridge_call_destroy(callbridge_call* call) { const callbridge_call::Owner last(call); }

callbridge_error* callbridge_call_execute(const callbridge_call* call, void** operands,
                                          size_t operand_count, void** results, size_t result_count,
                                          const callbridge_execution_context* context) {
  return WithoutExceptions([&]() -> absl::Status {
    if (call == nullptr) return callbridge::NullError("call");
    if (operands == nullptr && operand_count > 0) return callbridge::NullError("operands");
    if (results == nullptr && result_count > 0) return callbridge::NullError("results");
    const CallBuffers buffers = {{operands, operand_count}, {results, result_count}};
    if (context == nullptr) return call->call.Execute(buffers);
    CallContext services;
    absl::Status copied = services.Copy(context);
    if (!copied.ok()) return copied;
    if (services.as_xla_cpu()) {
      const bool keeps_mode = callbridge::KnowsField(*context, context->keeps_floating_point) &&
                              context->keeps_floating_point != 0;
      return keeps_mode
                 ? callbridge::ExecuteWithServicesOfXlaCpu(call->call, buffers, services.get())
                 : callbridge::ExecuteAsXlaCpu(call->call, buffers, services.get());
    }
    const DeviceOfContext device(context);
    if (device) return ExecuteOnDevice(*call, buffers, services, device);
    return call->call.Execute(buffers, services.get());
  });
}

callbridge_error* callbridge_call_execute_unchecked(const callbridge_call* call, void** operands,
                                                    void** results) {
  try {
    return ToC(call->call.ExecuteUnchecked(operands, results));
  } catch (...) {
    return callbridge::CaughtError();
  }
}

callbridge_error* callbridge_call_start(const callbridge_call* call, void** operands,
                                        size_t operand_count, void** results, size_t result_count,
                                        const callbridge_execution_context* context,
                                        callbridge_done* done, void* user, callbridge_run** run) {
  return WithoutExceptions([&] {
    absl::Status checked = callbridge::CheckPointers({{"call", call}});
    if (checked.ok()) {
      checked = callbridge::CheckArray("operands", operands, "operand_count", operand_count,
                                       sizeof(*operands));
    }
    if (checked.ok()) {
      checked = callbridge::CheckArray("results", results, "result_count", result_count,
                                       sizeof(*results));
    }
    if (!checked.ok()) return checked;
    callbridge_run::Owner made(new callbridge_run);
    absl::Status started = made->Start(*call, {{operands, operand_count}, {results, result_count}},
                                       context, done, user);
    if (started.ok() && run != nullptr) *run = made.release();
    return started;
  });
}

callbridge_error* callbridge_run_wait(const callbridge_run* run, int64_t timeout_milliseconds) {
  return WithoutExceptions({{"run", run}}, [&] { return run->Wait(timeout_milliseconds); });
}

void callbridge_run_destroy(callbridge_run* run) { const callbridge_run::Owner last(run); }

callbridge_error* callbridge_execute(const callbridge_target* target, const callbridge_site* site,
                                     const callbridge_array* operands, size_t operand_count,
                                     const callbridge_array* results, size_t result_count,
                                     const callbridge_execution_context* context) {
  return WithoutExceptions({{"target", target}, {"site", site}}, [&] {
    absl::Status arrays = CheckArrays("operands", operands, operand_count);
    if (arrays.ok()) arrays = CheckArrays("results", results, result_count);
    if (!arrays.ok()) return arrays;
    absl::StatusOr<Target> known = FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<CallSite> call_site = FromC(*site, *known);
    if (!call_site.ok()) return call_site.status();
    CallContext services;
    absl::Status copied = services.Copy(context);
    if (!copied.ok()) return copied;
    const DeviceOfContext device(context);
    if (device) {
      return callbridge::ExecuteOnDevice(*call_site, *known, FromC(operands, operand_count),
                                         FromC(results, result_count), services.get(),
                                         device.stream(), device.synchronizes());
    }
    return callbridge::Execute(*call_site, *known, FromC(operands, operand_count),
                               FromC(results, result_count), services.get());
  });
}

callbridge_error* callbridge_call_execute_with_copies(const callbridge_call* call,
                                                      const callbridge_array* operands,
                                                      size_t operand_count,
                                                      const callbridge_array* results,
                                                      size_t result_count,
                                                      const callbridge_execution_context* context) {
  return WithoutExceptions({{"call", call}, {"context", context}}, [&] {
    absl::Status checked = CheckArrays("operands", operands, operand_count);
    if (checked.ok()) checked = CheckArrays("results", results, result_count);
    if (!checked.ok()) return checked;
    CallContext services;
    absl::Status copied = services.Copy(context);
    if (!copied.ok()) return copied;
    const DeviceOfContext device(context);
    if (!device) return callbridge::NullError("callbridge_execution_context.device");
    checked = CheckCanRunOnDevice(*call);
    if (checked.ok()) checked = CheckDeviceContext(services);
    if (!checked.ok()) return checked;
    return callbridge::ExecuteOnDevice(call->call, FromC(operands, operand_count),
                                       FromC(results, result_count), services.get(),
                                       device.stream(), device.synchronizes());
  });
}
