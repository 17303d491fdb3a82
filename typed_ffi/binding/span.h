// xla::ffi::Span: a view of elements that are contiguous in memory.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_SPAN_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_SPAN_H_

#include <cstddef>
#include <type_traits>
#include <vector>

#include "callbridge/typed_ffi/binding/namespace.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// Valid as long as its elements: a call's dimensions and array attributes, until the call ends.
// Does not check indices and counts.
template <typename T>
class Span {
 public:
  // A view of no elements.
  constexpr Span() = default;
  // Views `size` elements at `data`, or those of a std::vector.
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  Span(const std::vector<std::remove_const_t<T>>& elements)  // NOLINT(google-explicit-constructor)
      : Span(elements.data(), elements.size()) {}

  // Returns one element.
  constexpr T& operator[](size_t index) const { return data_[index]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  // Returns a view of the first or the last `n` elements.
  constexpr Span first(size_t n) const { return Span(data_, n); }
  constexpr Span last(size_t n) const { return Span(data_ + (size_ - n), n); }

  // Same as in std::span.
  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

  // Compares elements, not addresses.
  constexpr bool operator==(const Span& other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data_[i])) return false;
    }
    return true;
  }
  constexpr bool operator!=(const Span& other) const { return !(*this == other); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_SPAN_H_
