// xla::ffi::Expected, a value or an error, and Unexpected, which wraps an error to construct one.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_EXPECTED_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_EXPECTED_H_

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
  constexpr Unexpected(E error)  // NOLINT(google-explicit-constructor)
      : error_(std::move(error)) {}

 private:
  template <typename, typename>
  friend class Expected;

  E error_;
};

Unexpected(const char*)->Unexpected<std::string>;

// Thrown by value() of an Expected that holds an error, and by error() of one that holds a value.
// XLA's own throws the base class.
class BadExpectedAccess : public std::bad_variant_access {
 public:
  explicit BadExpectedAccess(std::string what) : what_(std::move(what)) {}
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
  std::abort();
#endif
}

// Holds one of the two. Trivial if both are, so that such an Expected can be constexpr.
template <typename T, typename E,
          bool trivial = std::is_trivially_copyable_v<T>&& std::is_trivially_copyable_v<E>>
struct ExpectedStorage {
  constexpr ExpectedStorage(std::true_type, T&& value) : value(std::move(value)), has_value(true) {}
  constexpr ExpectedStorage(std::false_type, E&& error)
      : error(std::move(error)), has_value(false) {}

  union {
    T value;
    E error;
  };
  bool has_value;
};

template <typename T, typename E>
struct ExpectedStorage<T, E, false> {
  ExpectedStorage(std::true_type, T&& value) : value(std::move(value)), has_value(true) {}
  ExpectedStorage(std::false_type, E&& error) : error(std::move(error)), has_value(false) {}

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
  constexpr Expected(T value)  // NOLINT(google-explicit-constructor)
      : data_(std::true_type(), std::move(value)) {}
  constexpr Expected(Unexpected<E> unexpected)  // NOLINT(google-explicit-constructor)
      : data_(std::false_type(), std::move(unexpected.error_)) {}

  constexpr operator bool() const { return has_value(); }  // NOLINT(google-explicit-constructor)
  constexpr bool has_value() const { return data_.has_value; }
  constexpr bool has_error() const { return !data_.has_value; }

  constexpr T& value() & { return CheckValue(), data_.value; }
  constexpr const T& value() const& { return CheckValue(), data_.value; }
  constexpr T&& value() && { return CheckValue(), std::move(data_.value); }
  constexpr const T&& value() const&& { return CheckValue(), std::move(data_.value); }

  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr const T&& operator*() const&& { return std::move(*this).value(); }

  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

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
