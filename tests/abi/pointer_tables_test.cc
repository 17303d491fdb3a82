#include "callbridge/abi/pointer_tables.h"

#include <random>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

constexpr TupleLayout kNested = TupleLayout::kNested;
constexpr TupleLayout kFlat = TupleLayout::kFlat;

std::vector<Shape> Parse(const std::vector<const char*>& texts) {
  std::vector<Shape> shapes;
  shapes.reserve(texts.size());
  for (const char* text : texts) shapes.push_back(ParseShape(text).value());
  return shapes;
}

// One call of `tables`: leaf i is the address of buffer i, and slots that Fill() has no business
// with stand guard behind those that it has.
class Call {
 public:
  explicit Call(const PointerTables& tables)
      : buffers_(tables.leaf_count() + 1), slots_(tables.slot_count() + kGuards, &guard_) {
    for (uint32_t i = 0; i < tables.leaf_count(); ++i) leaves_.push_back(leaf(i));
    // Not empty, so that data() is no null pointer.
    leaves_.push_back(&guard_);
    list_ = tables.Fill(leaves_.data(), slots_.data());
    EXPECT_EQ(list_, tables.slot_count() == 0 ? leaves_.data() : slots_.data());
    for (uint32_t i = 0; i < tables.slot_count(); ++i) EXPECT_NE(slots_[i], &guard_) << i;
    for (size_t i = tables.slot_count(); i < slots_.size(); ++i) EXPECT_EQ(slots_[i], &guard_);
    for (uint32_t i = 0; i < tables.leaf_count(); ++i) EXPECT_EQ(leaves_[i], leaf(i));
  }

  void* leaf(size_t i) { return &buffers_[i]; }
  void** leaves() { return leaves_.data(); }
  void** slots() { return slots_.data(); }
  void** list() { return list_; }

 private:
  static constexpr size_t kGuards = 8;
  char guard_ = 0;
  std::vector<char> buffers_;
  std::vector<void*> leaves_;
  std::vector<void*> slots_;
  void** list_;
};

void** ListAt(void* slot) { return static_cast<void**>(slot); }

// What a target sees that walks `list` as the documentation tells it to.
void Walk(absl::Span<const Shape> elements, void** list, std::vector<void*>* seen) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].IsTuple()) {
      ASSERT_NE(list[i], nullptr);
      Walk(elements[i].tuple_elements(), ListAt(list[i]), seen);
    } else {
      seen->push_back(list[i]);
    }
  }
}

void ExpectNestedListsOf(absl::Span<const Shape> elements, const PointerTables& tables) {
  Call call(tables);
  std::vector<void*> seen;
  Walk(elements, call.list(), &seen);
  ASSERT_EQ(seen.size(), tables.leaf_count());
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], call.leaf(i)) << i;
}

TEST(PointerTablesTest, ArraysAndTokensAreTheCallersList) {
  for (TupleLayout tuple_layout : {kNested, kFlat}) {
    const PointerTables tables =
        PointerTables::ForOperands(Parse({"f32[2]", "token[]", "s32[]"}), tuple_layout);
    EXPECT_EQ(tables.leaf_count(), 3u);
    EXPECT_EQ(tables.slot_count(), 0u);
    EXPECT_FALSE(tables.is_single_leaf());
    Call call(tables);
    EXPECT_EQ(call.list(), call.leaves());
  }
}

TEST(PointerTablesTest, NoOperands) {
  for (TupleLayout tuple_layout : {kNested, kFlat}) {
    const PointerTables tables = PointerTables::ForOperands({}, tuple_layout);
    EXPECT_EQ(tables.leaf_count(), 0u);
    EXPECT_EQ(tables.slot_count(), 0u);
    EXPECT_FALSE(tables.is_single_leaf());
  }
}

// XLA's documentation of custom calls: one operand, and in[0][1] is the inner tuple.
TEST(PointerTablesTest, DocumentedExampleAsOneOperand) {
  const std::vector<Shape> operands = Parse({"(f32[32],(f32[64],f32[128]),f32[256])"});
  const PointerTables tables = PointerTables::ForOperands(operands, kNested);
  EXPECT_EQ(tables.leaf_count(), 4u);
  EXPECT_EQ(tables.slot_count(), 4u);
  Call call(tables);
  void** const in = call.list();
  EXPECT_EQ(in, call.slots());
  void** const outer = ListAt(in[0]);
  EXPECT_EQ(outer, call.slots() + 1);
  EXPECT_EQ(outer[0], call.leaf(0));
  EXPECT_EQ(outer[1], call.leaves() + 1);
  EXPECT_EQ(ListAt(outer[1])[0], call.leaf(1));
  EXPECT_EQ(ListAt(outer[1])[1], call.leaf(2));
  EXPECT_EQ(outer[2], call.leaf(3));
}

TEST(PointerTablesTest, DocumentedExampleAsThreeOperands) {
  const std::vector<Shape> operands = Parse({"f32[32]", "(f32[64],f32[128])", "f32[256]"});
  const PointerTables tables = PointerTables::ForOperands(operands, kNested);
  EXPECT_EQ(tables.leaf_count(), 4u);
  EXPECT_EQ(tables.slot_count(), 3u);
  Call call(tables);
  EXPECT_EQ(call.list()[0], call.leaf(0));
  EXPECT_EQ(call.list()[1], call.leaves() + 1);
  EXPECT_EQ(call.list()[2], call.leaf(3));
}

TEST(PointerTablesTest, DocumentedExampleFlat) {
  for (const std::vector<Shape>& operands :
       {Parse({"(f32[32],(f32[64],f32[128]),f32[256])"}),
        Parse({"f32[32]", "(f32[64],f32[128])", "f32[256]"})}) {
    const PointerTables tables = PointerTables::ForOperands(operands, kFlat);
    EXPECT_EQ(tables.leaf_count(), 4u);
    EXPECT_EQ(tables.slot_count(), 0u);
  }
}

TEST(PointerTablesTest, DocumentedExampleAsResult) {
  const Shape result = ParseShape("(f32[32],(f32[64],f32[128]),f32[256])").value();
  const PointerTables nested = PointerTables::ForResult(result, kNested);
  EXPECT_EQ(nested.leaf_count(), 4u);
  EXPECT_EQ(nested.slot_count(), 3u);
  EXPECT_FALSE(nested.is_single_leaf());
  Call call(nested);
  EXPECT_EQ(call.list()[0], call.leaf(0));
  EXPECT_EQ(call.list()[1], call.leaves() + 1);
  EXPECT_EQ(call.list()[2], call.leaf(3));

  const PointerTables flat = PointerTables::ForResult(result, kFlat);
  EXPECT_EQ(flat.leaf_count(), 4u);
  EXPECT_EQ(flat.slot_count(), 0u);
  EXPECT_FALSE(flat.is_single_leaf());
}

TEST(PointerTablesTest, ArrayAndTokenResultsAreNoList) {
  for (const char* text : {"f32[]", "f32[8,4]", "token[]"}) {
    for (TupleLayout tuple_layout : {kNested, kFlat}) {
      const PointerTables tables = PointerTables::ForResult(ParseShape(text).value(), tuple_layout);
      EXPECT_TRUE(tables.is_single_leaf());
      EXPECT_EQ(tables.leaf_count(), 1u);
      EXPECT_EQ(tables.slot_count(), 0u);
    }
  }
}

TEST(PointerTablesTest, TupleResultsOfLeavesAreTheCallersList) {
  const struct {
    const char* text;
    uint32_t leaves;
  } kCases[] = {{"()", 0}, {"(f32[])", 1}, {"(f32[],token[])", 2}};
  for (const auto& c : kCases) {
    for (TupleLayout tuple_layout : {kNested, kFlat}) {
      const PointerTables tables =
          PointerTables::ForResult(ParseShape(c.text).value(), tuple_layout);
      EXPECT_FALSE(tables.is_single_leaf()) << c.text;
      EXPECT_EQ(tables.leaf_count(), c.leaves) << c.text;
      EXPECT_EQ(tables.slot_count(), 0u) << c.text;
    }
  }
}

TEST(PointerTablesTest, OneElementTuples) {
  const PointerTables one = PointerTables::ForOperands(Parse({"(f32[])"}), kNested);
  EXPECT_EQ(one.slot_count(), 1u);
  Call call(one);
  EXPECT_EQ(call.list()[0], call.leaves());

  const PointerTables three = PointerTables::ForOperands(Parse({"(((f32[])))"}), kNested);
  EXPECT_EQ(three.slot_count(), 3u);
  Call deep(three);
  EXPECT_EQ(deep.list()[0], deep.slots() + 1);
  EXPECT_EQ(deep.slots()[1], deep.slots() + 2);
  EXPECT_EQ(deep.slots()[2], deep.leaves());
}

TEST(PointerTablesTest, EmptyTuplesHaveSlotsInTheClassicEra) {
  const struct {
    std::vector<const char*> operands;
    uint32_t slots;
    uint32_t leaves;
  } kCases[] = {
      {{"()"}, 1, 0},
      {{"()", "f32[]"}, 2, 1},
      {{"f32[]", "()"}, 2, 1},
      {{"f32[]", "()", "f32[]"}, 3, 2},
      {{"()", "()"}, 2, 0},
      {{"(())"}, 2, 0},
      {{"((),f32[])"}, 3, 1},
      {{"(f32[],())"}, 3, 1},
      {{"(f32[],(),f32[])", "(())"}, 6, 2},
  };
  for (const auto& c : kCases) {
    const std::vector<Shape> operands = Parse(c.operands);
    const PointerTables nested = PointerTables::ForOperands(operands, kNested);
    EXPECT_EQ(nested.slot_count(), c.slots);
    EXPECT_EQ(nested.leaf_count(), c.leaves);
    ExpectNestedListsOf(operands, nested);

    const PointerTables flat = PointerTables::ForOperands(operands, kFlat);
    EXPECT_EQ(flat.slot_count(), 0u);
    EXPECT_EQ(flat.leaf_count(), c.leaves);
  }
}

// A caller without a leaf may have no list either.
TEST(PointerTablesTest, EmptyTuplesPointSomewhereWithoutLeaves) {
  const PointerTables tables = PointerTables::ForOperands(Parse({"()", "(())"}), kNested);
  ASSERT_EQ(tables.slot_count(), 3u);
  void* slots[3] = {};
  tables.Fill(nullptr, slots);
  for (void* slot : slots) EXPECT_NE(slot, nullptr);
}

TEST(PointerTablesTest, TokensKeepTheirNullPointers) {
  const std::vector<Shape> operands = Parse({"token[]", "(f32[],(token[],f32[]))"});
  const PointerTables tables = PointerTables::ForOperands(operands, kNested);
  char a, b;
  void* leaves[] = {nullptr, &a, nullptr, &b};
  std::vector<void*> slots(tables.slot_count());
  void** const in = tables.Fill(leaves, slots.data());
  EXPECT_EQ(in[0], nullptr);
  EXPECT_EQ(ListAt(in[1])[0], &a);
  EXPECT_EQ(ListAt(ListAt(in[1])[1])[0], nullptr);
  EXPECT_EQ(ListAt(ListAt(in[1])[1])[1], &b);
}

// Lists long enough for every remainder of the block copy, before and behind a tuple.
TEST(PointerTablesTest, RunsOfLeavesOfEveryLength) {
  for (size_t before = 0; before <= 9; ++before) {
    for (size_t behind = 0; behind <= 9; ++behind) {
      std::vector<Shape> operands(before, ParseShape("f32[]").value());
      operands.push_back(ParseShape("(s8[],(s8[],s8[]))").value());
      operands.insert(operands.end(), behind, ParseShape("f32[]").value());
      ExpectNestedListsOf(operands, PointerTables::ForOperands(operands, kNested));
    }
  }
}

// Neighbouring leaves, but only the first and the last slot are as far apart as in a block.
TEST(PointerTablesTest, LeavesOfOtherListsAreNoRun) {
  const std::vector<Shape> operands = Parse({"f32[]", "((),f32[])", "((),f32[])", "f32[]"});
  ExpectNestedListsOf(operands, PointerTables::ForOperands(operands, kNested));
}

TEST(PointerTablesTest, DeepNesting) {
  const Shape leaf = ParseShape("s8[]").value();
  Shape shape = leaf;
  for (int depth = 0; depth < Shape::kMaxTupleDepth; ++depth) {
    shape = Shape::MakeTuple(depth % 2 == 0 ? std::vector<Shape>{shape, leaf}
                                            : std::vector<Shape>{leaf, shape})
                .value();
  }
  const PointerTables tables = PointerTables::ForOperands({shape}, kNested);
  EXPECT_EQ(tables.leaf_count(), Shape::kMaxTupleDepth + 1u);
  ExpectNestedListsOf({shape}, tables);
}

class RandomShapes {
 public:
  explicit RandomShapes(uint32_t seed) : random_(seed) {}

  Shape Next(int depth) {
    const size_t kind = Below(depth == 0 ? 2 : 5);
    if (kind == 0) return Shape::MakeToken();
    if (kind < 3) return Shape::MakeArray(PrimitiveType::kF32, {}).value();
    return Shape::MakeTuple(NextList(depth - 1)).value();
  }

  std::vector<Shape> NextList(int depth) {
    std::vector<Shape> shapes;
    for (size_t count = Below(6); count > 0; --count) shapes.push_back(Next(depth));
    return shapes;
  }

 private:
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  std::mt19937 random_;
};

TEST(PointerTablesTest, RandomTreesAreWalkedInPreorder) {
  RandomShapes random(20240603);
  int with_slots = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Shape> operands = random.NextList(/*depth=*/5);
    SCOPED_TRACE(ShapeText(Shape::MakeTuple(operands).value()));
    int64_t leaf_count = 0;
    for (const Shape& operand : operands) leaf_count += operand.LeafCount();

    const PointerTables nested = PointerTables::ForOperands(operands, kNested);
    ASSERT_EQ(nested.leaf_count(), leaf_count);
    ExpectNestedListsOf(operands, nested);
    if (nested.slot_count() != 0) ++with_slots;

    const PointerTables flat = PointerTables::ForOperands(operands, kFlat);
    ASSERT_EQ(flat.leaf_count(), leaf_count);
    ASSERT_EQ(flat.slot_count(), 0u);

    const Shape result = Shape::MakeTuple(operands).value();
    ExpectNestedListsOf(operands, PointerTables::ForResult(result, kNested));
    ASSERT_EQ(PointerTables::ForResult(result, kFlat).slot_count(), 0u);
    ASSERT_EQ(PointerTables::ForResult(result, kFlat).leaf_count(), leaf_count);
    if (HasFailure()) return;
  }
  EXPECT_GT(with_slots, 1000);
}

}  // namespace
}  // namespace callbridge
