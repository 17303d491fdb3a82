// What is said of shapes that are none, and of indices that do not exist; and the shapes of
// programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/unknown_field_set.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::xla::ProgramShape;
using ::xla::Shape;
using ::xla::ShapeProto;
using ::xla::ShapeUtil;

ShapeProto Proto(const std::string& text) {
  ShapeProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(ShapeUtil, SaysWhatMakesAShapeNone) {
  const std::string f32 = "element_type: F32 layout {} ";
  const std::string only_arrays = "expected only arrays to have dimensions and a layout";
  const std::pair<std::string, std::string> cases[] = {
      {"", "the shape primitive_type_invalid[] has no layout"},
      {"layout {}", "got invalid (0)"},
      {"element_type: F32 dimensions: 2", "the shape f32[2] has no layout"},
      {"element_type: TUPLE tuple_shapes {" + f32 + "} tuple_shapes { element_type: F32 }",
       "the shape f32[] has no layout"},
      {f32 + "tuple_shapes {} tuple_shapes {}",
       "expected a shape other than a tuple to have no elements; f32[] has 2"},
      {"element_type: TOKEN tuple_shapes {}",
       "expected a shape other than a tuple to have no elements; token[] has 1"},
      {"element_type: TOKEN dimensions: 1", only_arrays},
      {"element_type: TOKEN layout {}", only_arrays},
      {"element_type: OPAQUE_TYPE dimensions: 1", only_arrays},
      {"element_type: TUPLE dimensions: 1", only_arrays},
      {"element_type: TUPLE layout {}", only_arrays},
  };
  for (const auto& [text, message] : cases) {
    const xla::Status status = ShapeUtil::ValidateShape(Shape(Proto(text)));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << text;
  }
  for (const char* text :
       {"element_type: OPAQUE_TYPE", "element_type: TOKEN", "element_type: TUPLE",
        "element_type: TUPLE tuple_shapes { element_type: OPAQUE_TYPE }"}) {
    EXPECT_TRUE(ShapeUtil::ValidateShape(Shape(Proto(text))).ok()) << text;
  }
  const Shape packed = ShapeUtil::MakeShapeWithLayout(xla::S4, {INT64_MAX}, {0}, {}, 4);
  EXPECT_TRUE(ShapeUtil::ValidateShape(packed).ok());
  // 64 bits an element would be too many.
  const Shape bits = ShapeUtil::MakeShapeWithLayout(xla::F64, {int64_t{1} << 61}, {0}, {}, 1);
  EXPECT_TRUE(ShapeUtil::ValidateShape(bits).ok());
  Shape deep = ShapeUtil::MakeNil();
  for (int depth = 1; depth <= 128; ++depth) deep = ShapeUtil::MakeTupleShape({deep});
  const absl::Status too_deep =
      absl::InvalidArgumentError("expected tuples nested at most 128 deep");
  EXPECT_EQ(ShapeUtil::ValidateShape(deep), too_deep);
  EXPECT_EQ(callbridge::hlo::ShapeFromProto(deep.ToProto()).status(), too_deep);
  Shape unpacked = ShapeUtil::MakeShapeWithLayout(xla::F64, {2}, {0});
  unpacked.set_dimensions(0, INT64_MAX / 8 + 1);
  EXPECT_FALSE(ShapeUtil::ValidateShape(unpacked).ok());
  const Shape bare(Proto("element_type: F32 dimensions: 2"));
  EXPECT_TRUE(ShapeUtil::ValidateShapeWithOptionalLayout(bare).ok());
  EXPECT_TRUE(ShapeUtil::ValidateShapeWithOptionalLayout(ShapeUtil::MakeTupleShape({bare})).ok());
}

TEST(ShapeUtil, SaysWhatCannotBeMade) {
  EXPECT_EQ(ShapeUtil::MakeValidatedShape(xla::TUPLE, {}).status(),
            absl::InvalidArgumentError(
                "expected a type that an array can have, such as F32; got tuple (13)"));
  EXPECT_EQ(ShapeUtil::MakeValidatedShape(xla::F32, {2, 3}, {true}).status(),
            absl::InvalidArgumentError("expected a flag for each of 2 dimensions, got 1"));
  EXPECT_FALSE(ShapeUtil::MakeValidatedShape(xla::OPAQUE_TYPE, {2}).ok());
  EXPECT_TRUE(ShapeUtil::MakeValidatedShape(xla::OPAQUE_TYPE, {}).ok());
  EXPECT_TRUE(ShapeUtil::MakeValidatedShape(xla::TOKEN, {}).ok());
}

TEST(ShapeFromProto, SaysWhatEachFaultIs) {
  const std::string suffix =
      ", which callbridge cannot pass to a custom call: expected a shape of dense arrays, "
      "tokens and tuples of "
      "fixed sizes";
  const std::pair<const char*, std::string> cases[] = {
      {"element_type: OPAQUE_TYPE", "an opaque shape" + suffix},
      {"element_type: BUFFER tuple_shapes { element_type: F32 }", "a buffer shape" + suffix},
      {"element_type: F6E3M2FN dimensions: 2",
       "arrays of f6e3m2fn are not supported: XLA's FFI has no such type, up to jaxlib 0.12"},
      {"element_type: F32 dimensions: 2 is_dynamic_dimension: true",
       "an array with dynamic dimensions" + suffix},
      {"element_type: F32 layout { tiles {} }", "a tiled layout" + suffix},
      {"element_type: F32 layout { physical_shape {} }", "a sparse layout" + suffix},
      {"element_type: F32 layout { dynamic_shape_metadata_prefix_bytes: 4 }",
       "a layout with room for dynamic sizes" + suffix},
      {"element_type: F32 dimensions: [2, 2] is_dynamic_dimension: false",
       "expected as many is_dynamic_dimension as dimensions, 2, or none; got 1"},
      {"element_type: F32 tuple_shapes {} tuple_shapes {}",
       "expected a shape other than a tuple to have no elements; one of element type 11 has 2"},
      {"element_type: 99", "expected an element type that is known; got number 99"},
      {"element_type: TOKEN layout { minor_to_major: 0 }",
       "expected only arrays to have dimensions and a layout"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(callbridge::hlo::ShapeFromProto(Proto(text)).status().message(), message);
  }
}

TEST(ShapeFromProto, PaddingToOneElementIsNone) {
  constexpr int kTailPaddingAlignmentInElements = 16;
  for (const int padding : {0, 1, 2}) {
    ShapeProto proto = Proto("element_type: F32 layout {}");
    xla::LayoutProto::GetReflection()
        ->MutableUnknownFields(proto.mutable_layout())
        ->AddVarint(kTailPaddingAlignmentInElements, padding);
    EXPECT_EQ(callbridge::hlo::ShapeFromProto(proto).ok(), padding < 2) << padding;
  }
}

TEST(ProgramShape, IsReadWrittenAndPrinted) {
  const Shape f32 = ShapeUtil::MakeShape(xla::F32, {2});
  const Shape s32 = ShapeUtil::MakeScalarShape(xla::S32);
  ProgramShape program = ShapeUtil::MakeProgramShape({f32, s32}, ShapeUtil::MakeTupleShape({f32}));
  EXPECT_EQ(program.ToString(), "((unknown): f32[2], (unknown): s32[]) -> (f32[2])");
  program.add_parameter_names("x");
  EXPECT_EQ(program.ToString(), "(x: f32[2], (unknown): s32[]) -> (f32[2])");
  *program.add_parameter_names() = "y";
  EXPECT_EQ(ShapeUtil::HumanString(program), "(x: f32[2], y: s32[]) -> (f32[2])");
  std::ostringstream out;
  out << program;
  EXPECT_EQ(out.str(), "(x: f32[2], y: s32[]) -> (f32[2])");
  const ProgramShape again(program.ToProto());
  EXPECT_EQ(again.ToString(), program.ToString());
  EXPECT_EQ(again.ToProto().SerializeAsString(), program.ToProto().SerializeAsString());
  EXPECT_EQ(program.ShortDebugString(), program.ToProto().ShortDebugString());
  EXPECT_EQ(program.DebugString(), program.ToProto().DebugString());
  EXPECT_EQ(again.parameters_size(), 2);
  EXPECT_EQ(again.parameters(1), s32);
  EXPECT_EQ(again.result(), ShapeUtil::MakeTupleShape({f32}));
  EXPECT_THAT(again.parameter_names(), ElementsAre("x", "y"));
  EXPECT_EQ(again.parameter_names(1), "y");

  program.set_parameter_names(0, "first");
  *program.mutable_parameter_names(1) = "second";
  *program.mutable_parameters(0) = s32;
  *program.add_parameters() = f32;
  *program.mutable_result() = f32;
  EXPECT_EQ(program.ToString(), "(first: s32[], second: s32[], (unknown): f32[2]) -> f32[2]");
  program.clear_parameters();
  EXPECT_EQ(program.ToString(), "() -> f32[2]");
  EXPECT_EQ(program.parameter_names_size(), 2);
  program.clear_parameter_names();
  EXPECT_EQ(program.parameter_names_size(), 0);
}

TEST(ShapeDeathTest, SaysWhatWasExpected) {
  Shape shape = ShapeUtil::MakeShape(xla::F32, {2});
  Shape nil = ShapeUtil::MakeNil();
  Shape huge = shape;
  huge.set_dimensions(0, INT64_MAX);
  huge.add_dimensions(2);
  Shape negative = shape;
  negative.set_dimensions(0, -1);
  Shape negative_bits = shape;
  negative_bits.mutable_layout()->set_element_size_in_bits(-8);
  Shape many_bits = ShapeUtil::MakeShape(xla::U8, {INT64_MAX});
  many_bits.mutable_layout()->set_element_size_in_bits(9);
  Shape outside = shape;
  outside.mutable_layout()->set_minor_to_major(0, 5);
  const Shape token = ShapeUtil::MakeTokenShape();
  ProgramShape program = ShapeUtil::MakeProgramShape({shape}, shape);
  const std::pair<std::function<void()>, const char*> cases[] = {
      {[&] { shape.dimensions(-1); }, "there is no dimension -1: there are 1, from 0"},
      {[&] { shape.set_dimensions(1, 0); }, "there is no dimension 1: there are 1, from 0"},
      {[&] { outside.dimensions_minor(0); }, "there is no dimension 5"},
      {[&] { outside.set_dimensions_minor(0, 1); }, "there is no dimension 5"},
      {[&] { shape.DeleteDimension(1); }, "there is no dimension 1"},
      {[&] { shape.is_dynamic_dimension(1); }, "there is no dimension 1"},
      {[&] { shape.set_dynamic_dimension(1, true); }, "there is no dimension 1"},
      {[&] { shape.mutable_tuple_shapes(0); }, "there is no tuple element 0: there are 0, from 0"},
      {[&] { nil.mutable_layout(); }, "expected an array, which has a layout; got ()"},
      {[&] { token.layout(); }, "the shape token[] has no layout"},
      {[&] { ShapeUtil::AppendShapeToTuple(token, &shape); },
       "expected a tuple; got the shape f32[2]"},
      {[&] { ShapeUtil::ElementsIn(token); }, "expected an array; got the shape token[]"},
      {[&] { ShapeUtil::ElementsIn(huge); },
       "expected a number of elements that fits 63 bits; got the shape f32["},
      {[&] { ShapeUtil::ElementsIn(negative); }, "expected a number of elements that fits 63 bits"},
      {[&] { ShapeUtil::ByteSizeOf(Shape(), 8); },
       "expected a shape that has a size; got the shape"},
      {[&] { ShapeUtil::ByteSizeOf(ShapeUtil::MakeOpaqueShape(), 0); },
       "expected a shape that has a size"},
      {[&] { ShapeUtil::ByteSizeOf(negative_bits); },
       "expected a size in bytes that fits 63 bits; got the shape f32[2]"},
      {[&] { ShapeUtil::ByteSizeOf(many_bits); }, "expected a size in bytes that fits 63 bits"},
      {[&] { ShapeUtil::ByteSizeOfTupleIndexTable(shape, 8); },
       "expected a tuple; got the shape f32[2]"},
      {[&] { ShapeUtil::ByteSizeOfTupleIndexTable(nil, 0); },
       "the size of a tuple's table: expected the bytes of a pointer, such as 8"},
      {[&] { ShapeUtil::ByteSizeOfPrimitiveType(xla::TUPLE); },
       "expected a type that has a size, such as F32; got tuple"},
      {[&] { ShapeUtil::GetDimensionNumber(shape, -2); }, "there is no dimension -1"},
      {[&] { ShapeUtil::GetDimension(shape, 1); }, "there is no dimension 1"},
      {[&] { ShapeUtil::TupleElementCount(shape); }, "expected a tuple; got the shape f32[2]"},
      {[&] { ShapeUtil::GetTupleElementShape(shape, 0); },
       "expected a tuple; got the shape f32[2]"},
      {[&] { ShapeUtil::GetTupleElementShape(nil, 0); }, "there is no tuple element 0"},
      {[&] { ShapeUtil::GetSubshape(nil, {0}); }, "there is no shape at {0} of ()"},
      {[&] { program.parameters(1); }, "there is no parameter 1: there are 1, from 0"},
      {[&] { program.mutable_parameters(1); }, "there is no parameter 1"},
      {[&] { program.parameter_names(0); }, "there is no parameter name 0: there are 0, from 0"},
      {[&] { program.mutable_parameter_names(0); }, "there is no parameter name 0"},
      {[&] { program.set_parameter_names(0, "x"); }, "there is no parameter name 0"},
  };
  for (const auto& [call, message] : cases) EXPECT_DEATH(call(), HasSubstr(message)) << message;
}

}  // namespace
