// A handler's arguments and results: AnyBuffer, and Buffer<dtype, rank>, whose dtype and rank are
// checked before the handler's function is called. Result<T> is one that the handler writes.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/span.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// A buffer is one pointer into the call frame. Its members `data`, `dimensions` and `dtype`, which
// were fields of XLA's buffers in 2024, are views of that same pointer and cost nothing; all of
// them read it as BufferInFrame's.
struct BufferInFrame {
  const XLA_FFI_Buffer* buffer;
};

// Both `b.dimensions` and `b.dimensions()`, as in later releases, are the dimensions.
template <size_t rank>
struct DimensionsOfBuffer : BufferInFrame {
  Span<const int64_t> operator()() const { return Span<const int64_t>(buffer->dims, size()); }
  operator Span<const int64_t>() const { return (*this)(); }  // NOLINT(google-explicit-constructor)

  const int64_t& operator[](size_t index) const { return buffer->dims[index]; }
  const int64_t& front() const { return buffer->dims[0]; }
  const int64_t& back() const { return buffer->dims[size() - 1]; }
  const int64_t* begin() const { return buffer->dims; }
  const int64_t* end() const { return buffer->dims + size(); }
  size_t size() const {
    if (rank != kDynamicRank) return rank;
    return buffer->rank > 0 ? static_cast<size_t>(buffer->rank) : 0;
  }
};

// Makes `b.data` a T*.
template <typename T>
struct DataOfBuffer : BufferInFrame {
  operator T*() const {  // NOLINT(google-explicit-constructor)
    return static_cast<T*>(buffer->data);
  }
};

struct DataTypeOfBuffer : BufferInFrame {
  operator DataType() const {  // NOLINT(google-explicit-constructor)
    return static_cast<DataType>(buffer->dtype);
  }
};

XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline size_t ElementCount(const int64_t* dimensions, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= static_cast<size_t>(dimensions[i]);
  return count;
}

}  // namespace internal

// A buffer of any element type and rank. Valid until the handler returns, or until its Future is
// complete. Borrows dimensions and memory from the runtime; the memory is the device's.
class AnyBuffer {
 public:
  // The sizes of the dimensions, the major one first.
  using Dimensions = Span<const int64_t>;

  // Borrows `buffer`, which is not null.
  explicit AnyBuffer(const XLA_FFI_Buffer* buffer) : frame{buffer} {
    assert(buffer != nullptr && "a buffer is made of an XLA_FFI_Buffer");
  }

  // Returns the element type.
  DataType element_type() const { return dtype; }
  // Returns the number of elements: the product of the dimensions, 1 without any.
  size_t element_count() const {
    return internal::ElementCount(dimensions.begin(), dimensions.size());
  }
  // Returns the size of all elements in bytes. Elements of less than a byte take one each.
  size_t size_bytes() const { return ByteWidth(element_type()) * element_count(); }

  // Returns the address of the elements, on the device.
  void* untyped_data() const { return data; }

  // The elements as T, which must match the buffer's element type.
  template <typename T>
  T* typed_data() const {
    assert((internal::kDataTypeOf<T> == DataType::INVALID ||
            internal::kDataTypeOf<T> == element_type()) &&
           "typed_data<T>() of a buffer with another element type");
    return static_cast<T*>(untyped_data());
  }

  // The elements as T, which must have the size of an element.
  template <typename T>
  T* reinterpret_data() const {
    assert(sizeof(T) == ByteWidth(element_type()) &&
           reinterpret_cast<uintptr_t>(untyped_data()) % alignof(T) == 0 &&
           "reinterpret_data<T>() with a T of another size or alignment");
    return static_cast<T*>(untyped_data());
  }

  union {
    // The C API's buffer, which the members below read. For the binding.
    internal::BufferInFrame frame;
    // The dimensions as a Span: `dimensions()`, or `dimensions` itself as in XLA of 2024.
    internal::DimensionsOfBuffer<kDynamicRank> dimensions;
    // The address of the elements, as in XLA of 2024. Converts to a pointer.
    internal::DataOfBuffer<void> data;
    // The element type, as in XLA of 2024. Converts to a DataType.
    internal::DataTypeOfBuffer dtype;
  };
};

// A buffer whose element type is `data_type` and, unless `rank` is kDynamicRank, which has that
// many dimensions. Both are checked before the handler's function is called.
template <DataType data_type, size_t rank = kDynamicRank>
class Buffer {
  using Native = typename internal::Native<data_type>::type;

 public:
  // The sizes of the dimensions, the major one first.
  using Dimensions = Span<const int64_t>;

  // Borrows `buffer`, which is not null and of this element type and rank.
  explicit Buffer(const XLA_FFI_Buffer* buffer) : frame{buffer} {
    assert(buffer != nullptr && "a buffer is made of an XLA_FFI_Buffer");
  }

  // Returns the element type.
  DataType element_type() const { return data_type; }
  // Returns the number of elements: the product of the dimensions, 1 without any.
  size_t element_count() const {
    return internal::ElementCount(dimensions.begin(), dimensions.size());
  }
  // Returns the size of all elements in bytes. Elements of less than a byte take one each.
  size_t size_bytes() const { return ByteWidth(data_type) * element_count(); }

  // Returns the address of the elements, on the device.
  void* untyped_data() const { return frame.buffer->data; }

  // The elements as NativeType<data_type>; as void if C++ has no such type.
  Native* typed_data() const { return data; }

  union {
    // The C API's buffer, which the members below read. For the binding.
    internal::BufferInFrame frame;
    // The dimensions as a Span: `dimensions()`, or `dimensions` itself as in XLA of 2024.
    internal::DimensionsOfBuffer<rank> dimensions;
    // The address of the elements, as in XLA of 2024. Converts to a pointer.
    internal::DataOfBuffer<Native> data;
  };
};

// clang-format off
// A buffer of a fixed rank.
template <DataType dtype> using BufferR0 = Buffer<dtype, 0>;
template <DataType dtype> using BufferR1 = Buffer<dtype, 1>;
template <DataType dtype> using BufferR2 = Buffer<dtype, 2>;
template <DataType dtype> using BufferR3 = Buffer<dtype, 3>;
template <DataType dtype> using BufferR4 = Buffer<dtype, 4>;
// clang-format on

// Orders side effects; has no data.
using Token = BufferR0<DataType::TOKEN>;

// A result of type T, used like a pointer to it.
template <typename T>
class Result {
 public:
  // Holds the buffer that the handler writes.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  // Returns the buffer.
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

  // Lets a function take the plain T for a result.
  operator T() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  T value_;
};

// A result of any type and rank.
using ResultBufferBase = Result<AnyBuffer>;
// A result whose element type and, if given, rank are checked.
template <DataType dtype, size_t rank = kDynamicRank>
using ResultBuffer = Result<Buffer<dtype, rank>>;
// clang-format off
// A result of a fixed rank, whose element type is checked.
template <DataType dtype> using ResultBufferR0 = ResultBuffer<dtype, 0>;
template <DataType dtype> using ResultBufferR1 = ResultBuffer<dtype, 1>;
template <DataType dtype> using ResultBufferR2 = ResultBuffer<dtype, 2>;
template <DataType dtype> using ResultBufferR3 = ResultBuffer<dtype, 3>;
template <DataType dtype> using ResultBufferR4 = ResultBuffer<dtype, 4>;
// clang-format on

namespace internal {

template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;

// Converts a buffer to a type whose dtype and rank have been checked.
struct BufferCast {
  template <typename To, typename From>
  static To Cast(const From& buffer) {
    return To(buffer.frame.buffer);
  }
};

// Reads a buffer of the call frame as a T. If `dtype` is INVALID, it may be any.
template <typename T, DataType dtype, size_t rank>
struct BufferDecoding : Direct {
  CALLBRIDGE_FFI_HIDDEN static constexpr Wanted kWanted = {Wanted::Kind::kBuffer, dtype, rank,
                                                           nullptr, nullptr};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Fits(const void* value) {
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(value);
    return (dtype == DataType::INVALID || buffer->dtype == static_cast<XLA_FFI_DataType>(dtype)) &&
           (rank == kDynamicRank || buffer->rank == static_cast<int64_t>(rank));
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static T Get(const void* value) {
    return T(static_cast<const XLA_FFI_Buffer*>(value));
  }
};

template <typename T, DataType dtype, size_t rank>
struct BufferArgDecoding : BufferDecoding<T, dtype, rank> {
  using Base = BufferDecoding<T, dtype, rank>;

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_ArgType type, void* arg) {
    return type == XLA_FFI_ArgType_BUFFER && Base::Fits(arg);
  }
  static std::optional<T> Decode(XLA_FFI_ArgType type, void* arg, DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_TRUE(Isa(type, arg))) return Base::Get(arg);
    ExplainArg(Base::kWanted, type, arg, diagnostic);
    return std::nullopt;
  }
};

template <typename T, DataType dtype, size_t rank>
struct BufferRetDecoding : BufferDecoding<T, dtype, rank> {
  using Base = BufferDecoding<T, dtype, rank>;

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_RetType type, void* ret) {
    return type == XLA_FFI_RetType_BUFFER && Base::Fits(ret);
  }
  static std::optional<Result<T>> Decode(XLA_FFI_RetType type, void* ret,
                                         DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_TRUE(Isa(type, ret))) return Result<T>(Base::Get(ret));
    ExplainRet(Base::kWanted, type, ret, diagnostic);
    return std::nullopt;
  }
};

}  // namespace internal

template <>
struct ArgDecoding<AnyBuffer>
    : internal::BufferArgDecoding<AnyBuffer, DataType::INVALID, kDynamicRank> {};
template <DataType dtype, size_t rank>
struct ArgDecoding<Buffer<dtype, rank>>
    : internal::BufferArgDecoding<Buffer<dtype, rank>, dtype, rank> {};

template <>
struct RetDecoding<AnyBuffer>
    : internal::BufferRetDecoding<AnyBuffer, DataType::INVALID, kDynamicRank> {};
template <DataType dtype, size_t rank>
struct RetDecoding<Buffer<dtype, rank>>
    : internal::BufferRetDecoding<Buffer<dtype, rank>, dtype, rank> {};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_H_
