// xla::ffi::Expected, a value or an error, and Unexpected, which wraps an error to construct one.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_EXPECTED_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_EXPECTED_H_

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

template <typename T, typename E>
class Expected;

// An error to return from a function that returns an Expected.
template <typename E>
class Unexpected {
 public:
  // Holds the error, which converts to an Expected of any value type.
  constexpr Unexpected(E error)  // NOLINT(google-explicit-constructor)
      : error_(std::move(error)) {}

 private:
  template <typename, typename>
  friend class Expected;

  E error_;
};

// Holds a literal as a std::string.
Unexpected(const char*)->Unexpected<std::string>;

// Thrown by value() of an Expected that holds an error, and by error() of one that holds a value.
// XLA's own throws the base class.
class BadExpectedAccess : public std::bad_variant_access {
 public:
  // For Expected, which says what it holds instead.
  explicit BadExpectedAccess(std::string what) : what_(std::move(what)) {}
  // Returns what was held instead, with the error's message if it has one.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

namespace internal {

// Describes an error that nobody checked, as far as its type allows.
template <typename E>
auto DescribeError(const E& error, int) -> decltype(std::string(error.message())) {
  return std::string(error.message());
}
template <typename E>
std::string DescribeError(const E& error, long) {  // NOLINT(google-runtime-int)
  if constexpr (std::is_convertible_v<const E&, std::string>) return error;
  return "of a type without a message";
}

[[noreturn]] inline CALLBRIDGE_FFI_COLD void ThrowBadExpectedAccess(std::string what) {
#ifdef __cpp_exceptions
  throw BadExpectedAccess(std::move(what));
#else
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
#endif
}

// Holds one of the two. Trivial if both are, so that such an Expected can be constexpr.
template <typename T, typename E,
          bool trivial = std::is_trivially_copyable_v<T>&& std::is_trivially_copyable_v<E>>
struct ExpectedStorage {
  constexpr ExpectedStorage(std::true_type, T&& from) : value(std::move(from)), has_value(true) {}
  constexpr ExpectedStorage(std::false_type, E&& from) : error(std::move(from)), has_value(false) {}

  union {
    T value;
    E error;
  };
  bool has_value;
};

template <typename T, typename E>
struct ExpectedStorage<T, E, false> {
  ExpectedStorage(std::true_type, T&& from) : value(std::move(from)), has_value(true) {}
  ExpectedStorage(std::false_type, E&& from) : error(std::move(from)), has_value(false) {}

  ExpectedStorage(const ExpectedStorage& other) : has_value(other.has_value) {
    if (has_value) {
      new (&value) T(other.value);
    } else {
      new (&error) E(other.error);
    }
  }
  ExpectedStorage(ExpectedStorage&& other) noexcept(
      std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_constructible_v<E>)
      : has_value(other.has_value) {
    if (has_value) {
      new (&value) T(std::move(other.value));
    } else {
      new (&error) E(std::move(other.error));
    }
  }
  ExpectedStorage& operator=(const ExpectedStorage& other) {
    return *this = ExpectedStorage(other);
  }
  // If a move throws, the old value may be lost. Moves of handlers' types do not throw.
  ExpectedStorage& operator=(ExpectedStorage&& other) noexcept(
      std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_constructible_v<E>) {
    if (this != &other) {
      this->~ExpectedStorage();
      new (this) ExpectedStorage(std::move(other));
    }
    return *this;
  }
  ~ExpectedStorage() {
    if (has_value) {
      value.~T();
    } else {
      error.~E();
    }
  }

  union {
    T value;
    E error;
  };
  bool has_value;
};

// A base that is copyable only if `copyable` is true.
template <bool copyable>
struct CopyableIf {};
template <>
struct CopyableIf<false> {
  CopyableIf() = default;
  CopyableIf(const CopyableIf&) = delete;
  CopyableIf(CopyableIf&&) = default;
  CopyableIf& operator=(const CopyableIf&) = delete;
  CopyableIf& operator=(CopyableIf&&) = default;
};

}  // namespace internal

// A value or an error. value() throws BadExpectedAccess if it is an error, and error() if it is a
// value; without exceptions they abort.
template <typename T, typename E>
class Expected : private internal::CopyableIf<std::is_copy_constructible_v<T> &&
                                              std::is_copy_constructible_v<E>> {
 public:
  // Holds a value, or an error. Implicit, so that a function returns either as it is.
  constexpr Expected(T value)  // NOLINT(google-explicit-constructor)
      : data_(std::true_type(), std::move(value)) {}
  constexpr Expected(Unexpected<E> unexpected)  // NOLINT(google-explicit-constructor)
      : data_(std::false_type(), std::move(unexpected.error_)) {}

  // Returns whether there is a value.
  constexpr operator bool() const { return has_value(); }  // NOLINT(google-explicit-constructor)
  constexpr bool has_value() const { return data_.has_value; }
  // Returns whether there is an error.
  constexpr bool has_error() const { return !data_.has_value; }

  // Returns the value; throws BadExpectedAccess if there is an error.
  constexpr T& value() & { return CheckValue(), data_.value; }
  constexpr const T& value() const& { return CheckValue(), data_.value; }
  constexpr T&& value() && { return CheckValue(), std::move(data_.value); }
  constexpr const T&& value() const&& { return CheckValue(), std::move(data_.value); }

  // Same as value(): checks, unlike std::expected.
  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr const T&& operator*() const&& { return std::move(*this).value(); }

  // Returns the value's address; throws as value() does.
  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

  // Returns the error; throws BadExpectedAccess if there is a value.
  constexpr E& error() & { return CheckError(), data_.error; }
  constexpr const E& error() const& { return CheckError(), data_.error; }
  constexpr E&& error() && { return CheckError(), std::move(data_.error); }
  constexpr const E&& error() const&& { return CheckError(), std::move(data_.error); }

 private:
  constexpr void CheckValue() const {
    if (XLA_FFI_PREDICT_FALSE(!data_.has_value)) ThrowNoValue();
  }
  constexpr void CheckError() const {
    if (XLA_FFI_PREDICT_FALSE(data_.has_value)) ThrowNoError();
  }

  [[noreturn]] CALLBRIDGE_FFI_COLD void ThrowNoValue() const {
    internal::ThrowBadExpectedAccess("an error instead of a value: " +
                                     internal::DescribeError(data_.error, 0));
  }
  [[noreturn]] CALLBRIDGE_FFI_COLD void ThrowNoError() const {
    internal::ThrowBadExpectedAccess("a value instead of an error");
  }

  internal::ExpectedStorage<T, E> data_;
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_EXPECTED_H_
