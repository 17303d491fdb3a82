// xla::ffi::Match and Verify: check what a handler's signature cannot express, such as two
// arguments with an equal dimension.
//
//   int64_t rows;
//   if (Error e = Verify("a", a, match::Buffer<F32>().WithDims(&rows, 4)); e.failure()) return e;
//   ErrorOr<BufferR2<F32>> b = Match("b", any, match::Buffer<F32>().WithDims(match::Dim(), rows));
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_MATCH_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_MATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/buffer_constraints.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/span.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

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

// The element types, and the ranks, that a pattern allows; empty for all.
template <typename DType, DType... dtypes>
using DTypeSet = internal::ValueSequence<DType, dtypes...>;
template <size_t... ranks>
using RankSet = internal::ValueSequence<size_t, ranks...>;

// A pattern for buffers. Dtypes and ranks that are known at compile time are part of its type,
// which tells Match the type of the buffer to return. Each With...() returns a new pattern; a later
// call replaces what an earlier one said.
template <typename DTypes = DTypeSet<DataType>, typename Ranks = RankSet<>>
class BufferPattern {
 public:
  // Accepts any buffer.
  BufferPattern() = default;

  // Accepts these ranks.
  template <size_t rank, size_t... ranks>
  auto WithRank() const {
    static_assert(rank != kDynamicRank && ((ranks != kDynamicRank) && ...),
                  "WithRank: a pattern without a rank already accepts any");
    return BufferPattern<DTypes, RankSet<rank, ranks...>>(*this);
  }

  // Accepts these element types.
  template <DataType dtype, DataType... dtypes>
  auto WithDType() const {
    return BufferPattern<DTypeSet<DataType, dtype, dtypes...>, Ranks>(*this);
  }

  // Accepts the dimensions of another buffer or result.
  template <typename B>
  auto WithShapeOf(const B& buffer) const {
    BufferPattern<DTypes, RankSet<>> pattern(*this);
    const Span<const int64_t> shape = Plain(buffer).dimensions();
    pattern.rank_ = shape.size();
    pattern.dimensions_.Resize(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) pattern.dimensions_[i] = shape[i];
    return pattern;
  }

  // Accepts the element type and dimensions of another buffer or result.
  template <typename B>
  auto Like(const B& buffer) const {
    BufferPattern<DTypeSet<DataType>, RankSet<>> pattern(WithShapeOf(buffer));
    pattern.dtype_ = Plain(buffer).element_type();
    return pattern;
  }

  // Accepts exactly these dimensions: sizes, addresses to store sizes at, or match::Dim() for any.
  template <typename... Dims,
            typename = std::enable_if_t<(std::is_convertible_v<Dims, DimPattern> && ...)>>
  auto WithDims(Dims&&... dimensions) const {
    BufferPattern<DTypes, RankSet<sizeof...(Dims)>> pattern(*this);
    pattern.dimensions_.Resize(sizeof...(Dims));
    [[maybe_unused]] size_t i = 0;
    ((pattern.dimensions_[i++] = DimPattern(std::forward<Dims>(dimensions))), ...);
    return pattern;
  }

  // Sets the pattern of one dimension; the others and the rank stay as they are.
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

  // Returns a text for errors.
  std::string Describe() const { return internal::DescribeConstraints(Constraints()); }

  // Returns what the pattern accepts, for Verify() and Match(). Valid as long as this object.
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

  // Set by Like() and WithShapeOf(), instead of the pattern's type.
  std::optional<DataType> dtype_;
  std::optional<size_t> rank_;
  internal::DimPatterns dimensions_;
};

// A pattern that any buffer matches.
inline BufferPattern<> Buffer() { return {}; }

// Same, for that element type and, if given, that rank.
template <DataType dtype, size_t rank = kDynamicRank>
auto Buffer() {
  if constexpr (rank == kDynamicRank) {
    return BufferPattern<DTypeSet<DataType, dtype>>();
  } else {
    return BufferPattern<DTypeSet<DataType, dtype>, RankSet<rank>>();
  }
}

}  // namespace match

// Returns INVALID_ARGUMENT with all mismatches if the buffer does not match. Errors call the buffer
// `name`.
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

// Does the same, and returns the buffer with the dtype and rank of the pattern.
template <DataType dtype, size_t rank>
ErrorOr<Buffer<dtype, rank>> Match(
    std::string_view name, AnyBuffer buffer,
    const match::BufferPattern<match::DTypeSet<DataType, dtype>, match::RankSet<rank>>& pattern) {
  Error error = Verify(name, buffer, pattern);
  if (XLA_FFI_PREDICT_FALSE(error.failure())) return error;
  return internal::BufferCast::Cast<Buffer<dtype, rank>>(buffer);
}

// Same, for a buffer whose dtype and rank are known already.
template <DataType dtype, size_t rank, typename DTypes, typename Ranks>
ErrorOr<Buffer<dtype, rank>> Match(std::string_view name, Buffer<dtype, rank> buffer,
                                   const match::BufferPattern<DTypes, Ranks>& pattern) {
  Error error = Verify(name, buffer, pattern);
  if (XLA_FFI_PREDICT_FALSE(error.failure())) return error;
  return buffer;
}

// Does not compile: the pattern has to say what comes out.
template <typename DTypes, typename Ranks>
ErrorOr<AnyBuffer> Match(std::string_view, AnyBuffer buffer,
                         const match::BufferPattern<DTypes, Ranks>&) {
  static_assert(DTypes::size() == 1 && Ranks::size() == 1,
                "Match of an AnyBuffer needs a pattern with exactly one dtype and one rank, which "
                "say what comes out; Verify takes any pattern");
  return buffer;
}

// Same, for a result.
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
