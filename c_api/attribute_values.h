// XLA's element types by C++ type, and how the C++ forms of the C API pass names and attributes to
// it.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_ATTRIBUTE_VALUES_H_
#define CALLBRIDGE_C_API_ATTRIBUTE_VALUES_H_

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"

namespace callbridge {

// XLA's number and name of a C++ type's element type.
struct ElementType {
  int32_t number;    // of xla.PrimitiveType
  const char* name;  // "f32", in static storage
};

// Returns the element type of T; does not compile if XLA has none.
template <typename T>
constexpr ElementType ElementTypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return {1, "pred"};
  else if constexpr (std::is_same_v<T, int8_t>)
    return {2, "s8"};
  else if constexpr (std::is_same_v<T, int16_t>)
    return {3, "s16"};
  else if constexpr (std::is_same_v<T, int32_t>)
    return {4, "s32"};
  else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, long long>)
    return {5, "s64"};
  else if constexpr (std::is_same_v<T, uint8_t>)
    return {6, "u8"};
  else if constexpr (std::is_same_v<T, uint16_t>)
    return {7, "u16"};
  else if constexpr (std::is_same_v<T, uint32_t>)
    return {8, "u32"};
  else if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, unsigned long long>)
    return {9, "u64"};
  else if constexpr (std::is_same_v<T, float>)
    return {11, "f32"};
  else if constexpr (std::is_same_v<T, double>)
    return {12, "f64"};
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return {15, "c64"};
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return {18, "c128"};
  else
    static_assert(!sizeof(T*),
                  "no XLA element type is this C++ type: name one, as in Arg(\"bf16[4]\", data)");
}

namespace c_form {

// Numbers of absl::StatusCode.
constexpr int32_t kInvalidArgument = 3;
constexpr int32_t kNotFound = 5;

// Returns INVALID_ARGUMENT if `text`, which errors call `what`, holds a NUL, at which the C API
// would cut it; otherwise null. The caller owns the error.
inline callbridge_error* CheckNoNul(const char* what, const std::string& text) {
  if (text.find('\0') == std::string::npos) return nullptr;
  const std::string message = std::string("expected ") + what +
                              " without NULs, got one that starts with \"" + text.c_str() + "\"";
  return callbridge_error_create(kInvalidArgument, message.data(), message.size());
}

// Sets an attribute to a number, a bool, a complex number, a text or a vector of numbers. The C++
// type decides the attribute's: 3 is an s32, int64_t{3} an s64. The caller owns the error.
template <typename T>
callbridge_error* SetAttribute(callbridge_ffi_attributes* to, const std::string& name,
                               const T& value) {
  if (callbridge_error* error = CheckNoNul("a name", name)) return error;
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    const std::string_view text = value;
    return callbridge_ffi_attributes_set_string(to, name.c_str(), text.data(), text.size());
  } else {
    return callbridge_ffi_attributes_set_scalar(to, name.c_str(), ElementTypeOf<T>().number,
                                                &value);
  }
}

template <typename T>
callbridge_error* SetAttribute(callbridge_ffi_attributes* to, const std::string& name,
                               const std::vector<T>& values) {
  static_assert(!std::is_same_v<T, bool>, "a vector of bool has no elements to point to");
  if (callbridge_error* error = CheckNoNul("a name", name)) return error;
  return callbridge_ffi_attributes_set_array(to, name.c_str(), ElementTypeOf<T>().number,
                                             values.data(), values.size());
}

// Sets an attribute to a copy of a dictionary.
inline callbridge_error* SetAttribute(callbridge_ffi_attributes* to, const std::string& name,
                                      const callbridge_ffi_attributes* dictionary) {
  if (callbridge_error* error = CheckNoNul("a name", name)) return error;
  return callbridge_ffi_attributes_set_dictionary(to, name.c_str(), dictionary);
}

}  // namespace c_form
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_ATTRIBUTE_VALUES_H_
