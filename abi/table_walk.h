// Walks the tables of pointers by which a custom call passes its operands and its result. The only
// code that knows which tables there are and what each slot holds.
//
// clang-format off
//                 TupleLayout::kNested                      TupleLayout::kFlat
//   `in`          a table with a slot for each operand      a table with a slot for each leaf
//   array, token  its data pointer                          its data pointer
//   tuple         the address of the tuple's own table,     the slots of its leaves, in preorder
//                 which has a slot for each element
//   empty tuple   an address that is not null               no slot
//   `out` of an array or a token: its data pointer          the same
//   `out` of a tuple, also of one element:
//                 the address of the tuple's table          the address of one table of its leaves
//
// A GPU function gets one table in either layout: the leaves of the operands, then the leaves of
// the result.
// clang-format on
//
// A walk reads the shapes of a call from its visitor in preorder, and tells it the place of each
// pointer. A visitor plans, writes, reads or draws the tables. It has:
//
// clang-format off
//   struct Node { bool is_tuple; uint32_t count; ... };   // an array, a token or a tuple of `count` elements
//   using Slot = ...;                                     // a place for one pointer
//   using Table = ...;                                    // a row of slots
//   bool ReadNode(int depth, Node& node);                 // Reads the next shape, which is inside `depth` tuples.
//   bool OpenList(uint32_t size, Table& table);           // Opens the table that is `in`.
//   bool OpenTable(Slot slot, const Node& tuple,          // Opens the tuple's table, whose address `slot` holds.
//                  uint32_t size, Table& table);
//   Slot SlotAt(Table table, uint32_t i);                 // Returns slot i of a table.
//   bool AppendSlot(Slot& slot);                          // Appends a slot to the table opened last.
//   bool PlaceLeaf(Slot slot, const Node& leaf);          // The slot holds the leaf's data pointer.
// clang-format on
//
// A table is opened with all of its slots, or with none, and grows by AppendSlot(). A function that
// returns false ends the walk, which then returns false.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_TABLE_WALK_H_
#define CALLBRIDGE_ABI_TABLE_WALK_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

// How a runtime passes tuples to custom calls on Host. Measured on TensorFlow 2.13.1 and 2.21.0 and
// jaxlib 0.4.13 to 0.12.0.1. Site descriptors hold these numbers.
enum class TupleLayout : uint8_t {
  // The documented layout; TF 2.13.1 and jaxlib <= 0.4.30. These refuse nested tuple results.
  kNested = 0,
  // TF 2.21.0 and jaxlib >= 0.4.38.
  kFlat = 1,
};

// Walks the next `count` shapes, which fill `table`, and the tables of the tuples among them.
template <typename Visitor>
constexpr bool WalkTable(Visitor& visitor, typename Visitor::Table table, uint32_t count,
                         int depth) {
  for (uint32_t i = 0; i < count; ++i) {
    typename Visitor::Node node = {};
    if (!visitor.ReadNode(depth, node)) return false;
    if (__builtin_expect(!node.is_tuple, true)) {
      if (!visitor.PlaceLeaf(visitor.SlotAt(table, i), node)) return false;
      continue;
    }
    typename Visitor::Table inner = {};
    if (!visitor.OpenTable(visitor.SlotAt(table, i), node, node.count, inner)) return false;
    if (!WalkTable(visitor, inner, node.count, depth + 1)) return false;
  }
  return true;
}

// Appends the leaves of the next `count` shapes to the table opened last.
template <typename Visitor>
constexpr bool WalkLeaves(Visitor& visitor, uint32_t count, int depth) {
  for (uint32_t i = 0; i < count; ++i) {
    typename Visitor::Node node = {};
    if (!visitor.ReadNode(depth, node)) return false;
    if (__builtin_expect(node.is_tuple, false)) {
      if (!WalkLeaves(visitor, node.count, depth + 1)) return false;
      continue;
    }
    typename Visitor::Slot slot = {};
    if (!visitor.AppendSlot(slot) || !visitor.PlaceLeaf(slot, node)) return false;
  }
  return true;
}

// Walks the operands of a Host function: the table `in`. The operands of a GPU function are walked
// as kFlat.
template <typename Visitor>
constexpr bool WalkOperands(Visitor& visitor, uint32_t count, TupleLayout layout) {
  const bool flat = layout == TupleLayout::kFlat;
  typename Visitor::Table list = {};
  return visitor.OpenList(flat ? 0 : count, list) &&
         (flat ? WalkLeaves(visitor, count, 0) : WalkTable(visitor, list, count, 0));
}

// Walks the result of a Host function. `out` is the parameter, as a slot.
template <typename Visitor>
constexpr bool WalkResult(Visitor& visitor, typename Visitor::Slot out, TupleLayout layout) {
  const bool flat = layout == TupleLayout::kFlat;
  typename Visitor::Node node = {};
  if (!visitor.ReadNode(0, node)) return false;
  if (!node.is_tuple) return visitor.PlaceLeaf(out, node);
  typename Visitor::Table table = {};
  return visitor.OpenTable(out, node, flat ? 0 : node.count, table) &&
         (flat ? WalkLeaves(visitor, node.count, 1) : WalkTable(visitor, table, node.count, 1));
}

// Walks the result of a GPU function, whose leaves follow those of the operands.
template <typename Visitor>
constexpr bool WalkGpuResult(Visitor& visitor) {
  return WalkLeaves(visitor, 1, 0);
}

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ABI_TABLE_WALK_H_
