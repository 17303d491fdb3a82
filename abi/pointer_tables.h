// PointerTables: the tables of pointers by which the Host ABI hands tuples to a target.
//
// abi/table_walk.h says which tables there are. What is planned here once, when a call is bound, is
// only *what goes where*; Fill() then writes one call's pointers.
//
// A tuple whose elements are all leaves needs no list of its own: its leaves already lie side by
// side in the caller's list, so the plan points into that. An operand list without tuples is the
// caller's list itself. An empty tuple's slot holds an address that is not null and holds nothing.
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
  // The list `in` for these operands.
  static PointerTables ForOperands(absl::Span<const Shape> operands, TupleLayout tuple_layout);
  // What `out` is for this result. In the flat tuple layout a nested result is one list of leaves.
  static PointerTables ForResult(const Shape& result, TupleLayout tuple_layout);

  // Leaves that Fill() reads.
  uint32_t leaf_count() const { return leaf_count_; }
  // Slots that Fill() writes; 0 where the target can be handed the caller's list as it is.
  uint32_t slot_count() const { return slot_count_; }
  // True if the result is one array or token: `out` is then leaves[0], not a list.
  bool is_single_leaf() const { return single_leaf_; }

  // Writes the lists of one call into slots[0, slot_count()) and returns the list that the target
  // gets: `slots`, or `leaves` where slot_count() is 0. The lists point into both arrays, which
  // must live as long as the call. Allocates nothing; thread-safe.
  void** Fill(void** leaves, void** slots) const {
    if (slot_count_ == 0) return leaves;
    FillSlots(leaves, slots);
    return slots;
  }

 private:
  class Planner;

  struct Move {
    uint32_t slot;
    uint32_t from;
  };
  struct Run {
    Move first;
    uint32_t count;
  };

  // Leaves that lie side by side in a mixed list are copied as one run from this many on, where the
  // call of memcpy costs less than moving them one by one.
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
