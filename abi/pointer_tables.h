// PointerTables: the tables of pointers by which the Host ABI passes tuples to a target.
//
// abi/table_walk.h defines the tables. PointerTables plans once, when a call is bound, which
// pointer goes into which slot; Fill() writes the pointers of one call.
//
// A tuple whose elements are all leaves needs no list of its own: its leaves are adjacent in the
// caller's list, so the plan points there. An operand list without tuples is the caller's list
// itself. An empty tuple's slot holds a pointer that is not null and points to nothing.
#ifndef CALLBRIDGE_ABI_POINTER_TABLES_H_
#define CALLBRIDGE_ABI_POINTER_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/tuple_layout.h"

namespace callbridge {

class PointerTables {
 public:
  // Plans `in` for these operands.
  static PointerTables ForOperands(absl::Span<const Shape> operands, TupleLayout tuple_layout);
  // Plans `out` for this result. In the flat tuple layout a nested result is one list of leaves.
  static PointerTables ForResult(const Shape& result, TupleLayout tuple_layout);

  // Plans nothing for a target that takes its leaves as they are.
  static PointerTables ForLeaves(size_t leaf_count) {
    PointerTables tables;
    tables.leaf_count_ = static_cast<uint32_t>(leaf_count);
    return tables;
  }

  // Returns the number of leaves that Fill() reads.
  uint32_t leaf_count() const { return leaf_count_; }
  // Returns the number of slots that Fill() writes; 0 if the target can get the caller's list as it
  // is.
  uint32_t slot_count() const { return slot_count_; }
  // Returns true if the result is one array or token: `out` is then leaves[0], not a list.
  bool is_single_leaf() const { return single_leaf_; }

  // Writes the lists of one call into slots[0, slot_count()). Returns the list for the target:
  // `slots`, or `leaves` if slot_count() is 0. The lists point into both arrays, which must live as
  // long as the call. Allocates nothing. Thread-safe.
  void** Fill(void** leaves, void** slots) const {
    if (slot_count_ == 0) return leaves;
    FillSlots(leaves, slots);
    return slots;
  }

 private:
  class TablePlanner;

  struct Move {
    uint32_t slot;
    uint32_t from;
  };
  struct Run {
    Move first;
    uint32_t count;
  };

  // Copies adjacent leaves in a mixed list as one run from this many on: fewer are faster to move
  // one by one than by a call of memcpy.
  static constexpr uint32_t kShortestRun = 5;

  void FillSlots(void** leaves, void** slots) const;
  void CopyRuns(void** leaves, void** slots) const;

  uint32_t leaf_count_ = 0;
  uint32_t slot_count_ = 0;
  bool single_leaf_ = false;
  std::vector<Move> leaf_moves_;  // slots[slot] = leaves[from]
  std::vector<Move> leaf_lists_;  // slots[slot] = &leaves[from]
  std::vector<Move> slot_lists_;  // slots[slot] = &slots[from]
  std::vector<Run> leaf_runs_;    // slots[slot + i] = leaves[from + i], i < count
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_POINTER_TABLES_H_
