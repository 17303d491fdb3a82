#include "callbridge/client/lowering.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/client/graph_builder.h"
#include "callbridge/hlo/layout_util.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_conversion.h"

namespace callbridge::client {
namespace {

using hlo::Opcode;
using xla::HloComputationProto;
using xla::HloInstructionProto;

// Deepest nesting of calls. XLA has no limit; this one keeps recursion off the stack's end.
constexpr int kMaxCallDepth = 100;

absl::StatusOr<std::vector<Shape>> ShapesFromProtos(
    const google::protobuf::RepeatedPtrField<xla::ShapeProto>& protos) {
  std::vector<Shape> shapes;
  for (const xla::ShapeProto& proto : protos) {
    absl::StatusOr<Shape> shape = hlo::ShapeFromProto(proto);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

// What is on all levels of the tuple; a bound on what its texts and lists take.
size_t NodeCount(const Shape& shape) {
  size_t count = 1;
  for (const Shape& element : shape.tuple_elements()) count += NodeCount(element);
  return count;
}

absl::StatusOr<Shape> WithoutLayouts(const Shape& shape) {
  if (shape.IsToken()) return shape;
  if (shape.IsArray()) {
    return Shape::MakeArray(shape.element_type(),
                            {shape.dimensions().begin(), shape.dimensions().end()});
  }
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_elements()) {
    absl::StatusOr<Shape> bare = WithoutLayouts(element);
    if (!bare.ok()) return bare;
    elements.push_back(*std::move(bare));
  }
  return Shape::MakeTuple(std::move(elements));
}

// The arrays of a literal of that shape, null for tokens, in preorder.
void AppendLeaves(const xla::LiteralSlice& literal, const Shape& shape,
                  std::vector<const void*>& data) {
  if (!shape.IsTuple()) {
    data.push_back(shape.IsToken() ? nullptr : literal.untyped_data());
    return;
  }
  for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
    AppendLeaves(xla::LiteralSlice(literal, {static_cast<int64_t>(i)}), shape.tuple_elements()[i],
                 data);
  }
}

struct Leaf {
  const Shape* shape;
  size_t place;  // among the whole shape's leaves
};

Leaf FindLeaf(const Shape& shape, absl::Span<const int64_t> index) {
  Leaf leaf = {&shape, 0};
  for (int64_t element : index) {
    for (int64_t i = 0; i < element; ++i) {
      leaf.place += static_cast<size_t>(leaf.shape->tuple_elements()[i].LeafCount());
    }
    leaf.shape = &leaf.shape->tuple_elements()[element];
  }
  return leaf;
}

// What an instruction makes: its shape without layouts, and a value for each leaf, row-major.
struct Result {
  Shape shape;
  size_t nodes = 0;
  std::vector<ValueId> leaves;
  // For each element of a tuple the place of its first leaf, and behind them the number of leaves.
  // Filled when the first one is asked for, so that taking all elements is linear.
  std::vector<size_t> element_starts;
  // The step that is the instruction's; kNoStep where all it has are its leaves' producers.
  StepId step = kNoStep;

  void FindElements() {
    if (!element_starts.empty()) return;
    size_t start = 0;
    for (const Shape& element : shape.tuple_elements()) {
      element_starts.push_back(start);
      start += static_cast<size_t>(element.LeafCount());
    }
    element_starts.push_back(start);
  }
};

class Lowering {
 public:
  Lowering(const xla::HloModuleProto& module, const TargetTable& targets)
      : module_(module), targets_(targets) {
    for (const HloComputationProto& computation : module.computations()) {
      computations_[computation.id()] = &computation;
    }
  }

  absl::StatusOr<Graph> Run() {
    const HloComputationProto& entry = *computations_.at(module_.entry_computation_id());
    const xla::ProgramShapeProto& program =
        module_.has_host_program_shape() ? module_.host_program_shape() : entry.program_shape();
    Graph& graph = builder_.graph();
    absl::StatusOr<std::vector<Shape>> parameters = ShapesFromProtos(program.parameters());
    if (!parameters.ok()) return parameters.status();
    graph.parameters = *std::move(parameters);
    absl::StatusOr<Shape> result_shape = hlo::ShapeFromProto(program.result());
    if (!result_shape.ok()) return result_shape.status();
    graph.result = *std::move(result_shape);

    std::vector<std::vector<ValueId>> arguments;
    size_t index = 0;
    for (const Shape& parameter : graph.parameters) {
      std::vector<ValueId>& leaves = arguments.emplace_back();
      for (const Shape* leaf : parameter.Leaves()) {
        absl::StatusOr<ValueId> value = builder_.Parameter(*leaf, index++);
        if (value.ok()) value = builder_.ToRowMajor(*value, *leaf);
        if (!value.ok()) return value.status();
        leaves.push_back(*value);
      }
    }
    absl::StatusOr<std::vector<ValueId>> results = Computation(entry, arguments, 0);
    if (!results.ok()) return results.status();
    size_t place = 0;
    for (const Shape* leaf : graph.result.Leaves()) {
      absl::StatusOr<ValueId> value = builder_.FromRowMajor((*results)[place++], *leaf);
      if (!value.ok()) return value.status();
      graph.results.push_back(*value);
    }
    return std::move(graph);
  }

 private:
  using Results = std::deque<Result>;
  struct Frame {
    const std::vector<std::vector<ValueId>>& arguments;
    int depth;
    std::unordered_map<int64_t, size_t> places;  // by id
    Results results;

    Result& operator[](int64_t id) { return results[places.at(id)]; }
  };

  absl::StatusOr<std::vector<ValueId>> Computation(
      const HloComputationProto& computation, const std::vector<std::vector<ValueId>>& arguments,
      int depth) {
    if (depth == kMaxCallDepth) {
      return absl::ResourceExhaustedError(
          absl::StrCat("calls nested deeper than ", kMaxCallDepth, "; run the module on XLA"));
    }
    Frame frame{arguments, depth, {}, {}};
    // Calls with control edges are as if something else could see when they run.
    std::unordered_map<int64_t, bool> is_awaited;
    for (const HloInstructionProto& instruction : computation.instructions()) {
      for (int64_t id : instruction.control_predecessor_ids()) is_awaited[id] = true;
    }
    for (const HloInstructionProto& instruction : computation.instructions()) {
      absl::StatusOr<Result> result = Instruction(instruction, frame);
      if (!result.ok()) {
        return absl::Status(result.status().code(),
                            absl::StrContains(result.status().message(), "instruction \"")
                                ? std::string(result.status().message())
                                : absl::StrCat(result.status().message(), " (instruction \"",
                                               instruction.name(), "\")"));
      }
      if (instruction.control_predecessor_ids_size() > 0) Await(instruction, frame, *result);
      const bool has_edges =
          instruction.control_predecessor_ids_size() > 0 || is_awaited.count(instruction.id()) > 0;
      if (has_edges && result->step != kNoStep) builder_.step(result->step).has_effect = true;
      frame.places[instruction.id()] = frame.results.size();
      frame.results.push_back(*std::move(result));
    }
    return frame[computation.root_id()].leaves;
  }

  // Puts the instruction behind its control predecessors.
  void Await(const HloInstructionProto& instruction, Frame& frame, Result& result) {
    std::vector<StepId> behind;
    for (int64_t id : instruction.control_predecessor_ids()) {
      const Result& predecessor = frame[id];
      if (predecessor.step != kNoStep) behind.push_back(predecessor.step);
      for (ValueId leaf : predecessor.leaves) {
        if (builder_.producer(leaf) != kNoStep) behind.push_back(builder_.producer(leaf));
      }
    }
    if (result.step != kNoStep) {
      std::vector<StepId>& after = builder_.step(result.step).after;
      after.insert(after.end(), behind.begin(), behind.end());
    } else {
      result.leaves = builder_.Wait(result.leaves, std::move(behind));
      result.step = builder_.last_step();
    }
  }

  absl::StatusOr<Result> Instruction(const HloInstructionProto& instruction, Frame& frame) {
    const std::optional<Opcode> opcode = hlo::ParseOpcode(instruction.opcode());
    if (!opcode.has_value()) {
      return absl::UnimplementedError(absl::StrCat("the embedded runtime has no instruction ",
                                                   instruction.opcode(),
                                                   "; run the module on XLA"));
    }
    absl::StatusOr<Shape> shape_with_layouts = hlo::ShapeFromProto(instruction.shape());
    if (!shape_with_layouts.ok()) return shape_with_layouts.status();
    absl::StatusOr<Shape> shape = WithoutLayouts(*shape_with_layouts);
    if (!shape.ok()) return shape.status();
    Result result;
    result.shape = *std::move(shape);
    result.nodes = NodeCount(result.shape);
    size_t amount = result.nodes;
    for (int64_t id : instruction.operand_ids()) amount += frame[id].nodes;
    absl::Status status = builder_.Charge(amount);
    if (!status.ok()) return status;

    std::vector<Result*> operands;
    for (int64_t id : instruction.operand_ids()) operands.push_back(&frame[id]);
    switch (*opcode) {
      case Opcode::kParameter:
        result.leaves = frame.arguments[instruction.parameter_number()];
        return result;
      case Opcode::kConstant:
        status = Constant(instruction, result);
        break;
      case Opcode::kTuple:
        for (const Result* operand : operands) {
          result.leaves.insert(result.leaves.end(), operand->leaves.begin(), operand->leaves.end());
        }
        return result;
      case Opcode::kGetTupleElement: {
        Result& tuple = *operands[0];
        tuple.FindElements();
        const auto leaves = tuple.leaves.begin();
        const int64_t index = instruction.tuple_index();
        result.leaves.assign(leaves + tuple.element_starts[index],
                             leaves + tuple.element_starts[index + 1]);
        return result;
      }
      case Opcode::kCopy:
      case Opcode::kReshape:
        // Values never change, and reshaped they lie as they lay.
        result.leaves = operands[0]->leaves;
        return result;
      case Opcode::kAddDependency: {
        std::vector<StepId> behind;
        for (ValueId leaf : operands[1]->leaves) {
          if (builder_.producer(leaf) != kNoStep) behind.push_back(builder_.producer(leaf));
        }
        result.leaves = builder_.Wait(operands[0]->leaves, std::move(behind));
        result.step = builder_.last_step();
        return result;
      }
      case Opcode::kAfterAll: {
        std::vector<ValueId> behind;
        for (const Result* operand : operands) {
          behind.insert(behind.end(), operand->leaves.begin(), operand->leaves.end());
        }
        result.leaves = {builder_.Token(std::move(behind))};
        result.step = builder_.last_step();
        return result;
      }
      case Opcode::kCall:
        status = Call(instruction, frame.depth, operands, result);
        break;
      case Opcode::kCustomCall:
        status = CustomCall(instruction, operands, *shape_with_layouts, result);
        break;
      default:
        status = Computed(*opcode, instruction, operands, result);
        break;
    }
    if (!status.ok()) return status;
    return result;
  }

  absl::Status Constant(const HloInstructionProto& instruction, Result& result) {
    absl::StatusOr<xla::Literal> literal = xla::Literal::CreateFromProto(instruction.literal());
    if (!literal.ok()) return literal.status();
    const xla::Literal row_major =
        literal->Relayout(xla::LayoutUtil::GetWithDefaultLayout(hlo::ShapeToXla(result.shape)));
    std::vector<const void*> data;
    AppendLeaves(row_major, result.shape, data);
    size_t place = 0;
    for (const Shape* leaf : result.shape.Leaves()) {
      absl::StatusOr<ValueId> value = builder_.Constant(*leaf, data[place++]);
      if (!value.ok()) return value.status();
      result.leaves.push_back(*value);
    }
    return absl::OkStatus();
  }

  absl::Status Call(const HloInstructionProto& instruction, int depth,
                    const std::vector<Result*>& operands, Result& result) {
    std::vector<std::vector<ValueId>> arguments;
    for (const Result* operand : operands) arguments.push_back(operand->leaves);
    absl::StatusOr<std::vector<ValueId>> leaves =
        Computation(*computations_.at(instruction.called_computation_ids(0)), arguments, depth + 1);
    if (!leaves.ok()) return leaves.status();
    result.leaves = *std::move(leaves);
    return absl::OkStatus();
  }

  // `operands` and `result` are the shapes that the call is given, with their layouts.
  absl::Status Aliases(const HloInstructionProto& instruction, const std::vector<Shape>& operands,
                       const Shape& result, size_t nodes, Step& step) {
    if (instruction.output_operand_aliasing().empty()) return absl::OkStatus();
    std::vector<size_t> starts;
    size_t start = 0;
    for (const Shape& operand : operands) {
      starts.push_back(start);
      start += static_cast<size_t>(operand.LeafCount());
    }
    std::set<size_t> aliased_operands;
    std::set<size_t> aliased_results;
    for (const xla::OutputOperandAliasing& alias : instruction.output_operand_aliasing()) {
      // To find a leaf takes a look at all that stands before it.
      absl::Status charged = builder_.Charge(nodes);
      if (!charged.ok()) return charged;
      const Leaf from = FindLeaf(operands[alias.operand_index()], alias.operand_shape_index());
      const Leaf to = FindLeaf(result, alias.output_shape_index());
      if (from.shape->IsToken()) continue;
      const std::string names =
          absl::StrCat("output_operand_aliasing of operand ", alias.operand_index(), "{",
                       absl::StrJoin(alias.operand_shape_index(), ","), "} and result {",
                       absl::StrJoin(alias.output_shape_index(), ","), "}: ");
      if (IsRowMajor(*from.shape) != IsRowMajor(*to.shape) ||
          (!IsRowMajor(*from.shape) && *from.shape != *to.shape)) {
        return absl::InvalidArgumentError(
            absl::StrCat(names, "expected equal layouts, but they are ", ShapeText(*from.shape),
                         " and ", ShapeText(*to.shape)));
      }
      const size_t operand_place = starts[alias.operand_index()] + from.place;
      if (!aliased_operands.insert(operand_place).second ||
          !aliased_results.insert(to.place).second) {
        return absl::InvalidArgumentError(
            absl::StrCat(names, "expected each leaf to be aliased once, but one is twice"));
      }
      step.aliases.push_back({operand_place, to.place});
    }
    return absl::OkStatus();
  }

  absl::Status CustomCall(const HloInstructionProto& instruction,
                          const std::vector<Result*>& operands, const Shape& shape_with_layouts,
                          Result& result) {
    // Only a call that constrains its layouts is given others than row-major ones.
    std::vector<Shape> operand_shapes;
    if (instruction.constrain_layout()) {
      absl::StatusOr<std::vector<Shape>> constrained =
          ShapesFromProtos(instruction.operand_shapes_with_layout());
      if (!constrained.ok()) return constrained.status();
      operand_shapes = *std::move(constrained);
    } else {
      for (const Result* operand : operands) operand_shapes.push_back(operand->shape);
    }
    const Shape& result_shape = instruction.constrain_layout() ? shape_with_layouts : result.shape;

    Step step;
    for (size_t i = 0; i < operands.size(); ++i) {
      size_t place = 0;
      for (const Shape* leaf : operand_shapes[i].Leaves()) {
        absl::StatusOr<ValueId> value = builder_.FromRowMajor(operands[i]->leaves[place++], *leaf);
        if (!value.ok()) return value.status();
        step.operands.push_back(*value);
      }
    }
    size_t nodes = result.nodes;
    for (const Result* operand : operands) nodes += operand->nodes;
    absl::Status aliases = Aliases(instruction, operand_shapes, result_shape, nodes, step);
    if (!aliases.ok()) return aliases;
    absl::StatusOr<BoundCustomCall> bound =
        BoundCustomCall::Bind(instruction, targets_, operand_shapes, result_shape);
    if (!bound.ok()) return bound.status();
    step.call = *std::move(bound);
    step.has_effect = instruction.custom_call_has_side_effect();
    if (instruction.custom_call_schedule() == xla::SCHEDULE_EARLIEST) {
      step.hint = Step::Hint::kEarliest;
    } else if (instruction.custom_call_schedule() == xla::SCHEDULE_LATEST) {
      step.hint = Step::Hint::kLatest;
    }
    absl::StatusOr<std::vector<ValueId>> results =
        builder_.CustomCall(std::move(step), result_shape);
    if (!results.ok()) return results.status();
    result.step = builder_.last_step();
    size_t place = 0;
    for (const Shape* leaf : result_shape.Leaves()) {
      absl::StatusOr<ValueId> value = builder_.ToRowMajor((*results)[place++], *leaf);
      if (!value.ok()) return value.status();
      result.leaves.push_back(*value);
    }
    return absl::OkStatus();
  }

  absl::Status Computed(Opcode opcode, const HloInstructionProto& instruction,
                        const std::vector<Result*>& operands, Result& result) {
    const Shape& operand = operands[0]->shape;
    absl::StatusOr<ValueId> value = 0;
    if (opcode == Opcode::kBroadcast) {
      value = builder_.Copy(StridedCopy::Broadcast(operand, instruction.dimensions(), result.shape),
                            operands[0]->leaves[0], result.shape);
    } else {
      const absl::StatusOr<ElementwiseKernel> kernel =
          opcode == Opcode::kConvert
              ? FindConversion(operand.element_type(), result.shape.element_type())
              : FindArithmetic(opcode, operand.element_type());
      if (!kernel.ok()) return kernel.status();
      std::vector<ValueId> values;
      for (const Result* each : operands) values.push_back(each->leaves[0]);
      value = builder_.Elementwise(*kernel, std::move(values), result.shape);
    }
    if (!value.ok()) return value.status();
    result.leaves = {*value};
    return absl::OkStatus();
  }

  const xla::HloModuleProto& module_;
  const TargetTable& targets_;
  std::unordered_map<int64_t, const HloComputationProto*> computations_;
  GraphBuilder builder_;
};

}  // namespace

absl::StatusOr<Graph> Lower(const xla::HloModuleProto& module, const TargetTable& targets) {
  return Lowering(module, targets).Run();
}

}  // namespace callbridge::client
