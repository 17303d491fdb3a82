#include "callbridge/tools/layout/layout_geometry.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

bool Overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::vector<Box> Boxes(const PlanGeometry& geometry) {
  std::vector<Box> boxes = geometry.parameters;
  boxes.insert(boxes.end(), geometry.tables.begin(), geometry.tables.end());
  for (const Box& array : geometry.arrays) {
    if (array.width != 0) boxes.push_back(array);
  }
  return boxes;
}

class Geometry : public ::testing::TestWithParam<const char*> {
 protected:
  Geometry()
      : operands_(*ParseShape(GetParam())),
        result_(*ParseShape("(f32[8],(f32[],()),u8[])")),
        plans_(PlanLayouts(operands_.tuple_elements(), &result_, std::nullopt)) {}

  const Shape operands_;
  const Shape result_;
  const std::vector<LayoutPlan> plans_;
};

TEST_P(Geometry, BoxesDoNotOverlapAndAreInTheFrame) {
  for (const LayoutPlan& plan : plans_) {
    const PlanGeometry geometry = ArrangePlan(plan, 5, 7);
    const std::vector<Box> boxes = Boxes(geometry);
    for (const Box& box : boxes) {
      EXPECT_GE(box.x, 5);
      EXPECT_GE(box.y, 7);
      EXPECT_LE(box.right(), geometry.right);
      EXPECT_LE(box.bottom(), geometry.bottom);
      for (const Box& other : boxes) EXPECT_TRUE(&box == &other || !Overlap(box, other));
    }
  }
}

TEST_P(Geometry, ArrowsLeadRightAndDownInOrder) {
  for (const LayoutPlan& plan : plans_) {
    const PlanGeometry geometry = ArrangePlan(plan, 0, 0);
    for (size_t i = 0; i < plan.tables.size(); ++i) {
      int above = 0;
      for (size_t slot = 0; slot < plan.tables[i].slots.size(); ++slot) {
        const std::optional<size_t> table = plan.tables[i].slots[slot].table;
        if (!table.has_value()) continue;
        const Box from = SlotBox(geometry.tables[i], slot);
        const Box to = HeaderBox(geometry.tables[*table]);
        EXPECT_GT(to.x, from.right());
        EXPECT_GE(to.y, from.y);
        EXPECT_GT(to.y, above);
        above = to.y;
      }
    }
  }
}

TEST_P(Geometry, TextFitsItsColumn) {
  for (const LayoutPlan& plan : plans_) {
    const PlanGeometry geometry = ArrangePlan(plan, 0, 0);
    for (size_t i = 0; i < plan.tables.size(); ++i) {
      const TableColumns& columns = geometry.columns[i];
      for (size_t slot = 0; slot < plan.tables[i].slots.size(); ++slot) {
        const LayoutSlot& content = plan.tables[i].slots[slot];
        EXPECT_LT(TextWidth(IndexText(slot)) + TextWidth(OffsetText(slot)), columns.name);
        EXPECT_LT(columns.name + TextWidth(content.name), columns.target);
        EXPECT_LT(columns.target + TextWidth(PointeeText(content)), geometry.tables[i].width);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, Geometry,
    ::testing::Values("()", "(f32[],token[])", "((),(),())",
                      "((f32[32],(f32[64],f32[128]),f32[256]))",
                      "(((((u8[])))),((u8[],(u8[],u8[],u8[])),(u8[])),u8[],((u8[]),()))",
                      "(((f32[],f32[],f32[],f32[]),(f32[])),((f32[]),(f32[])),(f32[]))"));

TEST(PlanGeometry, TablesOfOneDepthStandInOneColumn) {
  const Shape operands = *ParseShape("((f32[123456]),(u8[]))");
  const LayoutPlan plan = PlanLayouts(operands.tuple_elements(), nullptr, TupleLayout::kNested)[0];
  const PlanGeometry geometry = ArrangePlan(plan, 0, 0);
  ASSERT_EQ(geometry.tables.size(), 3);
  EXPECT_EQ(geometry.tables[1].x, geometry.tables[2].x);
  EXPECT_EQ(geometry.tables[1].width, geometry.tables[2].width);
  // The first stands beside its slot, so that its arrow is straight.
  EXPECT_EQ(geometry.tables[1].y, SlotBox(geometry.tables[0], 0).y);
}

}  // namespace
}  // namespace callbridge
