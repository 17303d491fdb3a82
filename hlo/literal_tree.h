// What a literal consists of: a piece for each shape in its shape. Only literal.cc includes this.
#ifndef CALLBRIDGE_HLO_LITERAL_TREE_H_
#define CALLBRIDGE_HLO_LITERAL_TREE_H_

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "callbridge/hlo/literal.h"

namespace xla {
inline namespace callbridge_v1 {

struct FreeMemory {
  void operator()(void* memory) const { free(memory); }
};

struct LiteralBase::Piece {
  // Of the tree that the piece is in.
  const Shape* shape = nullptr;
  // An array's elements; null where there are none, or they were moved away.
  char* data = nullptr;
  // The block of memory that `data` is in, where this piece owns it.
  std::unique_ptr<void, FreeMemory> memory;
  // A tuple's elements.
  std::vector<Piece> children;

  // Points this piece and those in it to `s` and the shapes in it.
  void Bind(const Shape& s) {
    shape = &s;
    for (size_t i = 0; i < children.size(); ++i) children[i].Bind(s.tuple_shapes()[i]);
  }

  // Zeros for this array of so many bytes, aligned for any element and any vector instruction.
  // False where there is not enough memory.
  bool Allocate(size_t bytes) {
    constexpr size_t kAlignment = 64;
    constexpr size_t kAddressSpace = size_t{1} << 47;
    if (bytes == 0) return true;
    if (bytes >= kAddressSpace) return false;
    // calloc(), since large blocks of zeros cost nothing until they are written.
    memory.reset(calloc(bytes + kAlignment, 1));
    if (memory == nullptr) return false;
    const auto address = reinterpret_cast<uintptr_t>(memory.get());
    data = static_cast<char*>(memory.get()) + (kAlignment - address % kAlignment);
    return true;
  }
};

// On the heap, so that pieces may point to the shape.
struct LiteralBase::Tree {
  explicit Tree(Shape s) : shape(std::move(s)) {}
  Tree(Shape s, Piece p) : shape(std::move(s)), root(std::move(p)) { root.Bind(shape); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // A piece for each shape, and for each leaf what `leaf` says of it.
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

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LITERAL_TREE_H_
