// The values that a HandlerCall takes and returns: attributes, types of state, results.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_HANDLER_VALUES_H_
#define CALLBRIDGE_C_API_HANDLER_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/c_api/attribute_values.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/c_api/callbridge_ffi.h"

namespace callbridge {

// Thrown if a HandlerCall is set up wrongly, such as with dimensions that do not fit the data.
// Errors of the call itself are HandlerResults.
class HandlerCallError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace handler_call {

// Throws `error` and frees it; does nothing if it is null.
inline void Check(callbridge_error* error) {
  if (error == nullptr) return;
  const std::string message(error->message, error->message_size);
  callbridge_error_destroy(error);
  throw HandlerCallError(message);
}

// Returns `text`, which errors call `what`, as a C string. Throws if it holds a NUL.
inline const char* Text(const char* what, const std::string& text) {
  Check(c_form::CheckNoNul(what, text));
  return text.c_str();
}

// Returns the bytes of an array of this shape; 0 for a token.
inline size_t SizeOf(const std::string& shape) {
  size_t size = 0;
  const auto visit = [](void* user, int32_t, const int64_t*, size_t, int64_t size_bytes) {
    *static_cast<size_t*>(user) = size_bytes > 0 ? static_cast<size_t>(size_bytes) : 0;
  };
  Check(callbridge_shape_visit(Text("a shape", shape), visit, &size));
  return size;
}

}  // namespace handler_call

// A dictionary of attributes. Throws HandlerCallError if a value is invalid or this object was
// moved from.
//
//   HandlerAttributes().Set("n", 3).Set("scale", 0.5f).Set("shape", std::vector<int64_t>{2, 3})
class HandlerAttributes {
 public:
  // Makes an empty dictionary.
  HandlerAttributes() {
    callbridge_ffi_attributes* made = nullptr;
    handler_call::Check(callbridge_ffi_attributes_create(&made));
    attributes_.reset(made);
  }

  // Sets `name` to a number, a bool, a complex number, a text, a vector of numbers, or a dictionary
  // (another HandlerAttributes, which is copied), in place of an earlier value. The C++ type
  // decides the attribute's: 3 is an s32, int64_t{3} an s64.
  template <typename T>
  HandlerAttributes& Set(const std::string& name, const T& value) {
    if constexpr (std::is_same_v<T, HandlerAttributes>) {
      handler_call::Check(c_form::SetAttribute(Own(), name, value.get()));
    } else {
      handler_call::Check(c_form::SetAttribute(Own(), name, value));
    }
    return *this;
  }

  // Returns the C API's handle, which this object owns; null if it was moved from.
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

// How a run ended.
class HandlerResult {
 public:
  // Success.
  HandlerResult() = default;
  // Owns `error`; null is success.
  explicit HandlerResult(callbridge_error* error) {
    if (error == nullptr) return;
    code_ = error->code;
    message_.assign(error->message, error->message_size);
    callbridge_error_destroy(error);
  }

  // Returns whether the run succeeded.
  bool ok() const { return code_ == 0; }
  // The numbers of XLA_FFI_Error_Code and absl::StatusCode.
  int code() const { return code_; }
  // Returns "INVALID_ARGUMENT" and so on.
  std::string code_name() const { return callbridge_error_code_name(code_); }
  // Returns the message, without the code; empty on success. Valid as long as this object.
  const std::string& message() const { return message_; }

  friend std::ostream& operator<<(std::ostream& out, const HandlerResult& result) {
    return result.ok() ? out << "OK" : out << result.code_name() << ": " << result.message();
  }

 private:
  int code_ = 0;
  std::string message_;
};

namespace handler_call {

// Owns a CUDA device, once it is open.
class DeviceHandle {
 public:
  HandlerResult Open(int32_t ordinal) {
    if (device_ != nullptr) return {};
    callbridge_device* device = nullptr;
    HandlerResult opened(callbridge_device_open(ordinal, &device));
    device_.reset(device);
    return opened;
  }
  void reset() { device_.reset(); }
  const callbridge_device* get() const { return device_.get(); }

 private:
  struct Close {
    void operator()(callbridge_device* device) const { callbridge_device_close(device); }
  };

  std::unique_ptr<callbridge_device, Close> device_;
};

}  // namespace handler_call

// Registers a type of state or user data, once a process, and writes its id to `*id`, an
// `XLA_FFI_TypeId` or `xla::ffi::TypeId`. `deleter` deletes a state of the type; it may be null.
// Throws HandlerCallError if the name has another id.
template <typename TypeId>
void RegisterHandlerType(const std::string& name, TypeId* id, void (*deleter)(void*) = nullptr) {
  handler_call::Check(
      callbridge_ffi_register_type(handler_call::Text("a name", name), &id->type_id, deleter));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_HANDLER_VALUES_H_
