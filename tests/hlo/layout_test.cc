// Layouts of arrays: their fields, texts and comparisons, and what LayoutUtil makes of them.
#include "callbridge/hlo/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"
#include "google/protobuf/text_format.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::xla::Layout;
using ::xla::LayoutProto;
using ::xla::LayoutUtil;
using ::xla::ProgramShape;
using ::xla::Shape;
using ::xla::ShapeUtil;
using ::xla::Tile;

template <typename T>
std::string Printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

LayoutProto Proto(const std::string& text) {
  LayoutProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(Tile, IsAListOfDimensions) {
  Tile tile({8, 128});
  EXPECT_THAT(tile.dimensions(), ElementsAre(8, 128));
  EXPECT_EQ(tile.dimension(0), 8);
  EXPECT_EQ(tile.dimension(1), 128);
  EXPECT_EQ(tile.ToProto().ShortDebugString(), "dimensions: 8 dimensions: 128");
  EXPECT_EQ(Tile::CreateFromProto(tile.ToProto()), tile);
  EXPECT_TRUE(tile == Tile({8, 128}));
  EXPECT_FALSE(tile != Tile({8, 128}));
  EXPECT_TRUE(tile != Tile({128, 8}));
  EXPECT_FALSE(tile == Tile({8}));
  EXPECT_EQ(&tile.clear_dimensions(), &tile);
  EXPECT_TRUE(tile.dimensions().empty());
  EXPECT_EQ(&tile.add_dimensions(4).add_dimensions(Tile::kCombineDimension).add_dimensions(2),
            &tile);
  EXPECT_EQ(tile.ToString(), "(4,*,2)");
  EXPECT_EQ(Printed(tile), "(4,*,2)");
  EXPECT_EQ(Tile::kCombineDimension, INT64_MIN);
  EXPECT_EQ(Tile().ToString(), "()");
}

TEST(Layout, TextNamesOnlyWhatThereIs) {
  const Tile tile({8, 128});
  const Tile second({2, 1});
  const std::pair<Layout, const char*> cases[] = {
      {Layout(), "{}"},
      {LayoutUtil::MakeLayout({1, 0}), "{1,0}"},
      {LayoutUtil::MakeLayout({1, 0}, {tile}), "{1,0:T(8,128)}"},
      {LayoutUtil::MakeLayout({1, 0}, {tile, second}), "{1,0:T(8,128)(2,1)}"},
      {LayoutUtil::MakeLayout({0}, {}, 4), "{0:E(4)}"},
      {LayoutUtil::MakeLayout({0}, {}, 0, 5), "{0:S(5)}"},
      {LayoutUtil::MakeLayout({0}, {tile}, 4, 5), "{0:T(8,128)E(4)S(5)}"},
  };
  for (const auto& [layout, text] : cases) {
    EXPECT_EQ(layout.ToString(), text);
    EXPECT_EQ(LayoutUtil::HumanString(layout), text);
    EXPECT_EQ(Printed(layout), text);
    EXPECT_EQ(Layout::CreateFromProto(layout.ToProto()), layout) << text;
    EXPECT_FALSE(Layout::CreateFromProto(layout.ToProto()).has_more()) << text;
  }
  EXPECT_EQ(Layout::kDefaultMemorySpace, 0);
  EXPECT_EQ(Layout::kGenericFastMemorySpace, 1);
}

TEST(Layout, FieldsAreSetAndCleared) {
  Layout layout({1, 0});
  EXPECT_EQ(&layout.set_minor_to_major(0, 0).set_minor_to_major(1, 1).add_minor_to_major(2),
            &layout);
  EXPECT_THAT(layout.minor_to_major(), ElementsAre(0, 1, 2));
  EXPECT_EQ(layout.minor_to_major(2), 2);
  EXPECT_EQ(layout.minor_to_major_size(), 3);
  layout.mutable_minor_to_major()->push_back(3);
  EXPECT_EQ(layout.minor_to_major_size(), 4);
  EXPECT_EQ(layout.tiles_size(), 0);
  *layout.add_tiles() = Tile({8});
  layout.mutable_tiles()->push_back(Tile({4}));
  layout.mutable_tiles(1)->add_dimensions(2);
  EXPECT_EQ(layout.tiles_size(), 2);
  EXPECT_EQ(layout.tiles(0), Tile({8}));
  EXPECT_EQ(layout.tiles(1), Tile({4, 2}));
  EXPECT_EQ(layout.tiles().size(), 2u);
  EXPECT_EQ(&layout.set_element_size_in_bits(4).set_memory_space(7), &layout);
  EXPECT_EQ(layout.element_size_in_bits(), 4);
  EXPECT_EQ(layout.memory_space(), 7);
  Layout other({5});
  layout.Swap(&other);
  EXPECT_EQ(layout.ToString(), "{5}");
  EXPECT_EQ(other.ToString(), "{0,1,2,3:T(8)(4,2)E(4)S(7)}");
  EXPECT_EQ(&other.clear_minor_to_major().clear_tiles(), &other);
  EXPECT_EQ(other.ToString(), "{:E(4)S(7)}");
  other.Clear();
  EXPECT_EQ(other, Layout());
}

TEST(Layout, ComparesAllThatIsNotToldToBeIgnored) {
  const Layout base = LayoutUtil::MakeLayout({1, 0}, {Tile({8})}, 4, 1);
  LayoutProto more = base.ToProto();
  more.set_index_primitive_type(xla::U32);
  const Layout::Equal equals[] = {
      Layout::Equal(),
      Layout::Equal().IgnoreTiles(),
      Layout::Equal().IgnoreElementSize(),
      Layout::Equal().IgnoreMemorySpace(),
      Layout::Equal().MinorToMajorOnly(),
  };
  // For each of those whether a layout is equal to the first.
  const std::pair<Layout, const char*> cases[] = {
      {base, "11111"},
      {LayoutUtil::MakeLayout({0, 1}, {Tile({8})}, 4, 1), "00000"},
      {LayoutUtil::MakeLayout({1, 0}, {Tile({9})}, 4, 1), "01001"},
      {LayoutUtil::MakeLayout({1, 0}, {}, 4, 1), "01001"},
      {LayoutUtil::MakeLayout({1, 0}, {Tile({8})}, 8, 1), "00101"},
      {LayoutUtil::MakeLayout({1, 0}, {Tile({8})}, 4, 0), "00011"},
      {Layout::CreateFromProto(more), "00001"},
  };
  for (const auto& [layout, expected] : cases) {
    std::string result;
    std::string other_way;
    for (const Layout::Equal& equal : equals) {
      result += equal(base, layout) ? '1' : '0';
      other_way += equal(layout, base) ? '1' : '0';
    }
    EXPECT_EQ(result, expected) << layout;
    EXPECT_EQ(other_way, expected) << layout;
    EXPECT_EQ(base == layout, expected[0] == '1') << layout;
    EXPECT_EQ(base != layout, expected[0] == '0') << layout;
    EXPECT_EQ(LayoutUtil::Equal(base, layout), expected[0] == '1') << layout;
  }
}

TEST(Layout, MessageOfKnownFieldsAloneHasNoMore) {
  LayoutProto proto = Proto("minor_to_major: 0 tiles { dimensions: 8 } memory_space: 3");
  callbridge::hlo::SetElementSizeInBits(1, &proto);
  EXPECT_EQ(callbridge::hlo::ElementSizeInBits(proto), 1);
  EXPECT_EQ(callbridge::hlo::TailPaddingAlignmentInElements(proto), 0);
  const Layout layout = Layout::CreateFromProto(proto);
  EXPECT_EQ(layout.ToString(), "{0:T(8)E(1)S(3)}");
  EXPECT_FALSE(layout.has_more());
  EXPECT_EQ(layout.ToProto().memory_space(), 3);
}

TEST(LayoutUtil, DefaultsAreRowMajor) {
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForShape(ShapeUtil::MakeShape(xla::F32, {4, 5})).ToString(),
            "{1,0}");
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForRank(5).ToString(), "{4,3,2,1,0}");
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR2().ToString(), "{1,0}");
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR3().ToString(), "{2,1,0}");
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR4().ToString(), "{3,2,1,0}");
  EXPECT_EQ(LayoutUtil::MakeDescendingLayout(0), Layout());
  EXPECT_EQ(LayoutUtil::MakeAscendingLayout(0), Layout());

  const Shape columns = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1});
  EXPECT_EQ(LayoutUtil::GetWithDefaultLayout(columns).ToString(true), "f32[2,3]{1,0}");
  EXPECT_EQ(columns.ToString(true), "f32[2,3]{0,1}");
  EXPECT_THAT(LayoutUtil::MinorToMajor(columns), ElementsAre(0, 1));
  EXPECT_THAT(LayoutUtil::MinorToMajor(columns.layout()), ElementsAre(0, 1));

  ProgramShape program =
      ShapeUtil::MakeProgramShape({columns, ShapeUtil::MakeTupleShape({columns})}, columns);
  LayoutUtil::SetToDefaultLayout(&program);
  EXPECT_EQ(program.parameters(0).ToString(true), "f32[2,3]{1,0}");
  EXPECT_EQ(program.parameters(1).ToString(true), "(f32[2,3]{1,0})");
  EXPECT_EQ(program.result().ToString(true), "f32[2,3]{1,0}");
  LayoutUtil::ClearLayout(&program);
  EXPECT_FALSE(program.parameters(0).has_layout());
  EXPECT_FALSE(program.parameters(1).tuple_shapes(0).has_layout());
  EXPECT_FALSE(program.result().has_layout());
}

TEST(LayoutUtil, PlacesCountFromEitherEnd) {
  const Layout layout({2, 0, 1});
  for (const auto& [place, minor, major] :
       {std::tuple(0, 2, 1), std::tuple(1, 0, 0), std::tuple(2, 1, 2)}) {
    EXPECT_EQ(LayoutUtil::Minor(layout, place), minor);
    EXPECT_EQ(LayoutUtil::Major(layout, place), major);
  }
  for (const auto& [order, dim0_major, dim0_minor] :
       {std::tuple(std::vector<int64_t>{2, 1, 0}, true, false),
        std::tuple(std::vector<int64_t>{0, 1, 2}, false, true),
        std::tuple(std::vector<int64_t>{1, 2, 0}, false, false),
        std::tuple(std::vector<int64_t>{2, 0, 1}, false, false),
        std::tuple(std::vector<int64_t>{0}, true, true),
        std::tuple(std::vector<int64_t>{}, true, true)}) {
    EXPECT_EQ(LayoutUtil::IsMonotonicWithDim0Major(Layout(order)), dim0_major) << Layout(order);
    EXPECT_EQ(LayoutUtil::IsMonotonicWithDim0Minor(Layout(order)), dim0_minor) << Layout(order);
  }
}

Shape WithLayout(Shape shape, const std::string& layout) {
  *shape.mutable_layout() = Layout::CreateFromProto(Proto(layout));
  return shape;
}

TEST(LayoutUtil, ArraysAreDenseUnlessALevelIsNot) {
  const Shape matrix = ShapeUtil::MakeShape(xla::F32, {2, 3});
  Shape bare = matrix;
  bare.clear_layout();
  const std::pair<Shape, bool> cases[] = {
      {matrix, true},
      {bare, true},
      {WithLayout(matrix, "minor_to_major: [1, 0] dim_level_types: [DIM_DENSE, DIM_DENSE]"), true},
      {WithLayout(matrix, "minor_to_major: [1, 0] dim_level_types: [DIM_DENSE, DIM_COMPRESSED]"),
       false},
      {WithLayout(matrix,
                  "minor_to_major: [1, 0] dim_level_types: [DIM_COMPRESSED, DIM_COMPRESSED]"),
       false},
      {ShapeUtil::MakeTokenShape(), false},
      {ShapeUtil::MakeTupleShape({matrix}), false},
  };
  for (const auto& [shape, dense] : cases)
    EXPECT_EQ(LayoutUtil::IsDenseArray(shape), dense) << shape;
}

TEST(LayoutUtil, LayoutsOfDifferentTreesAndRanksAreNotEqual) {
  const Shape vector = ShapeUtil::MakeShape(xla::F32, {2});
  Shape bare_vector = vector;
  bare_vector.clear_layout();
  Shape bare_matrix = ShapeUtil::MakeShape(xla::F32, {2, 3});
  bare_matrix.clear_layout();
  const Shape token = ShapeUtil::MakeTokenShape();
  const Shape pair = ShapeUtil::MakeTupleShape({vector, vector});
  const std::tuple<Shape, Shape, bool> cases[] = {
      {vector, ShapeUtil::MakeShape(xla::S8, {7}), true},
      {bare_vector, bare_matrix, false},
      {token, token, true},
      // What is no array has no layout to differ in.
      {token, vector, true},
      {bare_vector, token, true},
      {pair, pair, true},
      {pair, vector, false},
      {pair, ShapeUtil::MakeTupleShape({vector}), false},
      {pair, ShapeUtil::MakeTupleShape({vector, bare_vector}), false},
      {pair, ShapeUtil::MakeTupleShape({bare_vector, vector}), false},
  };
  for (const auto& [left, right, equal] : cases) {
    EXPECT_EQ(LayoutUtil::LayoutsInShapesEqual(left, right), equal) << left << right;
    EXPECT_EQ(LayoutUtil::LayoutsInShapesEqual(right, left), equal) << left << right;
  }
  EXPECT_FALSE(LayoutUtil::HasLayout(ShapeUtil::MakeTupleShape({vector, bare_vector})));
  EXPECT_FALSE(LayoutUtil::HasLayout(bare_vector));
  EXPECT_TRUE(LayoutUtil::HasLayout(token));
  EXPECT_EQ(LayoutUtil::ValidateLayoutForShape(Layout({0}), token).message(),
            "expected an array, which has a layout; got token[]");
  EXPECT_TRUE(LayoutUtil::ValidateLayoutForShape(Layout({0}), bare_vector).ok());
  EXPECT_FALSE(bare_vector.has_layout());
}

TEST(LayoutDeathTest, IndicesMustExist) {
  Layout layout({1, 0});
  layout.add_tiles()->add_dimensions(8);
  const std::pair<std::function<void()>, const char*> cases[] = {
      {[&] { layout.tiles(0).dimension(1); }, "there is no tile dimension 1: there are 1, from 0"},
      {[&] { layout.minor_to_major(2); }, "there is no place in the layout 2: there are 2, from 0"},
      {[&] { layout.minor_to_major(-1); },
       "there is no place in the layout -1: there are 2, from 0"},
      {[&] { layout.set_minor_to_major(2, 0); }, "there is no place in the layout 2"},
      {[&] { layout.tiles(1); }, "there is no tile 1: there are 1, from 0"},
      {[&] { layout.mutable_tiles(1); }, "there is no tile 1"},
      {[&] { LayoutUtil::Major(layout, 2); }, "there is no place in the layout -1"},
  };
  for (const auto& [call, message] : cases) EXPECT_DEATH(call(), HasSubstr(message)) << message;
}

}  // namespace
