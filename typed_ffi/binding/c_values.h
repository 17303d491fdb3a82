// The C API's values in C++: their names, for messages and for `std::ostream << value`, and ==.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_C_VALUES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_C_VALUES_H_

#include <iosfwd>

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Returns null for a number that this version of the API does not have.
constexpr const char* NameOf(XLA_FFI_DataType dtype) {
  // clang-format off
  switch (dtype) {
    case XLA_FFI_DataType_INVALID: return "INVALID";
    case XLA_FFI_DataType_PRED: return "PRED";
    case XLA_FFI_DataType_S1: return "S1";
    case XLA_FFI_DataType_S2: return "S2";
    case XLA_FFI_DataType_S4: return "S4";
    case XLA_FFI_DataType_S8: return "S8";
    case XLA_FFI_DataType_S16: return "S16";
    case XLA_FFI_DataType_S32: return "S32";
    case XLA_FFI_DataType_S64: return "S64";
    case XLA_FFI_DataType_U1: return "U1";
    case XLA_FFI_DataType_U2: return "U2";
    case XLA_FFI_DataType_U4: return "U4";
    case XLA_FFI_DataType_U8: return "U8";
    case XLA_FFI_DataType_U16: return "U16";
    case XLA_FFI_DataType_U32: return "U32";
    case XLA_FFI_DataType_U64: return "U64";
    case XLA_FFI_DataType_F16: return "F16";
    case XLA_FFI_DataType_F32: return "F32";
    case XLA_FFI_DataType_F64: return "F64";
    case XLA_FFI_DataType_BF16: return "BF16";
    case XLA_FFI_DataType_C64: return "C64";
    case XLA_FFI_DataType_C128: return "C128";
    case XLA_FFI_DataType_TOKEN: return "TOKEN";
    case XLA_FFI_DataType_F4E2M1FN: return "F4E2M1FN";
    case XLA_FFI_DataType_F8E3M4: return "F8E3M4";
    case XLA_FFI_DataType_F8E4M3: return "F8E4M3";
    case XLA_FFI_DataType_F8E4M3B11FNUZ: return "F8E4M3B11FNUZ";
    case XLA_FFI_DataType_F8E4M3FN: return "F8E4M3FN";
    case XLA_FFI_DataType_F8E4M3FNUZ: return "F8E4M3FNUZ";
    case XLA_FFI_DataType_F8E5M2: return "F8E5M2";
    case XLA_FFI_DataType_F8E5M2FNUZ: return "F8E5M2FNUZ";
    case XLA_FFI_DataType_F8E8M0FNU: return "F8E8M0FNU";
  }
  // clang-format on
  return nullptr;
}

constexpr const char* NameOf(XLA_FFI_ArgType type) {
  return type == XLA_FFI_ArgType_BUFFER ? "buffer" : nullptr;
}

constexpr const char* NameOf(XLA_FFI_RetType type) {
  return type == XLA_FFI_RetType_BUFFER ? "buffer" : nullptr;
}

constexpr const char* NameOf(XLA_FFI_AttrType type) {
  // clang-format off
  switch (type) {
    case XLA_FFI_AttrType_ARRAY: return "array";
    case XLA_FFI_AttrType_DICTIONARY: return "dictionary";
    case XLA_FFI_AttrType_SCALAR: return "scalar";
    case XLA_FFI_AttrType_STRING: return "string";
  }
  // clang-format on
  return nullptr;
}

constexpr const char* NameOf(XLA_FFI_ExecutionStage stage) {
  // clang-format off
  switch (stage) {
    case XLA_FFI_ExecutionStage_INSTANTIATE: return "instantiate";
    case XLA_FFI_ExecutionStage_PREPARE: return "prepare";
    case XLA_FFI_ExecutionStage_INITIALIZE: return "initialize";
    case XLA_FFI_ExecutionStage_EXECUTE: return "execute";
    case XLA_FFI_ExecutionStage_RECORD: return "record";
  }
  // clang-format on
  return nullptr;
}

template <typename Stream, typename Enum>
Stream& PrintEnum(Stream& os, Enum value) {
  if (const char* name = NameOf(value)) return os << name, os;
  return os << "unknown (" << static_cast<int>(value) << ")", os;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

// In the enums' namespace, the global one, where a stream finds them. Templates and hidden
// functions, since XLA's own have the same names and may be in the same process.

// Prints the name of a value, or its number if this version of the API does not have it.
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             XLA_FFI_DataType dtype) {
  return xla::ffi::internal::PrintEnum(os, dtype);
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             XLA_FFI_ArgType type) {
  return xla::ffi::internal::PrintEnum(os, type);
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             XLA_FFI_RetType type) {
  return xla::ffi::internal::PrintEnum(os, type);
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             XLA_FFI_AttrType type) {
  return xla::ffi::internal::PrintEnum(os, type);
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& os,
                                             XLA_FFI_ExecutionStage stage) {
  return xla::ffi::internal::PrintEnum(os, stage);
}

// Compares the ids.
CALLBRIDGE_FFI_HIDDEN constexpr bool operator==(const XLA_FFI_TypeId& a, const XLA_FFI_TypeId& b) {
  return a.type_id == b.type_id;
}
CALLBRIDGE_FFI_HIDDEN constexpr bool operator!=(const XLA_FFI_TypeId& a, const XLA_FFI_TypeId& b) {
  return !(a == b);
}

// Compares the major and the minor version.
CALLBRIDGE_FFI_HIDDEN constexpr bool operator==(const XLA_FFI_Api_Version& a,
                                                const XLA_FFI_Api_Version& b) {
  return a.major_version == b.major_version && a.minor_version == b.minor_version;
}
CALLBRIDGE_FFI_HIDDEN constexpr bool operator!=(const XLA_FFI_Api_Version& a,
                                                const XLA_FFI_Api_Version& b) {
  return !(a == b);
}

// Compares the versions, the traits and the ids of the state's type.
CALLBRIDGE_FFI_HIDDEN constexpr bool operator==(const XLA_FFI_Metadata& a,
                                                const XLA_FFI_Metadata& b) {
  return a.api_version == b.api_version && a.traits == b.traits &&
         a.state_type_id == b.state_type_id;
}
CALLBRIDGE_FFI_HIDDEN constexpr bool operator!=(const XLA_FFI_Metadata& a,
                                                const XLA_FFI_Metadata& b) {
  return !(a == b);
}

// Compares the handlers' addresses, stage by stage.
CALLBRIDGE_FFI_HIDDEN constexpr bool operator==(const XLA_FFI_Handler_Bundle& a,
                                                const XLA_FFI_Handler_Bundle& b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare && a.initialize == b.initialize &&
         a.execute == b.execute && a.record == b.record;
}
CALLBRIDGE_FFI_HIDDEN constexpr bool operator!=(const XLA_FFI_Handler_Bundle& a,
                                                const XLA_FFI_Handler_Bundle& b) {
  return !(a == b);
}

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_C_VALUES_H_
