// xla::Literal: a value of any shape in host memory.
#ifndef CALLBRIDGE_HLO_LITERAL_H_
#define CALLBRIDGE_HLO_LITERAL_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/primitive_util.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

class Literal;
class LiteralSlice;

// The read-only interface. The elements of an array are dense, in the order of its layout. Each
// takes whole bytes; an S4 takes one. A subshape, index or element type that does not exist ends
// the process with a message.
class CALLBRIDGE_EXPORTED LiteralBase {
 public:
  virtual ~LiteralBase() = default;

  const Shape& shape() const;
  // Compares the shapes, except for layouts, and the bytes of the elements: a NaN equals itself, 0
  // does not equal -0.
  bool operator==(const LiteralBase& other) const;
  bool operator!=(const LiteralBase& other) const { return !(*this == other); }

  // Returns the elements of the array at shape_index, in the order of its layout. Valid until the
  // literal is destroyed or moved.
  template <typename NativeT>
  absl::Span<const NativeT> data(const ShapeIndex& shape_index = {}) const {
    return absl::Span<const NativeT>(
        static_cast<const NativeT*>(
            CheckedData(primitive_util::NativeToPrimitiveType<NativeT>(), shape_index)),
        static_cast<size_t>(element_count(shape_index)));
  }
  // Returns null for tokens and for arrays without elements.
  const void* untyped_data(const ShapeIndex& shape_index = {}) const;
  // Returns 0 for tokens, and the size of a table of pointers for tuples.
  int64_t size_bytes(const ShapeIndex& shape_index = {}) const;
  int64_t element_count(const ShapeIndex& shape_index = {}) const;

  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> index, const ShapeIndex& shape_index) const {
    return data<NativeT>(shape_index)[static_cast<size_t>(LinearIndex(index, shape_index))];
  }
  template <typename NativeT>
  NativeT Get(absl::Span<const int64_t> index) const {
    return Get<NativeT>(index, {});
  }
  template <typename NativeT>
  NativeT GetFirstElement() const {
    CheckNotEmpty();
    return data<NativeT>()[0];
  }
  // Returns nothing if the elements are neither integers nor PRED, or if the value does not fit.
  std::optional<int64_t> GetIntegralAsS64(absl::Span<const int64_t> index) const;
  // Returns nothing if the elements are not floats.
  std::optional<double> GetAsDouble(absl::Span<const int64_t> index) const;
  std::string GetAsString(absl::Span<const int64_t> index,
                          const ShapeIndex& shape_index = {}) const;
  std::string GetR1U8AsString() const;

  // Calls fn(indices, value) for each element, the last index varying fastest.
  template <typename NativeT>
  void EachCell(absl::FunctionRef<void(absl::Span<const int64_t>, NativeT)> fn) const {
    const absl::Span<const NativeT> elements = data<NativeT>();
    EachIndex([&](absl::Span<const int64_t> index, int64_t linear) {
      fn(index, elements[static_cast<size_t>(linear)]);
    });
  }

  LiteralProto ToProto() const;
  // Returns the text that XLA prints, such as "f32[2] {1, 2}".
  std::string ToString() const;
  std::string ToStringOneline() const;
  std::string ToStringWithoutShape() const;
  std::string ToStringWithoutShapeOneline() const;
  std::string ToStringWithLayout() const;
  std::string ToStringWithLayoutOneline() const;

  Literal Clone() const;
  std::unique_ptr<Literal> CloneToUnique() const;
  // Returns a copy in another layout.
  Literal Relayout(const Shape& shape_with_layout) const;
  Literal Relayout(const Layout& layout, const ShapeIndex& shape_index = {}) const;
  // Returns a literal of zeros.
  static Literal CreateFromShape(const Shape& shape);

 protected:
  struct Piece;
  struct Tree;

  LiteralBase();
  explicit LiteralBase(const Piece* root) : root_(root) {}
  LiteralBase(const LiteralBase&) = default;
  LiteralBase& operator=(const LiteralBase&) = default;

  // Returns the piece of the empty tuple.
  static const Piece* Nil();
  const Piece& PieceAt(ShapeIndexView shape_index) const;
  const void* CheckedData(PrimitiveType type, ShapeIndexView shape_index) const;
  int64_t LinearIndex(absl::Span<const int64_t> index, ShapeIndexView shape_index) const;
  void CheckNotEmpty() const;
  void EachIndex(absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> fn) const;

  // Owned by the derived class, or by the literal that a slice refers to.
  const Piece* root_;

  friend class LiteralSlice;
  friend class MutableBorrowingLiteral;
  friend class MutableLiteralBase;
};

// The interface that also writes.
class CALLBRIDGE_EXPORTED MutableLiteralBase : public LiteralBase {
 public:
  using LiteralBase::data;
  using LiteralBase::untyped_data;
  template <typename NativeT>
  absl::Span<NativeT> data(const ShapeIndex& shape_index = {}) {
    const absl::Span<const NativeT> elements =
        static_cast<const LiteralBase*>(this)->data<NativeT>(shape_index);
    return absl::Span<NativeT>(const_cast<NativeT*>(elements.data()), elements.size());
  }
  void* untyped_data(const ShapeIndex& shape_index = {}) {
    return const_cast<void*>(static_cast<const LiteralBase*>(this)->untyped_data(shape_index));
  }

  template <typename NativeT>
  void Set(absl::Span<const int64_t> index, const ShapeIndex& shape_index, NativeT value) {
    data<NativeT>(shape_index)[static_cast<size_t>(LinearIndex(index, shape_index))] = value;
  }
  template <typename NativeT>
  void Set(absl::Span<const int64_t> index, NativeT value) {
    Set<NativeT>(index, {}, value);
  }

  // The number of values must equal the number of elements.
  template <typename NativeT>
  void PopulateR1(absl::Span<const NativeT> values) {
    const absl::Span<NativeT> elements = data<NativeT>();
    CheckCounts({static_cast<int64_t>(values.size())});
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = values[i];
  }
  template <typename NativeT>
  void PopulateR2(std::initializer_list<std::initializer_list<NativeT>> rows) {
    int64_t row = 0;
    for (const std::initializer_list<NativeT>& values : rows) {
      CheckCounts({static_cast<int64_t>(rows.size()), static_cast<int64_t>(values.size())});
      int64_t column = 0;
      for (const NativeT& value : values) Set<NativeT>({row, column++}, value);
      ++row;
    }
  }
  template <typename NativeT>
  void PopulateWithValue(NativeT value) {
    for (NativeT& element : data<NativeT>()) element = value;
  }
  template <typename NativeT>
  Status Populate(absl::FunctionRef<NativeT(absl::Span<const int64_t>)> generator) {
    const absl::Span<NativeT> elements = data<NativeT>();
    EachIndex([&](absl::Span<const int64_t> index, int64_t linear) {
      elements[static_cast<size_t>(linear)] = generator(index);
    });
    return OkStatus();
  }

  // Copies the elements of a subshape of `source`. Returns INVALID_ARGUMENT unless the two
  // subshapes are equal, except for layouts.
  Status CopyFrom(const LiteralSlice& source, const ShapeIndex& dest_shape_index = {},
                  const ShapeIndex& src_shape_index = {});

  // Moves the elements into a tuple. Leaves them empty tuples.
  static Literal MoveIntoTuple(absl::Span<Literal> elements);

  // Returns INVALID_ARGUMENT if the shape is invalid or the number of elements does not match it.
  static StatusOr<Literal> CreateFromProto(const LiteralProto& proto,
                                           bool prohibit_empty_literal = true);

 protected:
  using LiteralBase::LiteralBase;
  // Ends the process unless the dimensions are `counts`.
  void CheckCounts(absl::Span<const int64_t> counts) const;
};

// Owns its elements. They are zeros at first.
class CALLBRIDGE_EXPORTED Literal : public MutableLiteralBase {
 public:
  // Makes an empty tuple.
  Literal();
  // Makes arrays without a layout row-major. Ends the process if the shape is invalid or memory
  // runs out.
  explicit Literal(const Shape& shape);
  ~Literal() override;
  Literal(const Literal&) = delete;
  Literal& operator=(const Literal&) = delete;
  Literal(Literal&& other) noexcept;
  Literal& operator=(Literal&& other) noexcept;

  // Returns an error if the shape is invalid or memory runs out.
  static StatusOr<Literal> Make(const Shape& shape);

  // Moves the elements of `source` to a subshape. Returns INVALID_ARGUMENT unless the subshape
  // equals the shape of `source`.
  Status MoveFrom(Literal&& source, const ShapeIndex& dest_shape_index = {});
  // Returns the elements of a tuple. Leaves this literal an empty tuple.
  std::vector<Literal> DecomposeTuple();
  // Moves a subshape out. That part of this literal must not be read afterwards.
  Literal SubLiteral(ShapeIndexView shape_index);

 private:
  friend class MutableLiteralBase;
  explicit Literal(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

// A view of another literal, which must outlive it.
class CALLBRIDGE_EXPORTED LiteralSlice : public LiteralBase {
 public:
  LiteralSlice() = default;
  LiteralSlice(const LiteralBase& literal);
  LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root);
};

// A view of the caller's memory, one pointer for each leaf in preorder. The memory must outlive it.
class CALLBRIDGE_EXPORTED BorrowingLiteral : public LiteralBase {
 public:
  BorrowingLiteral() = default;
  BorrowingLiteral(const char* data, const Shape& shape);
  BorrowingLiteral(absl::Span<const char* const> leaves, const Shape& shape);

 private:
  std::shared_ptr<Tree> tree_;
};

// A writable view of another literal or of the caller's memory, which must outlive it.
class CALLBRIDGE_EXPORTED MutableBorrowingLiteral : public MutableLiteralBase {
 public:
  MutableBorrowingLiteral() = default;
  MutableBorrowingLiteral(MutableLiteralBase* literal);
  MutableBorrowingLiteral(const MutableBorrowingLiteral& literal, const ShapeIndex& view_root);
  MutableBorrowingLiteral(const char* data, const Shape& shape);
  MutableBorrowingLiteral(absl::Span<char*> leaves, const Shape& shape);

 private:
  BorrowingLiteral memory_;
};

CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Literal& literal);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LITERAL_H_
