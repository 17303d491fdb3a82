// Pointer tables by a site descriptor: how an exported function without declared shapes gets its
// tuples. The descriptor is walked at each call, which takes about as long as writing the tables.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_

#include <stddef.h>
#include <stdint.h>

#include <string_view>

#include "callbridge/adapters/exports/call_attributes.h"
#include "callbridge/adapters/exports/declared_call.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// Shape::kMaxTupleDepth.
inline constexpr int kMaxTupleDepth = 128;
inline constexpr char kFlatLayout = 1;

class SiteTables {
 public:
  // The leaves' buffers, arguments or results.
  struct Leaves {
    void* const* buffers;
    int64_t count;
  };

  // `block` has room for as many pointers as `tree` has bytes, which is more than are needed.
  SiteTables(std::string_view tree, void** block)
      : rest_(tree), slots_left_(tree.size()), next_slot_(block) {}

  // Writes the list of operands and the result behind it. False where the descriptor is
  // malformed, or is not that of a call with such leaves.
  bool Write(Leaves operands, Leaves results) {
    if (rest_.empty() || static_cast<uint8_t>(rest_[0]) > kFlatLayout) return false;
    const bool flat = rest_[0] == kFlatLayout;
    rest_.remove_prefix(1);
    uint32_t count = 0;
    if (!ReadCount(count)) return false;
    leaves_ = operands;
    operands_ = next_slot_;
    if (!flat && !TakeSlots(count, operands_)) return false;
    for (uint32_t i = 0; i < count; ++i) {
      if (flat ? !ReadFlat(0) : !ReadShape(operands_[i], 0)) return false;
    }
    if (leaves_.count != 0) return false;
    leaves_ = results;
    return ReadShape(result_, 0) && leaves_.count == 0 && rest_.empty();
  }

  void** operands() const { return operands_; }
  // An array's data, or a tuple's table.
  void* result() const { return result_; }

 private:
  bool ReadCount(uint32_t& count) {
    if (rest_.size() < sizeof(count)) return false;
    count = ReadU32(rest_.data());
    rest_.remove_prefix(sizeof(count));
    return count <= rest_.size();
  }

  // False where nested counts claim more elements than the tree has bytes.
  bool TakeSlots(uint32_t count, void**& slots) {
    if (count > slots_left_) return false;
    slots_left_ -= count;
    slots = next_slot_;
    next_slot_ += count;
    return true;
  }

  // Takes a type, and the leaf that it is of where it is no tuple's.
  bool ReadNode(int depth, int& type, void*& data) {
    if (rest_.empty() || depth > kMaxTupleDepth) return false;
    type = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    if (type == kTupleNode) return true;
    if (leaves_.count == 0) return false;
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(*leaves_.buffers);
    if (static_cast<int>(buffer.dtype) != type) return false;
    data = type == XLA_FFI_DataType_TOKEN ? nullptr : buffer.data;
    ++leaves_.buffers;
    --leaves_.count;
    return true;
  }

  bool ReadShape(void*& slot, int depth) {
    int type = 0;
    if (!ReadNode(depth, type, slot)) return false;
    if (type != kTupleNode) return true;
    uint32_t count = 0;
    if (!ReadCount(count)) return false;
    void** table = nullptr;
    if (!TakeSlots(count, table)) return false;
    slot = table;
    for (uint32_t i = 0; i < count; ++i) {
      if (!ReadShape(table[i], depth + 1)) return false;
    }
    return true;
  }

  bool ReadFlat(int depth) {
    int type = 0;
    void* data = nullptr;
    if (!ReadNode(depth, type, data)) return false;
    if (type != kTupleNode) {
      void** slot = nullptr;
      if (!TakeSlots(1, slot)) return false;
      *slot = data;
      return true;
    }
    uint32_t count = 0;
    if (!ReadCount(count)) return false;
    for (uint32_t i = 0; i < count; ++i) {
      if (!ReadFlat(depth + 1)) return false;
    }
    return true;
  }

  std::string_view rest_;
  Leaves leaves_ = {};
  size_t slots_left_;
  void** next_slot_;
  void** operands_ = nullptr;
  void* result_ = nullptr;
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_SITE_TABLES_H_
