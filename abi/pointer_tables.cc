#include "callbridge/abi/pointer_tables.h"

#include <algorithm>
#include <cstring>

namespace callbridge {
namespace {

bool AreAllLeaves(absl::Span<const Shape> shapes) {
  return std::none_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.IsTuple(); });
}

uint32_t CountLeaves(absl::Span<const Shape> shapes) {
  int64_t count = 0;
  for (const Shape& shape : shapes) count += shape.LeafCount();
  return static_cast<uint32_t>(count);
}

}  // namespace

PointerTables PointerTables::ForOperands(absl::Span<const Shape> operands, TupleEra era) {
  PointerTables tables;
  if (era == TupleEra::kFlat || AreAllLeaves(operands)) {
    tables.leaf_count_ = CountLeaves(operands);
    return tables;
  }
  tables.PlanList(operands);
  return tables;
}

PointerTables PointerTables::ForResult(const Shape& result, TupleEra era) {
  if (result.IsTuple()) return ForOperands(result.tuple_elements(), era);
  PointerTables tables;
  tables.leaf_count_ = 1;
  tables.single_leaf_ = true;
  return tables;
}

void PointerTables::FillSlots(void** leaves, void** slots) const {
  for (const Move& block : leaf_blocks_) {
    // Compiled to two loads and two stores of 16 bytes, as the size is constant.
    std::memcpy(slots + block.slot, leaves + block.from, kBlockSize * sizeof(void*));
  }
  for (const Move& leaf : leaf_moves_) slots[leaf.slot] = leaves[leaf.from];
  for (const Move& list : leaf_lists_) slots[list.slot] = leaves + list.from;
  for (const Move& list : slot_lists_) slots[list.slot] = slots + list.from;
}

void PointerTables::PlanList(absl::Span<const Shape> elements) {
  uint32_t slot = slot_count_;
  slot_count_ += static_cast<uint32_t>(elements.size());
  for (const Shape& element : elements) {
    PlanElement(element, slot);
    ++slot;
  }
}

void PointerTables::PlanElement(const Shape& element, uint32_t slot) {
  if (!element.IsTuple()) {
    leaf_moves_.push_back({slot, leaf_count_++});
    MergeLeafMoves();
  } else if (element.tuple_elements().empty()) {
    // Nothing is read through this pointer. The slot itself is an address that always exists.
    slot_lists_.push_back({slot, slot});
  } else if (AreAllLeaves(element.tuple_elements())) {
    leaf_lists_.push_back({slot, leaf_count_});
    leaf_count_ += static_cast<uint32_t>(element.tuple_elements().size());
  } else {
    slot_lists_.push_back({slot, slot_count_});
    PlanList(element.tuple_elements());
  }
}

void PointerTables::MergeLeafMoves() {
  if (leaf_moves_.size() < kBlockSize) return;
  const auto first = leaf_moves_.end() - kBlockSize;
  for (uint32_t i = 1; i < kBlockSize; ++i) {
    if (first[i].slot != first->slot + i || first[i].from != first->from + i) return;
  }
  leaf_blocks_.push_back(*first);
  leaf_moves_.erase(first, leaf_moves_.end());
}

}  // namespace callbridge
