#include "callbridge/abi/pointer_tables.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/base/attributes.h"
#include "callbridge/abi/table_walk.h"

namespace callbridge {
namespace {

bool AreAllLeaves(absl::Span<const Shape> shapes) {
  return std::none_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.IsTuple(); });
}

}  // namespace

// The visitor of abi/table_walk.h that plans. A list whose elements are all leaves, and every list
// in the flat layout, needs no slots: its leaves are side by side in the caller's list.
class PointerTables::TablePlanner {
 public:
  struct Node {
    bool is_tuple;
    uint32_t count;
    const Shape* shape;
  };
  enum class Where : uint8_t { kParameter, kLeaves, kSlots };
  // A slot, or the first slot of a table: `out` itself, in the caller's list of leaves, or in the
  // block that Fill() writes.
  struct Slot {
    Where where;
    uint32_t index;
  };
  using Table = Slot;

  // Plans `shapes`, which must outlive the planner.
  TablePlanner(absl::Span<const Shape> shapes, TupleLayout tuple_layout)
      : shapes_(shapes), tuple_layout_(tuple_layout) {
    Push(shapes);
  }

  bool ReadNode(int /*depth*/, Node& node) {
    const Shape& shape = *rest_.back();
    rest_.pop_back();
    node = {shape.IsTuple(), static_cast<uint32_t>(shape.tuple_elements().size()), &shape};
    Push(shape.tuple_elements());
    return true;
  }
  bool OpenList(uint32_t size, Table& table) {
    table = NewTable(shapes_, size);
    return true;
  }
  bool OpenTable(Slot slot, const Node& tuple, uint32_t size, Table& table) {
    run_is_open_ = false;
    const absl::Span<const Shape> elements = tuple.shape->tuple_elements();
    table = NewTable(elements, size);
    if (slot.where != Where::kSlots) return true;
    if (elements.empty()) {
      // Nothing is read through this pointer. The slot itself is an address that always exists.
      tables_.slot_lists_.push_back({slot.index, slot.index});
    } else if (table.where == Where::kLeaves) {
      tables_.leaf_lists_.push_back({slot.index, table.index});
    } else {
      tables_.slot_lists_.push_back({slot.index, table.index});
    }
    return true;
  }
  Slot SlotAt(Table table, uint32_t i) const { return {table.where, table.index + i}; }
  bool AppendSlot(Slot& slot) {
    slot = {Where::kLeaves, tables_.leaf_count_};
    return true;
  }
  bool PlaceLeaf(Slot slot, const Node& /*leaf*/) {
    if (slot.where == Where::kParameter) tables_.single_leaf_ = true;
    if (slot.where == Where::kSlots) AppendToRun({slot.index, tables_.leaf_count_});
    ++tables_.leaf_count_;
    return true;
  }

  PointerTables Take() && {
    for (const Run& run : runs_) {
      if (run.count >= kShortestRun) {
        tables_.leaf_runs_.push_back(run);
        continue;
      }
      for (uint32_t i = 0; i < run.count; ++i) {
        tables_.leaf_moves_.push_back({run.first.slot + i, run.first.from + i});
      }
    }
    return std::move(tables_);
  }

 private:
  // Reads these shapes next, before all others that are waiting.
  void Push(absl::Span<const Shape> shapes) {
    for (size_t i = shapes.size(); i > 0; --i) rest_.push_back(&shapes[i - 1]);
  }

  Table NewTable(absl::Span<const Shape> elements, uint32_t size) {
    if (tuple_layout_ == TupleLayout::kFlat || AreAllLeaves(elements)) {
      return {Where::kLeaves, tables_.leaf_count_};
    }
    const Table table = {Where::kSlots, tables_.slot_count_};
    tables_.slot_count_ += size;
    return table;
  }

  void AppendToRun(Move leaf) {
    if (!run_is_open_ || runs_.back().first.slot + runs_.back().count != leaf.slot) {
      runs_.push_back({leaf, 0});
      run_is_open_ = true;
    }
    ++runs_.back().count;
  }

  absl::Span<const Shape> shapes_;
  TupleLayout tuple_layout_;
  std::vector<const Shape*> rest_;  // shapes to read, the next one last
  bool run_is_open_ = false;
  std::vector<Run> runs_;  // of adjacent leaves in slots
  PointerTables tables_;
};

PointerTables PointerTables::ForOperands(absl::Span<const Shape> operands,
                                         TupleLayout tuple_layout) {
  TablePlanner planner(operands, tuple_layout);
  WalkOperands(planner, static_cast<uint32_t>(operands.size()), tuple_layout);
  return std::move(planner).Take();
}

PointerTables PointerTables::ForResult(const Shape& result, TupleLayout tuple_layout) {
  TablePlanner planner(absl::MakeConstSpan(&result, 1), tuple_layout);
  WalkResult(planner, {TablePlanner::Where::kParameter, 0}, tuple_layout);
  return std::move(planner).Take();
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

}  // namespace callbridge
