// Constraints on buffers: what a pattern of match.h requires, how a buffer is checked against it,
// and how a mismatch is described.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_CONSTRAINTS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_CONSTRAINTS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/span.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace match {

// One dimension of a pattern: of any size, of a given size, or of any size, which is then stored.
// Converts implicitly from sizes and from the addresses to store sizes at.
class DimPattern {
 public:
  // A dimension of any size.
  constexpr DimPattern() = default;

  // A dimension of that size.
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  constexpr DimPattern(T size)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kSize), size_(static_cast<int64_t>(size)) {
    static_assert(sizeof(T) <= sizeof(int64_t), "a dimension's size has at most 64 bits");
  }

  // Stores the size in `*capture` if the whole buffer matches. Two dimensions with the same
  // `capture` must be equal.
  constexpr DimPattern(int64_t* capture)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kCapture), capture_(capture) {
    assert(capture != nullptr && "a dimension is stored somewhere");
  }

  // Returns the size that is wanted, empty for any.
  std::optional<int64_t> size() const {
    return kind_ == Kind::kSize ? std::optional<int64_t>(size_) : std::nullopt;
  }
  // Returns where to store the size; null for nowhere.
  int64_t* capture() const { return kind_ == Kind::kCapture ? capture_ : nullptr; }

 private:
  enum class Kind : uint8_t { kAny, kSize, kCapture };
  Kind kind_ = Kind::kAny;
  union {
    int64_t size_ = 0;
    int64_t* capture_;
  };
};

// A dimension of any size, of that size, or of any size that is stored in `*capture`.
constexpr DimPattern Dim() { return DimPattern(); }
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
constexpr DimPattern Dim(T size) {
  return DimPattern(size);
}
constexpr DimPattern Dim(int64_t* capture) { return DimPattern(capture); }

}  // namespace match

namespace internal {

// A list of dimensions, without allocation up to rank 8.
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

// What a pattern wants. An empty set accepts anything.
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

// "F32, F64"
template <typename T>
std::string ListOf(Span<const T> set) {
  std::string text;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToString(set[i]);
  }
  return text;
}

// "dtype F32", or "dtype in [F32, F64]", where `of` is " in ".
template <typename T>
std::string DescribeSet(const char* what, const char* of, Span<const T> set) {
  if (set.size() == 1) return what + (" " + ListOf(set));
  return what + (of + ("[" + ListOf(set) + "]"));
}

CALLBRIDGE_FFI_HIDDEN inline std::string DescribeDimension(const match::DimPattern& dimension) {
  if (const std::optional<int64_t> size = dimension.size()) return std::to_string(*size);
  return dimension.capture() != nullptr ? "any dimension (captured)" : "any dimension";
}

// "a buffer with dtype F32 with rank in [1, 2] with dimensions [4, any dimension]"
inline CALLBRIDGE_FFI_COLD std::string DescribeConstraints(const BufferConstraints& wanted) {
  std::string text = "a buffer";
  if (!wanted.dtypes.empty()) text += " with " + DescribeSet("dtype", " in ", wanted.dtypes);
  if (!wanted.ranks.empty()) text += " with " + DescribeSet("rank", " in ", wanted.ranks);
  for (size_t i = 0; i < wanted.dimensions.size(); ++i) {
    text += i == 0 ? " with dimensions [" : ", ";
    text += DescribeDimension(wanted.dimensions[i]);
  }
  return wanted.dimensions.size() > 0 ? text + "]" : text;
}

// Returns the first dimension with the same capture as dimension `i`, which must be of equal size;
// `i` itself if there is no other.
CALLBRIDGE_FFI_HIDDEN inline size_t FirstWithCapture(const DimPatterns& dimensions, size_t i) {
  for (size_t j = 0; j < i; ++j) {
    if (dimensions[j].capture() == dimensions[i].capture()) return j;
  }
  return i;
}

inline constexpr int64_t kAnySize = INT64_MIN;

// Returns the size that dimension `i` must have, or kAnySize.
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

// Describes all mismatches, separated by semicolons, each in XLA's words. XLA describes the first.
inline CALLBRIDGE_FFI_COLD std::string DescribeMismatch(const BufferConstraints& wanted,
                                                        DataType dtype,
                                                        Span<const int64_t> actual) {
  std::string text;
  const auto add = [&](const std::string& expected, const std::string& got) {
    if (!text.empty()) text += "; ";
    text += "expected " + expected + " but " + got;
  };
  constexpr char kOneOf[] = " to be one of ";
  if (!Contains(wanted.dtypes, dtype)) {
    add(DescribeSet("dtype", kOneOf, wanted.dtypes), "got " + ToString(dtype));
  }
  if (!Contains(wanted.ranks, actual.size())) {
    add(DescribeSet("rank", kOneOf, wanted.ranks), "got " + std::to_string(actual.size()));
  } else if (wanted.dimensions.size() > actual.size()) {
    add("dimension " + std::to_string(wanted.dimensions.size() - 1),
        "buffer rank is " + std::to_string(actual.size()));
  }
  for (size_t i = 0; i < wanted.dimensions.size() && i < actual.size(); ++i) {
    const int64_t size = WantedSize(wanted.dimensions, actual, i);
    if (size == kAnySize || size == actual[i]) continue;
    add("dimension " + std::to_string(i) + " to be " + std::to_string(size),
        "got " + std::to_string(actual[i]));
  }
  return text;
}

// Returns INVALID_ARGUMENT if the buffer does not match. Stores captured sizes if it does.
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

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_BUFFER_CONSTRAINTS_H_
