// xla::ffi::Match and Verify: checks of buffers that a handler's signature cannot say, such as that
// two arguments agree in a dimension.
//
//   int64_t rows;
//   if (Error e = Verify("a", a, match::Buffer<F32>().WithDims(&rows, 4)); e.failure()) return e;
//   ErrorOr<BufferR2<F32>> b = Match("b", any, match::Buffer<F32>().WithDims(match::Dim(), rows));
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_MATCH_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_MATCH_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/span.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace match {

// One dimension: any, of a given size, or of any size that is to be stored. Implicit, so that sizes
// and addresses can stand for themselves.
class DimPattern {
 public:
  constexpr DimPattern() = default;

  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  constexpr DimPattern(T size)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kSize), size_(static_cast<int64_t>(size)) {
    static_assert(sizeof(T) <= sizeof(int64_t), "a dimension's size has at most 64 bits");
  }

  // Where all of the buffer matches, `*capture` is set. A pattern that stores two dimensions in one
  // place wants them to be equal.
  constexpr DimPattern(int64_t* capture)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kCapture), capture_(capture) {
    assert(capture != nullptr && "a dimension is stored somewhere");
  }

  std::optional<int64_t> size() const {
    return kind_ == Kind::kSize ? std::optional<int64_t>(size_) : std::nullopt;
  }
  int64_t* capture() const { return kind_ == Kind::kCapture ? capture_ : nullptr; }

 private:
  enum class Kind : uint8_t { kAny, kSize, kCapture };
  Kind kind_ = Kind::kAny;
  union {
    int64_t size_ = 0;
    int64_t* capture_;
  };
};

constexpr DimPattern Dim() { return DimPattern(); }
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
constexpr DimPattern Dim(T size) {
  return DimPattern(size);
}
constexpr DimPattern Dim(int64_t* capture) { return DimPattern(capture); }

}  // namespace match

namespace internal {

// A list of dimensions that needs no memory of its own up to rank 8.
class DimPatterns {
 public:
  size_t size() const { return size_; }
  const match::DimPattern& operator[](size_t i) const {
    return i < kInline ? inline_[i] : more_[i - kInline];
  }
  match::DimPattern& operator[](size_t i) { return i < kInline ? inline_[i] : more_[i - kInline]; }
  void Resize(size_t size) {
    for (size_t i = size_; i < size && i < kInline; ++i) inline_[i] = match::DimPattern();
    size_ = size;
    if (XLA_FFI_PREDICT_FALSE(size > kInline || !more_.empty())) {
      more_.resize(size > kInline ? size - kInline : 0);
    }
  }

 private:
  static constexpr size_t kInline = 8;
  size_t size_ = 0;
  match::DimPattern inline_[kInline];
  std::vector<match::DimPattern> more_;
};

// All that a pattern wants. Empty sets want nothing.
struct BufferConstraints {
  Span<const DataType> dtypes;
  Span<const size_t> ranks;
  const DimPatterns& dimensions;
};

template <typename T>
bool Contains(Span<const T> set, T value) {
  for (const T& element : set) {
    if (element == value) return true;
  }
  return set.size() == 0;
}

CALLBRIDGE_FFI_HIDDEN inline std::string ToString(DataType dtype) {
  const char* name = NameOf(static_cast<XLA_FFI_DataType>(dtype));
  return name != nullptr ? name : std::to_string(static_cast<int>(dtype));
}
CALLBRIDGE_FFI_HIDDEN inline std::string ToString(size_t rank) { return std::to_string(rank); }

// "dtype F32", or "dtype in [F32, F64]"
template <typename T>
std::string DescribeSet(const char* what, Span<const T> set) {
  std::string text = what;
  text += set.size() == 1 ? " " : " in [";
  for (size_t i = 0; i < set.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToString(set[i]);
  }
  return set.size() == 1 ? text : text + "]";
}

// "a buffer with dtype F32 and rank in [1, 2] and dimensions [4, any]"
inline CALLBRIDGE_FFI_COLD std::string DescribeConstraints(const BufferConstraints& wanted) {
  std::string text = "a buffer";
  const char* joint = " with ";
  const auto add = [&](const std::string& more) {
    text += joint + more;
    joint = " and ";
  };
  if (!wanted.dtypes.empty()) add(DescribeSet("dtype", wanted.dtypes));
  if (!wanted.ranks.empty()) add(DescribeSet("rank", wanted.ranks));
  if (wanted.dimensions.size() > 0) {
    std::string list;
    for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
      if (i > 0) list += ", ";
      const std::optional<int64_t> size = wanted.dimensions[i].size();
      list += size.has_value() ? std::to_string(*size) : "any";
    }
    add("dimensions [" + list + "]");
  }
  return text;
}

// The dimension that has to have the size of dimension `i`, since both are stored in one place; `i`
// itself where there is none.
CALLBRIDGE_FFI_HIDDEN inline size_t FirstWithCapture(const DimPatterns& dimensions, size_t i) {
  for (size_t j = 0; j < i; ++j) {
    if (dimensions[j].capture() == dimensions[i].capture()) return j;
  }
  return i;
}

inline constexpr int64_t kAnySize = INT64_MIN;

// The size that dimension `i` has to have.
CALLBRIDGE_FFI_HIDDEN inline int64_t WantedSize(const DimPatterns& dimensions,
                                                Span<const int64_t> actual, size_t i) {
  if (std::optional<int64_t> size = dimensions[i].size()) return *size;
  if (dimensions[i].capture() == nullptr) return kAnySize;
  return actual[FirstWithCapture(dimensions, i)];
}

CALLBRIDGE_FFI_HIDDEN inline bool Satisfies(const BufferConstraints& wanted, DataType dtype,
                                            Span<const int64_t> actual) {
  if (!Contains(wanted.dtypes, dtype) || !Contains(wanted.ranks, actual.size())) return false;
  if (wanted.dimensions.size() > actual.size()) return false;
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    const int64_t size = WantedSize(wanted.dimensions, actual, i);
    if (size != kAnySize && size != actual[i]) return false;
  }
  return true;
}

// All that is wrong, separated by semicolons.
inline CALLBRIDGE_FFI_COLD std::string DescribeMismatch(const BufferConstraints& wanted,
                                                        DataType dtype,
                                                        Span<const int64_t> actual) {
  std::string text;
  const auto add = [&](const std::string& expected, const std::string& got) {
    if (!text.empty()) text += "; ";
    text += "expected " + expected + " but got " + got;
  };
  if (!Contains(wanted.dtypes, dtype)) add(DescribeSet("dtype", wanted.dtypes), ToString(dtype));
  if (!Contains(wanted.ranks, actual.size())) {
    add(DescribeSet("rank", wanted.ranks), std::to_string(actual.size()));
  } else if (wanted.dimensions.size() > actual.size()) {
    add("a dimension " + std::to_string(wanted.dimensions.size() - 1),
        "rank " + std::to_string(actual.size()));
  }
  for (size_t i = 0; i < wanted.dimensions.size() && i < actual.size(); ++i) {
    const int64_t size = WantedSize(wanted.dimensions, actual, i);
    if (size == kAnySize || size == actual[i]) continue;
    add("dimension " + std::to_string(i) + " to be " + std::to_string(size),
        std::to_string(actual[i]));
  }
  return text;
}

CALLBRIDGE_FFI_HIDDEN inline Error VerifyBuffer(std::string_view name,
                                                const BufferConstraints& wanted, DataType dtype,
                                                Span<const int64_t> actual) {
  if (XLA_FFI_PREDICT_FALSE(!Satisfies(wanted, dtype, actual))) {
    return Error(ErrorCode::kInvalidArgument,
                 "Buffer '" + std::string(name) + "' failed to match " +
                     DescribeConstraints(wanted) + ": " + DescribeMismatch(wanted, dtype, actual));
  }
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    if (int64_t* capture = wanted.dimensions[i].capture()) *capture = actual[i];
  }
  return Error::Success();
}

template <typename T, T... values>
struct ValueSequence {
  using ValueType = T;
  static constexpr size_t size() { return sizeof...(values); }

  // As a Span; one value more, since there are no empty arrays.
  static constexpr T kValues[] = {values..., T()};
  static constexpr Span<const T> span() { return Span<const T>(kValues, sizeof...(values)); }
};

}  // namespace internal

namespace match {

template <typename DType, DType... dtypes>
using DTypeSet = internal::ValueSequence<DType, dtypes...>;
template <size_t... ranks>
using RankSet = internal::ValueSequence<size_t, ranks...>;

// What a buffer should be like. Dtypes and ranks that are known when it is written are part of its
// type, so that Match knows which buffer type comes out. Each With... is a pattern of its own;
// those that say again what was said replace it.
template <typename DTypes = DTypeSet<DataType>, typename Ranks = RankSet<>>
class BufferPattern {
 public:
  BufferPattern() = default;

  // One of these ranks.
  template <size_t rank, size_t... ranks>
  auto WithRank() const {
    static_assert(rank != kDynamicRank && ((ranks != kDynamicRank) && ...),
                  "WithRank: a pattern without a rank already accepts any");
    return BufferPattern<DTypes, RankSet<rank, ranks...>>(*this);
  }

  // One of these element types.
  template <DataType dtype, DataType... dtypes>
  auto WithDType() const {
    return BufferPattern<DTypeSet<DataType, dtype, dtypes...>, Ranks>(*this);
  }

  // The dimensions of another buffer, or result.
  template <typename B>
  auto WithShapeOf(const B& buffer) const {
    BufferPattern<DTypes, RankSet<>> pattern(*this);
    const Span<const int64_t> shape = Plain(buffer).dimensions();
    pattern.rank_ = shape.size();
    pattern.dimensions_.Resize(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) pattern.dimensions_[i] = shape[i];
    return pattern;
  }

  // The element type and dimensions of another buffer, or result.
  template <typename B>
  auto Like(const B& buffer) const {
    BufferPattern<DTypeSet<DataType>, RankSet<>> pattern(WithShapeOf(buffer));
    pattern.dtype_ = Plain(buffer).element_type();
    return pattern;
  }

  // Exactly these dimensions: sizes, addresses to store them at, or match::Dim() for any.
  template <typename... Dims,
            typename = std::enable_if_t<(std::is_convertible_v<Dims, DimPattern> && ...)>>
  auto WithDims(Dims&&... dimensions) const {
    BufferPattern<DTypes, RankSet<sizeof...(Dims)>> pattern(*this);
    pattern.dimensions_.Resize(sizeof...(Dims));
    [[maybe_unused]] size_t i = 0;
    ((pattern.dimensions_[i++] = DimPattern(std::forward<Dims>(dimensions))), ...);
    return pattern;
  }

  // One dimension, whatever the others and the rank.
  BufferPattern WithDim(size_t index, DimPattern dimension) const {
    BufferPattern pattern(*this);
    if (index >= dimensions_.size()) pattern.dimensions_.Resize(index + 1);
    pattern.dimensions_[index] = dimension;
    return pattern;
  }
  template <size_t index>
  BufferPattern WithDim(DimPattern dimension) const {
    return WithDim(index, dimension);
  }

  std::string Describe() const { return internal::DescribeConstraints(Constraints()); }

  internal::BufferConstraints Constraints() const {
    return {dtype_.has_value() ? Span<const DataType>(&*dtype_, 1) : DTypes::span(),
            rank_.has_value() ? Span<const size_t>(&*rank_, 1) : Ranks::span(), dimensions_};
  }

 private:
  template <typename, typename>
  friend class BufferPattern;

  template <typename OtherDTypes, typename OtherRanks>
  explicit BufferPattern(const BufferPattern<OtherDTypes, OtherRanks>& other)
      : dimensions_(other.dimensions_) {
    if constexpr (DTypes::size() == 0) dtype_ = other.dtype_;
    if constexpr (Ranks::size() == 0) rank_ = other.rank_;
  }

  template <typename B>
  static const B& Plain(const B& buffer) {
    return buffer;
  }
  template <typename B>
  static const B& Plain(const Result<B>& buffer) {
    return *buffer;
  }

  // Of the buffer that it is to be like; the type says nothing of it then.
  std::optional<DataType> dtype_;
  std::optional<size_t> rank_;
  internal::DimPatterns dimensions_;
};

inline BufferPattern<> Buffer() { return {}; }

template <DataType dtype, size_t rank = kDynamicRank>
auto Buffer() {
  if constexpr (rank == kDynamicRank) {
    return BufferPattern<DTypeSet<DataType, dtype>>();
  } else {
    return BufferPattern<DTypeSet<DataType, dtype>, RankSet<rank>>();
  }
}

}  // namespace match

// INVALID_ARGUMENT where the buffer does not match, with all that is wrong. `name` is for the user
// to recognise it by.
template <typename B, typename DTypes, typename Ranks>
Error Verify(std::string_view name, const B& buffer,
             const match::BufferPattern<DTypes, Ranks>& pattern) {
  return internal::VerifyBuffer(name, pattern.Constraints(), buffer.element_type(),
                                buffer.dimensions());
}
template <typename B, typename DTypes, typename Ranks>
Error Verify(std::string_view name, const Result<B>& buffer,
             const match::BufferPattern<DTypes, Ranks>& pattern) {
  return Verify(name, *buffer, pattern);
}

// The same, and the buffer as what it is known to be then.
template <DataType dtype, size_t rank>
ErrorOr<Buffer<dtype, rank>> Match(
    std::string_view name, AnyBuffer buffer,
    const match::BufferPattern<match::DTypeSet<DataType, dtype>, match::RankSet<rank>>& pattern) {
  Error error = Verify(name, buffer, pattern);
  if (XLA_FFI_PREDICT_FALSE(error.failure())) return error;
  return internal::BufferCast::Cast<Buffer<dtype, rank>>(buffer);
}

template <DataType dtype, size_t rank, typename DTypes, typename Ranks>
ErrorOr<Buffer<dtype, rank>> Match(std::string_view name, Buffer<dtype, rank> buffer,
                                   const match::BufferPattern<DTypes, Ranks>& pattern) {
  Error error = Verify(name, buffer, pattern);
  if (XLA_FFI_PREDICT_FALSE(error.failure())) return error;
  return buffer;
}

template <typename DTypes, typename Ranks>
ErrorOr<AnyBuffer> Match(std::string_view, AnyBuffer buffer,
                         const match::BufferPattern<DTypes, Ranks>&) {
  static_assert(DTypes::size() == 1 && Ranks::size() == 1,
                "Match of an AnyBuffer needs a pattern with exactly one dtype and one rank, which "
                "say what comes out; Verify takes any pattern");
  return buffer;
}

template <typename B, typename DTypes, typename Ranks>
auto Match(std::string_view name, Result<B> buffer,
           const match::BufferPattern<DTypes, Ranks>& pattern) {
  auto matched = Match(name, *buffer, pattern);
  using Matched = std::decay_t<decltype(*matched)>;
  if (XLA_FFI_PREDICT_FALSE(matched.has_error())) {
    return ErrorOr<Result<Matched>>(std::move(matched).error());
  }
  return ErrorOr<Result<Matched>>(Result<Matched>(*matched));
}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_MATCH_H_
