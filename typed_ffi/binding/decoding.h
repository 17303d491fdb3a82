// The templates that say how to read a type of a handler's signature from a call. To support a type
// of your own, specialize one of them in `namespace xla::ffi`.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_DECODING_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_DECODING_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

namespace internal {

template <typename T>
inline constexpr bool kNever = false;

template <typename T>
struct RegisteredDecoding;

}  // namespace internal

// When a handler is called: once for each call of a program (instantiate), before a run (prepare,
// initialize), in it (execute), or while it is recorded (record).
enum class ExecutionStage : uint8_t {
  kInstantiate = XLA_FFI_ExecutionStage_INSTANTIATE,
  kPrepare = XLA_FFI_ExecutionStage_PREPARE,
  kInitialize = XLA_FFI_ExecutionStage_INITIALIZE,
  kExecute = XLA_FFI_ExecutionStage_EXECUTE,
  kRecord = XLA_FFI_ExecutionStage_RECORD,
};

// An argument, `.Arg<T>()`. `arg` is the frame's pointer to an object of the kind that `type` says.
//
//   template <>
//   struct ArgDecoding<MyType> {
//     static std::optional<MyType> Decode(XLA_FFI_ArgType type, void* arg, DiagnosticEngine&);
//     static bool Isa(XLA_FFI_ArgType type, void* arg);     // for RemainingArgs::isa<MyType>
//   };
template <typename T>
struct ArgDecoding {
  static_assert(internal::kNever<T>,
                "this type is no argument of a handler: .Arg<T>() takes AnyBuffer, Buffer<dtype, "
                "rank>, or a type with a specialisation of xla::ffi::ArgDecoding");
};

// A result, `.Ret<T>()`.
//
//   template <>
//   struct RetDecoding<MyType> {
//     static std::optional<Result<MyType>> Decode(XLA_FFI_RetType type, void* ret,
//                                                 DiagnosticEngine&);
//     static bool Isa(XLA_FFI_RetType type, void* ret);     // for RemainingRets::isa<MyType>
//   };
template <typename T>
struct RetDecoding {
  static_assert(internal::kNever<T>,
                "this type is no result of a handler: .Ret<T>() takes AnyBuffer, Buffer<dtype, "
                "rank> (without Result<>), or a type with a specialisation of "
                "xla::ffi::RetDecoding");
};

// An attribute, `.Attr<T>("name")`.
//
//   template <>
//   struct AttrDecoding<MyType> {
//     using Type = MyType;                                  // what the handler's function is given
//     static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine&);
//     static bool Isa(XLA_FFI_AttrType type, void* attr);   // for Dictionary::isa and std::variant
//   };
//
// Enums and structs can be registered instead, see registered_attributes.h.
template <typename T>
struct AttrDecoding : internal::RegisteredDecoding<T> {};

// A value from the call's context, `.Ctx<T>()`.
//
//   template <>
//   struct CtxDecoding<MyType> {
//     using Type = MyType*;                                 // what the handler's function is given
//     static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
//                                       DiagnosticEngine&);
//   };
//
// An optional `static constexpr int kMinorVersion = n;` says that runtimes have it since API
// version 0.n; without it, all have.
template <typename T>
struct CtxDecoding {
  static_assert(internal::kNever<T>,
                "this type is not in a call's context: .Ctx<T>() takes PlatformStream<T>, "
                "ScratchAllocator, ThreadPool, State<T>, UserData<T>, RunId, DeviceOrdinal, "
                "Extension<T>, CustomOptions, Context, or a type with a specialisation of "
                "xla::ffi::CtxDecoding");
};

// Converts the result of a handler's function for XLA: to an error (null for success), a future, or
// one of the two.
//
//   template <ExecutionStage stage>
//   struct ResultEncoding<stage, MyStatus> {
//     static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
//                                  MyStatus status);
//   };
//
// Others return XLA_FFI_Future*, or std::variant<XLA_FFI_Error*, XLA_FFI_Future*>. One that sets a
// state also has `static XLA_FFI_TypeId state_type_id(const XLA_FFI_Api*)`.
template <ExecutionStage stage, typename T>
struct ResultEncoding {
  static_assert(internal::kNever<T>,
                "a handler's function must return xla::ffi::Error, Future, ErrorOr<std::unique_ptr<"
                "State>> (not in the execute stage), or a type with a specialisation of "
                "xla::ffi::ResultEncoding");
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_DECODING_H_
