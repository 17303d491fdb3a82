#include "callbridge/abi/shape.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace callbridge {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

std::string ArrayText(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  return absl::StrCat(PrimitiveTypeName(type), "[", absl::StrJoin(dimensions, ","), "]");
}

// Returns the product, or nothing if it does not fit. An array with a dimension of 0 is empty
// however large the others are, so a partial product decides nothing.
std::optional<int64_t> CheckedProduct(absl::Span<const int64_t> dimensions) {
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end()) return 0;
  int64_t product = 1;
  for (int64_t dimension : dimensions) {
    if (__builtin_mul_overflow(product, dimension, &product)) return std::nullopt;
  }
  return product;
}

// Returns the bits of one element in memory: whole bytes, unless the layout says otherwise.
int64_t StoredBits(PrimitiveType type, const std::optional<Layout>& layout) {
  if (layout.has_value() && layout->element_size_in_bits != 0) return layout->element_size_in_bits;
  return (int64_t{BitWidth(type)} + 7) / 8 * 8;
}

// Returns the bytes of so many elements, or nothing if they do not fit int64.
std::optional<int64_t> CheckedBytes(int64_t element_count, int64_t bits) {
  const absl::uint128 bytes = (absl::uint128(element_count) * absl::uint128(bits) + 7) >> 3;
  if (bytes > absl::uint128(kMaxInt64)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

bool IsPermutation(absl::Span<const int64_t> numbers, size_t rank) {
  if (numbers.size() != rank) return false;
  std::vector<bool> seen(rank, false);
  for (int64_t number : numbers) {
    if (number < 0 || static_cast<size_t>(number) >= rank || seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

absl::Status CheckLayout(PrimitiveType type, absl::Span<const int64_t> dimensions,
                         const Layout& layout) {
  if (!IsPermutation(layout.minor_to_major, dimensions.size())) {
    const std::string expected = dimensions.empty() ? "{}, as rank 0 has no dimensions"
                                                    : absl::StrCat("each of the numbers 0 to ",
                                                                   dimensions.size() - 1, " once");
    return absl::InvalidArgumentError(
        absl::StrCat("layout {", absl::StrJoin(layout.minor_to_major, ","), "} of ",
                     ArrayText(type, dimensions), ": expected ", expected));
  }
  if (layout.element_size_in_bits < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("layout of ", ArrayText(type, dimensions), ": expected an element size of 0 ",
                     "(natural) or more bits, got ", layout.element_size_in_bits));
  }
  return absl::OkStatus();
}

void AppendLeaves(const Shape& shape, std::vector<const Shape*>* leaves) {
  if (!shape.IsTuple()) {
    leaves->push_back(&shape);
    return;
  }
  for (const Shape& element : shape.tuple_elements()) AppendLeaves(element, leaves);
}

}  // namespace

absl::StatusOr<Shape> Shape::MakeArray(PrimitiveType element_type, std::vector<int64_t> dimensions,
                                       std::optional<Layout> layout) {
  if (element_type == PrimitiveType::kF6E3M2FN || element_type == PrimitiveType::kF6E2M3FN) {
    return absl::UnimplementedError(
        absl::StrCat("arrays of ", PrimitiveTypeName(element_type),
                     " are not supported: XLA's FFI has no such type, up to jaxlib 0.12"));
  }
  if (!IsArrayElement(element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a type that an array can have, such as f32, got ",
                     PrimitiveTypeName(element_type), " (", static_cast<int>(element_type), ")"));
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", i, " of ",
                                                     ArrayText(element_type, dimensions),
                                                     ": expected 0 or more, got ", dimensions[i]));
    }
  }
  if (layout.has_value()) {
    if (absl::Status status = CheckLayout(element_type, dimensions, *layout); !status.ok()) {
      return status;
    }
  }
  const std::optional<int64_t> count = CheckedProduct(dimensions);
  if (!count.has_value() || !CheckedBytes(*count, StoredBits(element_type, layout)).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        ArrayText(element_type, dimensions), " is too large: expected a size that fits 63 bits"));
  }
  Shape shape;
  shape.type_ = element_type;
  shape.depth_ = 0;
  shape.dimensions_ = std::move(dimensions);
  shape.layout_ = std::move(layout);
  return shape;
}

absl::StatusOr<Shape> Shape::MakeTuple(std::vector<Shape> elements) {
  int depth = 1;
  for (const Shape& element : elements) depth = std::max(depth, element.depth_ + 1);
  if (depth > kMaxTupleDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected tuples nested at most ", kMaxTupleDepth, " deep, got ", depth));
  }
  Shape shape;
  shape.depth_ = depth;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::MakeToken() {
  Shape shape;
  shape.type_ = PrimitiveType::kToken;
  shape.depth_ = 0;
  return shape;
}

int64_t Shape::ElementCount() const {
  if (!IsArray()) return 0;
  return *CheckedProduct(dimensions_);  // MakeArray saw that it fits
}

absl::StatusOr<int64_t> Shape::ByteSize() const {
  if (IsToken()) return 0;
  if (IsArray()) return *CheckedBytes(ElementCount(), StoredBits(type_, layout_));
  int64_t sum = 0;
  for (const Shape& element : elements_) {
    absl::StatusOr<int64_t> size = element.ByteSize();
    if (!size.ok()) return size;
    if (__builtin_add_overflow(sum, *size, &sum)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a tuple of ", elements_.size(),
                       " elements is too large: expected a size that fits 63 bits"));
    }
  }
  return sum;
}

int64_t Shape::LeafCount() const {
  if (!IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : elements_) count += element.LeafCount();
  return count;
}

std::vector<const Shape*> Shape::Leaves() const {
  std::vector<const Shape*> leaves;
  AppendLeaves(*this, &leaves);
  return leaves;
}

absl::StatusOr<Shape> Shape::WithoutLayouts() const {
  if (IsToken()) return *this;
  if (IsArray()) return MakeArray(type_, dimensions_);
  std::vector<Shape> elements;
  elements.reserve(elements_.size());
  for (const Shape& element : elements_) {
    absl::StatusOr<Shape> bare = element.WithoutLayouts();
    if (!bare.ok()) return bare;
    elements.push_back(*std::move(bare));
  }
  return MakeTuple(std::move(elements));
}

bool operator==(const Shape& a, const Shape& b) {
  return a.type_ == b.type_ && a.dimensions_ == b.dimensions_ && a.layout_ == b.layout_ &&
         a.elements_ == b.elements_;
}

}  // namespace callbridge
