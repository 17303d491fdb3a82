// How a Future that a handler returns reaches the runtime: as a future of the runtime, which the
// thread that completes the handler's completes. On runtimes without futures (before jaxlib 0.4.34)
// the handler waits for the result.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_ENCODING_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_ENCODING_H_

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/future.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// A runtime's functions for futures. A runtime in which one of them is null has no futures.
struct FutureFunctions {
  XLA_FFI_Future_Create* create;
  XLA_FFI_Future_SetAvailable* set_available;
  XLA_FFI_Future_SetError* set_error;

  bool complete() const {
    return create != nullptr && set_available != nullptr && set_error != nullptr;
  }
};

CALLBRIDGE_FFI_HIDDEN inline FutureFunctions FutureFunctionsIn(const XLA_FFI_Api& api,
                                                               const RuntimeVersion& version) {
  return {FunctionAt<XLA_FFI_Future_Create>(api, version, ApiFunction::kFutureCreate),
          FunctionAt<XLA_FFI_Future_SetAvailable>(api, version, ApiFunction::kFutureSetAvailable),
          FunctionAt<XLA_FFI_Future_SetError>(api, version, ApiFunction::kFutureSetError)};
}

// Creates a future of the runtime. Writes it to `future`, null if the runtime has no futures, and
// the functions that complete it to `functions`. Returns null or the runtime's error.
CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* CreateRuntimeFuture(const XLA_FFI_Api& api,
                                                                FutureFunctions& functions,
                                                                XLA_FFI_Future*& future) {
  const RuntimeVersion* version = &VersionOf(api);
  future = nullptr;
  auto args = MakeArgs<XLA_FFI_Future_Create_Args>(XLA_FFI_Future_Create_Args_STRUCT_SIZE);
  if (const RuntimeVersion* lookalike = ::callbridge::typed_ffi::LookalikeOf(*version)) {
    // jaxlib 0.4.38, or 0.4.34, which looks the same: it has Future_SetAvailable in this slot,
    // which refuses the struct as too small before it reads anything else of it. Its table ends
    // before the other slots of this row.
    auto* create = FunctionAt<XLA_FFI_Future_Create>(api, *version, ApiFunction::kFutureCreate);
    XLA_FFI_Error* error = create(&args);
    if (error == nullptr) {
      future = args.future;
      functions = FutureFunctionsIn(api, *version);
      return nullptr;
    }
    DestroyError(&api, error);
    version = lookalike;
  }
  functions = FutureFunctionsIn(api, *version);
  if (!functions.complete()) return nullptr;
  XLA_FFI_Error* error = functions.create(&args);
  if (error == nullptr) future = args.future;
  return error;
}

// Ends the process: the runtime refused to complete a future that it waits for, and would hang.
[[noreturn]] inline CALLBRIDGE_FFI_COLD void AbortOnStuckFuture(const XLA_FFI_Api* api,
                                                                XLA_FFI_Error* error) {
  fprintf(stderr, "xla::ffi: the runtime refused the completion of its future: %s\n",
          GetErrorMessage(api, error));
  abort();
}

CALLBRIDGE_FFI_HIDDEN inline void CompleteRuntimeFuture(const XLA_FFI_Api* api,
                                                        const FutureFunctions& functions,
                                                        XLA_FFI_Future* future,
                                                        const std::optional<Error>& error) {
  XLA_FFI_Error* refusal;
  if (error.has_value()) {
    auto args = MakeArgs<XLA_FFI_Future_SetError_Args>(XLA_FFI_Future_SetError_Args_STRUCT_SIZE);
    args.future = future;
    args.error = CreateError(api, *error);
    refusal = functions.set_error(&args);
  } else {
    auto args =
        MakeArgs<XLA_FFI_Future_SetAvailable_Args>(XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE);
    args.future = future;
    refusal = functions.set_available(&args);
  }
  if (XLA_FFI_PREDICT_FALSE(refusal != nullptr)) AbortOnStuckFuture(api, refusal);
}

// Waits until the future is completed or its promise dropped.
CALLBRIDGE_FFI_HIDDEN inline std::optional<Error> Await(Future future) {
  std::mutex mutex;
  std::condition_variable completed;
  bool is_complete = false;
  std::optional<Error> result;
  // From here on only the promise's owner holds the future, so that dropping the promise is
  // noticed.
  {
    Future last = std::move(future);
    last.OnReady([&](const std::optional<Error>& error) {
      if (error.has_value()) result.emplace(*error);
      const std::lock_guard<std::mutex> lock(mutex);
      is_complete = true;
      completed.notify_one();  // under the lock: the waiter's variables end with it
    });
  }
  std::unique_lock<std::mutex> lock(mutex);
  completed.wait(lock, [&] { return is_complete; });
  return result;
}

CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* EncodeCompletion(const XLA_FFI_Api* api,
                                                             const std::optional<Error>& error) {
  return error.has_value() ? CreateError(api, *error) : nullptr;
}

}  // namespace internal

template <ExecutionStage stage>
struct ResultEncoding<stage, Future> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(const XLA_FFI_Api* api,
                                                              XLA_FFI_InvokeContext*,
                                                              Future future) {
    const internal::Completion& completion = internal::FutureAccess::CompletionOf(future);
    if (completion.done()) return internal::EncodeCompletion(api, completion.error());

    internal::FutureFunctions functions;
    XLA_FFI_Future* runtime_future;
    if (XLA_FFI_Error* error = internal::CreateRuntimeFuture(*api, functions, runtime_future))
      return error;
    if (runtime_future == nullptr) {
      return internal::EncodeCompletion(api, internal::Await(std::move(future)));
    }
    future.OnReady([api, functions, runtime_future](const std::optional<Error>& error) {
      internal::CompleteRuntimeFuture(api, functions, runtime_future, error);
    });
    return runtime_future;
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_FUTURE_ENCODING_H_
