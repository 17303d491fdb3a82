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
  // What it points to, as a C name: `p1_0` is element 0 of operand 1, `r` the result.
  std::string name;
  // Null for `in` and `buffers`, which have no shape.
  const Shape* shape = nullptr;
  bool is_result = false;
  // The index of the table that it points to, if it points to one.
  std::optional<size_t> table = std::nullopt;
};

// Returns what a slot points to: "f32[8]", "token[] (no buffer)"; empty for a table.
std::string PointeeText(const LayoutSlot& slot);

// Adjacent pointers of 8 bytes each.
struct LayoutTable {
  // The name of the slot that points to it.
  std::string name;
  std::vector<LayoutSlot> slots;
};

// What a parameter of the target points to. The slot's name differs from the parameter's if the
// parameter is a `void*` that needs a cast.
struct LayoutParameter {
  std::string name;
  LayoutSlot slot;
};

struct LayoutPlan {
  // "CPU, nested tuple layout".
  std::string title;
  // The runtimes that call so.
  std::string callers;
  // For version 1; later versions append parameters.
  std::string signature;
  // The tuple layouts that it applies to; none on GPU.
  std::vector<TupleLayout> tuple_layouts;
  std::vector<LayoutParameter> parameters;
  // A table follows the one that points to it; tables are in preorder.
  std::vector<LayoutTable> tables;
};

inline constexpr size_t kSlotBytes = 8;

// Returns the plans of a call with these operands: first Host, in `tuple_layout` or else in each
// tuple layout, as one plan if they do not differ; then GPU. Does not draw a null `result`. The
// plans point to the shapes.
std::vector<LayoutPlan> PlanLayouts(absl::Span<const Shape> operands, const Shape* result,
                                    std::optional<TupleLayout> tuple_layout);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_PLAN_H_
