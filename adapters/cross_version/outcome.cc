#include "callbridge/adapters/cross_version/outcome.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace {

namespace old = typed_ffi::old;
using host::ErrorObject;
using host::FutureObject;
using typed_ffi::ApiFunction;

// Finds the runtime's error that an error object stands for.
struct RuntimeError {
  ~RuntimeError() {
    if (error != nullptr) runtime.DestroyError(error);
  }
  XLA_FFI_Error* error;
  const CrossVersionRuntime& runtime;
};

// Returns null if `status` is OK.
XLA_FFI_Error* ToRuntime(const absl::Status& status, const CrossVersionRuntime& runtime) {
  if (status.ok()) return nullptr;
  return runtime.MakeError(static_cast<XLA_FFI_Error_Code>(status.code()),
                           std::string(status.message()).c_str());
}

// An asynchronous call. Completes the runtime's future and deletes itself when both have arrived:
// the handler's completion, and the wrapper that made the runtime's future.
class PendingCall : public host::FutureWaiter {
 public:
  explicit PendingCall(CrossVersionContext& context) : FutureWaiter{&Ready}, context_(context) {}

  // Without a future, only deletes the call.
  void Complete(XLA_FFI_Future* future) {
    future_ = future;
    Arrive();
  }

 private:
  static void Ready(FutureWaiter& waiter, absl::Status status) {
    auto& self = static_cast<PendingCall&>(waiter);
    self.status_ = std::move(status);
    self.Arrive();
  }

  void Arrive() {
    if (arrived_.exchange(true)) End();
  }

  void End() {
    const std::unique_ptr<PendingCall> owned(this);
    const CrossVersionRuntime& runtime = *context_.runtime;
    ContextPool::ReleaseOnAnyThread(context_);
    if (future_ == nullptr) return;
    XLA_FFI_Error* refused;
    if (status_.ok()) {
      XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                                               nullptr, future_};
      refused = runtime.Find<XLA_FFI_Future_SetAvailable>(ApiFunction::kFutureSetAvailable)(&args);
    } else {
      XLA_FFI_Future_SetError_Args args = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr,
                                           future_, ToRuntime(status_, runtime)};
      refused = runtime.Find<XLA_FFI_Future_SetError>(ApiFunction::kFutureSetError)(&args);
    }
    // Nobody is left to report the failure to.
    if (refused != nullptr) runtime.DestroyError(refused);
  }

  CrossVersionContext& context_;
  XLA_FFI_Future* future_ = nullptr;
  absl::Status status_;
  std::atomic<bool> arrived_{false};
};

}  // namespace

XLA_FFI_Error* WrapRuntimeError(XLA_FFI_Error* error, const CrossVersionRuntime& runtime) {
  XLA_FFI_Error_Code code = XLA_FFI_Error_Code_UNKNOWN;
  const char* message = nullptr;
  if (auto* get_details = runtime.Find<XLA_FFI_Error_GetDetails>(ApiFunction::kErrorGetDetails)) {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
    args.error = error;
    get_details(&args);
    code = args.errc;
    message = args.message;
  } else {
    old::XLA_FFI_Error_GetMessage_Args args = {};
    args.struct_size = old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE;
    args.error = error;
    runtime.Find<old::XLA_FFI_Error_GetMessage>(ApiFunction::kErrorGetMessage)(&args);
    message = args.message;
  }
  return ErrorObject::Make(code, message == nullptr ? "" : message,
                           std::shared_ptr<RuntimeError>(new RuntimeError{error, runtime}));
}

XLA_FFI_Error* ToRuntime(XLA_FFI_Error* error, const CrossVersionRuntime& runtime) {
  const ErrorObject& object = ErrorObject::Of(error);
  auto* origin = static_cast<RuntimeError*>(object.origin());
  XLA_FFI_Error* result = origin != nullptr && &origin->runtime == &runtime
                              ? std::exchange(origin->error, nullptr)
                              : runtime.MakeError(object.code(), object.message());
  ErrorObject::Destroy(error);
  return result;
}

XLA_FFI_Error* HandOverFuture(XLA_FFI_Future* future, CrossVersionContext& context,
                              XLA_FFI_CallFrame& frame) {
  const CrossVersionRuntime& runtime = *context.runtime;
  if (!runtime.version().frame_has_future) {
    const absl::Status status = host::WaitFor(future);
    ContextPool::OfThread().Release(context);
    return ToRuntime(status, runtime);
  }
  context.ctx = nullptr;
  auto pending = std::make_unique<PendingCall>(context);
  const absl::optional<absl::Status> finished = FutureObject::Take(future, *pending);
  if (finished.has_value()) {
    ContextPool::OfThread().Release(context);
    return ToRuntime(*finished, runtime);
  }
  XLA_FFI_Future_Create_Args args = {};
  args.struct_size = XLA_FFI_Future_Create_Args_STRUCT_SIZE;
  XLA_FFI_Error* error = runtime.Find<XLA_FFI_Future_Create>(ApiFunction::kFutureCreate)(&args);
  if (error == nullptr) frame.future = args.future;
  pending.release()->Complete(args.future);
  return error;
}

}  // namespace callbridge
