// What the handlers of the suite share. The suite is one source for XLA's own headers of any
// version and for callbridge's: SUITE_HEADERS says which, 430 for jaxlib 0.4.30, 1200 for 0.12.0;
// SUITE_OURS is defined where they are callbridge's, which are those of 1200 and more.
//
// cases.py has, for each handler, what is asked of it and what it must answer.
#ifndef CALLBRIDGE_TESTS_TYPED_FFI_SUITE_SUITE_H_
#define CALLBRIDGE_TESTS_TYPED_FFI_SUITE_SUITE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using ffi::DataType;
using F32 = ffi::Buffer<DataType::F32>;
using S32 = ffi::Buffer<DataType::S32>;
using S64 = ffi::Buffer<DataType::S64>;
using F64 = ffi::Buffer<DataType::F64>;

// ---- Of a buffer, whose data and dimensions are public members in 0.4.30

template <typename Buffer>
auto* Data(Buffer& buffer) {
#if SUITE_HEADERS >= 431
  return buffer.typed_data();
#else
  return buffer.data;
#endif
}

template <typename Buffer>
void* Untyped(Buffer& buffer) {
#if SUITE_HEADERS >= 431
  return buffer.untyped_data();
#else
  return buffer.data;
#endif
}

template <typename Buffer>
ffi::Span<const int64_t> Dimensions(const Buffer& buffer) {
#if SUITE_HEADERS >= 431
  return buffer.dimensions();
#else
  return buffer.dimensions;
#endif
}

inline DataType TypeOf(const ffi::AnyBuffer& buffer) {
#if SUITE_HEADERS >= 431
  return buffer.element_type();
#else
  return buffer.dtype;
#endif
}

template <typename Buffer>
int64_t Count(const Buffer& buffer) {
  int64_t count = 1;
  for (int64_t dimension : Dimensions(buffer)) count *= dimension;
  return count;
}

// ---- For results

template <typename Buffer>
void Fill(Buffer& buffer, double value) {
  using Native = std::remove_pointer_t<decltype(Data(buffer))>;
  std::fill_n(Data(buffer), Count(buffer), static_cast<Native>(value));
}

// The first elements; the others are -1.
template <typename Buffer>
void Write(Buffer& buffer, std::initializer_list<double> values) {
  Fill(buffer, -1);
  const int64_t count = std::min<int64_t>(values.size(), Count(buffer));
  using Native = std::remove_pointer_t<decltype(Data(buffer))>;
  for (int64_t i = 0; i < count; ++i) Data(buffer)[i] = static_cast<Native>(values.begin()[i]);
}

inline ffi::Error Ok() { return ffi::Error::Success(); }
inline ffi::Error Invalid(const std::string& message) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, message);
}

#endif  // CALLBRIDGE_TESTS_TYPED_FFI_SUITE_SUITE_H_
