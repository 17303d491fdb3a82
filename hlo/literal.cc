#include "callbridge/hlo/literal.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal_tree.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

// The shape of a literal's elements in memory: every array has a layout, and elements take whole
// bytes.
StatusOr<Shape> StoredShape(Shape shape) {
  TF_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  TF_RETURN_IF_ERROR(
      ShapeUtil::ForEachMutableSubshapeWithStatus(&shape, [](Shape* array, const ShapeIndex&) {
        if (!array->IsArray()) return OkStatus();
        if (array->is_dynamic()) {
          return absl::UnimplementedError(absl::StrCat(
              "a literal of the dynamic shape ", array->ToString(), ": expected fixed dimensions"));
        }
        if (!array->has_layout()) LayoutUtil::SetToDefaultLayout(array);
        if (!LayoutUtil::IsDenseArray(*array)) {
          return absl::UnimplementedError(
              absl::StrCat("a literal of a sparse array, ", array->ToString()));
        }
        array->mutable_layout()->set_element_size_in_bits(0);
        return ShapeUtil::ValidateShapeWithOptionalLayout(*array);
      }));
  return shape;
}

// How many elements lie between those that are one apart in a dimension.
std::vector<int64_t> StridesOf(const Shape& array) {
  std::vector<int64_t> strides(static_cast<size_t>(array.rank()));
  int64_t stride = 1;
  for (const int64_t dimension : array.layout().minor_to_major()) {
    strides[static_cast<size_t>(dimension)] = stride;
    stride *= array.dimensions()[static_cast<size_t>(dimension)];
  }
  return strides;
}

// fn(index, linear, other_linear) for each element of arrays of equal dimensions, the last index
// varying fastest, until it returns false.
void ForEachElement(const Shape& array, const Shape& other,
                    absl::FunctionRef<bool(absl::Span<const int64_t>, int64_t, int64_t)> fn) {
  const std::vector<int64_t> strides = StridesOf(array);
  const std::vector<int64_t> other_strides = StridesOf(other);
  const absl::Span<const int64_t> dimensions = array.dimensions();
  std::vector<int64_t> index(dimensions.size());
  int64_t linear = 0;
  int64_t other_linear = 0;
  for (int64_t left = ShapeUtil::ElementsIn(array); left > 0; --left) {
    if (!fn(index, linear, other_linear)) return;
    for (size_t d = dimensions.size(); d-- > 0;) {
      linear += strides[d];
      other_linear += other_strides[d];
      if (++index[d] < dimensions[d]) break;
      linear -= strides[d] * dimensions[d];
      other_linear -= other_strides[d] * dimensions[d];
      index[d] = 0;
    }
  }
}

bool SameElements(const Shape& left_shape, const char* left, const Shape& right_shape,
                  const char* right) {
  const size_t width = static_cast<size_t>(primitive_util::ByteWidth(left_shape.element_type()));
  // Of a byte that holds fewer bits, a target may leave anything in the others.
  const int bits = primitive_util::BitWidth(left_shape.element_type());
  if (bits >= 8 && left_shape.layout().minor_to_major() == right_shape.layout().minor_to_major()) {
    const size_t bytes = static_cast<size_t>(ShapeUtil::ElementsIn(left_shape)) * width;
    return bytes == 0 || std::memcmp(left, right, bytes) == 0;
  }
  bool same = true;
  ForEachElement(
      left_shape, right_shape, [&](absl::Span<const int64_t>, int64_t at, int64_t other_at) {
        const char* const a = left + at * width;
        const char* const b = right + other_at * width;
        same = bits < 8 ? ((*a ^ *b) & ((1 << bits) - 1)) == 0 : std::memcmp(a, b, width) == 0;
        return same;
      });
  return same;
}

void CopyElements(const Shape& from_shape, const char* from, const Shape& to_shape, char* to) {
  const size_t width = static_cast<size_t>(primitive_util::ByteWidth(to_shape.element_type()));
  if (from_shape.layout().minor_to_major() == to_shape.layout().minor_to_major()) {
    const size_t bytes = static_cast<size_t>(ShapeUtil::ElementsIn(to_shape)) * width;
    if (bytes != 0) std::memmove(to, from, bytes);
    return;
  }
  ForEachElement(from_shape, to_shape, [&](absl::Span<const int64_t>, int64_t at, int64_t to_at) {
    std::memcpy(to + to_at * width, from + at * width, width);
    return true;
  });
}

}  // namespace

const LiteralBase::Piece* LiteralBase::Nil() {
  static const Tree* const nil = new Tree(ShapeUtil::MakeNil(), Piece());
  return &nil->root;
}

LiteralBase::LiteralBase() : root_(Nil()) {}

const Shape& LiteralBase::shape() const { return *root_->shape; }

const LiteralBase::Piece& LiteralBase::PieceAt(ShapeIndexView shape_index) const {
  const Piece* piece = root_;
  for (const int64_t i : shape_index) {
    if (i < 0 || static_cast<size_t>(i) >= piece->children.size()) {
      internal::Die(absl::StrCat("a literal of the shape ", shape().ToString(), " has nothing at ",
                                 ShapeIndex(shape_index).ToString()));
    }
    piece = &piece->children[static_cast<size_t>(i)];
  }
  return *piece;
}

const void* LiteralBase::untyped_data(const ShapeIndex& shape_index) const {
  return PieceAt(shape_index).data;
}

int64_t LiteralBase::size_bytes(const ShapeIndex& shape_index) const {
  return ShapeUtil::ByteSizeOf(*PieceAt(shape_index).shape, sizeof(void*));
}

int64_t LiteralBase::element_count(const ShapeIndex& shape_index) const {
  return ShapeUtil::ElementsIn(*PieceAt(shape_index).shape);
}

const void* LiteralBase::CheckedData(PrimitiveType type, ShapeIndexView shape_index) const {
  const Piece& piece = PieceAt(shape_index);
  if (piece.shape->element_type() != type) {
    internal::Die(absl::StrCat("expected the elements of ", piece.shape->ToString(),
                               " to be read and written as what they are; got ",
                               primitive_util::LowercasePrimitiveTypeName(type)));
  }
  if (piece.data == nullptr && !ShapeUtil::IsZeroElementArray(*piece.shape)) {
    internal::Die(absl::StrCat("the elements of this literal of the shape ",
                               piece.shape->ToString(), " were moved away"));
  }
  return piece.data;
}

int64_t LiteralBase::LinearIndex(absl::Span<const int64_t> index,
                                 ShapeIndexView shape_index) const {
  const Shape& array = *PieceAt(shape_index).shape;
  const absl::Span<const int64_t> dimensions = array.dimensions();
  bool inside = index.size() == dimensions.size();
  for (size_t d = 0; inside && d < index.size(); ++d) {
    inside = index[d] >= 0 && index[d] < dimensions[d];
  }
  if (!inside) {
    internal::Die(absl::StrCat("expected an index into ", array.ToString(), "; got ",
                               ShapeIndex(index).ToString()));
  }
  int64_t linear = 0;
  int64_t stride = 1;
  for (const int64_t dimension : array.layout().minor_to_major()) {
    linear += index[static_cast<size_t>(dimension)] * stride;
    stride *= dimensions[static_cast<size_t>(dimension)];
  }
  return linear;
}

void LiteralBase::CheckNotEmpty() const {
  if (element_count() == 0) {
    internal::Die(absl::StrCat("a literal of the shape ", shape().ToString(), " has no elements"));
  }
}

void LiteralBase::EachIndex(absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> fn) const {
  ForEachElement(shape(), shape(), [&](absl::Span<const int64_t> index, int64_t linear, int64_t) {
    fn(index, linear);
    return true;
  });
}

bool LiteralBase::operator==(const LiteralBase& other) const {
  if (!ShapeUtil::Compatible(shape(), other.shape())) return false;
  bool same = true;
  ShapeUtil::ForEachSubshape(shape(), [&](const Shape& subshape, const ShapeIndex& index) {
    if (!same || !subshape.IsArray()) return;
    const Piece& piece = PieceAt(index);
    const Piece& other_piece = other.PieceAt(index);
    same = SameElements(subshape, piece.data, *other_piece.shape, other_piece.data);
  });
  return same;
}

Literal LiteralBase::Clone() const {
  Literal clone(shape());
  TF_CHECK_OK(clone.CopyFrom(*this));
  return clone;
}

std::unique_ptr<Literal> LiteralBase::CloneToUnique() const {
  return std::make_unique<Literal>(Clone());
}

Literal LiteralBase::Relayout(const Shape& shape_with_layout) const {
  Literal literal(shape_with_layout);
  TF_CHECK_OK(literal.CopyFrom(*this));
  return literal;
}

Literal LiteralBase::Relayout(const Layout& layout, const ShapeIndex& shape_index) const {
  Shape new_shape = shape();
  *ShapeUtil::GetMutableSubshape(&new_shape, shape_index)->mutable_layout() = layout;
  return Relayout(new_shape);
}

Literal LiteralBase::CreateFromShape(const Shape& shape) { return Literal(shape); }

Status MutableLiteralBase::CopyFrom(const LiteralSlice& source, const ShapeIndex& dest_shape_index,
                                    const ShapeIndex& src_shape_index) {
  TF_ASSIGN_OR_RETURN(const Shape* to, ShapeUtil::TryGetSubshape(shape(), dest_shape_index));
  TF_ASSIGN_OR_RETURN(const Shape* from,
                      ShapeUtil::TryGetSubshape(source.shape(), src_shape_index));
  if (!ShapeUtil::Compatible(*to, *from)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected elements of the shape ", to->ToString(), " to copy; got ", from->ToString()));
  }
  const Piece& to_root = PieceAt(dest_shape_index);
  const LiteralSlice from_part(source, src_shape_index);
  const LiteralSlice to_part(*this, dest_shape_index);
  ShapeUtil::ForEachSubshape(*to_root.shape, [&](const Shape& subshape, const ShapeIndex& index) {
    if (!subshape.IsArray()) return;
    const Piece& piece = to_part.PieceAt(index);
    const Piece& from_piece = from_part.PieceAt(index);
    CopyElements(*from_piece.shape, from_piece.data, subshape, piece.data);
  });
  return OkStatus();
}

void MutableLiteralBase::CheckCounts(absl::Span<const int64_t> counts) const {
  if (shape().dimensions() != counts) {
    internal::Die(absl::StrCat("expected as many values as ", shape().ToString(),
                               " has elements; got ", ShapeIndex(counts).ToString()));
  }
}

Literal MutableLiteralBase::MoveIntoTuple(absl::Span<Literal> elements) {
  Shape shape = ShapeUtil::MakeNil();
  Piece root;
  for (Literal& element : elements) {
    shape.mutable_tuple_shapes()->push_back(element.shape());
    Literal taken = std::move(element);
    root.children.push_back(taken.tree_ == nullptr ? Piece() : std::move(taken.tree_->root));
  }
  return Literal(std::make_unique<Tree>(std::move(shape), std::move(root)));
}

Literal::Literal() = default;

Literal::Literal(const Shape& shape) { *this = Make(shape).ConsumeValueOrDie(); }

Literal::Literal(std::unique_ptr<Tree> tree)
    : MutableLiteralBase(&tree->root), tree_(std::move(tree)) {}

Literal::~Literal() = default;

Literal::Literal(Literal&& other) noexcept { *this = std::move(other); }

Literal& Literal::operator=(Literal&& other) noexcept {
  if (this == &other) return *this;
  tree_ = std::move(other.tree_);
  root_ = tree_ == nullptr ? Nil() : &tree_->root;
  other.root_ = Nil();
  return *this;
}

StatusOr<Literal> Literal::Make(const Shape& shape) {
  TF_ASSIGN_OR_RETURN(Shape stored, StoredShape(shape));
  auto tree = std::make_unique<Tree>(std::move(stored));
  TF_RETURN_IF_ERROR(tree->Build([](Piece& leaf) {
    if (!leaf.shape->IsArray()) return OkStatus();
    const int64_t bytes = ShapeUtil::ByteSizeOfElements(*leaf.shape);
    if (leaf.Allocate(static_cast<size_t>(bytes))) return OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("there is no memory for the ", bytes,
                                                     " bytes of a literal of the shape ",
                                                     leaf.shape->ToString()));
  }));
  return Literal(std::move(tree));
}

Status Literal::MoveFrom(Literal&& source, const ShapeIndex& dest_shape_index) {
  TF_ASSIGN_OR_RETURN(const Shape* to, ShapeUtil::TryGetSubshape(shape(), dest_shape_index));
  if (*to != source.shape()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a literal of the shape ",
                                                   to->ToString(/*print_layout=*/true), "; got ",
                                                   source.shape().ToString(/*print_layout=*/true)));
  }
  Literal taken = std::move(source);
  if (taken.tree_ == nullptr) return OkStatus();
  auto& piece = const_cast<Piece&>(PieceAt(dest_shape_index));
  piece = std::move(taken.tree_->root);
  piece.Bind(*to);
  return OkStatus();
}

std::vector<Literal> Literal::DecomposeTuple() {
  if (!shape().IsTuple()) {
    internal::Die(absl::StrCat("expected a tuple to take apart; got ", shape().ToString()));
  }
  std::vector<Literal> elements;
  elements.reserve(shape().tuple_shapes().size());
  Literal taken = std::move(*this);
  for (int i = 0; i < taken.shape().tuple_shapes_size(); ++i) {
    elements.push_back(Literal(
        std::make_unique<Tree>(std::move(*taken.tree_->shape.mutable_tuple_shapes(i)),
                               std::move(taken.tree_->root.children[static_cast<size_t>(i)]))));
  }
  return elements;
}

Literal Literal::SubLiteral(ShapeIndexView shape_index) {
  auto& piece = const_cast<Piece&>(PieceAt(shape_index));
  Shape part_shape = *piece.shape;
  Piece part;
  part.data = std::exchange(piece.data, nullptr);
  part.memory = std::move(piece.memory);
  for (size_t i = 0; i < piece.children.size(); ++i) {
    ShapeIndex child(shape_index);
    child.push_back(static_cast<int64_t>(i));
    Literal taken = SubLiteral(child);
    part.children.push_back(std::move(taken.tree_->root));
  }
  return Literal(std::make_unique<Tree>(std::move(part_shape), std::move(part)));
}

LiteralSlice::LiteralSlice(const LiteralBase& literal) : LiteralBase(literal.root_) {}

LiteralSlice::LiteralSlice(const LiteralBase& literal, const ShapeIndex& view_root)
    : LiteralBase(&literal.PieceAt(view_root)) {}

BorrowingLiteral::BorrowingLiteral(const char* data, const Shape& shape)
    : BorrowingLiteral(absl::MakeConstSpan(&data, 1), shape) {}

BorrowingLiteral::BorrowingLiteral(absl::Span<const char* const> leaves, const Shape& shape)
    : tree_(std::make_shared<Tree>(StoredShape(shape).ConsumeValueOrDie())) {
  const int64_t expected = ShapeUtil::GetLeafCount(shape);
  if (static_cast<int64_t>(leaves.size()) != expected) {
    internal::Die(absl::StrCat("expected a pointer for each of the ", expected, " leaves of ",
                               shape.ToString(), "; got ", leaves.size()));
  }
  size_t next = 0;
  TF_CHECK_OK(tree_->Build([&](Piece& leaf) {
    leaf.data = const_cast<char*>(leaves[next++]);
    return OkStatus();
  }));
  root_ = &tree_->root;
}

MutableBorrowingLiteral::MutableBorrowingLiteral(MutableLiteralBase* literal)
    : MutableLiteralBase(literal->root_) {}

MutableBorrowingLiteral::MutableBorrowingLiteral(const MutableBorrowingLiteral& literal,
                                                 const ShapeIndex& view_root)
    : MutableLiteralBase(&literal.PieceAt(view_root)), memory_(literal.memory_) {}

MutableBorrowingLiteral::MutableBorrowingLiteral(const char* data, const Shape& shape)
    : memory_(data, shape) {
  root_ = LiteralSlice(memory_).root_;
}

MutableBorrowingLiteral::MutableBorrowingLiteral(absl::Span<char*> leaves, const Shape& shape)
    : memory_(absl::MakeConstSpan(const_cast<const char* const*>(leaves.data()), leaves.size()),
              shape) {
  root_ = LiteralSlice(memory_).root_;
}

std::ostream& operator<<(std::ostream& out, const Literal& literal) {
  return out << literal.ToString();
}

}  // namespace callbridge_v1
}  // namespace xla
