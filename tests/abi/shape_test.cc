#include "callbridge/abi/shape.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PrimitiveType kF32 = PrimitiveType::kF32;

Shape Array(PrimitiveType type, std::vector<int64_t> dimensions,
            std::optional<Layout> layout = std::nullopt) {
  return Shape::MakeArray(type, std::move(dimensions), std::move(layout)).value();
}

Shape Tuple(std::vector<Shape> elements) { return Shape::MakeTuple(std::move(elements)).value(); }

std::string ArrayError(PrimitiveType type, std::vector<int64_t> dimensions,
                       std::optional<Layout> layout = std::nullopt) {
  return Refused(Shape::MakeArray(type, std::move(dimensions), std::move(layout)).status());
}

TEST(ShapeTest, DefaultIsTheEmptyTuple) {
  const Shape shape;
  EXPECT_TRUE(shape.IsTuple());
  EXPECT_EQ(shape.TupleDepth(), 1);
  EXPECT_EQ(shape.LeafCount(), 0);
  EXPECT_TRUE(shape.Leaves().empty());
  EXPECT_EQ(*shape.ByteSize(), 0);
  EXPECT_EQ(shape, Tuple({}));
}

TEST(ShapeTest, Array) {
  const Shape shape = Array(kF32, {8, 4}, Layout{{0, 1}});
  EXPECT_TRUE(shape.IsArray());
  EXPECT_FALSE(shape.IsTuple());
  EXPECT_FALSE(shape.IsToken());
  EXPECT_EQ(shape.element_type(), kF32);
  EXPECT_THAT(shape.dimensions(), ElementsAre(8, 4));
  EXPECT_THAT(shape.layout()->minor_to_major, ElementsAre(0, 1));
  EXPECT_EQ(shape.ElementCount(), 32);
  EXPECT_EQ(*shape.ByteSize(), 128);
  EXPECT_EQ(shape.TupleDepth(), 0);
  EXPECT_EQ(shape.LeafCount(), 1);
  EXPECT_THAT(shape.Leaves(), ElementsAre(&shape));
}

TEST(ShapeTest, Scalar) {
  EXPECT_EQ(Array(kF32, {}).ElementCount(), 1);
  EXPECT_EQ(*Array(kF32, {}).ByteSize(), 4);
  EXPECT_EQ(*Array(kF32, {}, Layout{}).ByteSize(), 4);
}

TEST(ShapeTest, Token) {
  const Shape token = Shape::MakeToken();
  EXPECT_TRUE(token.IsToken());
  EXPECT_FALSE(token.IsArray());
  EXPECT_FALSE(token.IsTuple());
  EXPECT_EQ(token.ElementCount(), 0);
  EXPECT_EQ(*token.ByteSize(), 0);
  EXPECT_EQ(token.TupleDepth(), 0);
  EXPECT_THAT(token.Leaves(), ElementsAre(&token));
}

TEST(ShapeTest, LeavesAreInPreorder) {
  const Shape shape =
      Tuple({Array(kF32, {1}), Tuple({Array(kF32, {2}), Tuple({}), Shape::MakeToken()}),
             Array(kF32, {3})});
  const auto& top = shape.tuple_elements();
  EXPECT_EQ(shape.LeafCount(), 4);
  EXPECT_EQ(shape.TupleDepth(), 3);
  EXPECT_THAT(shape.Leaves(), ElementsAre(&top[0], &top[1].tuple_elements()[0],
                                          &top[1].tuple_elements()[2], &top[2]));
  EXPECT_EQ(*shape.ByteSize(), 4 * (1 + 2 + 3));
  EXPECT_EQ(shape.ElementCount(), 0);
}

TEST(ShapeTest, SubByteElementsTakeAByteUnlessTheLayoutPacksThem) {
  EXPECT_EQ(*Array(PrimitiveType::kS4, {5}).ByteSize(), 5);
  EXPECT_EQ(*Array(PrimitiveType::kS4, {5}, Layout{{0}}).ByteSize(), 5);
  EXPECT_EQ(*Array(PrimitiveType::kS4, {5}, Layout{{0}, 4}).ByteSize(), 3);
  EXPECT_EQ(*Array(PrimitiveType::kS4, {4}, Layout{{0}, 4}).ByteSize(), 2);
  EXPECT_EQ(*Array(PrimitiveType::kU1, {9}).ByteSize(), 9);
  EXPECT_EQ(*Array(PrimitiveType::kU1, {9}, Layout{{0}, 1}).ByteSize(), 2);
  EXPECT_EQ(*Array(PrimitiveType::kF32, {3}, Layout{{0}, 64}).ByteSize(), 24);
}

TEST(ShapeTest, NamesTypesThatItHasNoArraysOf) {
  for (const PrimitiveType type : {PrimitiveType::kF6E3M2FN, PrimitiveType::kF6E2M3FN}) {
    EXPECT_EQ(Shape::MakeArray(type, {4}).status(),
              absl::UnimplementedError(
                  absl::StrCat("arrays of ", PrimitiveTypeName(type),
                               " are not supported: XLA's FFI has no such type, up to jaxlib "
                               "0.12")));
  }
}

TEST(ShapeTest, RefusesWhatIsNoArray) {
  for (PrimitiveType type : {PrimitiveType::kTuple, PrimitiveType::kToken, PrimitiveType::kInvalid,
                             static_cast<PrimitiveType>(14), static_cast<PrimitiveType>(200)}) {
    EXPECT_THAT(ArrayError(type, {1}), HasSubstr("expected a type that an array can have"));
  }
  EXPECT_THAT(ArrayError(PrimitiveType::kTuple, {}), HasSubstr("tuple (13)"));
  EXPECT_THAT(ArrayError(PrimitiveType::kBuffer, {}), HasSubstr("buffer (34)"));
  EXPECT_THAT(ArrayError(kF32, {8, -4}),
              AllOf(HasSubstr("dimension 1 of f32[8,-4]"), HasSubstr("0 or more")));
  EXPECT_THAT(ArrayError(kF32, {0, -1}), HasSubstr("dimension 1"));
}

TEST(ShapeTest, RefusesLayoutsThatAreNoPermutation) {
  const std::vector<std::vector<int64_t>> kBad = {{}, {0}, {0, 0}, {1, 2}, {-1, 0}, {0, 1, 2}};
  for (const std::vector<int64_t>& minor_to_major : kBad) {
    EXPECT_THAT(ArrayError(kF32, {8, 4}, Layout{minor_to_major}),
                HasSubstr("of f32[8,4]: expected each of the numbers 0 to 1 once"));
  }
  EXPECT_THAT(ArrayError(kF32, {}, Layout{{0}}), HasSubstr("layout {0} of f32[]: expected {}"));
  EXPECT_THAT(ArrayError(PrimitiveType::kS4, {8}, Layout{{0}, -4}), HasSubstr("got -4"));
}

TEST(ShapeTest, SizesThatDoNotFitAreRefused) {
  constexpr int64_t k2To61 = int64_t{1} << 61;
  EXPECT_EQ(*Array(PrimitiveType::kU8, {INT64_MAX}).ByteSize(), INT64_MAX);
  EXPECT_EQ(*Array(kF32, {k2To61 - 1}).ByteSize(), INT64_MAX - 3);
  EXPECT_THAT(ArrayError(kF32, {k2To61}), HasSubstr("too large"));
  EXPECT_THAT(ArrayError(PrimitiveType::kC128, {k2To61 / 4}), HasSubstr("too large"));
  EXPECT_THAT(ArrayError(PrimitiveType::kU8, {INT64_MAX, 2}), HasSubstr("too large"));
  EXPECT_THAT(ArrayError(PrimitiveType::kU8, {int64_t{1} << 32, int64_t{1} << 32}),
              HasSubstr("too large"));
}

TEST(ShapeTest, PackingIsCountedInBitsWithoutOverflow) {
  EXPECT_EQ(*Array(kF32, {1}, Layout{{0}, INT64_MAX}).ByteSize(), INT64_MAX / 8 + 1);
  EXPECT_EQ(*Array(PrimitiveType::kS4, {INT64_MAX}, Layout{{0}, 4}).ByteSize(), INT64_MAX / 2 + 1);
  EXPECT_THAT(ArrayError(kF32, {INT64_MAX}, Layout{{0}, INT64_MAX}), HasSubstr("too large"));
}

TEST(ShapeTest, AnArrayWithAZeroDimensionIsEmptyHoweverLargeTheOthers) {
  for (const std::vector<int64_t>& dimensions : std::vector<std::vector<int64_t>>{
           {0}, {0, INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX, 0}, {INT64_MAX, 0, INT64_MAX}}) {
    const Shape shape = Array(PrimitiveType::kC128, dimensions);
    EXPECT_EQ(shape.ElementCount(), 0);
    EXPECT_EQ(*shape.ByteSize(), 0);
  }
}

TEST(ShapeTest, TupleSizesThatDoNotFitFail) {
  const Shape large = Array(PrimitiveType::kU8, {INT64_MAX});
  const Shape one = Array(PrimitiveType::kU8, {1});
  EXPECT_EQ(*Tuple({large, Tuple({})}).ByteSize(), INT64_MAX);
  EXPECT_THAT(Refused(Tuple({large, one}).ByteSize().status()), HasSubstr("too large"));
  EXPECT_THAT(Refused(Tuple({Tuple({large, one}), one}).ByteSize().status()),
              HasSubstr("too large"));
  EXPECT_THAT(Refused(Tuple({one, Tuple({large})}).ByteSize().status()), HasSubstr("too large"));
}

TEST(ShapeTest, WithoutLayoutsTheRestStays) {
  const Shape packed = Array(PrimitiveType::kS4, {2, 3}, Layout{{0, 1}, 4});
  const Shape shape =
      Tuple({packed, Tuple({Array(kF32, {8, 4}, Layout{{0, 1}}), Shape::MakeToken()}), Tuple({})});
  EXPECT_EQ(*shape.WithoutLayouts(),
            Tuple({Array(PrimitiveType::kS4, {2, 3}),
                   Tuple({Array(kF32, {8, 4}), Shape::MakeToken()}), Tuple({})}));
  EXPECT_EQ(*Shape::MakeToken().WithoutLayouts(), Shape::MakeToken());
  EXPECT_EQ(*Array(kF32, {3}).WithoutLayouts(), Array(kF32, {3}));
  // Packed they fit.
  const Shape many = Array(PrimitiveType::kF64, {INT64_MAX}, Layout{{0}, 1});
  EXPECT_THAT(Refused(many.WithoutLayouts().status()), HasSubstr("too large"));
  EXPECT_THAT(Refused(Tuple({Tuple({many})}).WithoutLayouts().status()), HasSubstr("too large"));
}

TEST(ShapeTest, TupleDepthIsLimited) {
  Shape shape = Array(kF32, {});
  for (int depth = 1; depth <= Shape::kMaxTupleDepth; ++depth) {
    shape = Tuple({std::move(shape)});
    EXPECT_EQ(shape.TupleDepth(), depth);
  }
  EXPECT_EQ(shape.LeafCount(), 1);
  EXPECT_THAT(Refused(Shape::MakeTuple({Array(kF32, {}), shape}).status()),
              AllOf(HasSubstr("at most 128"), HasSubstr("got 129")));
}

TEST(ShapeTest, EqualityTakesEverything) {
  const std::vector<Shape> kDifferent = {
      Tuple({}),
      Tuple({Tuple({})}),
      Shape::MakeToken(),
      Array(kF32, {}),
      Array(kF32, {}, Layout{}),
      Array(kF32, {1}),
      Array(PrimitiveType::kS32, {1}),
      Array(kF32, {8, 4}),
      Array(kF32, {4, 8}),
      Array(kF32, {8, 4}, Layout{{1, 0}}),
      Array(kF32, {8, 4}, Layout{{0, 1}}),
      Array(kF32, {8, 4}, Layout{{0, 1}, 64}),
      Tuple({Array(kF32, {1})}),
      Tuple({Array(kF32, {1}), Array(kF32, {1})}),
      Tuple({Tuple({Array(kF32, {1})})}),
  };
  for (size_t i = 0; i < kDifferent.size(); ++i) {
    for (size_t j = 0; j < kDifferent.size(); ++j) {
      EXPECT_EQ(kDifferent[i] == kDifferent[j], i == j) << i << " " << j;
      EXPECT_EQ(kDifferent[i] != kDifferent[j], i != j) << i << " " << j;
    }
  }
}

TEST(ShapeTest, CopiesAreIndependent) {
  Shape original = Tuple({Array(kF32, {8}), Tuple({Shape::MakeToken()})});
  const Shape copy = original;
  EXPECT_EQ(copy, original);
  EXPECT_NE(copy.Leaves()[0], original.Leaves()[0]);
  original = Shape();
  EXPECT_EQ(copy, Tuple({Array(kF32, {8}), Tuple({Shape::MakeToken()})}));
  EXPECT_EQ(copy.TupleDepth(), 2);
}

}  // namespace
}  // namespace callbridge
