#include "callbridge/tools/layout/layout_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/table_walk.h"

namespace callbridge {
namespace {

// The visitor of abi/table_walk.h that draws: it names what it reads, and keeps the tables.
class LayoutPlanner {
 public:
  struct Node {
    bool is_tuple;
    uint32_t count;
    const Shape* shape;
    std::string name;
  };
  using Table = size_t;
  // A table, or none: the parameter `out`.
  using Slot = std::optional<size_t>;

  // Plans for Host. `result` may be null.
  void PlanHost(absl::Span<const Shape> operands, const Shape* result, TupleLayout tuple_layout) {
    PlanOperands("in", operands, tuple_layout);
    if (result == nullptr) return;
    ReadNext(*result, "r", true);
    WalkResult(*this, std::nullopt, tuple_layout);
  }

  void PlanGpu(absl::Span<const Shape> operands, const Shape* result) {
    PlanOperands("buffers", operands, TupleLayout::kFlat);
    if (result == nullptr) return;
    ReadNext(*result, "r", true);
    WalkGpuResult(*this);
  }

  LayoutPlan Take() && { return std::move(plan_); }

  bool ReadNode(int /*depth*/, Node& node) {
    node = std::move(rest_.back());
    rest_.pop_back();
    ReadNext(node.shape->tuple_elements(), absl::StrCat(node.name, "_"));
    return true;
  }
  bool OpenList(uint32_t /*size*/, size_t& table) {
    table = AddTable(list_);
    plan_.parameters.push_back({list_, {list_, nullptr, false, table}});
    return true;
  }
  bool OpenTable(Slot slot, const Node& tuple, uint32_t /*size*/, size_t& table) {
    table = AddTable(tuple.name);
    Place(slot, {tuple.name, tuple.shape, is_result_, table});
    return true;
  }
  static Slot SlotAt(size_t table, uint32_t /*i*/) { return table; }
  bool AppendSlot(Slot& slot) const {
    slot = plan_.tables.size() - 1;
    return true;
  }
  bool PlaceLeaf(Slot slot, const Node& leaf) {
    Place(slot, {leaf.name, leaf.shape, is_result_});
    return true;
  }

 private:
  void PlanOperands(std::string list, absl::Span<const Shape> operands, TupleLayout tuple_layout) {
    list_ = std::move(list);
    ReadNext(operands, "p");
    WalkOperands(*this, static_cast<uint32_t>(operands.size()), tuple_layout);
  }

  // ReadNode() returns these shapes next, in order.
  void ReadNext(absl::Span<const Shape> shapes, absl::string_view prefix) {
    for (size_t i = shapes.size(); i > 0; --i) {
      ReadNext(shapes[i - 1], absl::StrCat(prefix, i - 1), is_result_);
    }
  }
  void ReadNext(const Shape& shape, std::string name, bool is_result) {
    is_result_ = is_result;
    const auto count = static_cast<uint32_t>(shape.tuple_elements().size());
    rest_.push_back({shape.IsTuple(), count, &shape, std::move(name)});
  }

  size_t AddTable(std::string name) {
    plan_.tables.push_back({std::move(name), {}});
    return plan_.tables.size() - 1;
  }

  // A walk places the slots of a table in order.
  void Place(Slot table, LayoutSlot slot) {
    if (table.has_value()) {
      plan_.tables[*table].slots.push_back(std::move(slot));
    } else {
      plan_.parameters.push_back({"out", std::move(slot)});
    }
  }

  std::string list_;  // the name of the operands' table
  bool is_result_ = false;
  std::vector<Node> rest_;  // to read, the next one last
  LayoutPlan plan_;
};

bool HoldTuples(absl::Span<const Shape> shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.IsTuple(); });
}

bool TupleLayoutsDiffer(absl::Span<const Shape> operands, const Shape* result) {
  return HoldTuples(operands) || (result != nullptr && HoldTuples(result->tuple_elements()));
}

std::string CallersOn(TupleLayout tuple_layout, const Shape* result) {
  if (tuple_layout == TupleLayout::kFlat) return "TensorFlow 2.21.0, jaxlib >= 0.4.38";
  const std::string xla = "TensorFlow 2.13.1, jaxlib <= 0.4.30";
  const bool is_nested = result != nullptr && HoldTuples(result->tuple_elements());
  return is_nested ? absl::StrCat("callbridge; ", xla, " refuse nested results") : xla;
}

LayoutPlan HostPlan(absl::Span<const Shape> operands, const Shape* result,
                    TupleLayout tuple_layout) {
  LayoutPlanner planner;
  planner.PlanHost(operands, result, tuple_layout);
  LayoutPlan plan = std::move(planner).Take();
  plan.title = absl::StrCat("CPU, ", TupleLayoutName(tuple_layout), " tuple layout");
  plan.callers = CallersOn(tuple_layout, result);
  plan.signature = "void target(void* out, const void** in)";
  plan.tuple_layouts = {tuple_layout};
  return plan;
}

LayoutPlan HostPlanOfAnyLayout(absl::Span<const Shape> operands, const Shape* result) {
  LayoutPlan plan = HostPlan(operands, result, TupleLayout::kNested);
  plan.title = "CPU, both tuple layouts";
  plan.callers = "all runtimes";
  plan.tuple_layouts = {TupleLayout::kNested, TupleLayout::kFlat};
  return plan;
}

LayoutPlan GpuPlan(absl::Span<const Shape> operands, const Shape* result) {
  LayoutPlanner planner;
  planner.PlanGpu(operands, result);
  LayoutPlan plan = std::move(planner).Take();
  plan.title = "GPU";
  plan.callers = "all runtimes";
  plan.signature =
      "void target(CUstream stream, void** buffers, const char* opaque, size_t opaque_len)";
  return plan;
}

}  // namespace

std::string PointeeText(const LayoutSlot& slot) {
  if (slot.table.has_value()) return "";
  return absl::StrCat(ShapeText(*slot.shape), slot.shape->IsToken() ? " (no buffer)" : "");
}

std::vector<LayoutPlan> PlanLayouts(absl::Span<const Shape> operands, const Shape* result,
                                    std::optional<TupleLayout> tuple_layout) {
  std::vector<LayoutPlan> plans;
  if (!TupleLayoutsDiffer(operands, result)) {
    plans.push_back(HostPlanOfAnyLayout(operands, result));
  } else {
    for (const TupleLayout each : {TupleLayout::kNested, TupleLayout::kFlat}) {
      if (tuple_layout.value_or(each) == each) plans.push_back(HostPlan(operands, result, each));
    }
  }
  plans.push_back(GpuPlan(operands, result));
  return plans;
}

}  // namespace callbridge
