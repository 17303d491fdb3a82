// xla::primitive_util: properties of element types.
#ifndef CALLBRIDGE_HLO_PRIMITIVE_UTIL_H_
#define CALLBRIDGE_HLO_PRIMITIVE_UTIL_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/types.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {
namespace primitive_util {

// These return false or 0 for types that are not array elements.
CALLBRIDGE_EXPORTED bool IsArrayType(PrimitiveType type);
CALLBRIDGE_EXPORTED bool IsFloatingPointType(PrimitiveType type);
CALLBRIDGE_EXPORTED bool IsComplexType(PrimitiveType type);
CALLBRIDGE_EXPORTED bool IsSignedIntegralType(PrimitiveType type);
CALLBRIDGE_EXPORTED bool IsUnsignedIntegralType(PrimitiveType type);
CALLBRIDGE_EXPORTED bool IsIntegralType(PrimitiveType type);
// Returns the width in bits. PRED has 8, as in memory.
CALLBRIDGE_EXPORTED int BitWidth(PrimitiveType type);
// Returns the bytes of one element: 1 for S4.
CALLBRIDGE_EXPORTED int ByteWidth(PrimitiveType type);
// Returns F32 for C64, F64 for C128, PRIMITIVE_TYPE_INVALID for others.
CALLBRIDGE_EXPORTED PrimitiveType ComplexComponentType(PrimitiveType complex_type);

// Returns a name such as "f32" or "opaque".
CALLBRIDGE_EXPORTED const std::string& LowercasePrimitiveTypeName(PrimitiveType type);
// Returns INVALID_ARGUMENT for an unknown name.
CALLBRIDGE_EXPORTED StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view name);
CALLBRIDGE_EXPORTED bool IsPrimitiveTypeName(absl::string_view name);

// Returns the element type of the C++ type NativeT, or PRIMITIVE_TYPE_INVALID.
template <typename NativeT>
constexpr PrimitiveType NativeToPrimitiveType() {
  if constexpr (std::is_same_v<NativeT, bool>) return PRED;
  if constexpr (std::is_same_v<NativeT, s4>) return S4;
  if constexpr (std::is_same_v<NativeT, u4>) return U4;
  if constexpr (std::is_same_v<NativeT, half>) return F16;
  if constexpr (std::is_same_v<NativeT, bfloat16>) return BF16;
  if constexpr (std::is_same_v<NativeT, float>) return F32;
  if constexpr (std::is_same_v<NativeT, double>) return F64;
  if constexpr (std::is_same_v<NativeT, complex64>) return C64;
  if constexpr (std::is_same_v<NativeT, complex128>) return C128;
  if constexpr (std::is_integral_v<NativeT> && !std::is_same_v<NativeT, bool>) {
    constexpr bool kSigned = std::is_signed_v<NativeT>;
    switch (sizeof(NativeT)) {
      case 1:
        return kSigned ? S8 : U8;
      case 2:
        return kSigned ? S16 : U16;
      case 4:
        return kSigned ? S32 : U32;
      default:
        return kSigned ? S64 : U64;
    }
  }
  return PRIMITIVE_TYPE_INVALID;
}

// The C++ type of an element type.
template <PrimitiveType>
struct PrimitiveTypeToNative;
template <>
struct PrimitiveTypeToNative<PRED> {
  using type = bool;
};
template <>
struct PrimitiveTypeToNative<S4> {
  using type = s4;
};
template <>
struct PrimitiveTypeToNative<S8> {
  using type = int8_t;
};
template <>
struct PrimitiveTypeToNative<S16> {
  using type = int16_t;
};
template <>
struct PrimitiveTypeToNative<S32> {
  using type = int32_t;
};
template <>
struct PrimitiveTypeToNative<S64> {
  using type = int64_t;
};
template <>
struct PrimitiveTypeToNative<U4> {
  using type = u4;
};
template <>
struct PrimitiveTypeToNative<U8> {
  using type = uint8_t;
};
template <>
struct PrimitiveTypeToNative<U16> {
  using type = uint16_t;
};
template <>
struct PrimitiveTypeToNative<U32> {
  using type = uint32_t;
};
template <>
struct PrimitiveTypeToNative<U64> {
  using type = uint64_t;
};
template <>
struct PrimitiveTypeToNative<F16> {
  using type = half;
};
template <>
struct PrimitiveTypeToNative<BF16> {
  using type = bfloat16;
};
template <>
struct PrimitiveTypeToNative<F32> {
  using type = float;
};
template <>
struct PrimitiveTypeToNative<F64> {
  using type = double;
};
template <>
struct PrimitiveTypeToNative<C64> {
  using type = complex64;
};
template <>
struct PrimitiveTypeToNative<C128> {
  using type = complex128;
};

}  // namespace primitive_util
}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_PRIMITIVE_UTIL_H_
