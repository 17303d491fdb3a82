// The values that a HandlerCall passes: element types by C++ type, and attributes.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_HANDLER_VALUES_H_
#define CALLBRIDGE_C_API_HANDLER_VALUES_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/c_api/callbridge_ffi.h"

namespace callbridge {

// XLA's number and name of a C++ type's element type.
struct ElementType {
  int32_t number;
  const char* name;
};

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

// What went wrong in putting a call together, as opposed to in the call: a shape that cannot be
// read, and the like.
class HandlerCallError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace handler_call {

// Frees `error`; throws where it is one.
inline void Check(callbridge_error* error) {
  if (error == nullptr) return;
  const std::string message(error->message, error->message_size);
  callbridge_error_destroy(error);
  throw HandlerCallError(message);
}

// `name` as a C string. Throws if it holds a NUL.
inline const char* Name(const std::string& name) {
  if (name.find('\0') == std::string::npos) return name.c_str();
  throw HandlerCallError("expected a name without NULs, got one that starts with \"" +
                         std::string(name.c_str()) + "\"");
}

}  // namespace handler_call

// A dictionary of attributes. Throws HandlerCallError where a value makes no sense, and where it
// was moved from.
//
//   HandlerAttributes().Set("n", 3).Set("scale", 0.5f).Set("shape", std::vector<int64_t>{2, 3})
class HandlerAttributes {
 public:
  HandlerAttributes() {
    callbridge_ffi_attributes* made = nullptr;
    handler_call::Check(callbridge_ffi_attributes_create(&made));
    attributes_.reset(made);
  }

  // A number, a bool, a complex number, a text, a vector of numbers, or a dictionary. The C++ type
  // is the attribute's: 3 is an s32, int64_t{3} an s64. A name that is set again gets the new
  // value.
  template <typename T>
  HandlerAttributes& Set(const std::string& name, const T& value) {
    callbridge_ffi_attributes* const to = Own();
    if constexpr (std::is_same_v<T, HandlerAttributes>) {
      handler_call::Check(
          callbridge_ffi_attributes_set_dictionary(to, handler_call::Name(name), value.get()));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      handler_call::Check(callbridge_ffi_attributes_set_string(to, handler_call::Name(name),
                                                               text.data(), text.size()));
    } else {
      handler_call::Check(callbridge_ffi_attributes_set_scalar(to, handler_call::Name(name),
                                                               ElementTypeOf<T>().number, &value));
    }
    return *this;
  }
  template <typename T>
  HandlerAttributes& Set(const std::string& name, const std::vector<T>& values) {
    static_assert(!std::is_same_v<T, bool>, "a vector of bool has no elements to point to");
    handler_call::Check(callbridge_ffi_attributes_set_array(
        Own(), handler_call::Name(name), ElementTypeOf<T>().number, values.data(), values.size()));
    return *this;
  }

  // Null where this object was moved from.
  const callbridge_ffi_attributes* get() const { return attributes_.get(); }

 private:
  callbridge_ffi_attributes* Own() {
    if (attributes_ != nullptr) return attributes_.get();
    throw HandlerCallError("this HandlerAttributes was moved from: set what it was moved to");
  }

  struct Destroy {
    void operator()(callbridge_ffi_attributes* attributes) const {
      callbridge_ffi_attributes_destroy(attributes);
    }
  };

  std::unique_ptr<callbridge_ffi_attributes, Destroy> attributes_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_HANDLER_VALUES_H_
