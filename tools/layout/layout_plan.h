// LayoutPlan: the pointers that a custom call of the untyped ABIs gets, as data: which parameter
// leads to which table, and what each of the table's slots points to.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_PLAN_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_PLAN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/tuple_layout.h"

namespace callbridge {

// A pointer, and what it points to.
struct LayoutSlot {
  // What is there, as a C name: `p1_0` is element 0 of operand 1, `r` the result.
  std::string name;
  // Null for `in` and `buffers`, which no shape describes.
  const Shape* shape = nullptr;
  bool is_result = false;
  // Where it points to a table: the number of that.
  std::optional<size_t> table = std::nullopt;
};

// What a slot points to, for people: "f32[8]", "token[] (no buffer)"; empty for a table.
std::string PointeeText(const LayoutSlot& slot);

// Pointers side by side, 8 bytes each.
struct LayoutTable {
  // As the slot that points to it.
  std::string name;
  std::vector<LayoutSlot> slots;
};

// What a parameter of the target points to. The slot's name differs from the parameter's where the
// parameter is a `void*` that has to be cast.
struct LayoutParameter {
  std::string name;
  LayoutSlot slot;
};

struct LayoutPlan {
  // "CPU, nested tuple layout".
  std::string title;
  // Who calls so.
  std::string callers;
  // Of version 1; later versions append parameters.
  std::string signature;
  // The tuple layouts that it holds for; none on GPU.
  std::vector<TupleLayout> tuple_layouts;
  std::vector<LayoutParameter> parameters;
  // A table comes after the one that points to it, and tables are in preorder.
  std::vector<LayoutTable> tables;
};

inline constexpr size_t kSlotBytes = 8;

// The plans of a call with these operands: Host in `tuple layout`, or without one in each tuple
// layout, as one plan where the tuple layouts do not differ; then GPU. A null `result` is not
// drawn. The plans point to the shapes.
std::vector<LayoutPlan> PlanLayouts(absl::Span<const Shape> operands, const Shape* result,
                                    std::optional<TupleLayout> tuple_layout);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_PLAN_H_
