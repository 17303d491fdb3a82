// xla::Literal: a value of any shape, in the host's memory.
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
#include "callbridge/hlo/shape_index.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/statusor.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

class Literal;
class LiteralSlice;

// Reading. An array's elements lie densely in the order of its layout, and each takes whole bytes:
// s4 one. Asking for a subshape, an index or an element type that is not there ends the process
// with a message.
class CALLBRIDGE_EXPORTED LiteralBase {
 public:
  virtual ~LiteralBase() = default;

  const Shape& shape() const;
  // Equal in shapes (layouts aside) and in the elements' bytes: a NaN is equal to itself, 0 not to
  // -0.
  bool operator==(const LiteralBase& other) const;
  bool operator!=(const LiteralBase& other) const { return !(*this == other); }

  // The elements of the array at shape_index, in its layout's order. Null for tokens and where
  // there are none.
  template <typename NativeT>
  absl::Span<const NativeT> data(const ShapeIndex& shape_index = {}) const {
    return absl::Span<const NativeT>(
        static_cast<const NativeT*>(
            CheckedData(primitive_util::NativeToPrimitiveType<NativeT>(), shape_index)),
        static_cast<size_t>(element_count(shape_index)));
  }
  const void* untyped_data(const ShapeIndex& shape_index = {}) const;
  // 0 for tokens; for tuples, the size of a table of 8-byte pointers.
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
  // Nothing where the elements are of another kind, or too large.
  std::optional<int64_t> GetIntegralAsS64(absl::Span<const int64_t> index) const;
  std::optional<double> GetAsDouble(absl::Span<const int64_t> index) const;
  std::string GetAsString(absl::Span<const int64_t> index,
                          const ShapeIndex& shape_index = {}) const;
  std::string GetR1U8AsString() const;

  // fn(indices, value) for each element, the last index varying fastest.
  template <typename NativeT>
  void EachCell(absl::FunctionRef<void(absl::Span<const int64_t>, NativeT)> fn) const {
    const absl::Span<const NativeT> elements = data<NativeT>();
    EachIndex([&](absl::Span<const int64_t> index, int64_t linear) {
      fn(index, elements[static_cast<size_t>(linear)]);
    });
  }

  LiteralProto ToProto() const;
  // As XLA prints them: "f32[2] {1, 2}".
  std::string ToString() const;
  std::string ToStringOneline() const;
  std::string ToStringWithoutShape() const;
  std::string ToStringWithoutShapeOneline() const;
  std::string ToStringWithLayout() const;
  std::string ToStringWithLayoutOneline() const;

  Literal Clone() const;
  std::unique_ptr<Literal> CloneToUnique() const;
  // The same elements in another layout.
  Literal Relayout(const Shape& shape_with_layout) const;
  Literal Relayout(const Layout& layout, const ShapeIndex& shape_index = {}) const;
  // Zeros.
  static Literal CreateFromShape(const Shape& shape);

 protected:
  // literal_tree.h.
  struct Piece;
  struct Tree;

  LiteralBase();
  explicit LiteralBase(const Piece* root) : root_(root) {}
  LiteralBase(const LiteralBase&) = default;
  LiteralBase& operator=(const LiteralBase&) = default;

  // That of the empty tuple.
  static const Piece* Nil();
  const Piece& PieceAt(ShapeIndexView shape_index) const;
  const void* CheckedData(PrimitiveType type, ShapeIndexView shape_index) const;
  int64_t LinearIndex(absl::Span<const int64_t> index, ShapeIndexView shape_index) const;
  void CheckNotEmpty() const;
  void EachIndex(absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> fn) const;

  // Owned by whoever is derived, or by the literal that it looks into.
  const Piece* root_;

  friend class LiteralSlice;
  friend class MutableBorrowingLiteral;
  friend class MutableLiteralBase;
};

// Reading and writing.
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

  // The number of values must be that of the elements.
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

  // Copies a subtree's elements onto those of another, which has its shape, layouts aside.
  Status CopyFrom(const LiteralSlice& source, const ShapeIndex& dest_shape_index = {},
                  const ShapeIndex& src_shape_index = {});

  // Takes the elements' memory; they are left empty tuples.
  static Literal MoveIntoTuple(absl::Span<Literal> elements);

  // INVALID_ARGUMENT where the message makes no literal: its shape, or the number of its elements.
  static StatusOr<Literal> CreateFromProto(const LiteralProto& proto,
                                           bool prohibit_empty_literal = true);

 protected:
  using LiteralBase::LiteralBase;
  // Ends the process unless the dimensions are `counts`.
  void CheckCounts(absl::Span<const int64_t> counts) const;
};

// Owns its elements. Zeros at first.
class CALLBRIDGE_EXPORTED Literal : public MutableLiteralBase {
 public:
  // An empty tuple.
  Literal();
  // Arrays without a layout are row-major. Ends the process where there is not enough memory.
  explicit Literal(const Shape& shape);
  ~Literal() override;
  Literal(const Literal&) = delete;
  Literal& operator=(const Literal&) = delete;
  Literal(Literal&& other) noexcept;
  Literal& operator=(Literal&& other) noexcept;

  // The same, with an error where there is not enough memory, or the shape is none.
  static StatusOr<Literal> Make(const Shape& shape);

  // INVALID_ARGUMENT unless the shape there is equal to the source's.
  Status MoveFrom(Literal&& source, const ShapeIndex& dest_shape_index = {});
  // The elements of a tuple; this one is left an empty tuple.
  std::vector<Literal> DecomposeTuple();
  // Takes a part out; what stays behind of it must not be read.
  Literal SubLiteral(ShapeIndexView shape_index);

 private:
  friend class MutableLiteralBase;
  explicit Literal(std::unique_ptr<Tree> tree);
  std::unique_ptr<Tree> tree_;
};

// Looks into another literal, which must outlive it.
class CALLBRIDGE_EXPORTED LiteralSlice : public LiteralBase {
 public:
  LiteralSlice() = default;
  LiteralSlice(const LiteralBase& literal);
  LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root);
};

// Looks at somebody's memory, one pointer for each leaf in preorder.
class CALLBRIDGE_EXPORTED BorrowingLiteral : public LiteralBase {
 public:
  BorrowingLiteral() = default;
  BorrowingLiteral(const char* data, const Shape& shape);
  BorrowingLiteral(absl::Span<const char* const> leaves, const Shape& shape);

 private:
  std::shared_ptr<Tree> tree_;
};

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
