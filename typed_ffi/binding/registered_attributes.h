// User-defined enums and structs as attributes:
//
// clang-format off
//   enum class Mode : int32_t { kFast, kExact };
//   XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Mode);     // an attribute `0 : i32`
//
//   struct Range { int64_t lo; int64_t hi; };
//   XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range,   // an attribute {hi = 42 : i64, lo = 0 : i64}
//                                         StructMember<int64_t>("lo"),
//                                         StructMember<int64_t>("hi"));
// clang-format on
//
// Use both macros in the global namespace, once for each type. The struct must be an aggregate of
// its members in their order, and the dictionary must have exactly these.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_REGISTERED_ATTRIBUTES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_REGISTERED_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/attributes.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/names.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// `name` must live as long as the program.
template <typename T>
struct StructMember {
  // The type of the member, as of an attribute.
  using Type = T;

  // Names the member's attribute `member`.
  explicit constexpr StructMember(std::string_view member) : name(member) {}

  std::string_view name;  // of the attribute
};

namespace internal {

template <typename T>
inline constexpr bool kIsRegisteredEnum = false;

// Specialized by the macro, with `static constexpr StructMembers<...> kMembers`.
template <typename T>
struct RegisteredStruct {
  static constexpr int kMembers = 0;
};

template <typename... Ts>
struct StructMembers {
  static constexpr size_t kCount = sizeof...(Ts);
  static constexpr bool kAreDirect = (kIsDirect<AttrDecoding<Ts>> && ...);

  constexpr explicit StructMembers(const Names<kCount>& of_members)
      : names(of_members), places(of_members) {}

  Names<kCount> names;
  Places<kCount> places;
};

template <size_t n>
constexpr Names<n> Join(const Names<n>& names) {
  return names;
}
template <size_t n, typename First, typename... Rest>
constexpr auto Join(const Names<n>& names, First first, Rest... rest) {
  return Join(Names<n + 1>(names, first.name), rest...);
}

template <typename... Ts>
constexpr StructMembers<Ts...> MembersOfStruct(StructMember<Ts>... members) {
  return StructMembers<Ts...>(Join(Names<0>(), members...));
}

// The table of `members`, for messages.
template <size_t n>
struct MemberTable {
  Member member[n == 0 ? 1 : n];
};
template <typename... Ts, size_t... Is>
constexpr MemberTable<sizeof...(Ts)> TableOf(const StructMembers<Ts...>& members,
                                             std::index_sequence<Is...>) {
  return {{Member{members.names.name[Is], WantedBy<AttrDecoding<Ts>, XLA_FFI_AttrType>()}...}};
}

// The base of all decodings of a registered struct T.
template <typename T, typename Members>
struct StructBody;

template <typename T, typename... Ts>
struct StructBody<T, StructMembers<Ts...>> {
  using Type = T;
  using Indices = std::make_index_sequence<sizeof...(Ts)>;

  // Not a reference to its kMembers, which nvcc takes for a second definition.
  using Registered = RegisteredStruct<T>;
  static_assert(Registered::kMembers.places.count == sizeof...(Ts),
                "two members of a struct have one name");

  CALLBRIDGE_FFI_HIDDEN static constexpr MemberTable<sizeof...(Ts)> kTable =
      TableOf(Registered::kMembers, Indices());
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kStruct, DataType::INVALID,
                                                           sizeof...(Ts), kTable.member, nullptr};

  // For members that are not Direct it checks only whether they are there.
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_AttrType type, const void* attr) {
    return type == XLA_FFI_AttrType_DICTIONARY &&
           HasMembers(static_cast<const XLA_FFI_Attrs*>(attr), Indices());
  }

 private:
  template <size_t... Is>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool HasMembers(const XLA_FFI_Attrs* attrs,
                                                         std::index_sequence<Is...>) {
    return attrs->size == static_cast<int64_t>(sizeof...(Ts)) &&
           (HasMember<Ts>(attrs, Registered::kMembers.names.name[Is],
                          Registered::kMembers.places.place[Is]) &&
            ...);
  }

  template <typename U>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool HasMember(const XLA_FFI_Attrs* attrs,
                                                        std::string_view name, size_t place) {
    if (!IsNamed(attrs->names[place], name)) return false;
    if constexpr (kIsDirect<AttrDecoding<U>>) {
      return AttrDecoding<U>::Isa(attrs->types[place], attrs->attrs[place]);
    } else {
      return true;
    }
  }
};

template <typename T, typename Members, bool direct = Members::kAreDirect>
struct StructDecoding;

template <typename T, typename... Ts>
struct StructDecoding<T, StructMembers<Ts...>, true> : StructBody<T, StructMembers<Ts...>>, Direct {
  using Body = StructBody<T, StructMembers<Ts...>>;

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Get(const void* attr) {
    return Make(static_cast<const XLA_FFI_Attrs*>(attr), typename Body::Indices());
  }
  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_TRUE(Body::Isa(type, attr))) return Get(attr);
    ExplainAttr(Body::kWanted, type, attr, diagnostic);
    return std::nullopt;
  }

 private:
  template <size_t... Is>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Make(const XLA_FFI_Attrs* attrs,
                                                std::index_sequence<Is...>) {
    return T{AttrDecoding<Ts>::Get(attrs->attrs[Body::Registered::kMembers.places.place[Is]])...};
  }
};

template <typename T, typename... Ts>
struct StructDecoding<T, StructMembers<Ts...>, false> : StructBody<T, StructMembers<Ts...>> {
  using Body = StructBody<T, StructMembers<Ts...>>;

  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_TRUE(Body::Isa(type, attr))) {
      return Make(static_cast<const XLA_FFI_Attrs*>(attr), diagnostic, typename Body::Indices());
    }
    ExplainAttr(Body::kWanted, type, attr, diagnostic);
    return std::nullopt;
  }

 private:
  template <typename U, size_t index>
  struct Held {
    Held(const XLA_FFI_Attrs* attrs, DiagnosticEngine& diagnostic)
        : value(AttrDecoding<U>::Decode(attrs->types[kPlace], attrs->attrs[kPlace], diagnostic)) {}

    static constexpr size_t kPlace = Body::Registered::kMembers.places.place[index];
    std::optional<typename AttrDecoding<U>::Type> value;
  };
  // Decodes in order: bases are initialized in the order of their declaration.
  template <size_t... Is>
  struct AllHeld : Held<Ts, Is>... {
    AllHeld(const XLA_FFI_Attrs* attrs, DiagnosticEngine& diagnostic)
        : Held<Ts, Is>(attrs, diagnostic)... {}
  };

  template <size_t... Is>
  static std::optional<T> Make(const XLA_FFI_Attrs* attrs, DiagnosticEngine& diagnostic,
                               std::index_sequence<Is...>) {
    AllHeld<Is...> held(attrs, diagnostic);
    if ((!static_cast<Held<Ts, Is>&>(held).value.has_value() || ...)) return std::nullopt;
    return T{std::move(*static_cast<Held<Ts, Is>&>(held).value)...};
  }
};

template <typename T>
inline constexpr bool kIsRegisteredStruct =
    !std::is_same_v<decltype(RegisteredStruct<T>::kMembers), const int>;

// The base of every AttrDecoding without a specialization.
template <typename T, bool is_enum, bool is_struct>
struct RegisteredDecodingOf {
  static_assert(kNever<T>,
                "this type is no attribute: .Attr<T>() takes bool, int8_t to int64_t, uint8_t to "
                "uint64_t, float, double, std::complex of them, std::string_view, Span<const "
                "number>, Dictionary, Pointer<T>, std::variant of these, what "
                "XLA_FFI_REGISTER_ENUM_ATTR_DECODING or XLA_FFI_REGISTER_STRUCT_ATTR_DECODING was "
                "given, or a type with a specialisation of xla::ffi::AttrDecoding");
};
template <typename T>
struct RegisteredDecodingOf<T, true, false> : ScalarDecoding<T, std::underlying_type_t<T>> {};
template <typename T>
struct RegisteredDecodingOf<T, false, true>
    : StructDecoding<T, std::remove_const_t<decltype(RegisteredStruct<T>::kMembers)>> {};

template <typename T>
struct RegisteredDecoding : RegisteredDecodingOf<T, kIsRegisteredEnum<T>, kIsRegisteredStruct<T>> {
};

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

// Specializes in the global namespace, where T means what it means to the user and not, say, the
// data type xla::ffi::S4. Its members are looked up in xla::ffi.
#define XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(T, ...)       \
  template <>                                               \
  struct xla::ffi::internal::RegisteredStruct<T> {          \
    CALLBRIDGE_FFI_HIDDEN static constexpr auto kMembers =  \
        ::xla::ffi::internal::MembersOfStruct(__VA_ARGS__); \
  };                                                        \
  static_assert(::std::is_class_v<T>, "only a struct is decoded from a dictionary")

// Lets an attribute be an enum class, stored as its underlying integer.
#define XLA_FFI_REGISTER_ENUM_ATTR_DECODING(T)                           \
  template <>                                                            \
  inline constexpr bool xla::ffi::internal::kIsRegisteredEnum<T> = true; \
  static_assert(::std::is_enum_v<T>, "Expected enum class")

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_REGISTERED_ATTRIBUTES_H_
