// Error and Result: how callbridge/callbridge.hpp reports errors; Span: what it passes lists in.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_RESULT_H_
#define CALLBRIDGE_C_API_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "callbridge/c_api/callbridge.h"

namespace callbridge {
inline namespace cpp_v1 {

// An error of the C API. Movable; one that was moved from has code 0 and no message.
class Error {
 public:
  // Owns `error`, which is not null.
  explicit Error(callbridge_error* error) : error_(error) {}
  // `code` is a number of absl::StatusCode, which are those of XLA_FFI_Error_Code.
  Error(int32_t code, std::string_view message)
      : error_(callbridge_error_create(code, message.data(), message.size())) {}

  // Returns the number of absl::StatusCode.
  int32_t code() const { return error_ != nullptr ? error_->code : 0; }
  // Returns "INVALID_ARGUMENT" and so on.
  std::string_view code_name() const { return callbridge_error_code_name(code()); }
  // Valid as long as this object.
  std::string_view message() const {
    return error_ != nullptr ? std::string_view(error_->message, error_->message_size) : "";
  }
  // Returns "CODE_NAME: message".
  std::string ToString() const { return std::string(code_name()).append(": ").append(message()); }

 private:
  struct Destroy {
    void operator()(callbridge_error* error) const { callbridge_error_destroy(error); }
  };
  std::unique_ptr<callbridge_error, Destroy> error_;
};

// What Result::value() throws. what() is Error::ToString().
class Exception : public std::runtime_error {
 public:
  // Copies the code and the message of `error`.
  explicit Exception(const Error& error)
      : std::runtime_error(error.ToString()),
        code_(error.code()),
        message_(std::make_shared<const std::string>(error.message())) {}

  // Returns the number of absl::StatusCode.
  int32_t code() const noexcept { return code_; }
  // Returns "INVALID_ARGUMENT" and so on.
  std::string_view code_name() const noexcept { return callbridge_error_code_name(code_); }
  // Returns the message, without the code. Valid as long as this object or a copy of it.
  std::string_view message() const noexcept { return *message_; }

 private:
  int32_t code_;
  std::shared_ptr<const std::string> message_;  // so that copying throws nothing
};

// Throws `error`; in code that is compiled with -fno-exceptions, prints it and aborts. It and all
// that calls it are always inlined: a program may mix code with and without exceptions, and each
// keeps its own way.
[[noreturn, gnu::always_inline]] inline void Throw(const Error& error) {
#if defined(__cpp_exceptions)
  throw Exception(error);
#else
  std::fprintf(stderr, "callbridge: %s\n", error.ToString().c_str());
  std::abort();
#endif
}

// A value or an error. Call value() to get an exception, or check ok() and read error(). Movable if
// T is; keeps a moved-from value or error after a move.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Holds a value, or an error. Implicit, so that a function returns either as it is.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  // Returns whether there is a value.
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Returns the value; throws an Exception if there is an error.
  [[gnu::always_inline]] T& value() & {
    if (!ok()) Throw(error());
    return **this;
  }
  [[gnu::always_inline]] const T& value() const& {
    if (!ok()) Throw(error());
    return **this;
  }
  [[gnu::always_inline]] T value() && {
    if (!ok()) Throw(error());
    return *std::move(*this);
  }

  // Returns the value, or its address. Undefined unless ok().
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // Returns the error. Undefined if ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

// Success, or an error.
template <>
class [[nodiscard]] Result<void> {
 public:
  // Success.
  Result() = default;
  // Holds an error. Implicit, so that a function returns it as it is.
  Result(Error error) : error_(std::move(error)) {}

  // Returns whether there is no error.
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  // Throws an Exception if there is an error.
  [[gnu::always_inline]] void value() const {
    if (!ok()) Throw(*error_);
  }
  // Returns the error. Undefined if ok().
  const Error& error() const& { return *error_; }
  Error error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

// Owns `error`, null on success. For functions of the C API that callbridge.hpp does not wrap.
inline Result<void> ToResult(callbridge_error* error) {
  if (error == nullptr) return {};
  return Error(error);
}

// Borrows a list: an array, a std::vector, a std::array, or a pointer and a size. The list must
// outlive it.
template <typename T>
class Span {
 public:
  // An empty list.
  constexpr Span() = default;
  // Borrows `size` elements at `data`, an array, or a list that has data() and size().
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t kSize>
  constexpr Span(T (&array)[kSize]) : data_(array), size_(kSize) {}
  template <typename List,
            typename Element = std::remove_pointer_t<decltype(std::declval<List&>().data())>,
            typename = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
  constexpr Span(List&& list) : data_(list.data()), size_(list.size()) {}

  // Same as in std::span.
  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  // Returns the element at `i`, which must be below size().
  constexpr T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cpp_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_RESULT_H_
