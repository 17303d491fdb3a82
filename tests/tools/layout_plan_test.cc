#include "callbridge/tools/layout/layout_plan.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/abi/pointer_tables.h"
#include "callbridge/abi/shape_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;

// The operands and the result of one call, one tuple.
Shape Call(absl::string_view text) { return *ParseShape(text); }

std::vector<LayoutPlan> PlansOf(const Shape& call,
                                std::optional<TupleLayout> tuple_layout = std::nullopt) {
  const absl::Span<const Shape> shapes = call.tuple_elements();
  return PlanLayouts(shapes.subspan(0, shapes.size() - 1), &shapes.back(), tuple_layout);
}

std::vector<std::string> Titles(const std::vector<LayoutPlan>& plans) {
  std::vector<std::string> titles;
  titles.reserve(plans.size());
  for (const LayoutPlan& plan : plans) titles.push_back(plan.title);
  return titles;
}

// Reads pointers as a target would that follows the plan.
class Reader {
 public:
  explicit Reader(const LayoutPlan& plan) : plan_(plan) {}

  void Read(const LayoutSlot& slot, void* pointer) {
    if (!slot.table.has_value()) {
      leaves_.push_back(pointer);
      return;
    }
    ASSERT_NE(pointer, nullptr);
    const std::vector<LayoutSlot>& slots = plan_.tables[*slot.table].slots;
    for (size_t i = 0; i < slots.size(); ++i) Read(slots[i], static_cast<void**>(pointer)[i]);
  }

  const std::vector<void*>& leaves() const { return leaves_; }

 private:
  const LayoutPlan& plan_;
  std::vector<void*> leaves_;
};

// Stand-ins for the arrays of a call.
std::vector<void*> Buffers(size_t count) {
  static char memory[64];
  std::vector<void*> buffers(count);
  for (size_t i = 0; i < count; ++i) buffers[i] = memory + i;
  return buffers;
}

// The parameter leads to the leaves, in order, in the tables that calls really get.
void ExpectLeadsToLeaves(const LayoutPlan& plan, const LayoutParameter& parameter,
                         const PointerTables& tables) {
  std::vector<void*> leaves = Buffers(tables.leaf_count());
  std::vector<void*> slots(tables.slot_count() + 1);
  void** list = tables.Fill(leaves.data(), slots.data());
  // An empty list has an address all the same.
  void* no_leaves = nullptr;
  void* argument = tables.is_single_leaf() ? leaves[0] : list == nullptr ? &no_leaves : list;
  Reader reader(plan);
  reader.Read(parameter.slot, argument);
  EXPECT_EQ(reader.leaves(), leaves) << plan.title << " " << parameter.name;
}

constexpr const char* kCalls[] = {
    "((f32[32],(f32[64],f32[128]),f32[256]),(f32[512],f32[1024]))",
    "(f32[],f32[])",
    "(f32[])",
    "(())",
    "((),f32[],())",
    "(f32[],((())),(f32[]))",
    "((token[],(s4[2],(),(pred[]))),token[],token[])",
    "(f32[],(f32[],(f32[],f32[])),(f32[],((),f32[]),token[]))",
    "((u8[],u8[],u8[],u8[],u8[],u8[],(u8[],u8[])),u8[],(u8[],(u8[])))",
};

TEST(PlanLayouts, AgreesWithTheTablesThatCallsGet) {
  for (const char* text : kCalls) {
    SCOPED_TRACE(text);
    const Shape call = Call(text);
    const absl::Span<const Shape> shapes = call.tuple_elements();
    for (const LayoutPlan& plan : PlansOf(call)) {
      for (const TupleLayout tuple_layout : plan.tuple_layouts) {
        ExpectLeadsToLeaves(
            plan, plan.parameters[0],
            PointerTables::ForOperands(shapes.subspan(0, shapes.size() - 1), tuple_layout));
        ExpectLeadsToLeaves(plan, plan.parameters[1],
                            PointerTables::ForResult(shapes.back(), tuple_layout));
      }
    }
  }
}

TEST(PlanLayouts, GpuHasAllLeavesInOneList) {
  for (const char* text : kCalls) {
    SCOPED_TRACE(text);
    const Shape call = Call(text);
    const LayoutPlan gpu = PlansOf(call).back();
    ASSERT_EQ(gpu.tables.size(), 1);
    std::vector<const Shape*> shapes;
    for (const LayoutSlot& slot : gpu.tables[0].slots) shapes.push_back(slot.shape);
    EXPECT_EQ(shapes, call.Leaves());
    const int64_t results = call.tuple_elements().back().LeafCount();
    for (const LayoutSlot& slot : gpu.tables[0].slots) {
      EXPECT_EQ(slot.is_result, &slot >= &gpu.tables[0].slots.back() + 1 - results);
    }
  }
}

TEST(PlanLayouts, ErasAreOnePlanWhereTheyAreAlike) {
  EXPECT_THAT(Titles(PlansOf(Call("(f32[],token[],(f32[],f32[]))"))),
              ElementsAre("CPU, both tuple layouts", "GPU"));
  EXPECT_THAT(Titles(PlansOf(Call("(f32[],f32[])"), TupleLayout::kFlat)),
              ElementsAre("CPU, both tuple layouts", "GPU"));
  EXPECT_THAT(Titles(PlansOf(Call("((),f32[])"))),
              ElementsAre("CPU, nested tuple layout", "CPU, flat tuple layout", "GPU"));
  EXPECT_THAT(Titles(PlansOf(Call("(f32[],(f32[],()))"))),
              ElementsAre("CPU, nested tuple layout", "CPU, flat tuple layout", "GPU"));
  EXPECT_THAT(Titles(PlansOf(Call("((f32[]),f32[])"), TupleLayout::kFlat)),
              ElementsAre("CPU, flat tuple layout", "GPU"));
  EXPECT_THAT(Titles(PlansOf(Call("((f32[]),f32[])"), TupleLayout::kNested)),
              ElementsAre("CPU, nested tuple layout", "GPU"));
}

TEST(PlanLayouts, NamesSayThePlaceInTheShape) {
  const Shape call = Call("(f32[],(s8[],(s16[])),(u8[],u16[]))");
  const std::vector<LayoutPlan> plans = PlansOf(call);
  std::vector<std::string> nested;
  for (const LayoutTable& table : plans[0].tables) {
    for (const LayoutSlot& slot : table.slots) nested.push_back(table.name + ":" + slot.name);
  }
  EXPECT_THAT(nested,
              ElementsAre("in:p0", "in:p1", "p1:p1_0", "p1:p1_1", "p1_1:p1_1_0", "r:r_0", "r:r_1"));
  std::vector<std::string> gpu;
  for (const LayoutSlot& slot : plans[2].tables[0].slots) gpu.push_back(slot.name);
  EXPECT_THAT(gpu, ElementsAre("p0", "p1_0", "p1_1_0", "r_0", "r_1"));
}

TEST(PlanLayouts, WithoutAResult) {
  const Shape operand = *ParseShape("f32[]");
  for (const LayoutPlan& plan : PlanLayouts({operand}, nullptr, std::nullopt)) {
    EXPECT_EQ(plan.parameters.size(), 1);
    EXPECT_EQ(plan.tables.size(), 1);
  }
}

TEST(PlanLayouts, SaysThatNoXlaPassesNestedResults) {
  EXPECT_EQ(PlansOf(Call("((f32[]))"), TupleLayout::kNested)[0].callers, "all runtimes");
  EXPECT_EQ(PlansOf(Call("(((f32[])))"), TupleLayout::kNested)[0].callers,
            "callbridge; TensorFlow 2.13.1, jaxlib <= 0.4.30 refuse nested results");
  EXPECT_EQ(PlansOf(Call("(((f32[])))"), TupleLayout::kFlat)[0].callers,
            "TensorFlow 2.21.0, jaxlib >= 0.4.38");
  EXPECT_EQ(PlansOf(Call("((f32[]),(f32[]))"), TupleLayout::kNested)[0].callers,
            "TensorFlow 2.13.1, jaxlib <= 0.4.30");
}

}  // namespace
}  // namespace callbridge
