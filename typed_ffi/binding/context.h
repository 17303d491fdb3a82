// The context of a call: `.Ctx<T>()` passes one part of it to a handler, `.Ctx()` a Context that
// can be asked for all of it later.
//
// clang-format off
//   T                     passed to the handler's function
//   PlatformStream<S>     S, a pointer such as cudaStream_t
//   DeviceOrdinal         int32_t
//   RunId                 RunId, the number of the run
//   ScratchAllocator      ScratchAllocator
//   ThreadPool            ThreadPool
//   UserData<U>           U*
//   State<U>              U*, from the INSTANTIATE stage
//   Prepared<U>           U*, from the PREPARE stage
//   Initialized<U>        U*, from the INITIALIZE stage
//   Extension<E>          E::Type
//   CustomOptions         Dictionary
//   FfiApi                const XLA_FFI_Api*
//   FfiExecutionContext   XLA_FFI_InvokeContext*
// clang-format on
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_CONTEXT_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/custom_options.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/extension.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/binding/scratch_allocator.h"
#include "callbridge/typed_ffi/binding/thread_pool.h"
#include "callbridge/typed_ffi/binding/user_types.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// The stream of a call on GPU, as a T such as cudaStream_t.
template <typename T>
struct PlatformStream {};

template <typename T>
struct CtxDecoding<PlatformStream<T>> {
  static_assert(std::is_pointer_v<T>, "PlatformStream<T>: the stream type T must be a pointer");
  using Type = T;

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::MakeArgs<XLA_FFI_Stream_Get_Args>(XLA_FFI_Stream_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    if (!internal::Ask<internal::ApiFunction::kStream, XLA_FFI_Stream_Get>(
            api, args, "PlatformStream", "platform stream", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T>(args.stream);
  }
};

// The same for all parts of one logical execution, which may be many calls on many devices.
struct RunId {
  int64_t run_id;  // XLA's number of the execution
};

template <>
struct CtxDecoding<RunId> {
  using Type = RunId;
  static constexpr int kMinorVersion = internal::MinorVersionOf(internal::ApiFunction::kRunId);

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::MakeArgs<XLA_FFI_RunId_Get_Args>(XLA_FFI_RunId_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    if (!internal::Ask<internal::ApiFunction::kRunId, XLA_FFI_RunId_Get>(api, args, "RunId",
                                                                         "run id", diagnostic)) {
      return std::nullopt;
    }
    return RunId{args.run_id};
  }
};

// The number of the call's device, an int32_t.
struct DeviceOrdinal {};

template <>
struct CtxDecoding<DeviceOrdinal> {
  using Type = int32_t;
  static constexpr int kMinorVersion =
      internal::MinorVersionOf(internal::ApiFunction::kDeviceOrdinal);
  static constexpr bool kIsDeviceOrdinal = true;

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::MakeArgs<XLA_FFI_DeviceOrdinal_Get_Args>(
        XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    if (!internal::Ask<internal::ApiFunction::kDeviceOrdinal, XLA_FFI_DeviceOrdinal_Get>(
            api, args, "DeviceOrdinal", "device ordinal", diagnostic)) {
      return std::nullopt;
    }
    return args.device_ordinal;
  }
};

// The raw C API and the context, for what C++ does not cover.
struct FfiApi {};
// The context of the call, for functions of the C API.
struct FfiExecutionContext {};

template <>
struct CtxDecoding<FfiApi> {
  using Type = const XLA_FFI_Api*;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext*,
                                    DiagnosticEngine&) {
    return api;
  }
};

template <>
struct CtxDecoding<FfiExecutionContext> {
  using Type = XLA_FFI_InvokeContext*;
  static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine&) {
    return ctx;
  }
};

// The context itself, for handlers that decide in the call what to ask for. Valid for the duration
// of the call.
class Context {
 public:
  // Borrows both until the call ends.
  Context(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) : api_(api), ctx_(ctx) {}

  // Returns what `.Ctx<T>()` would pass to the handler. Returns INTERNAL if that fails, and
  // UNIMPLEMENTED if the runtime does not have it.
  template <typename T>
  ErrorOr<typename CtxDecoding<T>::Type> get() const {
    DiagnosticEngine diagnostic;
    auto value = CtxDecoding<T>::Decode(api_, ctx_, diagnostic);
    if (XLA_FFI_PREDICT_FALSE(!value.has_value())) {
      const ErrorCode code = diagnostic.code() == XLA_FFI_Error_Code_UNIMPLEMENTED
                                 ? ErrorCode::kUnimplemented
                                 : ErrorCode::kInternal;
      return Error(code, std::move(diagnostic).Result());
    }
    return *std::move(value);
  }

  // The runtime's C API and the call's context, for its functions.
  const XLA_FFI_Api* api() const { return api_; }
  XLA_FFI_InvokeContext* ctx() const { return ctx_; }

 private:
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
};

template <>
struct CtxDecoding<Context> {
  using Type = Context;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine&) {
    return Context(api, ctx);
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_CONTEXT_H_
