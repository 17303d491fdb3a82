// Computations built with xla::XlaBuilder, printed as text: compiled once against the genuine
// headers and library of TensorFlow 2.13.1 and once against callbridge's, and the texts compared
// (test_builder.py). An error is printed as its code and the first line of its message, behind
// which the genuine builder appends a stack trace.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/client/xla_computation.h"
#include "tensorflow/compiler/xla/layout_util.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/literal_util.h"
#include "tensorflow/compiler/xla/shape_util.h"

namespace {

using xla::F32;
using xla::S32;
using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

Shape F32s(std::initializer_list<int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

void Print(const XlaComputation& computation) {
  std::cout << computation.proto().DebugString();
  auto shape = computation.GetProgramShape();
  std::cout << "parameters " << shape.value().parameters_size() << " result "
            << ShapeUtil::HumanStringWithLayout(shape.value().result()) << " name "
            << computation.name() << " null " << computation.IsNull() << "\n";
}

template <typename Status>
void PrintError(const Status& status) {
  const std::string message(status.message());
  std::cout << "error " << static_cast<int>(status.code()) << ": "
            << message.substr(0, message.find('\n')) << "\n";
}

void PrintBuilt(XlaBuilder& b) {
  auto built = b.Build();
  if (built.ok()) {
    Print(built.value());
  } else {
    PrintError(built.status());
  }
}

struct Program {
  const char* name;
  std::function<void(XlaBuilder&)> build;
};

XlaOp P(XlaBuilder& b, int64_t number, const Shape& shape) {
  return xla::Parameter(&b, number, shape, "p" + std::to_string(number));
}

XlaComputation AddComputation(XlaBuilder& parent) {
  auto b = parent.CreateSubBuilder("sum");
  XlaOp x = xla::Parameter(b.get(), 0, F32s({}), "x");
  XlaOp y = xla::Parameter(b.get(), 1, F32s({}), "y");
  xla::Add(x, y);
  return b->BuildAndNoteError();
}

// What the lowering of PyTorch's add and mul does before it adds or multiplies: the smaller operand
// becomes as large as the other.
XlaOp ExpandTo(XlaOp input, XlaOp output) {
  const Shape from = input.builder()->GetShape(input).value();
  const Shape to = output.builder()->GetShape(output).value();
  if (from.rank() >= to.rank() || from.rank() == 0) return input;
  std::vector<int64_t> broadcast(to.dimensions().begin(),
                                 to.dimensions().end() - static_cast<int64_t>(from.rank()));
  return xla::Broadcast(input, broadcast);
}

void Elementwise(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 3})), y = P(b, 1, F32s({2, 3}));
  XlaOp sum = x + y;
  XlaOp difference = x - y;
  XlaOp quotient = sum / difference;
  XlaOp product = quotient * -x;
  XlaOp largest = xla::Max(product, xla::Abs(y));
  XlaOp smallest = xla::Min(largest, xla::Neg(y));
  xla::Sub(xla::Mul(smallest, x), xla::Div(y, x));
}

void ScalarBroadcast(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 3}));
  XlaOp one = xla::ConstantR0<float>(&b, 1.5f);
  XlaOp sum = one + x;
  XlaOp difference = sum - one;
  xla::Mul(difference, xla::Neg(one));
}

void BroadcastDimensions(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 3})), row = P(b, 1, F32s({3})), column = P(b, 2, F32s({2}));
  XlaOp sum = xla::Add(x, row, {1});
  XlaOp product = xla::Mul(column, sum, {0});
  XlaOp cube = P(b, 3, F32s({2, 4, 3}));
  XlaOp wide = xla::Sub(cube, product, {0, 2});
  XlaOp equal = xla::Max(x, sum, {0, 1});
  xla::Tuple(&b, {wide, equal});
}

void DegenerateDimensions(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 1})), y = P(b, 1, F32s({1, 3})), z = P(b, 2, F32s({1, 1}));
  XlaOp w = P(b, 3, F32s({4, 2, 3})), one = P(b, 4, F32s({1})), n = P(b, 5, F32s({1, 3, 1}));
  XlaOp sum = x + y;
  XlaOp zs = z * sum;
  XlaOp large = xla::Add(w, z, {1, 2});
  XlaOp mixed = xla::Div(large, y, {1, 2});
  XlaOp wide = xla::Max(sum, one, {0});
  XlaOp both = xla::Min(x, n, {0, 1});
  xla::Tuple(&b, {zs, mixed, wide, both});
}

void PyTorchAddAndMul(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({3, 5})), y = P(b, 1, F32s({5}));
  XlaOp product = ExpandTo(x, y) * ExpandTo(y, x);
  XlaOp alpha = xla::ConstantR0<float>(&b, 2);
  XlaOp scaled = ExpandTo(alpha, product) * ExpandTo(product, alpha);
  XlaOp sum = ExpandTo(y, scaled) + ExpandTo(scaled, y);
  (void)sum;
}

void Broadcasts(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 1})), s = P(b, 1, F32s({}));
  XlaOp leading = xla::Broadcast(x, {4, 5});
  XlaOp none = xla::Broadcast(x, {});
  XlaOp scalar = xla::Broadcast(s, {3});
  XlaOp same = xla::BroadcastInDim(x, {2, 1}, {0, 1});
  XlaOp degenerate = xla::BroadcastInDim(x, {7, 2, 6}, {1, 2});
  XlaOp plain = xla::BroadcastInDim(x, {2, 9, 1}, {0, 2});
  XlaOp scalar_in = xla::BroadcastInDim(s, {2, 2}, {});
  xla::Tuple(&b, {leading, none, scalar, same, degenerate, plain, scalar_in});
}

void ReshapeAndConvert(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 6}));
  XlaOp flat = xla::Reshape(x, {12});
  XlaOp cube = xla::Reshape(flat, {3, 2, 2});
  XlaOp same = xla::Reshape(x, {2, 6});
  XlaOp shape = xla::Reshape(F32s({4, 3}), x);
  XlaOp ints = xla::ConvertElementType(cube, S32);
  XlaOp no_change = xla::ConvertElementType(x, F32);
  XlaOp complex = xla::ConvertElementType(x, xla::C64);
  XlaOp permuted = xla::Reshape(x, {0, 1}, {3, 4});
  XlaOp copied = xla::Copy(x);
  xla::Tuple(&b, {ints, same, shape, no_change, xla::Abs(complex), permuted, copied});
}

void Constants(XlaBuilder& b) {
  XlaOp a = xla::ConstantR0<int32_t>(&b, -7);
  XlaOp c = xla::ConstantR1<float>(&b, {1, 2, 3.5f});
  XlaOp d = xla::ConstantR2<int64_t>(&b, {{1, 2, 3}, {4, 5, 6}});
  XlaOp e = xla::ConstantR1<uint8_t>(&b, 5, 9);
  XlaOp f = xla::ConstantR1<float>(&b, {2, 2, 2});
  XlaOp g = xla::ConstantR0<bool>(&b, true);
  XlaOp h = xla::ConstantR0<std::complex<float>>(&b, {1, -2});
  XlaOp i = xla::ConstantLiteral(&b, xla::LiteralUtil::CreateR1<double>({0.25, -1e300}));
  XlaOp j = xla::ConstantR1<float>(&b, {});
  XlaOp k = xla::ConstantR1<float>(&b, {4});
  XlaOp l = xla::ConstantLiteral(&b, xla::LiteralUtil::CreateR2<float>({{1, 1}, {1, 1}}));
  XlaOp m = xla::ConstantLiteral(
      &b, xla::LiteralUtil::MakeTupleOwned(xla::LiteralUtil::CreateR0<float>(1),
                                           xla::LiteralUtil::CreateR1<int32_t>({2, 3})));
  XlaOp n = xla::ConstantR0<int8_t>(&b, -3);
  XlaOp o = xla::ConstantR1<uint16_t>(&b, {1, 65535});
  xla::Tuple(&b, {a, c, d, e, f, g, h, i, j, k, l, m, n, o});
}

void Tuples(XlaBuilder& b) {
  const Shape nested = ShapeUtil::MakeTupleShape(
      {F32s({32}), ShapeUtil::MakeTupleShape({F32s({64}), F32s({128})}), F32s({256})});
  XlaOp p = P(b, 0, nested);
  XlaOp inner = xla::GetTupleElement(p, 1);
  XlaOp leaf = xla::GetTupleElement(inner, 0);
  XlaOp empty = xla::Tuple(&b, {});
  xla::Tuple(&b, {leaf, empty, inner, leaf});
}

void CustomCalls(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({128})), y = P(b, 1, F32s({2048}));
  XlaOp plain = xla::CustomCall(&b, "do_custom_call", {x, y}, F32s({2048}));
  XlaOp opaque =
      xla::CustomCall(&b, "with_opaque", {x}, F32s({3, 4}), std::string("\x00\xff\x01\"", 4));
  xla::Literal literal = xla::LiteralUtil::CreateR1<float>({1, 2});
  XlaOp all = xla::CustomCall(&b, "all", {y, opaque},
                              ShapeUtil::MakeTupleShape({F32s({3, 4}), F32s({2048})}), "opaque",
                              /*has_side_effect=*/true,
                              /*output_operand_aliasing=*/{{{0}, {1, {}}}, {{1}, {0, {}}}},
                              &literal, xla::CustomCallSchedule::SCHEDULE_LATEST,
                              xla::CustomCallApiVersion::API_VERSION_STATUS_RETURNING_UNIFIED);
  XlaOp none = xla::CustomCall(&b, "none", {}, ShapeUtil::MakeTupleShape({}), "", false, {},
                               nullptr, xla::CustomCallSchedule::SCHEDULE_EARLIEST,
                               xla::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  xla::Tuple(&b, {plain, all, none});
}

void CustomCallsWithLayout(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2, 3}));
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  XlaOp call =
      xla::CustomCallWithLayout(&b, "layout", {x}, column_major, {column_major}, "o", true);
  XlaOp plain = xla::CustomCall(&b, "plain", {call}, column_major);
  xla::Window window;
  xla::WindowDimension* dimension = window.add_dimensions();
  dimension->set_size(3);
  dimension->set_stride(2);
  dimension->set_padding_low(1);
  dimension->set_window_dilation(1);
  dimension->set_base_dilation(1);
  XlaOp conv = xla::CustomCallWithConvDnums(&b, "conv", {x, plain}, F32s({2}), {}, "opaque", false,
                                            {}, nullptr, window,
                                            XlaBuilder::CreateDefaultConvDimensionNumbers(2));
  XlaOp conv_layout = xla::CustomCallWithConvDnums(
      &b, "conv", {x}, column_major, {column_major}, "", true, {}, nullptr, window,
      XlaBuilder::CreateDefaultConvDimensionNumbers(1));
  xla::Tuple(&b, {conv, conv_layout});
}

void CustomCallsWithComputation(XlaBuilder& b) {
  XlaComputation sum = AddComputation(b);
  XlaOp x = P(b, 0, F32s({}));
  XlaOp first = xla::CustomCallWithComputation(&b, "computes", {x}, sum, F32s({2}), "opaque");
  XlaOp second =
      xla::CustomCallWithComputation(&b, "computes", {x}, sum, F32s({2}), "", true, {}, nullptr,
                                     xla::CustomCallSchedule::SCHEDULE_NONE,
                                     xla::CustomCallApiVersion::API_VERSION_STATUS_RETURNING);
  xla::Add(first, second);
}

void Calls(XlaBuilder& b) {
  XlaComputation sum = AddComputation(b);
  auto middle_builder = b.CreateSubBuilder("middle");
  XlaOp m = xla::Parameter(middle_builder.get(), 0, F32s({}), "m");
  xla::Call(middle_builder.get(), sum, {m, m});
  XlaComputation middle = middle_builder->BuildAndNoteError();
  XlaOp x = P(b, 0, F32s({})), y = P(b, 1, F32s({}));
  XlaOp first = xla::Call(&b, sum, {x, y});
  XlaOp second = xla::Call(&b, middle, {first});
  xla::Call(&b, sum, {second, second});
}

void Tokens(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({4})), token = xla::CreateToken(&b);
  XlaOp call = xla::CustomCall(&b, "writes", {x, token}, ShapeUtil::MakeTokenShape(), "", true);
  XlaOp joined = xla::AfterAll(&b, {token, call});
  XlaOp dependent = xla::internal::XlaBuilderFriend::BuildAddDependency(&b, x, joined, F32s({4}));
  xla::Tuple(&b, {dependent, joined});
}

void Attributes(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  xla::FrontendAttributes attributes;
  (*attributes.mutable_map())["key"] = "value";
  b.SetFrontendAttributes(attributes);
  XlaOp a = x + x;
  {
    xla::FrontendAttributes inner;
    (*inner.mutable_map())["other"] = "1";
    xla::XlaScopedFrontendAttributesAssignment scope(&b, inner);
    a = a * x;
  }
  a = a - x;
  b.ClearFrontendAttributes();
  xla::OpMetadata metadata;
  metadata.set_op_type("type");
  metadata.set_op_name("name");
  metadata.set_source_file("file.cc");
  metadata.set_source_line(7);
  b.SetOpMetadata(metadata);
  a = a + x;
  b.ClearOpMetadata();
  b.SetOneShotOpMetadata(metadata);
  a = a + x;
  a = a + x;
  std::cout << b.SetInstructionFrontendAttribute(a, "set", "later").ok() << "\n";
  xla::OpSharding sharding;
  sharding.set_type(xla::OpSharding::REPLICATED);
  b.SetSharding(sharding);
  a = a + x;
  b.ClearSharding();
}

void Aliases(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2})), y = P(b, 1, ShapeUtil::MakeTupleShape({F32s({3}), F32s({2})}));
  xla::Tuple(&b, {x + x, xla::GetTupleElement(y, 1)});
  b.SetUpAlias({0}, 0, {});
  b.SetUpAlias({1}, 1, {1});
}

void BadAliasIndex(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  xla::Tuple(&b, {x});
  b.SetUpAlias({1}, 0, {});
}
void BadAliasParameter(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  xla::Tuple(&b, {x});
  b.SetUpAlias({0}, 1, {});
}
void BadAliasParameterIndex(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  xla::Tuple(&b, {x});
  b.SetUpAlias({0}, 0, {0});
}

void ReplicatedParameter(XlaBuilder& b) { xla::Parameter(&b, 0, F32s({2}), "p", {true}); }

void UninitializedOperand(XlaBuilder& b) { xla::CustomCall(&b, "f", {XlaOp()}, F32s({2})); }
void OtherBuilder(XlaBuilder& b) {
  XlaBuilder other("other");
  XlaOp x = P(other, 0, F32s({2}));
  xla::Tuple(&b, {x});
}
void OtherBuildersOperand(XlaBuilder& b) {
  XlaBuilder other("other");
  XlaOp x = P(other, 0, F32s({2})), y = P(b, 0, F32s({2}));
  y + x;
}
void AfterAnError(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  XlaOp bad = xla::GetTupleElement(x, 0);
  XlaOp worse = xla::Reshape(bad, {5});
  std::cout << bad.valid() << worse.valid() << bad.IsUninitialized() << worse.IsUninitialized()
            << (bad.builder() == &b) << "\n";
  PrintError(b.first_error());
  PrintError(b.GetShape(bad).status());
  PrintError(b.GetShape(x).status());
  PrintError(b.GetProgramShape().status());
  PrintError(b.GetCurrentStatus());
}
void ReportedError(XlaBuilder& b) {
  XlaBuilder other("other");
  XlaOp x = b.ReportError(other.GetShape(P(b, 0, F32s({2}))).status());
  XlaOp y = b.ReportErrorOrReturn(b.GetShape(x).ok() ? xla::StatusOr<XlaOp>(x)
                                                     : xla::StatusOr<XlaOp>(P(b, 1, F32s({}))));
  std::cout << x.valid() << y.valid() << "\n";
}
void ShapeOfUninitialized(XlaBuilder& b) {
  P(b, 0, F32s({2}));
  PrintError(b.GetShape(XlaOp()).status());
}
void BuiltTwice(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  x + x;
  Print(b.Build().value());
  PrintError(b.GetShape(x).status());
  x + x;
}
void BuildRoot(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  XlaOp sum = x + x;
  XlaOp unused = sum * x;
  (void)unused;
  std::cout << b.GetProgramShape(sum).value().ToString() << "\n";
  std::cout << b.GetProgramShape().value().ToString() << "\n";
  Print(b.Build(sum).value());
  // The genuine builder's behaviour is undefined where there is nothing to build.
  P(b, 0, F32s({}));
}
void TwoBuilds(XlaBuilder& b) {
  XlaOp x = P(b, 0, F32s({2}));
  b.SetUpAlias({}, 0, {});
  Print(b.Build(x).value());
  P(b, 0, F32s({3}));
}
// Which layout the result of an instruction has, where its operand has no row-major one.
void LayoutsOfOperands(XlaBuilder& b) {
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  Shape none = F32s({2, 3});
  none.clear_layout();
  XlaOp x = P(b, 0, column_major), y = P(b, 1, F32s({2, 3})), z = P(b, 2, none);
  XlaOp c = P(b, 3, ShapeUtil::MakeShapeWithDenseLayout(xla::C64, {2, 3}, {0, 1}));
  XlaOp t = P(b, 4, ShapeUtil::MakeTupleShape({column_major, none}));
  XlaOp row = P(b, 5, F32s({1, 3}));
  XlaOp call = xla::CustomCall(&b, "f", {}, none);
  const Shape result = ShapeUtil::MakeTupleShape({none, column_major});
  XlaOp more = xla::CustomCall(&b, "f", {}, result);
  XlaOp added = xla::internal::XlaBuilderFriend::BuildAddDependency(&b, x, xla::CreateToken(&b),
                                                                    column_major);
  xla::Tuple(&b,
             {x + y,
              y + x,
              z + x,
              z + z,
              xla::Neg(x),
              xla::Neg(z),
              xla::Abs(c),
              xla::Copy(x),
              xla::ConvertElementType(x, S32),
              xla::Reshape(x, {3, 2}),
              xla::Reshape(x, {2, 3}),
              xla::Reshape(column_major, y),
              xla::Reshape(none, y),
              xla::Broadcast(x, {2}),
              xla::BroadcastInDim(x, {2, 3}, {0, 1}),
              xla::GetTupleElement(t, 0),
              xla::GetTupleElement(t, 1),
              call,
              more,
              x + row,
              x + xla::ConstantR0<float>(&b, 1),
              xla::ConstantR0<float>(&b, 1) + x,
              xla::ConstantLiteral(&b, xla::LiteralUtil::CreateR2WithLayout<float>(
                                           {{1, 2}, {3, 4}}, xla::LayoutUtil::MakeLayout({0, 1}))),
              xla::ConstantLiteral(&b, xla::LiteralUtil::CreateR2WithLayout<float>(
                                           {{1, 1}, {1, 1}}, xla::LayoutUtil::MakeLayout({0, 1}))),
              added});
}
void NegativeZero(XlaBuilder& b) { xla::ConstantR1<float>(&b, {0.0f, -0.0f}); }
void Nan(XlaBuilder& b) { xla::ConstantR1<float>(&b, {std::nanf(""), std::nanf("")}); }
void BuildRootOfOther(XlaBuilder& b) {
  XlaBuilder other("other");
  P(b, 0, F32s({2}));
  PrintError(b.Build(P(other, 0, F32s({2}))).status());
}
void SubBuilderError(XlaBuilder& b) {
  auto sub = b.CreateSubBuilder("sub");
  xla::GetTupleElement(xla::Parameter(sub.get(), 0, F32s({2}), "x"), 0);
  XlaComputation computation = sub->BuildAndNoteError();
  std::cout << computation.IsNull() << "\n";
}
void NoDefaultName(XlaBuilder& b) {
  xla::Parameter(&b, 0, F32s({2}), "");
  xla::Parameter(&b, 1, F32s({2}), "a.b-c d%e");
}

// One operation on parameters of these shapes, which should fail or shows what comes out.
XlaOp Binary(XlaBuilder& b, XlaOp (*op)(XlaOp, XlaOp, absl::Span<const int64_t>), Shape left,
             Shape right, std::vector<int64_t> dimensions = {}) {
  return op(P(b, 0, left), P(b, 1, right), dimensions);
}

Shape Of(xla::PrimitiveType type) { return ShapeUtil::MakeShape(type, {2}); }

const Program kPrograms[] = {
    {"parameter",
     [](XlaBuilder& b) {
       P(b, 0, F32s({2, 3}));
     }},
    {"parameter_with_layout",
     [](XlaBuilder& b) {
       P(b, 0, ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}));
     }},
    {"elementwise", Elementwise},
    {"scalar_broadcast", ScalarBroadcast},
    {"broadcast_dimensions", BroadcastDimensions},
    {"degenerate_dimensions", DegenerateDimensions},
    {"pytorch_add_and_mul", PyTorchAddAndMul},
    {"broadcasts", Broadcasts},
    {"reshape_and_convert", ReshapeAndConvert},
    {"constants", Constants},
    {"tuples", Tuples},
    {"custom_calls", CustomCalls},
    {"custom_calls_with_layout", CustomCallsWithLayout},
    {"custom_calls_with_computation", CustomCallsWithComputation},
    {"calls", Calls},
    {"tokens", Tokens},
    {"attributes", Attributes},
    {"aliases", Aliases},
    {"replicated_parameter", ReplicatedParameter},
    {"names", NoDefaultName},
    {"build_root", BuildRoot},
    {"built_twice", BuiltTwice},
    {"two_builds", TwoBuilds},
    {"layouts_of_operands", LayoutsOfOperands},
    {"negative_zero", NegativeZero},
    {"nan", Nan},
    {"bad_alias_index", BadAliasIndex},
    {"bad_alias_parameter", BadAliasParameter},
    {"bad_alias_parameter_index", BadAliasParameterIndex},
    {"uninitialized_operand", UninitializedOperand},
    {"other_builder", OtherBuilder},
    {"other_builders_operand", OtherBuildersOperand},
    {"after_an_error", AfterAnError},
    {"reported_error", ReportedError},
    {"add_of_uninitialized", [](XlaBuilder& b) { P(b, 0, F32s({})) + XlaOp(); }},
    {"uninitialized_plus", [](XlaBuilder& b) { XlaOp() + P(b, 0, F32s({})); }},
    {"report_ok", [](XlaBuilder& b) { b.ReportError(b.GetShape(P(b, 0, F32s({}))).status()); }},
    {"die_immediately",
     [](XlaBuilder& b) {
       b.set_die_immediately_on_error(true);
       xla::GetTupleElement(P(b, 0, F32s({})), 0);
     }},
    {"shape_of_uninitialized", ShapeOfUninitialized},
    {"build_root_of_other", BuildRootOfOther},
    {"sub_builder_error", SubBuilderError},
    {"duplicate_parameter", [](XlaBuilder& b) { P(b, 0, F32s({2})), P(b, 0, F32s({2})); }},
    {"missing_parameter", [](XlaBuilder& b) { P(b, 1, F32s({2})); }},
    {"negative_parameter", [](XlaBuilder& b) { P(b, -1, F32s({2})); }},
    {"add_types", [](XlaBuilder& b) { Binary(b, xla::Add, F32s({2}), Of(S32)); }},
    {"add_shapes", [](XlaBuilder& b) { Binary(b, xla::Add, F32s({2}), F32s({3})); }},
    {"add_ranks",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2}), F32s({2, 2}));
     }},
    {"add_tuple",
     [](XlaBuilder& b) { Binary(b, xla::Add, F32s({2}), ShapeUtil::MakeTupleShape({})); }},
    {"add_dimension_count",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2}), F32s({2, 2}), {0, 1});
     }},
    {"add_dimension_range",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2}), F32s({2, 2}), {2});
     }},
    {"add_dimension_negative",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2}), F32s({2, 2}), {-1});
     }},
    {"add_dimension_size",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2}), F32s({2, 3}), {1});
     }},
    {"add_dimension_order",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2, 2}), F32s({2, 2, 2}), {1, 0});
     }},
    {"add_dimension_same_rank",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({2, 2}), F32s({2, 2}), {1, 0});
     }},
    {"add_dimension_of_scalar",
     [](XlaBuilder& b) {
       Binary(b, xla::Add, F32s({}), F32s({2, 2}), {});
     }},
    {"add_pred", [](XlaBuilder& b) { Binary(b, xla::Add, Of(xla::PRED), Of(xla::PRED)); }},
    {"sub_pred", [](XlaBuilder& b) { Binary(b, xla::Sub, Of(xla::PRED), Of(xla::PRED)); }},
    {"mul_pred", [](XlaBuilder& b) { Binary(b, xla::Mul, Of(xla::PRED), Of(xla::PRED)); }},
    {"div_pred", [](XlaBuilder& b) { Binary(b, xla::Div, Of(xla::PRED), Of(xla::PRED)); }},
    {"max_pred", [](XlaBuilder& b) { Binary(b, xla::Max, Of(xla::PRED), Of(xla::PRED)); }},
    {"max_complex", [](XlaBuilder& b) { Binary(b, xla::Max, Of(xla::C64), Of(xla::C64)); }},
    {"div_complex", [](XlaBuilder& b) { Binary(b, xla::Div, Of(xla::C64), Of(xla::C64)); }},
    {"add_precisions", [](XlaBuilder& b) { Binary(b, xla::Add, F32s({2}), Of(xla::BF16)); }},
    {"neg_unsigned", [](XlaBuilder& b) { xla::Neg(P(b, 0, Of(xla::U32))); }},
    {"neg_pred", [](XlaBuilder& b) { xla::Neg(P(b, 0, Of(xla::PRED))); }},
    {"neg_tuple", [](XlaBuilder& b) { xla::Neg(P(b, 0, ShapeUtil::MakeTupleShape({}))); }},
    {"neg_token", [](XlaBuilder& b) { xla::Neg(xla::CreateToken(&b)); }},
    {"abs_unsigned", [](XlaBuilder& b) { xla::Abs(P(b, 0, Of(xla::U32))); }},
    {"abs_pred", [](XlaBuilder& b) { xla::Abs(P(b, 0, Of(xla::PRED))); }},
    {"abs_complex", [](XlaBuilder& b) { xla::Abs(P(b, 0, Of(xla::C128))); }},
    {"convert_complex", [](XlaBuilder& b) { xla::ConvertElementType(P(b, 0, Of(xla::C64)), F32); }},
    {"convert_complex_pred",
     [](XlaBuilder& b) { xla::ConvertElementType(P(b, 0, Of(xla::C64)), xla::PRED); }},
    {"convert_to_tuple",
     [](XlaBuilder& b) { xla::ConvertElementType(P(b, 0, F32s({2})), xla::TUPLE); }},
    {"convert_a_tuple",
     [](XlaBuilder& b) { xla::ConvertElementType(P(b, 0, ShapeUtil::MakeTupleShape({})), F32); }},
    {"reshape_count",
     [](XlaBuilder& b) {
       xla::Reshape(P(b, 0, F32s({2, 3})), {5});
     }},
    {"reshape_tuple",
     [](XlaBuilder& b) { xla::Reshape(P(b, 0, ShapeUtil::MakeTupleShape({})), {5}); }},
    {"reshape_permutation",
     [](XlaBuilder& b) {
       xla::Reshape(P(b, 0, F32s({2, 3})), {1, 0}, {6});
     }},
    {"reshape_no_permutation",
     [](XlaBuilder& b) {
       xla::Reshape(P(b, 0, F32s({2, 3})), {0, 0}, {6});
     }},
    {"reshape_other_type",
     [](XlaBuilder& b) { xla::Reshape(ShapeUtil::MakeShape(S32, {2}), P(b, 0, F32s({2}))); }},
    {"broadcast_negative", [](XlaBuilder& b) { xla::Broadcast(P(b, 0, F32s({2})), {-1}); }},
    {"broadcast_tuple",
     [](XlaBuilder& b) { xla::Broadcast(P(b, 0, ShapeUtil::MakeTupleShape({})), {2}); }},
    {"in_dim_count",
     [](XlaBuilder& b) {
       xla::BroadcastInDim(P(b, 0, F32s({2})), {2, 2}, {});
     }},
    {"in_dim_rank", [](XlaBuilder& b) { xla::BroadcastInDim(P(b, 0, F32s({2})), {}, {0}); }},
    {"in_dim_range", [](XlaBuilder& b) { xla::BroadcastInDim(P(b, 0, F32s({2})), {2}, {1}); }},
    {"in_dim_size", [](XlaBuilder& b) { xla::BroadcastInDim(P(b, 0, F32s({2})), {3}, {0}); }},
    {"in_dim_order",
     [](XlaBuilder& b) {
       xla::BroadcastInDim(P(b, 0, F32s({2, 2})), {2, 2}, {1, 0});
     }},
    {"in_dim_negative_size",
     [](XlaBuilder& b) { xla::BroadcastInDim(P(b, 0, F32s({1})), {-2}, {0}); }},
    {"element_of_array", [](XlaBuilder& b) { xla::GetTupleElement(P(b, 0, F32s({2})), 0); }},
    {"element_range",
     [](XlaBuilder& b) {
       xla::GetTupleElement(P(b, 0, ShapeUtil::MakeTupleShape({F32s({2})})), 1);
     }},
    {"element_negative",
     [](XlaBuilder& b) {
       xla::GetTupleElement(P(b, 0, ShapeUtil::MakeTupleShape({F32s({2})})), -1);
     }},
    {"after_all_nothing", [](XlaBuilder& b) { xla::AfterAll(&b, {}); }},
    {"after_all_array", [](XlaBuilder& b) { xla::AfterAll(&b, {P(b, 0, F32s({2}))}); }},
    {"call_count", [](XlaBuilder& b) { xla::Call(&b, AddComputation(b), {}); }},
    {"call_shape",
     [](XlaBuilder& b) {
       XlaOp x = P(b, 0, F32s({2}));
       xla::Call(&b, AddComputation(b), {x, x});
     }},
    {"layout_count",
     [](XlaBuilder& b) {
       const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2}, {0});
       xla::CustomCallWithLayout(&b, "f", {P(b, 0, F32s({2}))}, shape, {});
     }},
    {"layout_missing_in_result",
     [](XlaBuilder& b) {
       Shape shape = F32s({2});
       shape.clear_layout();
       xla::CustomCallWithLayout(&b, "f", {P(b, 0, F32s({2}))}, shape, {F32s({2})});
     }},
    {"layout_missing_in_operand",
     [](XlaBuilder& b) {
       Shape shape = F32s({2});
       shape.clear_layout();
       xla::CustomCallWithLayout(&b, "f", {P(b, 0, F32s({2}))}, F32s({2}), {shape});
     }},
    {"layout_of_other_shape",
     [](XlaBuilder& b) {
       const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {3}, {0});
       xla::CustomCallWithLayout(&b, "f", {P(b, 0, F32s({2}))}, shape, {shape});
     }},
    {"dollar_target", [](XlaBuilder& b) { xla::CustomCall(&b, "$target", {}, F32s({2})); }},
    {"no_target", [](XlaBuilder& b) { xla::CustomCall(&b, "", {}, F32s({2})); }},
    {"unspecified_version",
     [](XlaBuilder& b) {
       xla::CustomCall(&b, "f", {}, F32s({2}), "", false, {}, nullptr,
                       xla::CustomCallSchedule::SCHEDULE_NONE,
                       xla::CustomCallApiVersion::API_VERSION_UNSPECIFIED);
     }},
    {"alias_of_no_operand",
     [](XlaBuilder& b) {
       xla::CustomCall(&b, "f", {}, F32s({2}), "", false, {{{}, {0, {}}}});
     }},
};

}  // namespace

// The programs that are named, or all, each in a process of its own, since some misuse ends it.
int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  for (const Program& program : kPrograms) {
    bool wanted = names.empty();
    for (const std::string& name : names) wanted = wanted || name == program.name;
    if (!wanted) continue;
    std::cout << "=== " << program.name << std::endl;
    const pid_t child = fork();
    if (child == 0) {
      XlaBuilder b(program.name);
      program.build(b);
      PrintBuilt(b);
      std::cout << std::flush;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::cout << "ended by signal " << WTERMSIG(status) << std::endl;
  }
}
