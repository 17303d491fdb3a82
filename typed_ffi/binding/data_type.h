// xla::ffi::DataType, the element types of buffers, and the C++ types that hold elements.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_DATA_TYPE_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_DATA_TYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// XLA's element types, by the numbers of the C API. Each is also a constant, xla::ffi::F32.
enum class DataType : uint8_t {
  INVALID = XLA_FFI_DataType_INVALID,
  PRED = XLA_FFI_DataType_PRED,
  S1 = XLA_FFI_DataType_S1,
  S2 = XLA_FFI_DataType_S2,
  S4 = XLA_FFI_DataType_S4,
  S8 = XLA_FFI_DataType_S8,
  S16 = XLA_FFI_DataType_S16,
  S32 = XLA_FFI_DataType_S32,
  S64 = XLA_FFI_DataType_S64,
  U1 = XLA_FFI_DataType_U1,
  U2 = XLA_FFI_DataType_U2,
  U4 = XLA_FFI_DataType_U4,
  U8 = XLA_FFI_DataType_U8,
  U16 = XLA_FFI_DataType_U16,
  U32 = XLA_FFI_DataType_U32,
  U64 = XLA_FFI_DataType_U64,
  F16 = XLA_FFI_DataType_F16,
  F32 = XLA_FFI_DataType_F32,
  F64 = XLA_FFI_DataType_F64,
  BF16 = XLA_FFI_DataType_BF16,
  C64 = XLA_FFI_DataType_C64,
  C128 = XLA_FFI_DataType_C128,
  TOKEN = XLA_FFI_DataType_TOKEN,
  F4E2M1FN = XLA_FFI_DataType_F4E2M1FN,
  F8E3M4 = XLA_FFI_DataType_F8E3M4,
  F8E4M3 = XLA_FFI_DataType_F8E4M3,
  F8E4M3B11FNUZ = XLA_FFI_DataType_F8E4M3B11FNUZ,
  F8E4M3FN = XLA_FFI_DataType_F8E4M3FN,
  F8E4M3FNUZ = XLA_FFI_DataType_F8E4M3FNUZ,
  F8E5M2 = XLA_FFI_DataType_F8E5M2,
  F8E5M2FNUZ = XLA_FFI_DataType_F8E5M2FNUZ,
  F8E8M0FNU = XLA_FFI_DataType_F8E8M0FNU,
};

// The values of DataType as constants, so that xla::ffi::F32 is one of them.
inline constexpr DataType PRED = DataType::PRED;
inline constexpr DataType S1 = DataType::S1;
inline constexpr DataType S2 = DataType::S2;
inline constexpr DataType S4 = DataType::S4;
inline constexpr DataType S8 = DataType::S8;
inline constexpr DataType S16 = DataType::S16;
inline constexpr DataType S32 = DataType::S32;
inline constexpr DataType S64 = DataType::S64;
inline constexpr DataType U1 = DataType::U1;
inline constexpr DataType U2 = DataType::U2;
inline constexpr DataType U4 = DataType::U4;
inline constexpr DataType U8 = DataType::U8;
inline constexpr DataType U16 = DataType::U16;
inline constexpr DataType U32 = DataType::U32;
inline constexpr DataType U64 = DataType::U64;
inline constexpr DataType F16 = DataType::F16;
inline constexpr DataType F32 = DataType::F32;
inline constexpr DataType F64 = DataType::F64;
inline constexpr DataType BF16 = DataType::BF16;
inline constexpr DataType C64 = DataType::C64;
inline constexpr DataType C128 = DataType::C128;
inline constexpr DataType TOKEN = DataType::TOKEN;
inline constexpr DataType F4E2M1FN = DataType::F4E2M1FN;
inline constexpr DataType F8E3M4 = DataType::F8E3M4;
inline constexpr DataType F8E4M3 = DataType::F8E4M3;
inline constexpr DataType F8E4M3B11FNUZ = DataType::F8E4M3B11FNUZ;
inline constexpr DataType F8E4M3FN = DataType::F8E4M3FN;
inline constexpr DataType F8E4M3FNUZ = DataType::F8E4M3FNUZ;
inline constexpr DataType F8E5M2 = DataType::F8E5M2;
inline constexpr DataType F8E5M2FNUZ = DataType::F8E5M2FNUZ;
inline constexpr DataType F8E8M0FNU = DataType::F8E8M0FNU;

// Prints XLA's name of the type.
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os, DataType dtype) {
  return internal::PrintEnum(os, static_cast<XLA_FFI_DataType>(dtype));
}

// The bytes of an element that is not packed; 0 for INVALID, TOKEN and unknown types.
constexpr size_t ByteWidth(DataType dtype) {
  switch (dtype) {
    case DataType::INVALID:
    case DataType::TOKEN:
      return 0;
    case DataType::PRED:
    case DataType::S1:
    case DataType::S2:
    case DataType::S4:
    case DataType::S8:
    case DataType::U1:
    case DataType::U2:
    case DataType::U4:
    case DataType::U8:
    case DataType::F4E2M1FN:
    case DataType::F8E3M4:
    case DataType::F8E4M3:
    case DataType::F8E4M3B11FNUZ:
    case DataType::F8E4M3FN:
    case DataType::F8E4M3FNUZ:
    case DataType::F8E5M2:
    case DataType::F8E5M2FNUZ:
    case DataType::F8E8M0FNU:
      return 1;
    case DataType::S16:
    case DataType::U16:
    case DataType::F16:
    case DataType::BF16:
      return 2;
    case DataType::S32:
    case DataType::U32:
    case DataType::F32:
      return 4;
    case DataType::S64:
    case DataType::U64:
    case DataType::F64:
    case DataType::C64:
      return 8;
    case DataType::C128:
      return 16;
  }
  return 0;
}

// The complex type with parts of type `dtype`; INVALID if there is none.
constexpr DataType ToComplex(DataType dtype) {
  if (dtype == DataType::F32) return DataType::C64;
  if (dtype == DataType::F64) return DataType::C128;
  return DataType::INVALID;
}

// The type of a complex type's parts; any other type itself.
constexpr DataType ToReal(DataType dtype) {
  if (dtype == DataType::C64) return DataType::F32;
  if (dtype == DataType::C128) return DataType::F64;
  return dtype;
}
constexpr DataType ToImag(DataType dtype) { return ToReal(dtype); }

// Whether elements have an imaginary part.
template <DataType dtype>
constexpr bool IsComplexType() {
  return ToReal(dtype) != dtype;
}

namespace internal {

// The C++ type of an element; void if C++ has none. 8- and 16-bit types that C++ does not have are
// represented by their bits.
// clang-format off
template <DataType dtype> struct Native { using type = void; };
template <> struct Native<DataType::PRED> { using type = bool; };
template <> struct Native<DataType::S8> { using type = int8_t; };
template <> struct Native<DataType::S16> { using type = int16_t; };
template <> struct Native<DataType::S32> { using type = int32_t; };
template <> struct Native<DataType::S64> { using type = int64_t; };
template <> struct Native<DataType::U8> { using type = uint8_t; };
template <> struct Native<DataType::U16> { using type = uint16_t; };
template <> struct Native<DataType::U32> { using type = uint32_t; };
template <> struct Native<DataType::U64> { using type = uint64_t; };
template <> struct Native<DataType::F16> { using type = uint16_t; };
template <> struct Native<DataType::F32> { using type = float; };
template <> struct Native<DataType::F64> { using type = double; };
template <> struct Native<DataType::BF16> { using type = uint16_t; };
template <> struct Native<DataType::C64> { using type = std::complex<float>; };
template <> struct Native<DataType::C128> { using type = std::complex<double>; };
template <> struct Native<DataType::F8E3M4> { using type = uint8_t; };
template <> struct Native<DataType::F8E4M3> { using type = uint8_t; };
template <> struct Native<DataType::F8E4M3B11FNUZ> { using type = uint8_t; };
template <> struct Native<DataType::F8E4M3FN> { using type = uint8_t; };
template <> struct Native<DataType::F8E4M3FNUZ> { using type = uint8_t; };
template <> struct Native<DataType::F8E5M2> { using type = uint8_t; };
template <> struct Native<DataType::F8E5M2FNUZ> { using type = uint8_t; };
template <> struct Native<DataType::F8E8M0FNU> { using type = uint8_t; };

// The element type of a C++ type, as for attributes; INVALID if XLA has none.
template <typename T> inline constexpr DataType kDataTypeOf = DataType::INVALID;
template <> inline constexpr DataType kDataTypeOf<bool> = DataType::PRED;
template <> inline constexpr DataType kDataTypeOf<char> = DataType::U8;
template <> inline constexpr DataType kDataTypeOf<int8_t> = DataType::S8;
template <> inline constexpr DataType kDataTypeOf<int16_t> = DataType::S16;
template <> inline constexpr DataType kDataTypeOf<int32_t> = DataType::S32;
template <> inline constexpr DataType kDataTypeOf<int64_t> = DataType::S64;
template <> inline constexpr DataType kDataTypeOf<uint8_t> = DataType::U8;
template <> inline constexpr DataType kDataTypeOf<uint16_t> = DataType::U16;
template <> inline constexpr DataType kDataTypeOf<uint32_t> = DataType::U32;
template <> inline constexpr DataType kDataTypeOf<uint64_t> = DataType::U64;
template <> inline constexpr DataType kDataTypeOf<float> = DataType::F32;
template <> inline constexpr DataType kDataTypeOf<double> = DataType::F64;
template <> inline constexpr DataType kDataTypeOf<std::complex<float>> = DataType::C64;
template <> inline constexpr DataType kDataTypeOf<std::complex<double>> = DataType::C128;
// clang-format on

template <DataType dtype>
struct CheckedNative : Native<dtype> {
  static_assert(dtype == DataType::TOKEN || !std::is_void_v<typename Native<dtype>::type>,
                "unsupported data type: C++ has no type whose elements are stored like this one's; "
                "use untyped_data()");
};

}  // namespace internal

// The C++ type of an element. 8- and 16-bit types that C++ does not have are their bits. Does not
// compile for other types.
template <DataType dtype>
using NativeType = typename internal::CheckedNative<dtype>::type;

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_DATA_TYPE_H_
