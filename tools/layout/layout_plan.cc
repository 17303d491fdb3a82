#include "callbridge/tools/layout/layout_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge {
namespace {

class Planner {
 public:
  // Host. The result may be null.
  void PlanHost(absl::Span<const Shape> operands, const Shape* result, TupleLayout tuple_layout) {
    tuple_layout_ = tuple_layout;
    const size_t in = AddTable("in");
    plan_.parameters.push_back({"in", {"in", nullptr, false, in}});
    AppendElements(in, operands, "p", false);
    if (result != nullptr) plan_.parameters.push_back({"out", SlotOf(*result, "r", true)});
  }

  void PlanGpu(absl::Span<const Shape> operands, const Shape* result) {
    tuple_layout_ = TupleLayout::kFlat;
    const size_t buffers = AddTable("buffers");
    plan_.parameters.push_back({"buffers", {"buffers", nullptr, false, buffers}});
    AppendElements(buffers, operands, "p", false);
    if (result != nullptr) AppendLeaves(buffers, *result, "r", true);
  }

  LayoutPlan Take() && { return std::move(plan_); }

 private:
  size_t AddTable(std::string name) {
    plan_.tables.push_back({std::move(name), {}});
    return plan_.tables.size() - 1;
  }

  void AppendElements(size_t table, absl::Span<const Shape> elements, const std::string& prefix,
                      bool is_result) {
    for (size_t i = 0; i < elements.size(); ++i) {
      const std::string name = absl::StrCat(prefix, i);
      if (tuple_layout_ == TupleLayout::kFlat) {
        AppendLeaves(table, elements[i], name, is_result);
      } else {
        // Not in one line: planning the slot adds tables.
        LayoutSlot slot = SlotOf(elements[i], name, is_result);
        plan_.tables[table].slots.push_back(std::move(slot));
      }
    }
  }

  void AppendLeaves(size_t table, const Shape& shape, const std::string& name, bool is_result) {
    if (!shape.IsTuple()) plan_.tables[table].slots.push_back({name, &shape, is_result});
    for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
      AppendLeaves(table, shape.tuple_elements()[i], absl::StrCat(name, "_", i), is_result);
    }
  }

  LayoutSlot SlotOf(const Shape& shape, const std::string& name, bool is_result) {
    LayoutSlot slot{name, &shape, is_result};
    if (shape.IsTuple()) {
      slot.table = AddTable(name);
      AppendElements(*slot.table, shape.tuple_elements(), absl::StrCat(name, "_"), is_result);
    }
    return slot;
  }

  TupleLayout tuple_layout_ = TupleLayout::kNested;
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
  Planner planner;
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
  Planner planner;
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
