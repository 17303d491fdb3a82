#include "callbridge/abi/pointer_tables.h"

#include <algorithm>
#include <cstring>

#include "absl/base/attributes.h"

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

PointerTables PointerTables::ForOperands(absl::Span<const Shape> operands,
                                         TupleLayout tuple_layout) {
  PointerTables tables;
  if (tuple_layout == TupleLayout::kFlat || AreAllLeaves(operands)) {
    tables.leaf_count_ = CountLeaves(operands);
    return tables;
  }
  tables.PlanList(operands);
  return tables;
}

PointerTables PointerTables::ForResult(const Shape& result, TupleLayout tuple_layout) {
  if (result.IsTuple()) return ForOperands(result.tuple_elements(), tuple_layout);
  PointerTables tables;
  tables.leaf_count_ = 1;
  tables.single_leaf_ = true;
  return tables;
}

void PointerTables::FillSlots(void** leaves, void** slots) const {
  for (const Move& leaf : leaf_moves_) slots[leaf.slot] = leaves[leaf.from];
  for (const Move& list : leaf_lists_) slots[list.slot] = leaves + list.from;
  for (const Move& list : slot_lists_) slots[list.slot] = slots + list.from;
  if (!leaf_runs_.empty()) CopyRuns(leaves, slots);
}

ABSL_ATTRIBUTE_NOINLINE void PointerTables::CopyRuns(void** leaves, void** slots) const {
  for (const Run& run : leaf_runs_) {
    std::memcpy(slots + run.first.slot, leaves + run.first.from, run.count * sizeof(void*));
  }
}

void PointerTables::PlanList(absl::Span<const Shape> elements) {
  uint32_t slot = slot_count_;
  slot_count_ += static_cast<uint32_t>(elements.size());
  for (auto element = elements.begin(); element != elements.end();) {
    const auto tuple =
        std::find_if(element, elements.end(), [](const Shape& shape) { return shape.IsTuple(); });
    const auto leaves = static_cast<uint32_t>(tuple - element);
    PlanLeaves(slot, leaves);
    slot += leaves;
    element = tuple;
    if (element != elements.end()) PlanTuple((element++)->tuple_elements(), slot++);
  }
}

void PointerTables::PlanLeaves(uint32_t slot, uint32_t count) {
  if (count >= kShortestRun) {
    leaf_runs_.push_back({{slot, leaf_count_}, count});
  } else {
    for (uint32_t i = 0; i < count; ++i) leaf_moves_.push_back({slot + i, leaf_count_ + i});
  }
  leaf_count_ += count;
}

void PointerTables::PlanTuple(absl::Span<const Shape> elements, uint32_t slot) {
  if (elements.empty()) {
    // Nothing is read through this pointer. The slot itself is an address that always exists.
    slot_lists_.push_back({slot, slot});
  } else if (AreAllLeaves(elements)) {
    leaf_lists_.push_back({slot, leaf_count_});
    leaf_count_ += static_cast<uint32_t>(elements.size());
  } else {
    slot_lists_.push_back({slot, slot_count_});
    PlanList(elements);
  }
}

}  // namespace callbridge
