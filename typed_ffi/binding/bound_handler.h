// internal::BoundHandler: a function with its binding, which checks a call frame, reads it, and
// calls the function.
//
// All checks come first, and parameters are read only then, so that nothing is held in between: an
// argument is a pointer that goes from the frame to the function. The code for calls that fail is
// in bad_call.h, out of line and once.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_BOUND_HANDLER_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_BOUND_HANDLER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "callbridge/typed_ffi/binding/bad_call.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/error_encoding.h"
#include "callbridge/typed_ffi/binding/function_params.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/names.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/signature.h"
#include "callbridge/typed_ffi/binding/thrown.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// What a handler promises.
enum class Traits : uint32_t {
  // Every call does the same work on the device, all of it on the call's stream and in the call's
  // buffers, and waits for none of it, so that XLA may record it once and replay it (CUDA graphs).
  kCmdBufferCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE,
};

namespace internal {

// Whether the first `n` type tags all equal `buffer`, which is 1 for arguments and results alike.
// Compares two at a time.
template <int64_t n, typename Tag>
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline bool AreBuffers(const Tag* tags) {
  static_assert(sizeof(Tag) == 4 && static_cast<int>(XLA_FFI_ArgType_BUFFER) == 1 &&
                static_cast<int>(XLA_FFI_RetType_BUFFER) == 1);
  if constexpr (n == 0) {
    return true;
  } else if constexpr (n == 1) {
    return static_cast<int>(tags[0]) == 1;
  } else {
    uint64_t two;
    memcpy(&two, tags, sizeof(two));
    return two == 0x0000000100000001 && AreBuffers<n - 2>(tags + 2);
  }
}

// A parameter that is decoded before the function is called, and the error if that fails.
template <size_t index, typename Tag, bool is_direct = Access<Tag>::kIsDirect>
struct Held {
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE Held(const XLA_FFI_CallFrame* frame, size_t at)
      : value(Access<Tag>::Decode(frame, at, diagnostic)) {}

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE bool IsDecoded() const { return value.has_value(); }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE auto&& Take(const XLA_FFI_CallFrame*, size_t) {
    return std::move(*value);
  }
  Decoded Describe() const { return {value.has_value(), &diagnostic}; }

  DiagnosticEngine diagnostic;
  std::optional<typename Access<Tag>::Type> value;
};

template <size_t index, typename Tag>
struct Held<index, Tag, true> {
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE Held(const XLA_FFI_CallFrame*, size_t) {}

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE bool IsDecoded() const { return true; }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE auto Take(const XLA_FFI_CallFrame* frame, size_t at) {
    return Access<Tag>::Get(frame, at);
  }
  Decoded Describe() const { return {true, nullptr}; }
};

// Decodes in order: bases are initialized in the order of their declaration.
template <typename... Helds>
struct AllHeld : Helds... {
  template <typename... Places>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE explicit AllHeld(const XLA_FFI_CallFrame* frame, Places... at)
      : Helds(frame, at)... {}
};

template <typename Encoding, typename = void>
inline constexpr bool kReturnsState = false;
template <typename Encoding>
inline constexpr bool
    kReturnsState<Encoding, std::void_t<decltype(Encoding::state_type_id(nullptr))>> = true;

// The compiler would not object, since a T converts to a Result<T> and back.
template <typename Tag, typename Param>
inline constexpr bool kIsMixedUp = false;
template <typename T, typename Param>
inline constexpr bool kIsMixedUp<ArgOf<T>, Param> =
    kIsResult<std::remove_cv_t<std::remove_reference_t<Param>>>;

template <typename... Ts, typename... Params>
constexpr bool AreMixedUp(TypeList<Ts...>, TypeList<Params...>) {
  if constexpr (sizeof...(Ts) == sizeof...(Params)) {
    return (kIsMixedUp<Ts, Params> || ...);
  } else {
    return false;
  }
}
template <typename... Ts>
constexpr bool AreMixedUp(TypeList<Ts...>, UnknownParams) {
  return false;
}

// A handler's constants that depend on its binding alone.
template <typename... Ts>
struct Roles {
  static constexpr size_t kCount = sizeof...(Ts);
  CALLBRIDGE_FFI_HIDDEN static constexpr Role kRoles[kCount + 1] = {Access<Ts>::kRole...,
                                                                    Role::kCtx};
  CALLBRIDGE_FFI_HIDDEN static constexpr Operand kOperands[kCount + 1] = {
      {Access<Ts>::kRole, Access<Ts>::kWanted}..., {Role::kCtx, {}}};

  static constexpr int64_t Count(Role role) { return CountOf(role, kRoles, kCount); }

  static constexpr int64_t kArgs = Count(Role::kArg);
  static constexpr int64_t kRets = Count(Role::kRet);
  static constexpr int64_t kAttrs = Count(Role::kAttr);
  static constexpr bool kMoreArgs = Count(Role::kOptionalArg) + Count(Role::kRemainingArgs) > 0;
  static constexpr bool kMoreRets = Count(Role::kOptionalRet) + Count(Role::kRemainingRets) > 0;
  static constexpr bool kAllDirect = (Access<Ts>::kIsDirect && ...);
  static constexpr bool kArgsDirect =
      ((Access<Ts>::kRole != Role::kArg || Access<Ts>::kIsDirect) && ...);
  static constexpr bool kRetsDirect =
      ((Access<Ts>::kRole != Role::kRet || Access<Ts>::kIsDirect) && ...);
};

template <ExecutionStage stage, typename Fn, typename... Ts>
class BoundHandler {
  using Roles = internal::Roles<Ts...>;
  using Indices = std::index_sequence_for<Ts...>;
  using Names = internal::Names<Roles::kAttrs>;

  static_assert(
      std::is_invocable_v<const Fn&, typename Access<Ts>::Type...>,
      "FFI binding signature is not compatible with a function type: the parameters of "
      "the function are what .Arg, .Ret, .Attr, .Attrs and .Ctx stand for, in their order");
  static_assert(!AreMixedUp(TypeList<Ts...>(), ParamsOf<Fn>()),
                "an argument is bound where the function takes a Result: bind it with .Ret<T>()");
  using Returned = std::invoke_result_t<const Fn&, typename Access<Ts>::Type...>;
  static_assert(!std::is_void_v<Returned>,
                "a handler's function must return xla::ffi::Error or another result: it returns "
                "void");
  using Encoding = ResultEncoding<stage, Returned>;

 public:
  constexpr BoundHandler(Fn fn, const Names& names, std::initializer_list<Traits> traits)
      : fn_(std::move(fn)), names_(names), places_(names), traits_(0) {
    for (Traits trait : traits) traits_ |= static_cast<XLA_FFI_Handler_Traits>(trait);
  }

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE XLA_FFI_Error* Call(XLA_FFI_CallFrame* frame) const {
    if (XLA_FFI_PREDICT_FALSE(frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE ||
                              frame->extension_start != nullptr ||
                              stage != ExecutionStage::kExecute ||
                              frame->stage != XLA_FFI_ExecutionStage_EXECUTE)) {
      XLA_FFI_Error* answer;
      if (!IsCall(*frame, kSignature, traits_, answer)) return answer;
    }
    if (XLA_FFI_PREDICT_FALSE(!HasCounts(*frame) || !Fits(frame, Indices()))) {
      return Report(*frame, nullptr);
    }
#ifdef __cpp_exceptions
    try {
      return Invoke(frame, Indices());
    } catch (...) {
      return ReportThrown(frame->api);
    }
#else
    return Invoke(frame, Indices());
#endif
  }

 private:
  static constexpr int MinorVersion() {
    using ::callbridge::typed_ffi::FirstWithStage;
    constexpr int kOfStage =
        stage == ExecutionStage::kRecord ? FirstWithStage(&RuntimeVersion::record).minor : 0;
    return ::callbridge::typed_ffi::NewestMinor(
        {kMinorVersionOf<Encoding>, kMinorVersionOfTag<Ts>..., kOfStage});
  }

  static constexpr auto StateTypeId() -> XLA_FFI_TypeId (*)(const XLA_FFI_Api*) {
    if constexpr (kReturnsState<Encoding>) {
      return &Encoding::state_type_id;
    } else {
      return nullptr;
    }
  }

  CALLBRIDGE_FFI_HIDDEN static constexpr Signature kSignature = {
      static_cast<XLA_FFI_ExecutionStage>(stage),
      MinorVersion(),
      (kIsDeviceOrdinal<Ts> || ...),
      StateTypeId(),
      Roles::kOperands,
      sizeof...(Ts)};

  // Attributes that are no parameter are an error if other attributes are parameters, as in XLA.
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE bool HasCounts(const XLA_FFI_CallFrame& frame) const {
    return HasCount<Roles::kArgs, Roles::kMoreArgs>(frame.args.size) &&
           HasCount<Roles::kRets, Roles::kMoreRets>(frame.rets.size) &&
           (Roles::kAttrs == 0 || frame.attrs.size == static_cast<int64_t>(places_.count));
  }
  template <int64_t required, bool more>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool HasCount(int64_t size) {
    return more ? size >= required : required == 0 || size == required;
  }

  // The index of parameter `index` in its list.
  template <size_t index>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE size_t At() const {
    constexpr size_t in_list = IndexInList(index, Roles::kRoles);
    if constexpr (Roles::kRoles[index] == Role::kAttr) {
      return places_.place[in_list];
    } else {
      return in_list;
    }
  }

  template <size_t... Is>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE bool Fits(const XLA_FFI_CallFrame* frame,
                                            std::index_sequence<Is...>) const {
    return (!Roles::kArgsDirect || AreBuffers<Roles::kArgs>(frame->args.types)) &&
           (!Roles::kRetsDirect || AreBuffers<Roles::kRets>(frame->rets.types)) &&
           (FitsOne<Is, Ts>(frame) && ...);
  }

  template <size_t index, typename Tag>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE bool FitsOne(const XLA_FFI_CallFrame* frame) const {
    using Access = internal::Access<Tag>;
    const size_t at = At<index>();
    if constexpr (Access::kRole == Role::kAttr) {
      constexpr size_t in_list = IndexInList(index, Roles::kRoles);
      if (!IsNamed(frame->attrs.names[at], names_.name[in_list])) return false;
    }
    if constexpr (!Access::kIsDirect) {
      return true;
    } else if constexpr (Access::kRole == Role::kArg && !Roles::kArgsDirect) {
      return frame->args.types[at] == XLA_FFI_ArgType_BUFFER && Access::Fits(frame, at);
    } else if constexpr (Access::kRole == Role::kRet && !Roles::kRetsDirect) {
      return frame->rets.types[at] == XLA_FFI_RetType_BUFFER && Access::Fits(frame, at);
    } else {
      return Access::Fits(frame, at);
    }
  }

  template <size_t... Is>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE XLA_FFI_Error* Invoke(XLA_FFI_CallFrame* frame,
                                                        std::index_sequence<Is...>) const {
    if constexpr (Roles::kAllDirect) {
      return Return(frame, fn_(Access<Ts>::Get(frame, At<Is>())...));
    } else {
      AllHeld<Held<Is, Ts>...> held(frame, At<Is>()...);
      if (XLA_FFI_PREDICT_FALSE(!(static_cast<Held<Is, Ts>&>(held).IsDecoded() && ...))) {
        const Decoded decoded[] = {static_cast<Held<Is, Ts>&>(held).Describe()...};
        return Report(*frame, decoded);
      }
      return Return(frame, fn_(static_cast<Held<Is, Ts>&>(held).Take(frame, At<Is>())...));
    }
  }

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static XLA_FFI_Error* Return(XLA_FFI_CallFrame* frame,
                                                               Returned&& returned) {
    using Encoded =
        decltype(Encoding::Encode(frame->api, frame->ctx, std::forward<Returned>(returned)));
    static_assert(
        std::is_same_v<Encoded, XLA_FFI_Error*> || std::is_same_v<Encoded, XLA_FFI_Future*> ||
            std::is_same_v<Encoded, std::variant<XLA_FFI_Error*, XLA_FFI_Future*>>,
        "Unsupported result encoding type: ResultEncoding::Encode returns XLA_FFI_Error*, "
        "XLA_FFI_Future*, or std::variant<XLA_FFI_Error*, XLA_FFI_Future*>");
    Encoded encoded = Encoding::Encode(frame->api, frame->ctx, std::forward<Returned>(returned));
    if constexpr (std::is_same_v<Encoded, XLA_FFI_Error*>) {
      return encoded;
    } else if constexpr (std::is_same_v<Encoded, XLA_FFI_Future*>) {
      frame->future = encoded;
      return nullptr;
    } else {
      if (auto* error = std::get_if<0>(&encoded)) return *error;
      if (auto* future = std::get_if<1>(&encoded)) frame->future = *future;
      return nullptr;
    }
  }

  CALLBRIDGE_FFI_COLD XLA_FFI_Error* Report(const XLA_FFI_CallFrame& frame,
                                            const Decoded* decoded) const {
    return ReportBadCall(frame, kSignature, names_.name, places_.count, decoded);
  }

  Fn fn_;
  Names names_;
  Places<Roles::kAttrs> places_;
  XLA_FFI_Handler_Traits traits_;
};

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_BOUND_HANDLER_H_
