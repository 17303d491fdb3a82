#include "random_module.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"
#include "callbridge/hlo/xla_computation.h"
#include "random_values.h"

namespace callbridge {
namespace {

using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

// How deep computations call others.
constexpr int kMaxDepth = 2;

// A value of the computation that is being built. Floats in it are multiples of 1 that are at most
// 2^magnitude.
struct Value {
  XlaOp op;
  Shape shape;
  int magnitude = 3;
  bool may_depend = false;  // on a token: XLA 0.12's compiler dies of constants that do
};

class Generator {
 public:
  Generator(RandomValues* random, XlaBuilder* builder, int depth)
      : random_(*random), builder_(*builder), depth_(depth) {}

  void AddParameter(const Shape& shape, int magnitude) {
    Add(xla::Parameter(&builder_, parameter_count_, shape, absl::StrCat("p", parameter_count_)),
        shape, magnitude);
    values_.back().may_depend = true;
    ++parameter_count_;
  }

  void AddInstructions(int count) {
    if (values_.empty()) AddConstant();
    for (int i = 0; i < count; ++i) AddInstruction();
  }

  // What the computation returns.
  Value AddRoot() {
    const Value& one = Any();
    if (random_.Chance(20) && !HasToken(one.shape)) return Rooted(one);
    std::vector<XlaOp> elements;
    std::vector<Shape> shapes;
    int magnitude = 3;
    for (int i = random_.Pick(9); i > 0; --i) {
      const Value& value = Any();
      if (HasToken(value.shape)) continue;
      elements.push_back(value.op);
      shapes.push_back(value.shape);
      magnitude = std::max(magnitude, value.magnitude);
    }
    return {xla::Tuple(&builder_, elements), ShapeUtil::MakeTupleShape(shapes), magnitude};
  }

  // Leaves of the result that may lie where a parameter's do.
  void SetUpAliases(const Shape& result, const std::vector<Shape>& parameters) {
    for (const auto& [output, parameter] : random_.AliasesOf(parameters, result)) {
      builder_.SetUpAlias(output, parameter.first, parameter.second);
    }
  }

 private:
  struct Operands {
    std::vector<XlaOp> ops;
    std::vector<Shape> shapes;
  };

  // Often one of the last, so that most of what is built is used.
  const Value& Any() {
    const int count = static_cast<int>(values_.size());
    const int from = random_.Chance(60) ? std::max(0, count - 6) : 0;
    return values_[static_cast<size_t>(from + random_.Pick(count - from))];
  }

  void Add(XlaOp op, const Shape& shape, int magnitude) {
    values_.push_back({op, shape, magnitude});
  }
  void Add(XlaOp op, int magnitude) { Add(op, builder_.GetShape(op).value(), magnitude); }

  static bool HasToken(const Shape& shape) {
    if (shape.IsToken()) return true;
    const auto& elements = shape.tuple_shapes();
    return std::any_of(elements.begin(), elements.end(), HasToken);
  }

  // Any value that is an array.
  std::optional<Value> AnyArray() {
    for (int i = 0; i < 10; ++i) {
      if (const Value& value = Any(); value.shape.IsArray()) return value;
    }
    return std::nullopt;
  }

  // The root is the last instruction.
  Value Rooted(const Value& value) {
    const XlaOp op = xla::GetTupleElement(xla::Tuple(&builder_, {value.op}), 0);
    return {op, value.shape, value.magnitude};
  }

  void AddConstant() {
    const Shape shape = random_.ShapeOf(2);
    Add(xla::ConstantLiteral(&builder_, random_.LiteralOf(shape)), shape, 3);
  }

  void AddInstruction() {
    switch (random_.Pick(11)) {
      case 0:
        return AddConstant();
      case 1:
        return AddElementwise();
      case 2:
        return AddConversion();
      case 3:
        return AddReshape();
      case 4:
        return AddTuple();
      case 5:
        return AddElement();
      case 6:
        return AddToken();
      case 7:
        return AddCall();
      default:
        return AddCustomCall();
    }
  }

  void AddElementwise() {
    const std::optional<Value> x = AnyArray();
    if (!x.has_value()) return;
    const xla::PrimitiveType type = x->shape.element_type();
    const std::optional<Value> y = PartnerOf(*x);
    const int larger = std::max(x->magnitude, y->magnitude);
    if (type == xla::PRED) {
      return Add(random_.Chance(50) ? xla::Max(x->op, y->op) : xla::Min(x->op, y->op), 0);
    }
    if (!IsFloat(x->shape) && !IsInteger(x->shape)) return;
    const int mantissa = IsFloat(x->shape) ? KindOf(x->shape).mantissa : 1000;
    const bool ordered = !IsComplex(x->shape);
    switch (random_.Pick(8)) {
      case 0:
        return Add(xla::Neg(x->op), x->magnitude);
      case 1:
        if (ordered && !IsUnsigned(x->shape)) Add(xla::Abs(x->op), x->magnitude);
        return;
      case 2:
        if (ordered) Add(xla::Max(x->op, y->op), larger);
        return;
      case 3:
        if (ordered) Add(xla::Min(x->op, y->op), larger);
        return;
      case 4:
        if (IsInteger(x->shape)) Add(x->op / DivisorOf(x->shape), 3);
        return;
      case 5:
        if (x->magnitude + y->magnitude + 1 < mantissa && ordered) {
          Add(x->op * y->op, x->magnitude + y->magnitude);
        }
        return;
      default:
        if (larger + 1 < mantissa) {
          Add(random_.Chance(50) ? x->op + y->op : x->op - y->op, larger + 1);
        }
    }
  }

  // A parameter, which may hold zeros, or odd numbers: XLA's compiler divides constants, and dies
  // of a zero.
  XlaOp DivisorOf(const Shape& shape) {
    for (int64_t i = 0; i < parameter_count_; ++i) {
      const Value& value = values_[static_cast<size_t>(i)];
      if (depth_ == kMaxDepth && ShapeUtil::Compatible(value.shape, shape)) return value.op;
    }
    xla::Literal literal(shape);
    std::string bytes = random_.Elements(shape);
    for (size_t i = 0; i < bytes.size(); i += bytes.size() / ShapeUtil::ElementsIn(shape)) {
      bytes[i] = static_cast<char>(bytes[i] | 1);
    }
    if (!bytes.empty()) memcpy(literal.untyped_data(), bytes.data(), bytes.size());
    return xla::ConstantLiteral(&builder_, literal);
  }

  // Another value of the shape; or a scalar, or an array with dimensions of size 1, which is
  // broadcast.
  Value PartnerOf(const Value& x) {
    std::vector<const Value*> fitting;
    for (const Value& value : values_) {
      if (value.shape.IsArray() && ShapeUtil::Compatible(value.shape, x.shape)) {
        fitting.push_back(&value);
      }
    }
    if (random_.Chance(60))
      return *fitting[static_cast<size_t>(random_.Pick(static_cast<int>(fitting.size())))];
    Shape shape = ShapeUtil::MakeShape(x.shape.element_type(), {});
    if (random_.Chance(50)) {
      shape = x.shape;
      for (int64_t& size : shape.mutable_dimensions()) size = random_.Chance(50) ? 1 : size;
    }
    return {xla::ConstantLiteral(&builder_, random_.LiteralOf(shape)), shape, 3};
  }

  void AddConversion() {
    const std::optional<Value> x = AnyArray();
    if (!x.has_value()) return;
    const ElementKind& to = random_.Kind();
    const Shape goal = ShapeUtil::MakeShape(to.type, {});
    const Shape& from = x->shape;
    if (from.element_type() == to.type || KindOf(from).kind == 'p') {
      // As they are.
    } else if (IsInteger(from) && (IsInteger(goal) || to.type == xla::PRED)) {
      return Add(xla::ConvertElementType(x->op, to.type), 3);
    } else if (IsFloat(from) && !IsComplex(from) && IsFloat(goal) && x->magnitude < to.mantissa &&
               x->magnitude < 14) {
      return Add(xla::ConvertElementType(x->op, to.type), x->magnitude);
    } else if (IsFloat(from) && !IsComplex(from) && x->magnitude < 7 &&
               (to.type == xla::S8 || to.type == xla::S16 || to.type == xla::S32 ||
                to.type == xla::S64)) {
      return Add(xla::ConvertElementType(x->op, to.type), 3);
    } else if ((from.element_type() == xla::S8 || from.element_type() == xla::U8) &&
               to.mantissa > 8) {
      return Add(xla::ConvertElementType(x->op, to.type), 8);
    }
    Add(xla::Copy(x->op), x->magnitude);
  }

  void AddReshape() {
    const std::optional<Value> x = AnyArray();
    if (!x.has_value()) return;
    std::vector<int64_t> sizes(x->shape.dimensions().begin(), x->shape.dimensions().end());
    if (random_.Chance(40) && ShapeUtil::ElementsIn(x->shape) <= 64) {
      sizes.insert(sizes.begin(), random_.Pick(3) + 1);
      if (sizes.size() > 4) return;
      return Add(xla::Broadcast(x->op, {sizes.front()}), x->magnitude);
    }
    if (random_.Chance(40) && sizes.size() < 4 && ShapeUtil::ElementsIn(x->shape) <= 64) {
      std::vector<int64_t> at;
      const int added = random_.Pick(static_cast<int>(sizes.size()) + 1);
      for (int i = 0; i <= static_cast<int>(sizes.size()); ++i) {
        if (i != added) at.push_back(i);
      }
      sizes.insert(sizes.begin() + added, random_.Pick(3) + 1);
      return Add(xla::BroadcastInDim(x->op, sizes, at), x->magnitude);
    }
    if (random_.Chance(50)) std::reverse(sizes.begin(), sizes.end());
    if (sizes.size() < 2) {
      sizes.push_back(1);
    } else {
      const int64_t last = sizes.back();
      sizes.pop_back();
      sizes.back() *= last;
    }
    Add(xla::Reshape(x->op, sizes), x->magnitude);
  }

  void AddTuple() {
    const Operands elements = AnyOperands(4, /*flat=*/false);
    for (const Shape& shape : elements.shapes) {
      if (ShapeUtil::GetLeafCount(shape) > 8) return;
    }
    Add(xla::Tuple(&builder_, elements.ops), ShapeUtil::MakeTupleShape(elements.shapes),
        last_magnitude_);
  }

  void AddElement() {
    const Value tuple = Any();
    if (!tuple.shape.IsTuple() || tuple.shape.tuple_shapes_size() == 0) return;
    const int index = random_.Pick(tuple.shape.tuple_shapes_size());
    Add(xla::GetTupleElement(tuple.op, index), tuple.shape.tuple_shapes(index), tuple.magnitude);
  }

  void AddToken() {
    std::vector<XlaOp> tokens;
    for (const Value& value : values_) {
      if (value.shape.IsToken() && random_.Chance(50)) tokens.push_back(value.op);
    }
    if (tokens.empty()) {
      Add(xla::CreateToken(&builder_), ShapeUtil::MakeTokenShape(), 3);
    } else if (random_.Chance(50)) {
      Add(xla::AfterAll(&builder_, tokens), ShapeUtil::MakeTokenShape(), 3);
    } else if (const std::optional<Value> x = AnyArray(); x.has_value() && x->may_depend) {
      Add(xla::AddDependency(x->op, tokens.front()), x->shape, x->magnitude);
    }
  }

  void AddCall() {
    if (depth_ == 0) return;
    const Operands operands = AnyOperands(3, /*flat=*/false);
    // XLA 0.12 inlines a call with a token such that its constants depend on it, and dies of them.
    if (HasToken(ShapeUtil::MakeTupleShape(operands.shapes))) return;
    const std::unique_ptr<XlaBuilder> sub = builder_.CreateSubBuilder("called");
    Generator generator(&random_, sub.get(), depth_ - 1);
    for (const Shape& shape : operands.shapes) generator.AddParameter(shape, last_magnitude_);
    generator.AddInstructions(random_.Pick(6) + 1);
    const Value root = generator.AddRoot();
    const XlaComputation computation = sub->Build(root.op).value();
    Add(xla::Call(&builder_, computation, operands.ops), root.shape, root.magnitude);
  }

  // Up to `count` - 1 values.
  Operands AnyOperands(int count, bool flat) {
    Operands operands;
    last_magnitude_ = 3;
    for (int i = random_.Pick(count); i > 0; --i) {
      const Value& value = Any();
      if (flat && value.shape.IsTuple()) continue;
      operands.ops.push_back(value.op);
      operands.shapes.push_back(value.shape);
      last_magnitude_ = std::max(last_magnitude_, value.magnitude);
    }
    return operands;
  }

  void AddCustomCall() {
    const int version = random_.Pick(4) + 1;
    const bool typed = version == 4;
    Operands operands = AnyOperands(5, typed);
    const Shape result = random_.ResultOf(operands.shapes, typed);
    const bool has_effect = random_.Chance(20);
    const bool is_ordered =
        has_effect && depth_ == kMaxDepth && token_.has_value() && random_.Chance(60);
    if (is_ordered) {
      operands.ops.push_back(*token_);
      operands.shapes.push_back(ShapeUtil::MakeTokenShape());
    }
    Shape whole = result;
    if (is_ordered) {
      whole = ShapeUtil::MakeTupleShape({ShapeUtil::MakeTokenShape(), random_.Array()});
    }
    Aliases aliases;
    if (random_.Chance(60)) aliases = random_.AliasesOf(operands.shapes, whole);
    std::string description = is_ordered ? "#" : has_effect ? "!" : "";
    for (const Shape& shape : operands.shapes) description += Description(shape);
    description += ">" + Description(whole, aliases) + ".";

    if (version < 3) {
      operands.ops.insert(
          operands.ops.begin(),
          xla::ConstantLiteral(&builder_, xla::LiteralUtil::CreateR1U8(description)));
      operands.shapes.insert(
          operands.shapes.begin(),
          ShapeUtil::MakeShape(xla::U8, {static_cast<int64_t>(description.size())}));
      for (auto& alias : aliases) ++alias.second.first;
    }
    const std::string opaque = version < 3 ? ""
                               : typed     ? absl::StrCat("{description = \"", description, "\"}")
                                           : description;
    const std::string name = absl::StrCat("described_", version);
    const auto api_version = static_cast<xla::CustomCallApiVersion>(version);
    const auto schedule =
        static_cast<xla::CustomCallSchedule>(random_.Chance(20) ? random_.Pick(3) : 0);
    XlaOp call;
    // XLA chooses the layouts of a typed call that does not say them.
    const bool has_layouts = random_.Chance(20);
    if (has_layouts || typed) {
      Shape laid_out = whole;
      if (has_layouts) {
        laid_out = WithSomeLayout(whole);
        for (Shape& shape : operands.shapes) shape = WithSomeLayout(shape);
      }
      call = xla::CustomCallWithLayout(&builder_, name, operands.ops, laid_out, operands.shapes,
                                       opaque, has_effect, aliases, nullptr, schedule, api_version);
    } else {
      call = xla::CustomCall(&builder_, name, operands.ops, whole, opaque, has_effect, aliases,
                             nullptr, schedule, api_version);
    }
    Add(call, whole, 3);
    values_.back().may_depend = true;
    if (is_ordered) {
      token_ = xla::GetTupleElement(call, 0);
    } else if (depth_ == kMaxDepth && !token_.has_value()) {
      token_ = xla::CreateToken(&builder_);
    }
  }

  RandomValues& random_;
  XlaBuilder& builder_;
  const int depth_;  // how deep this one may call others
  int64_t parameter_count_ = 0;
  std::vector<Value> values_;
  // Of the last call whose effect has a place in their order. In the entry computation alone, so
  // that there is one order.
  std::optional<XlaOp> token_;
  int last_magnitude_ = 3;
};

xla::HloModuleProto Built(XlaBuilder* builder, XlaOp root) {
  xla::StatusOr<XlaComputation> computation = builder->Build(root);
  if (!computation.ok()) {
    fprintf(stderr, "%s: %s\n", builder->name().c_str(), computation.status().ToString().c_str());
    abort();
  }
  return computation->proto();
}

}  // namespace

std::vector<size_t> LeafSizes(const std::vector<Shape>& shapes) {
  std::vector<size_t> sizes;
  for (const Shape& shape : shapes) {
    for (const auto& leaf : ShapeUtil::GetLeafShapes(shape)) {
      sizes.push_back(static_cast<size_t>(ShapeUtil::ByteSizeOf(leaf.shape)));
    }
  }
  return sizes;
}

RandomModule MakeRandomModule(uint64_t seed) {
  RandomValues random(seed);
  XlaBuilder builder(absl::StrCat("random_", seed));
  Generator generator(&random, &builder, kMaxDepth);
  RandomModule made;
  std::vector<Shape> parameters;
  for (int count = random.Pick(4); count > 0; --count) {
    parameters.push_back(random.ShapeOf(2));
    generator.AddParameter(parameters.back(), 3);
    for (const auto& leaf : ShapeUtil::GetLeafShapes(parameters.back())) {
      made.operands.push_back(random.Elements(leaf.shape));
    }
  }
  generator.AddInstructions(random.Pick(20) + 5);
  const Value root = generator.AddRoot();
  if (random.Pick(3) == 0) generator.SetUpAliases(root.shape, parameters);
  made.module = Built(&builder, root.op);
  return made;
}

xla::HloModuleProto MakeEffectsModule() {
  XlaBuilder builder("effects");
  const XlaOp root =
      xla::CustomCall(&builder, "effects", {}, ShapeUtil::MakeShape(xla::U64, {2}), "", true, {},
                      nullptr, xla::SCHEDULE_NONE, xla::API_VERSION_STATUS_RETURNING);
  return Built(&builder, root);
}

}  // namespace callbridge
