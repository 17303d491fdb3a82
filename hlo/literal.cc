#include "callbridge/hlo/literal.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace xla {
inline namespace callbridge_v1 {

struct FreeMemory {
  void operator()(void* memory) const { free(memory); }
};

// The elements of one subshape.
struct LiteralBase::Piece {
  // Points into the shape of the tree.
  const Shape* shape = nullptr;
  // The elements of an array. Null if there are none or they were moved away.
  char* data = nullptr;
  // The memory of `data`, if this piece owns it.
  std::unique_ptr<void, FreeMemory> memory;
  // The elements of a tuple.
  std::vector<Piece> children;

  // Points this piece and those in it to `s` and the shapes in it.
  void Bind(const Shape& s) {
    shape = &s;
    for (size_t i = 0; i < children.size(); ++i) children[i].Bind(s.tuple_shapes()[i]);
  }

  // Allocates zeros, aligned for any element and any vector instruction. Returns false if there is
  // not enough memory.
  bool Allocate(size_t bytes) {
    constexpr size_t kAlignment = 64;
    constexpr size_t kAddressSpace = size_t{1} << 47;
    if (bytes == 0) return true;
    if (bytes >= kAddressSpace) return false;
    // calloc() does not touch large blocks.
    memory.reset(calloc(bytes + kAlignment, 1));
    if (memory == nullptr) return false;
    const auto address = reinterpret_cast<uintptr_t>(memory.get());
    data = static_cast<char*>(memory.get()) + (kAlignment - address % kAlignment);
    return true;
  }
};

// The pieces of a literal, one for each subshape. It stays on the heap: pieces point to its shape.
struct LiteralBase::Tree {
  explicit Tree(Shape s) : shape(std::move(s)) {}
  Tree(Shape s, Piece p) : shape(std::move(s)), root(std::move(p)) { root.Bind(shape); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // Makes a piece for each subshape, and calls `leaf` for each leaf.
  Status Build(absl::FunctionRef<Status(Piece&)> leaf) { return Build(shape, root, leaf); }

  Shape shape;
  Piece root;

 private:
  static Status Build(const Shape& shape, Piece& piece, absl::FunctionRef<Status(Piece&)> leaf) {
    piece.shape = &shape;
    if (!shape.IsTuple()) return leaf(piece);
    piece.children.resize(shape.tuple_shapes().size());
    for (size_t i = 0; i < piece.children.size(); ++i) {
      TF_RETURN_IF_ERROR(Build(shape.tuple_shapes()[i], piece.children[i], leaf));
    }
    return OkStatus();
  }
};

namespace {

// Returns the shape of a literal in memory: each array has a layout, and elements take whole bytes.
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

Literal LiteralBase::CreateFromShape(const Shape& shape) { return Literal(shape); }

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
