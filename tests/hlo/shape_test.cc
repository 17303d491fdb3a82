#include "callbridge/hlo/shape.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"
#include "gmock/gmock.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"

namespace {

using ::callbridge::hlo::SetElementSizeInBits;
using ::callbridge::hlo::ShapeFromProto;
using ::callbridge::hlo::ShapeToProto;
using ::testing::HasSubstr;
using ::xla::LayoutUtil;
using ::xla::ShapeProto;
using ::xla::ShapeUtil;
using ::xla::StatusOr;

ShapeProto Proto(const std::string& text) {
  ShapeProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(ShapeFromProto, RefusesWhatIsNoShape) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "got number 0"},
      {"element_type: -1", "got number -1"},
      {"element_type: F32 dimensions: -1", "expected 0 or more, got -1"},
      {"element_type: F32 dimensions: -9223372036854775808", "expected 0 or more"},
      {"element_type: U8 dimensions: [4611686018427387904, 2]", "63 bits"},
      {"element_type: F64 dimensions: 4611686018427387904", "63 bits"},
      {"element_type: F32 dimensions: 2 layout { minor_to_major: [0, 1] }", "layout {0,1}"},
      {"element_type: F32 dimensions: 2 layout {}", "layout {}"},
      {"element_type: F32 dimensions: [2, 2] layout { minor_to_major: [1, 1] }", "layout {1,1}"},
      {"element_type: F32 dimensions: 2 layout { minor_to_major: 9223372036854775807 }",
       "layout {"},
      {"element_type: F32 dimensions: [2, 2] is_dynamic_dimension: false", "is_dynamic_dimension"},
      {"element_type: F32 tuple_shapes { element_type: F32 }", "element type 11 has 1"},
      {"element_type: TOKEN tuple_shapes { element_type: F32 }", "element type 17 has 1"},
      {"element_type: TOKEN dimensions: 1", "only arrays"},
      {"element_type: TUPLE dimensions: 1", "only arrays"},
      {"element_type: TUPLE layout { minor_to_major: 0 }", "only arrays"},
      {"element_type: TUPLE tuple_shapes {}", "got number 0"},
  };
  for (const auto& [text, message] : cases) {
    const auto shape = ShapeFromProto(Proto(text));
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(shape.status().message()), HasSubstr(message)) << text;
  }
}

TEST(ShapeFromProto, SaysWhatNoCallCanBeGiven) {
  const std::pair<const char*, const char*> cases[] = {
      {"element_type: OPAQUE_TYPE", "opaque"},
      {"element_type: F32 dimensions: 2 is_dynamic_dimension: true", "dynamic dimensions"},
      {"element_type: F32 dimensions: -9223372036854775808 is_dynamic_dimension: true",
       "dynamic dimensions"},
      {"element_type: F32 dimensions: 2 layout { minor_to_major: 0 tiles { dimensions: 8 } }",
       "tiled"},
      {"element_type: F32 dimensions: 2 layout { minor_to_major: 0 dim_level_types: "
       "DIM_COMPRESSED }",
       "sparse"},
      {"element_type: F32 dimensions: 2 layout { minor_to_major: 0 physical_shape {} }", "sparse"},
      {"element_type: F32 layout { dynamic_shape_metadata_prefix_bytes: 4 }", "dynamic sizes"},
      {"element_type: TUPLE tuple_shapes { element_type: OPAQUE_TYPE }", "opaque"},
  };
  for (const auto& [text, message] : cases) {
    const auto shape = ShapeFromProto(Proto(text));
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kUnimplemented) << text;
    EXPECT_THAT(std::string(shape.status().message()), HasSubstr(message)) << text;
  }
  ShapeProto padded = Proto("element_type: F32 layout {}");
  const auto& reflection = *xla::LayoutProto::GetReflection();
  reflection.MutableUnknownFields(padded.mutable_layout())->AddVarint(16, 1);
  EXPECT_TRUE(ShapeFromProto(padded).ok());
  reflection.MutableUnknownFields(padded.mutable_layout())->AddVarint(16, 128);
  EXPECT_THAT(std::string(ShapeFromProto(padded).status().message()), HasSubstr("padded"));
}

TEST(ShapeFromProto, NestingHasALimitHoweverDeepTheMessageIs) {
  google::protobuf::Arena arena;  // which destroys messages without recursion
  auto* proto = google::protobuf::Arena::CreateMessage<ShapeProto>(&arena);
  ShapeProto* innermost = proto;
  for (int depth = 1; depth < 128; ++depth) {
    innermost->set_element_type(xla::TUPLE);
    innermost = innermost->add_tuple_shapes();
  }
  innermost->set_element_type(xla::TUPLE);
  EXPECT_TRUE(ShapeFromProto(*proto).ok());
  for (int depth = 128; depth < 100000; ++depth) {
    innermost = innermost->add_tuple_shapes();
    innermost->set_element_type(xla::TUPLE);
    if (depth == 128 || depth == 99999) {
      EXPECT_THAT(std::string(ShapeFromProto(*proto).status().message()), HasSubstr("at most 128"));
    }
  }
}

TEST(ShapeFromProto, AndBackIsTheSame) {
  const xla::Shape f32 = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1});
  xla::Shape bare = f32;
  bare.clear_layout();
  const xla::Shape packed = ShapeUtil::MakeShapeWithLayout(xla::S4, {9}, {0}, {}, 4);
  const xla::Shape nested =
      ShapeUtil::MakeTuple({f32, ShapeUtil::MakeNil(), ShapeUtil::MakeTuple({bare, packed}),
                            ShapeUtil::MakeTokenShape(), ShapeUtil::CreateShape(xla::PRED, {})});
  const auto shape = callbridge::hlo::ShapeFromXla(nested);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(ShapeToProto(*shape).SerializeAsString(), nested.SerializeAsString());
  EXPECT_EQ(callbridge::hlo::ShapeToXla(*shape), nested);
  EXPECT_EQ(shape->Leaves()[0]->layout()->minor_to_major, (std::vector<int64_t>{0, 1}));
  EXPECT_FALSE(shape->Leaves()[1]->layout().has_value());
  EXPECT_EQ(*shape->Leaves()[2]->ByteSize(), 5);
  EXPECT_FALSE(callbridge::hlo::ShapeFromXla(xla::Shape()).ok());
}

TEST(Layout, KeepsWhatItHasNoAccessorFor) {
  xla::LayoutProto proto;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "minor_to_major: [1, 0] tiles { dimensions: [8, 128] } memory_space: 2 "
      "dim_level_types: DIM_SINGLETON index_primitive_type: U32 "
      "physical_shape { element_type: F32 dimensions: 3 }",
      &proto));
  SetElementSizeInBits(4, &proto);
  auto* unknown = xla::LayoutProto::GetReflection()->MutableUnknownFields(&proto);
  unknown->AddVarint(16, 128);
  unknown->AddLengthDelimited(17, "split");
  const xla::Layout layout = xla::Layout::CreateFromProto(proto);
  EXPECT_EQ(layout.ToString(), "{1,0:T(8,128)E(4)S(2)}");
  EXPECT_TRUE(layout.has_more());
  xla::LayoutProto again = layout.ToProto();
  EXPECT_EQ(callbridge::hlo::ElementSizeInBits(again), 4);
  EXPECT_EQ(callbridge::hlo::TailPaddingAlignmentInElements(again), 128);
  // The element size stands behind the other unknown fields now.
  SetElementSizeInBits(0, &again);
  SetElementSizeInBits(0, &proto);
  EXPECT_EQ(again.SerializeAsString(), proto.SerializeAsString());
  EXPECT_EQ(xla::Layout::CreateFromProto(layout.ToProto()), layout);
  EXPECT_NE(xla::Layout::CreateFromProto(again), layout);
  xla::LayoutProto dense = proto;
  dense.clear_dim_level_types();
  EXPECT_NE(xla::Layout::CreateFromProto(dense), xla::Layout::CreateFromProto(proto));
  EXPECT_FALSE(xla::Layout({1, 0}).has_more());
}

TEST(Layout, LastElementSizeCounts) {
  xla::LayoutProto proto;
  auto* unknown = xla::LayoutProto::GetReflection()->MutableUnknownFields(&proto);
  unknown->AddVarint(7, 4);
  unknown->AddVarint(7, 2);
  unknown->AddFixed64(7, 9);
  EXPECT_EQ(callbridge::hlo::ElementSizeInBits(proto), 2);
  SetElementSizeInBits(8, &proto);
  EXPECT_EQ(callbridge::hlo::ElementSizeInBits(proto), 8);
  EXPECT_EQ(unknown->field_count(), 1);
}

TEST(LayoutUtil, MakesAndChecks) {
  EXPECT_EQ(LayoutUtil::MakeLayoutFromMajorToMinor({0, 2, 1}).ToString(), "{1,2,0}");
  EXPECT_EQ(LayoutUtil::MakeAscendingLayout(3).ToString(), "{0,1,2}");
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Major(LayoutUtil::MakeDescendingLayout(3)));
  EXPECT_FALSE(LayoutUtil::IsMonotonicWithDim0Major(LayoutUtil::MakeAscendingLayout(3)));
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Minor(LayoutUtil::MakeAscendingLayout(3)));
  EXPECT_EQ(LayoutUtil::Major(xla::Layout({1, 2, 0}), 0), 0);
  EXPECT_EQ(LayoutUtil::Minor(xla::Layout({1, 2, 0}), 0), 1);
  xla::Shape tuple = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1}), ShapeUtil::MakeTokenShape()});
  EXPECT_TRUE(LayoutUtil::HasLayout(tuple));
  LayoutUtil::ClearLayout(&tuple);
  EXPECT_FALSE(LayoutUtil::HasLayout(tuple));
  EXPECT_FALSE(LayoutUtil::ValidateLayoutInShape(tuple).ok());
  EXPECT_TRUE(LayoutUtil::ValidateLayoutInShape(tuple, /*allow_missing_layouts=*/true).ok());
  LayoutUtil::SetToDefaultLayout(&tuple);
  EXPECT_EQ(tuple.ToString(true), "(f32[2,3]{1,0}, token[])");
  xla::Shape token(Proto("element_type: TOKEN layout { minor_to_major: 0 }"));
  EXPECT_FALSE(ShapeUtil::ValidateShape(token).ok());
  LayoutUtil::SetToDefaultLayout(&token);
  EXPECT_TRUE(ShapeUtil::ValidateShape(token).ok());
  EXPECT_FALSE(LayoutUtil::ValidateLayoutForShape(xla::Layout({0}), tuple.tuple_shapes(0)).ok());
  EXPECT_FALSE(LayoutUtil::ValidateLayoutForShape(xla::Layout(), tuple).ok());
}

TEST(LayoutUtil, ComparesLayoutsWhereBothHaveThem) {
  const xla::Shape rows = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {1, 0});
  const xla::Shape columns = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1});
  xla::Shape bare = rows;
  LayoutUtil::ClearLayout(&bare);
  EXPECT_TRUE(LayoutUtil::LayoutsInShapesEqual(rows, rows));
  EXPECT_TRUE(LayoutUtil::LayoutsInShapesEqual(bare, bare));
  EXPECT_FALSE(LayoutUtil::LayoutsInShapesEqual(rows, columns));
  EXPECT_FALSE(LayoutUtil::LayoutsInShapesEqual(bare, rows));
  EXPECT_FALSE(LayoutUtil::LayoutsInShapesEqual(rows, bare));
  EXPECT_FALSE(LayoutUtil::LayoutsInShapesEqual(ShapeUtil::MakeTupleShape({rows, bare}),
                                                ShapeUtil::MakeTupleShape({rows, rows})));
}

TEST(Shape, DeletesDimensionsWithTheirPlaceInTheLayout) {
  xla::Shape shape = ShapeUtil::MakeShape(xla::F32, {2, 3, 4}, {false, true, false});
  shape.DeleteDimension(0);
  EXPECT_EQ(shape.ToString(true), "f32[<=3,4]{1,0}");
  shape.set_dimensions_minor(0, 7);
  EXPECT_EQ(shape.ToString(), "f32[<=3,7]");
}

TEST(ShapeUtil, MeasuresPackedElements) {
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShape(xla::S4, {9})), 9);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShapeWithLayout(xla::S4, {9}, {0}, {}, 4)), 5);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShape(xla::U8, {INT64_MAX, 0, INT64_MAX})), 0);
  EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(xla::F4E2M1FN), 1);
}

TEST(ShapeUtil, RefusesWithAStatusWhereItCan) {
  EXPECT_FALSE(ShapeUtil::MakeValidatedShape(xla::TUPLE, {}).ok());
  EXPECT_FALSE(ShapeUtil::MakeValidatedShape(static_cast<xla::PrimitiveType>(77), {1}).ok());
  EXPECT_FALSE(ShapeUtil::MakeValidatedShape(xla::F32, {2, 3}, {true}).ok());
  EXPECT_FALSE(ShapeUtil::MakeValidatedShape(xla::TOKEN, {2}).ok());
  xla::Shape deep = ShapeUtil::MakeNil();
  for (int i = 1; i < 128; ++i) deep = ShapeUtil::MakeTupleShape({deep});
  EXPECT_TRUE(ShapeUtil::ValidateShape(deep).ok());
  EXPECT_FALSE(ShapeUtil::ValidateShape(ShapeUtil::MakeTupleShape({deep})).ok());
  const auto none = ShapeUtil::TryGetSubshape(deep, {0, 1});
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("{0,1}"));
  EXPECT_FALSE(ShapeUtil::TryGetSubshape(ShapeUtil::MakeScalarShape(xla::F32), {0}).ok());
}

TEST(ShapeUtil, StopsAtTheFirstError) {
  const xla::Shape shape = ShapeUtil::MakeTupleShape({ShapeUtil::MakeNil(), ShapeUtil::MakeNil()});
  int visited = 0;
  const xla::Status status = ShapeUtil::ForEachSubshapeWithStatus(
      shape, [&](const xla::Shape&, const xla::ShapeIndex& index) -> xla::Status {
        ++visited;
        return index.empty() ? xla::OkStatus() : absl::AbortedError(index.ToString());
      });
  EXPECT_EQ(status, absl::AbortedError("{0}"));
  EXPECT_EQ(visited, 2);
}

using ShapeDeathTest = ::testing::Test;

TEST(ShapeDeathTest, EndsWithAMessageWhereThereIsNoStatus) {
  const xla::Shape shape = ShapeUtil::MakeShape(xla::F32, {2});
  EXPECT_DEATH(ShapeUtil::MakeShape(xla::F32, {-2}), "expected 0 or more, got -2");
  EXPECT_DEATH(shape.dimensions(1), "no dimension 1: there are 1");
  EXPECT_DEATH(shape.tuple_shapes(0), "no tuple element 0");
  EXPECT_DEATH(xla::Shape().layout(), "has no layout");
  EXPECT_DEATH(ShapeUtil::MakeNil().tuple_shapes(-1), "no tuple element -1");
  EXPECT_DEATH(StatusOr<int>(absl::NotFoundError("lost")).ValueOrDie(), "NOT_FOUND: lost");
  EXPECT_DEATH(TF_CHECK_OK(absl::NotFoundError("lost")), "NOT_FOUND: lost");
  EXPECT_DEATH(ShapeUtil::ByteSizeOf(ShapeUtil::MakeNil()), "bytes of a pointer");
}

// Passing on, as old code does.
xla::Status Half(int value, int* half) {
  if (value % 2 != 0) return absl::InvalidArgumentError("odd");
  *half = value / 2;
  return xla::Status();
}

StatusOr<int> Quarter(int value) {
  int half;
  TF_RETURN_IF_ERROR(Half(value, &half));
  TF_RETURN_IF_ERROR(Half(half, &half));
  return half;
}

StatusOr<std::unique_ptr<int>> QuarterOnHeap(int value) {
  TF_ASSIGN_OR_RETURN(const int quarter, Quarter(value));
  TF_ASSIGN_OR_RETURN(auto again, StatusOr<int>(quarter));
  return std::make_unique<int>(again);
}

TEST(StatusOr, ConvertsAndPassesOn) {
  EXPECT_EQ(*QuarterOnHeap(12).ValueOrDie(), 3);
  EXPECT_EQ(*QuarterOnHeap(12).ConsumeValueOrDie(), 3);
  EXPECT_EQ(QuarterOnHeap(6).status(), absl::InvalidArgumentError("odd"));
  const absl::StatusOr<int> absl_one = Quarter(4);
  const StatusOr<int> one = absl_one;
  EXPECT_EQ(one.ValueOrDie(), 1);
  const StatusOr<int64_t> wide = one;
  EXPECT_EQ(*wide, 1);
  EXPECT_FALSE(StatusOr<int>().ok());
  absl::StatusOr<std::unique_ptr<int>> moved = QuarterOnHeap(8);
  EXPECT_EQ(**moved, 2);
}

}  // namespace
