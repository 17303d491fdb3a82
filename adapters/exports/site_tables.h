// SiteTables: writes the pointer tables of a call from its site descriptor, for exported functions
// without declared shapes. Each call walks the descriptor, which takes about as long as writing the
// tables.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_

#include <stddef.h>
#include <stdint.h>

#include <string_view>

#include "callbridge/abi/table_walk.h"
#include "callbridge/adapters/exports/call_attributes.h"
#include "callbridge/adapters/exports/declared_call.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// Shape::kMaxTupleDepth.
inline constexpr int kMaxTupleDepth = 128;

// The visitor of abi/table_walk.h that reads a descriptor and writes the tables of one call.
class SiteTables {
 public:
  // The buffers of the leaves of arguments or results.
  struct Leaves {
    void* const* buffers;
    int64_t count;
  };

  // `block` must have room for as many pointers as `tree` has bytes, more than the tables need.
  SiteTables(std::string_view tree, void** block)
      : next_(tree.data()),
        end_(tree.data() + tree.size()),
        next_slot_(block),
        end_slot_(block + tree.size()) {}

  // Writes the list of operands and the result behind it. Returns false if the descriptor is
  // malformed, or is not that of a call with such leaves.
  bool Write(Leaves operands, Leaves results) {
    if (next_ == end_ || static_cast<uint8_t>(*next_) > kLastLayout) return false;
    const auto layout = static_cast<TupleLayout>(*next_++);
    uint32_t count = 0;
    if (!ReadCount(count)) return false;
    SetLeaves(operands);
    if (!WalkOperands(*this, count, layout) || next_leaf_ != end_leaf_) return false;
    SetLeaves(results);
    return WalkResult(*this, &result_, layout) && next_leaf_ == end_leaf_ && next_ == end_;
  }

  void** operands() const { return operands_; }
  // An array's data, or a tuple's table.
  void* result() const { return result_; }

  struct Node {
    bool is_tuple;
    uint32_t count;
    void* data;
  };
  using Slot = void**;
  using Table = void**;

  // Reads a type and, of a tuple, the number of its elements. Takes the next leaf for any other
  // type.
  bool ReadNode(int depth, Node& node) {
    if (next_ == end_) return false;
    const int type = static_cast<uint8_t>(*next_++);
    node.is_tuple = type == kTupleNode;
    if (node.is_tuple) return depth < kMaxTupleDepth && ReadCount(node.count);
    if (next_leaf_ == end_leaf_) return false;
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(*next_leaf_++);
    if (static_cast<int>(buffer.dtype) != type) return false;
    node.data = type == XLA_FFI_DataType_TOKEN ? nullptr : buffer.data;
    return true;
  }
  bool OpenList(uint32_t size, void**& table) {
    if (!TakeSlots(size, table)) return false;
    operands_ = table;
    return true;
  }
  bool OpenTable(void** slot, const Node& /*tuple*/, uint32_t size, void**& table) {
    if (!TakeSlots(size, table)) return false;
    *slot = table;
    return true;
  }
  static void** SlotAt(void** table, uint32_t i) { return table + i; }
  bool AppendSlot(void**& slot) { return TakeSlots(1, slot); }
  static bool PlaceLeaf(void** slot, const Node& leaf) {
    *slot = leaf.data;
    return true;
  }

 private:
  static constexpr auto kLastLayout = static_cast<uint8_t>(TupleLayout::kFlat);

  void SetLeaves(Leaves leaves) {
    next_leaf_ = leaves.buffers;
    end_leaf_ = leaves.buffers + leaves.count;
  }

  bool ReadCount(uint32_t& count) {
    if (end_ - next_ < ptrdiff_t{sizeof(count)}) return false;
    count = ReadU32(next_);
    next_ += sizeof(count);
    return count <= end_ - next_;
  }

  // Returns false if nested counts claim more elements than the tree has bytes.
  bool TakeSlots(uint32_t count, void**& slots) {
    if (count > end_slot_ - next_slot_) return false;
    slots = next_slot_;
    next_slot_ += count;
    return true;
  }

  const char* next_;
  const char* end_;
  void* const* next_leaf_ = nullptr;
  void* const* end_leaf_ = nullptr;
  void** next_slot_;
  void** end_slot_;
  void** operands_ = nullptr;
  void* result_ = nullptr;
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_
