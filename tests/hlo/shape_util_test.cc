// Making, measuring and comparing shapes; xla_data.proto's programs; and what ends the process.
#include "callbridge/hlo/shape_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/text_format.h"

namespace {

using ::testing::ElementsAre;
using ::xla::Shape;
using ::xla::ShapeIndex;
using ::xla::ShapeUtil;
using ::xla::Tile;

Shape F32(std::vector<int64_t> dimensions) { return ShapeUtil::MakeShape(xla::F32, dimensions); }
Shape Tuple(std::vector<Shape> shapes) { return ShapeUtil::MakeTupleShape(shapes); }
Shape Token() { return ShapeUtil::MakeTokenShape(); }
Shape Opaque() { return ShapeUtil::MakeOpaqueShape(); }
Shape Bare(Shape shape) {
  shape.clear_layout();
  return shape;
}
Shape With(const std::vector<Tile>& tiles, int64_t element_size, int64_t memory_space) {
  return ShapeUtil::MakeShapeWithLayout(xla::F32, {2, 3}, {1, 0}, tiles, element_size,
                                        memory_space);
}

struct Comparison {
  const char* name;
  std::function<bool(const Shape&, const Shape&)> equal;
};

std::vector<Comparison> Comparisons() {
  return {
      {"==", Shape::Equal()},
      {"Layout", Shape::Equal().IgnoreLayout()},
      {"Tiles", Shape::Equal().IgnoreTilesInLayout()},
      {"ElementSize", Shape::Equal().IgnoreElementSizeInLayout()},
      {"MemorySpace", Shape::Equal().IgnoreMemorySpaceInLayout()},
      {"MinorToMajor", Shape::Equal().MinorToMajorOnlyInLayout()},
      {"Type", Shape::Equal().IgnoreElementType()},
      {"Precision", Shape::Equal().IgnoreFpPrecision()},
      {"Dynamic", Shape::Equal().IgnoreDynamicDimension()},
      {"Dimensions", Shape::Equal().IgnoreDimensions()},
      {"Equal", ShapeUtil::Equal},
      {"EqualIgnoringType", ShapeUtil::EqualIgnoringElementType},
      {"Compatible", ShapeUtil::Compatible},
      {"CompatibleIgnoringType", ShapeUtil::CompatibleIgnoringElementType},
      {"CompatibleIgnoringPrecision", ShapeUtil::CompatibleIgnoringFpPrecision},
  };
}

TEST(Shape, ComparesAllThatIsNotToldToBeIgnored) {
  const Shape base = F32({2, 3});
  const std::string all =
      "== Layout Tiles ElementSize MemorySpace MinorToMajor Type Precision Dynamic Dimensions "
      "Equal "
      "EqualIgnoringType Compatible CompatibleIgnoringType CompatibleIgnoringPrecision ";
  const std::string compatible = "Compatible CompatibleIgnoringType CompatibleIgnoringPrecision ";
  const std::tuple<Shape, Shape, std::string> cases[] = {
      {base, base, all},
      {Bare(base), Bare(base), all},
      {base, ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1}), "Layout " + compatible},
      {base, Bare(base), "Layout " + compatible},
      {base, With({Tile({8})}, 0, 0), "Layout Tiles MinorToMajor " + compatible},
      {base, With({}, 16, 0), "Layout ElementSize MinorToMajor " + compatible},
      {base, With({}, 0, 2), "Layout MemorySpace MinorToMajor " + compatible},
      {base, ShapeUtil::MakeShape(xla::F64, {2, 3}),
       "Type Precision EqualIgnoringType CompatibleIgnoringType CompatibleIgnoringPrecision "},
      {base, ShapeUtil::MakeShape(xla::S32, {2, 3}),
       "Type EqualIgnoringType CompatibleIgnoringType "},
      {ShapeUtil::MakeShape(xla::S64, {2, 3}), ShapeUtil::MakeShape(xla::S32, {2, 3}),
       "Type EqualIgnoringType CompatibleIgnoringType "},
      {base, F32({3, 2}), "Dimensions "},
      {base, F32({2}), ""},
      {Bare(base), Bare(F32({2})), ""},
      {base, ShapeUtil::MakeShape(xla::F32, {2, 3}, {true, false}), "Dynamic " + compatible},
      {Token(), Token(), all},
      {Opaque(), Opaque(), all},
      {Token(), Opaque(), ""},
      {Token(), Bare(F32({})), ""},
      {Opaque(), F32({}), ""},
      {Tuple({}), Tuple({}), all},
      {Tuple({}), Token(), ""},
      {Tuple({base, Token()}), Tuple({base, Token()}), all},
      {Tuple({base}), Tuple({base, base}), ""},
      {Tuple({base}), base, ""},
      {Tuple({base, F32({2, 3})}), Tuple({base, F32({3, 2})}), "Dimensions "},
      {Tuple({base, base}), Tuple({base, Bare(base)}), "Layout " + compatible},
      {Tuple({base, Tuple({base})}), Tuple({base, Tuple({ShapeUtil::MakeShape(xla::S32, {2, 3})})}),
       "Type EqualIgnoringType CompatibleIgnoringType "},
  };
  for (const auto& [left, right, expected] : cases) {
    std::string equal;
    std::string other_way;
    for (const Comparison& comparison : Comparisons()) {
      if (comparison.equal(left, right)) equal.append(comparison.name).append(" ");
      if (comparison.equal(right, left)) other_way.append(comparison.name).append(" ");
    }
    EXPECT_EQ(equal, expected) << left << " and " << right;
    EXPECT_EQ(other_way, expected) << right << " and " << left;
    EXPECT_EQ(left == right, expected == all);
    EXPECT_EQ(left != right, expected != all);
  }
}

TEST(ShapeUtil, ComparesPartsOfArrays) {
  const Shape other_type = ShapeUtil::MakeShape(xla::S8, {2, 3});
  // Dimensions, rank and element type.
  const std::tuple<Shape, Shape, const char*> cases[] = {
      {F32({2, 3}), F32({2, 3}), "111"}, {F32({2, 3}), other_type, "110"},
      {F32({2, 3}), F32({3, 2}), "011"}, {F32({2, 3}), F32({2}), "001"},
      {F32({}), Token(), "000"},         {Token(), F32({}), "000"},
      {Token(), Token(), "001"},         {Tuple({}), Tuple({}), "001"},
  };
  for (const auto& [left, right, expected] : cases) {
    std::string same;
    for (const bool one : {ShapeUtil::SameDimensions(left, right), ShapeUtil::SameRank(left, right),
                           ShapeUtil::SameElementType(left, right)}) {
      same += one ? '1' : '0';
    }
    EXPECT_EQ(same, expected) << left << " and " << right;
  }
}

TEST(ShapeUtil, TellsKindsOfShapes) {
  const std::pair<const char*, std::function<bool(const Shape&)>> kinds[] = {
      {"array", [](const Shape& shape) { return shape.IsArray(); }},
      {"tuple", [](const Shape& shape) { return shape.IsTuple(); }},
      {"token", [](const Shape& shape) { return shape.IsToken(); }},
      {"opaque", [](const Shape& shape) { return shape.IsOpaque(); }},
      {"integer", [](const Shape& shape) { return shape.IsInteger(); }},
      {"static", [](const Shape& shape) { return shape.is_static() && !shape.is_dynamic(); }},
      {"scalar", ShapeUtil::IsScalar},
      {"one", ShapeUtil::IsEffectiveScalar},
      {"zero", ShapeUtil::IsZeroElementArray},
      {"initialized", ShapeUtil::IsInitialized},
      {"nested", ShapeUtil::IsNestedTuple},
      {"nil", ShapeUtil::IsEmptyTuple},
      {"f32", [](const Shape& shape) { return ShapeUtil::HasPrimitiveType(shape, xla::F32); }},
      {"f32[]",
       [](const Shape& shape) { return ShapeUtil::IsScalarWithElementType(shape, xla::F32); }},
      {"s32[]",
       [](const Shape& shape) { return ShapeUtil::IsScalarWithElementType(shape, xla::S32); }},
  };
  const Shape s32 = ShapeUtil::MakeScalarShape(xla::S32);
  Shape impossible = Token();
  impossible.add_dimensions(0);
  const std::pair<Shape, const char*> cases[] = {
      {Shape(), "static "},
      {F32({}), "array static scalar one initialized f32 f32[] "},
      {s32, "array integer static scalar one initialized s32[] "},
      {F32({1, 1}), "array static one initialized f32 "},
      {F32({1, 2}), "array static initialized f32 "},
      {F32({2, 0}), "array static zero initialized f32 "},
      {ShapeUtil::MakeShape(xla::F32, {2, 2}, {false, true}), "array initialized f32 "},
      {Token(), "token static initialized "},
      {impossible, "token static initialized "},
      {Opaque(), "opaque static initialized "},
      {Tuple({}), "tuple static initialized nil "},
      {Tuple({F32({}), s32}), "tuple integer static initialized f32 "},
      {Tuple({s32, Tuple({F32({})})}), "tuple integer static initialized nested f32 "},
      {Tuple({F32({}), Tuple({ShapeUtil::MakeShape(xla::PRED, {2}, {true})})}),
       "tuple initialized nested f32 "},
      {Tuple({Token()}), "tuple static initialized "},
  };
  for (const auto& [shape, expected] : cases) {
    std::string result;
    for (const auto& [name, is] : kinds) {
      if (is(shape)) result.append(name).append(" ");
    }
    EXPECT_EQ(result, expected) << shape;
  }
  EXPECT_TRUE(ShapeUtil::HasPrimitiveType(Token(), xla::TOKEN));
  EXPECT_TRUE(ShapeUtil::HasPrimitiveType(Tuple({Token()}), xla::TOKEN));
}

TEST(Shape, DimensionsAreAddedChangedAndDeleted) {
  Shape shape(xla::F32, {2, 3}, {true}, {});
  EXPECT_THAT(shape.dynamic_dimensions(), ElementsAre(true, false));
  shape.add_dimensions(4);
  EXPECT_THAT(shape.dynamic_dimensions(), ElementsAre(true, false, false));
  shape.set_dynamic_dimension(2, true);
  shape.set_dimensions(1, 7);
  EXPECT_EQ(shape.ToString(), "f32[<=2,7,<=4]");
  EXPECT_TRUE(shape.is_dynamic_dimension(2));
  EXPECT_FALSE(shape.is_dynamic_dimension(1));
  shape.mutable_dimensions()[0] = 5;
  EXPECT_EQ(shape.dimensions(0), 5);
  EXPECT_EQ(shape.dimensions_size(), 3);
  // Without a layout there is none to mend.
  shape.DeleteDimension(1);
  EXPECT_EQ(shape.ToString(), "f32[<=5,<=4]");
  shape.clear_dimensions();
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_TRUE(shape.dynamic_dimensions().empty());

  Shape ordered = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3, 4, 5}, {1, 3, 0, 2});
  EXPECT_EQ(ordered.dimensions_minor(0), 3);
  EXPECT_EQ(ordered.dimensions_minor(1), 5);
  ordered.DeleteDimension(1);
  EXPECT_EQ(ordered.ToString(true), "f32[2,4,5]{2,0,1}");
  ordered.DeleteDimension(2);
  EXPECT_EQ(ordered.ToString(true), "f32[2,4]{0,1}");
  Shape one_flag(ShapeUtil::MakeShape(xla::F32, {2, 3}).ToProto());
  xla::ShapeProto proto = one_flag.ToProto();
  proto.mutable_is_dynamic_dimension()->Resize(1, true);
  proto.set_is_dynamic_dimension(0, true);
  EXPECT_EQ(Shape(proto).ToString(), "f32[<=2,3]");
}

TEST(Shape, IsSwappedClearedAndPrinted) {
  Shape shape = F32({2});
  Shape other = Tuple({Token()});
  shape.Swap(&other);
  EXPECT_EQ(shape.ToString(), "(token[])");
  EXPECT_EQ(other.ToString(), "f32[2]");
  shape.add_tuple_shapes()->set_element_type(xla::OPAQUE_TYPE);
  shape.mutable_tuple_shapes(0)->set_element_type(xla::TUPLE);
  EXPECT_EQ(shape.ToString(), "((), opaque[])");
  EXPECT_EQ(shape.tuple_shapes_size(), 2);
  shape.clear_tuple_shapes();
  EXPECT_EQ(shape.ToString(), "()");
  other.Clear();
  EXPECT_EQ(other, Shape());
  EXPECT_EQ(F32({2}).ShortDebugString(), F32({2}).ToProto().ShortDebugString());
  EXPECT_EQ(F32({2}).DebugString(), F32({2}).ToProto().DebugString());
  std::ostringstream out;
  out << F32({2});
  EXPECT_EQ(out.str(), "f32[2]{0}");
  EXPECT_EQ(F32({}).ToString(true), "f32[]");
  // Each fifth element is numbered.
  EXPECT_EQ(Tuple(std::vector<Shape>(11, Token())).ToString(),
            "(token[], token[], token[], token[], token[], /*index=5*/token[], token[], token[], "
            "token[], token[], /*index=10*/token[])");
}

TEST(ShapeUtil, MakesShapes) {
  const Shape f32 = F32({2});
  const Shape* const pointers[] = {&f32, &f32};
  const std::pair<Shape, const char*> cases[] = {
      {F32({2, 3}), "f32[2,3]{1,0}"},
      {ShapeUtil::CreateShape(xla::F32, {2, 3}), "f32[2,3]{1,0}"},
      {ShapeUtil::MakeShape(xla::F32, {2, 3}, {false, true}), "f32[2,<=3]{1,0}"},
      {ShapeUtil::MakeShape(xla::TOKEN, {}), "token[]"},
      {ShapeUtil::MakeShape(xla::OPAQUE_TYPE, {}), "opaque[]"},
      {ShapeUtil::MakeShapeWithDescendingLayout(xla::U8, {2, 3}), "u8[2,3]{1,0}"},
      {ShapeUtil::MakeShapeWithDenseLayout(xla::U8, {2, 3}, {0, 1}, {Tile({4})}, 6),
       "u8[2,3]{0,1:T(4)S(6)}"},
      {ShapeUtil::MakeShapeWithLayout(xla::U8, {2, 3}, {0, 1}, {Tile({4})}, 16, 6),
       "u8[2,3]{0,1:T(4)E(16)S(6)}"},
      {ShapeUtil::MakeShapeWithLayout(xla::U8, {2, 3}, {0, 1}), "u8[2,3]{0,1}"},
      {ShapeUtil::ChangeElementType(Tuple({f32, Token(), Tuple({f32})}), xla::S8),
       "(s8[2]{0}, token[], (s8[2]{0}))"},
      {ShapeUtil::MakeTupleShapeWithPtrs(pointers), "(f32[2]{0}, f32[2]{0})"},
      {ShapeUtil::MakeTuple({f32}), "(f32[2]{0})"},
      {ShapeUtil::MakeMaybeTupleShape({}), "()"},
      {ShapeUtil::MakeMaybeTupleShape({f32}), "f32[2]{0}"},
      {ShapeUtil::MakeMaybeTupleShape({f32, Token()}), "(f32[2]{0}, token[])"},
      {ShapeUtil::MakeNil(), "()"},
  };
  for (const auto& [shape, text] : cases) EXPECT_EQ(ShapeUtil::HumanStringWithLayout(shape), text);
  EXPECT_EQ(ShapeUtil::HumanString(F32({2, 3})), "f32[2,3]");
}

TEST(ShapeUtil, Measures) {
  struct {
    Shape shape;
    int64_t elements;
    int64_t bytes;  // with pointers of 8
    int64_t subshapes;
    int64_t leaves;
  } const cases[] = {
      {F32({}), 1, 4, 1, 1},
      {F32({2, 3}), 6, 24, 1, 1},
      {F32({2, 0}), 0, 0, 1, 1},
      {F32({INT64_MAX, INT64_MAX, 0}), 0, 0, 1, 1},
      {Token(), 0, 0, 1, 1},
      {Opaque(), 0, 8, 1, 1},
      {Tuple({}), 0, 0, 1, 0},
      {Tuple({F32({2}), Tuple({F32({3}), Token()})}), 5, 16, 5, 3},
      {ShapeUtil::MakeShapeWithLayout(xla::U8, {3}, {0}, {}, 1), 3, 1, 1, 1},
      {ShapeUtil::MakeShapeWithLayout(xla::U8, {9}, {0}, {}, 1), 9, 2, 1, 1},
      {ShapeUtil::MakeShape(xla::U8, {INT64_MAX}), INT64_MAX, INT64_MAX, 1, 1},
      {ShapeUtil::MakeShape(xla::C128, {2}), 2, 32, 1, 1},
  };
  for (const auto& [shape, elements, bytes, subshapes, leaves] : cases) {
    EXPECT_EQ(ShapeUtil::ElementsInRecursive(shape), elements) << shape;
    if (shape.IsArray()) {
      EXPECT_EQ(ShapeUtil::ElementsIn(shape), elements) << shape;
    }
    EXPECT_EQ(ShapeUtil::ByteSizeOf(shape, 8), bytes) << shape;
    EXPECT_EQ(ShapeUtil::SubshapeCount(shape), subshapes) << shape;
    EXPECT_EQ(ShapeUtil::GetLeafCount(shape), leaves) << shape;
  }
  EXPECT_EQ(ShapeUtil::ByteSizeOfTupleIndexTable(Tuple({Token(), Token(), Token()}), 1), 3);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(Opaque(), 1), 1);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(F32({2})), 8);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(Bare(F32({2}))), 8);
  EXPECT_EQ(ShapeUtil::TrueRank(F32({1, 5, 1, 0})), 2);
  EXPECT_EQ(ShapeUtil::TrueRank(F32({})), 0);
  for (const auto& [number, positive, size] :
       {std::tuple(0, 0, 4), std::tuple(2, 2, 6), std::tuple(-1, 2, 6), std::tuple(-3, 0, 4)}) {
    EXPECT_EQ(ShapeUtil::GetDimensionNumber(F32({4, 5, 6}), number), positive);
    EXPECT_EQ(ShapeUtil::GetDimension(F32({4, 5, 6}), number), size);
  }
  EXPECT_EQ(ShapeUtil::TupleElementCount(Tuple({Token(), F32({2})})), 2);
  EXPECT_EQ(ShapeUtil::GetTupleElementShape(Tuple({Token(), F32({2})}), 1), F32({2}));
}

TEST(ShapeUtil, WalksInPreorder) {
  Shape shape = Tuple({F32({1}), Tuple({F32({2}), Tuple({}), F32({3})}), Token()});
  std::string seen;
  ShapeUtil::ForEachSubshape(
      shape, [&](const Shape&, const ShapeIndex& index) { seen += index.ToString(); });
  EXPECT_EQ(seen, "{}{0}{1}{1,0}{1,1}{1,2}{2}");
  seen.clear();
  ShapeUtil::ForEachMutableSubshape(&shape, [&](Shape* subshape, const ShapeIndex& index) {
    seen += index.ToString();
    EXPECT_EQ(subshape, ShapeUtil::GetMutableSubshape(&shape, index));
    EXPECT_EQ(subshape, &ShapeUtil::GetSubshape(shape, index));
    EXPECT_EQ(ShapeUtil::IsLeafIndex(shape, index), !subshape->IsTuple());
  });
  EXPECT_EQ(seen, "{}{0}{1}{1,0}{1,1}{1,2}{2}");
  seen.clear();
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(shape)) {
    seen += leaf.index.ToString() + leaf.shape.ToString();
  }
  EXPECT_EQ(seen, "{0}f32[1]{1,0}f32[2]{1,2}f32[3]{2}token[]");
  const std::pair<ShapeIndex, bool> indices[] = {{{}, true},      {{2}, true},    {{3}, false},
                                                 {{-1}, false},   {{1, 2}, true}, {{1, 3}, false},
                                                 {{0, 0}, false}, {{2, 0}, false}};
  for (const auto& [index, valid] : indices)
    EXPECT_EQ(ShapeUtil::IndexIsValid(shape, index), valid) << index;
  EXPECT_EQ(ShapeUtil::TryGetSubshape(Tuple({Token()}), {1}).status(),
            absl::InvalidArgumentError(
                "there is no shape at {1} of (token[]): expected an element of a tuple "
                "each time"));
  ShapeIndex index{1, 2};
  index.push_front(0);
  EXPECT_EQ(index.ToString(), "{0,1,2}");
  index.pop_front();
  EXPECT_EQ(index.ToString(), "{1,2}");
}

}  // namespace
