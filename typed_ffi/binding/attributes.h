// Attributes of one value: numbers, bool, complex numbers, text, arrays of numbers, pointers,
// enums, and std::variant of any of them.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_ATTRIBUTES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_ATTRIBUTES_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/span.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// A type tag for a T* that is passed as a 64-bit integer.
template <typename T>
struct Pointer {};

namespace internal {

// The public AttrDecoding of a `Decoding` with Isa and Get.
template <typename Decoding, typename T>
struct DirectAttrDecoding : Direct {
  using Type = T;

  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_TRUE(Decoding::Isa(type, attr))) return Decoding::Get(attr);
    ExplainAttr(Decoding::kWanted, type, attr, diagnostic);
    return std::nullopt;
  }
};

// Decodes a number that XLA stores as a U, for a function that takes a T.
template <typename T, typename U = T>
struct ScalarDecoding : DirectAttrDecoding<ScalarDecoding<T, U>, T> {
  static_assert(kDataTypeOf<U> != DataType::INVALID,
                "XLA has no attributes of this type; integers are int8_t to int64_t and uint8_t to "
                "uint64_t");
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kScalar, kDataTypeOf<U>, 0,
                                                           nullptr, nullptr};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_AttrType type, const void* attr) {
    return type == XLA_FFI_AttrType_SCALAR && static_cast<const XLA_FFI_Scalar*>(attr)->dtype ==
                                                  static_cast<XLA_FFI_DataType>(kDataTypeOf<U>);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Get(const void* attr) {
    const void* value = static_cast<const XLA_FFI_Scalar*>(attr)->value;
    if constexpr (std::is_same_v<U, bool>) {
      return static_cast<T>(*static_cast<const uint8_t*>(value) != 0);
    } else if constexpr (std::is_pointer_v<T>) {
      U address;
      memcpy(&address, value, sizeof(U));
      return reinterpret_cast<T>(static_cast<uintptr_t>(address));
    } else {
      U stored;
      memcpy(&stored, value, sizeof(U));
      return static_cast<T>(stored);
    }
  }
};

template <typename T>
struct ArrayDecoding : DirectAttrDecoding<ArrayDecoding<T>, Span<const T>> {
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kArray, kDataTypeOf<T>, 0,
                                                           nullptr, nullptr};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_AttrType type, const void* attr) {
    return type == XLA_FFI_AttrType_ARRAY && static_cast<const XLA_FFI_Array*>(attr)->dtype ==
                                                 static_cast<XLA_FFI_DataType>(kDataTypeOf<T>);
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static Span<const T> Get(const void* attr) {
    const auto* array = static_cast<const XLA_FFI_Array*>(attr);
    return Span<const T>(static_cast<const T*>(array->data), array->size);
  }
};

}  // namespace internal

// clang-format off
template <> struct AttrDecoding<bool> : internal::ScalarDecoding<bool> {};
template <> struct AttrDecoding<int8_t> : internal::ScalarDecoding<int8_t> {};
template <> struct AttrDecoding<int16_t> : internal::ScalarDecoding<int16_t> {};
template <> struct AttrDecoding<int32_t> : internal::ScalarDecoding<int32_t> {};
template <> struct AttrDecoding<int64_t> : internal::ScalarDecoding<int64_t> {};
template <> struct AttrDecoding<uint8_t> : internal::ScalarDecoding<uint8_t> {};
template <> struct AttrDecoding<uint16_t> : internal::ScalarDecoding<uint16_t> {};
template <> struct AttrDecoding<uint32_t> : internal::ScalarDecoding<uint32_t> {};
template <> struct AttrDecoding<uint64_t> : internal::ScalarDecoding<uint64_t> {};
template <> struct AttrDecoding<float> : internal::ScalarDecoding<float> {};
template <> struct AttrDecoding<double> : internal::ScalarDecoding<double> {};
template <> struct AttrDecoding<std::complex<float>>
    : internal::ScalarDecoding<std::complex<float>> {};
template <> struct AttrDecoding<std::complex<double>>
    : internal::ScalarDecoding<std::complex<double>> {};

template <> struct AttrDecoding<Span<const int8_t>> : internal::ArrayDecoding<int8_t> {};
template <> struct AttrDecoding<Span<const int16_t>> : internal::ArrayDecoding<int16_t> {};
template <> struct AttrDecoding<Span<const int32_t>> : internal::ArrayDecoding<int32_t> {};
template <> struct AttrDecoding<Span<const int64_t>> : internal::ArrayDecoding<int64_t> {};
template <> struct AttrDecoding<Span<const uint8_t>> : internal::ArrayDecoding<uint8_t> {};
template <> struct AttrDecoding<Span<const uint16_t>> : internal::ArrayDecoding<uint16_t> {};
template <> struct AttrDecoding<Span<const uint32_t>> : internal::ArrayDecoding<uint32_t> {};
template <> struct AttrDecoding<Span<const uint64_t>> : internal::ArrayDecoding<uint64_t> {};
template <> struct AttrDecoding<Span<const float>> : internal::ArrayDecoding<float> {};
template <> struct AttrDecoding<Span<const double>> : internal::ArrayDecoding<double> {};
// clang-format on

// The runtime owns the text; valid until the handler returns or its Future is complete. May contain
// NULs.
template <>
struct AttrDecoding<std::string_view>
    : internal::DirectAttrDecoding<AttrDecoding<std::string_view>, std::string_view> {
  CALLBRIDGE_FFI_HIDDEN static constexpr internal::Wanted kWanted = {
      internal::Wanted::Kind::kString};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_AttrType type, const void*) {
    return type == XLA_FFI_AttrType_STRING;
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static std::string_view Get(const void* attr) {
    const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attr);
    return std::string_view(text->ptr, text->len);
  }
};

template <typename T>
struct AttrDecoding<Pointer<T>> : internal::ScalarDecoding<T*, int64_t> {};

// Decodes as the first of the types that matches.
template <typename T0, typename T1, typename... Ts>
struct AttrDecoding<std::variant<T0, T1, Ts...>> {
  using Type = std::variant<T0, T1, Ts...>;

  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return AttrDecoding<T0>::Isa(type, attr) || AttrDecoding<T1>::Isa(type, attr) ||
           (AttrDecoding<Ts>::Isa(type, attr) || ...);
  }

  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    std::optional<Type> value;
    const bool matches = TryDecode<T0>(type, attr, diagnostic, value) ||
                         TryDecode<T1>(type, attr, diagnostic, value) ||
                         (TryDecode<Ts>(type, attr, diagnostic, value) || ...);
    if (XLA_FFI_PREDICT_FALSE(!matches)) internal::ExplainNoVariant(type, attr, diagnostic);
    return value;
  }

 private:
  template <typename T>
  static bool TryDecode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic,
                        std::optional<Type>& value) {
    if (!AttrDecoding<T>::Isa(type, attr)) return false;
    if (auto decoded = AttrDecoding<T>::Decode(type, attr, diagnostic)) {
      value.emplace(std::move(*decoded));
    }
    return true;
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_ATTRIBUTES_H_
