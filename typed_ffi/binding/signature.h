// A handler's binding as types and as data: where in the call frame each parameter of its function
// comes from. internal::Access<T> reads one parameter.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_SIGNATURE_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/dictionary.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/registered_attributes.h"
#include "callbridge/typed_ffi/binding/remaining.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

enum class Role : uint8_t {
  kArg,
  kOptionalArg,
  kRemainingArgs,
  kRet,
  kOptionalRet,
  kRemainingRets,
  kAttr,
  kAttrs,
  kCtx,
};

// Tags: `ArgOf<AnyBuffer>` is what `.Arg<AnyBuffer>()` adds to a Binding.
// clang-format off
template <typename T> struct ArgOf {};
template <typename T> struct OptionalArgOf {};
struct AllRemainingArgs {};
template <typename T> struct RetOf {};
template <typename T> struct OptionalRetOf {};
struct AllRemainingRets {};
template <typename T> struct AttrOf {};
template <typename T> struct AttrsOf {};
template <typename T> struct CtxOf {};
// clang-format on

// How to read the parameter of a tag. `at` is its index among the frame's arguments, results or
// attributes.
// clang-format off
//   kRole
//   Type        the type that the function takes
//   kIsDirect   whether Fits() and Get() read the parameter; otherwise Decode() does
//   kWanted     for messages
// clang-format on
template <typename Tag>
struct Access;

template <typename T>
struct Access<ArgOf<T>> {
  using Decoding = ArgDecoding<T>;
  using Type = T;
  static constexpr Role kRole = Role::kArg;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_ArgType>();

  // Its type is checked together with the others'.
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Fits(frame->args.args[at]);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Get(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Get(frame->args.args[at]);
  }
  static std::optional<T> Decode(const XLA_FFI_CallFrame* frame, size_t at,
                                 DiagnosticEngine& diagnostic) {
    return Decoding::Decode(frame->args.types[at], frame->args.args[at], diagnostic);
  }
};

template <typename T>
struct Access<OptionalArgOf<T>> {
  using Decoding = ArgDecoding<T>;
  using Type = std::optional<T>;
  static constexpr Role kRole = Role::kOptionalArg;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_ArgType>();

  static bool IsThere(const XLA_FFI_CallFrame* frame, size_t at) {
    return static_cast<int64_t>(at) < frame->args.size;
  }
  static bool Fits(const XLA_FFI_CallFrame* frame, size_t at) {
    return !IsThere(frame, at) || Decoding::Isa(frame->args.types[at], frame->args.args[at]);
  }
  static Type Get(const XLA_FFI_CallFrame* frame, size_t at) {
    return IsThere(frame, at) ? Type(Decoding::Get(frame->args.args[at])) : std::nullopt;
  }
  static std::optional<Type> Decode(const XLA_FFI_CallFrame* frame, size_t at,
                                    DiagnosticEngine& diagnostic) {
    if (!IsThere(frame, at)) return std::make_optional<Type>(std::nullopt);
    Type value = Decoding::Decode(frame->args.types[at], frame->args.args[at], diagnostic);
    if (!value.has_value()) return std::nullopt;
    return std::make_optional<Type>(std::move(value));
  }
};

template <>
struct Access<AllRemainingArgs> {
  using Type = RemainingArgs;
  static constexpr Role kRole = Role::kRemainingArgs;
  static constexpr bool kIsDirect = true;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kBuffer};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame*, size_t) {
    return true;
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static RemainingArgs Get(const XLA_FFI_CallFrame* frame,
                                                           size_t at) {
    // The optional ones before it may be missing.
    const auto size = static_cast<size_t>(frame->args.size);
    return RemainingArgs(&frame->args, at != 0 && size < at ? size : at);
  }
};

template <typename T>
struct Access<RetOf<T>> {
  using Decoding = RetDecoding<T>;
  using Type = Result<T>;
  static constexpr Role kRole = Role::kRet;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_RetType>();

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Fits(frame->rets.rets[at]);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static Result<T> Get(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Get(frame->rets.rets[at]);
  }
  static std::optional<Result<T>> Decode(const XLA_FFI_CallFrame* frame, size_t at,
                                         DiagnosticEngine& diagnostic) {
    return Decoding::Decode(frame->rets.types[at], frame->rets.rets[at], diagnostic);
  }
};

template <typename T>
struct Access<OptionalRetOf<T>> {
  using Decoding = RetDecoding<T>;
  using Type = std::optional<Result<T>>;
  static constexpr Role kRole = Role::kOptionalRet;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_RetType>();

  static bool IsThere(const XLA_FFI_CallFrame* frame, size_t at) {
    return static_cast<int64_t>(at) < frame->rets.size;
  }
  static bool Fits(const XLA_FFI_CallFrame* frame, size_t at) {
    return !IsThere(frame, at) || Decoding::Isa(frame->rets.types[at], frame->rets.rets[at]);
  }
  static Type Get(const XLA_FFI_CallFrame* frame, size_t at) {
    return IsThere(frame, at) ? Type(Decoding::Get(frame->rets.rets[at])) : std::nullopt;
  }
  static std::optional<Type> Decode(const XLA_FFI_CallFrame* frame, size_t at,
                                    DiagnosticEngine& diagnostic) {
    if (!IsThere(frame, at)) return std::make_optional<Type>(std::nullopt);
    Type value = Decoding::Decode(frame->rets.types[at], frame->rets.rets[at], diagnostic);
    if (!value.has_value()) return std::nullopt;
    return std::make_optional<Type>(std::move(value));
  }
};

template <>
struct Access<AllRemainingRets> {
  using Type = RemainingRets;
  static constexpr Role kRole = Role::kRemainingRets;
  static constexpr bool kIsDirect = true;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kBuffer};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame*, size_t) {
    return true;
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static RemainingRets Get(const XLA_FFI_CallFrame* frame,
                                                           size_t at) {
    // The optional ones before it may be missing.
    const auto size = static_cast<size_t>(frame->rets.size);
    return RemainingRets(&frame->rets, at != 0 && size < at ? size : at);
  }
};

// Its name is checked before.
template <typename T>
struct Access<AttrOf<T>> {
  using Decoding = AttrDecoding<T>;
  using Type = typename Decoding::Type;
  static constexpr Role kRole = Role::kAttr;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_AttrType>();

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Isa(frame->attrs.types[at], frame->attrs.attrs[at]);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static Type Get(const XLA_FFI_CallFrame* frame, size_t at) {
    return Decoding::Get(frame->attrs.attrs[at]);
  }
  static std::optional<Type> Decode(const XLA_FFI_CallFrame* frame, size_t at,
                                    DiagnosticEngine& diagnostic) {
    return Decoding::Decode(frame->attrs.types[at], frame->attrs.attrs[at], diagnostic);
  }
};

// All attributes together are read as a dictionary attribute is.
template <typename T>
struct Access<AttrsOf<T>> {
  using Decoding = AttrDecoding<T>;
  using Type = T;
  static constexpr Role kRole = Role::kAttrs;
  static constexpr bool kIsDirect = internal::kIsDirect<Decoding>;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = WantedBy<Decoding, XLA_FFI_AttrType>();

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const XLA_FFI_CallFrame* frame, size_t) {
    return Decoding::Isa(XLA_FFI_AttrType_DICTIONARY, &frame->attrs);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Get(const XLA_FFI_CallFrame* frame, size_t) {
    return Decoding::Get(&frame->attrs);
  }
  static std::optional<T> Decode(const XLA_FFI_CallFrame* frame, size_t,
                                 DiagnosticEngine& diagnostic) {
    return Decoding::Decode(XLA_FFI_AttrType_DICTIONARY, const_cast<XLA_FFI_Attrs*>(&frame->attrs),
                            diagnostic);
  }
};

template <typename T>
bool DecodesCtx(int, void* frame, DiagnosticEngine& diagnostic) {
  const auto* call = static_cast<const XLA_FFI_CallFrame*>(frame);
  return CtxDecoding<T>::Decode(call->api, call->ctx, diagnostic).has_value();
}

template <typename T>
struct Access<CtxOf<T>> {
  using Decoding = CtxDecoding<T>;
  using Type = typename Decoding::Type;
  static constexpr Role kRole = Role::kCtx;
  static constexpr bool kIsDirect = false;
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {
      Wanted::Kind::kDecoded, DataType::INVALID, 0, nullptr, &DecodesCtx<T>};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static std::optional<Type> Decode(const XLA_FFI_CallFrame* frame,
                                                                    size_t,
                                                                    DiagnosticEngine& diagnostic) {
    return Decoding::Decode(frame->api, frame->ctx, diagnostic);
  }
};

// One parameter, for messages.
struct Operand {
  Role role;
  Wanted wanted;
};

// The API version 0.n that a decoding or an encoding needs; 0 if it does not say.
template <typename T, typename = void>
inline constexpr int kMinorVersionOf = 0;
template <typename T>
inline constexpr int kMinorVersionOf<T, std::void_t<decltype(T::kMinorVersion)>> = T::kMinorVersion;

template <typename Tag>
inline constexpr int kMinorVersionOfTag = 0;
template <typename T>
inline constexpr int kMinorVersionOfTag<CtxOf<T>> = kMinorVersionOf<CtxDecoding<T>>;

// Whether a decoding is that of the device ordinal.
template <typename T, typename = void>
inline constexpr bool kIsDeviceOrdinal = false;
template <typename T>
inline constexpr bool
    kIsDeviceOrdinal<CtxOf<T>, std::void_t<decltype(CtxDecoding<T>::kIsDeviceOrdinal)>> = true;

// What is the same for all calls of a handler.
struct Signature {
  XLA_FFI_ExecutionStage stage;
  int minor_version;
  bool takes_device_ordinal;
  XLA_FFI_TypeId (*state_type_id)(const XLA_FFI_Api* api);  // null if it returns no state
  const Operand* operands;
  size_t operand_count;
};

// The number of parameters of a role.
constexpr int64_t CountOf(Role role, const Role* roles, size_t count) {
  int64_t found = 0;
  for (size_t i = 0; i < count; ++i) found += roles[i] == role;
  return found;
}

// Arguments and results are read, and attributes are numbered, in the order of their parameters.
constexpr bool IsSameList(Role a, Role b) {
  const auto list = [](Role role) {
    return role <= Role::kRemainingArgs ? 0 : role <= Role::kRemainingRets ? 1 : 2;
  };
  return a == Role::kAttr ? b == Role::kAttr : b != Role::kAttr && list(a) == list(b);
}
constexpr size_t IndexInList(size_t parameter, const Role* roles) {
  size_t index = 0;
  for (size_t i = 0; i < parameter; ++i) index += IsSameList(roles[parameter], roles[i]);
  return index;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_SIGNATURE_H_
