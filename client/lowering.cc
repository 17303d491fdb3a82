#include "callbridge/client/lowering.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/client/custom_call_lowering.h"
#include "callbridge/client/graph_builder.h"
#include "callbridge/client/instruction_result.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::client {
namespace {

using hlo::Opcode;
using xla::HloComputationProto;
using xla::HloInstructionProto;

// The deepest nesting of calls. XLA has no limit; this one keeps the recursion from overflowing the
// stack.
constexpr int kMaxCallDepth = 100;

// Returns the number of nodes on all levels of the tuple, which bounds the size of its texts and
// lists.
size_t NodeCount(const Shape& shape) {
  size_t count = 1;
  for (const Shape& element : shape.tuple_elements()) count += NodeCount(element);
  return count;
}

// Appends the arrays of a literal of that shape, null for tokens, in preorder.
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

// Callers' arrays have at least a byte for each element.
absl::Status CheckWholeBytes(const Shape& leaf) {
  return CheckElementSize(leaf, std::max(8, BitWidth(leaf.element_type())));
}

class Lowering {
 public:
  Lowering(const xla::HloModuleProto& module, const TargetTable& targets)
      : module_(module), targets_(targets) {
    for (const HloComputationProto& computation : module.computations()) {
      computations_[computation.id()] = &computation;
    }
  }

  absl::StatusOr<Graph> Run() {
    for (const xla::TextAttribute& attribute : module_.text_attributes()) {
      const bool counts_devices =
          attribute.name() == "num_partitions" || attribute.name() == "replica_count";
      if (!counts_devices || attribute.value() == "1") continue;
      return absl::UnimplementedError(absl::StrCat("the module is for several devices, ",
                                                   attribute.name(), "=", attribute.value(),
                                                   "; run it on XLA"));
    }
    const HloComputationProto& entry = *computations_.at(module_.entry_computation_id());
    const xla::ProgramShapeProto& program =
        module_.has_host_program_shape() ? module_.host_program_shape() : entry.program_shape();
    Graph& graph = builder_.graph();
    for (const xla::ShapeProto& parameter : program.parameters()) {
      absl::StatusOr<Shape> shape = hlo::ShapeFromProto(parameter);
      if (!shape.ok()) return shape.status();
      graph.parameters.push_back(*std::move(shape));
    }
    absl::StatusOr<Shape> result_shape = hlo::ShapeFromProto(program.result());
    if (!result_shape.ok()) return result_shape.status();
    graph.result = *std::move(result_shape);

    std::vector<std::vector<ValueId>> arguments;
    size_t index = 0;
    for (const Shape& parameter : graph.parameters) {
      std::vector<ValueId>& leaves = arguments.emplace_back();
      for (const Shape* leaf : parameter.Leaves()) {
        absl::Status whole = CheckWholeBytes(*leaf);
        if (!whole.ok()) return whole;
        absl::StatusOr<ValueId> value = builder_.Parameter(*leaf, index++);
        if (value.ok()) value = builder_.ToRowMajor(*value, *leaf);
        if (!value.ok()) return value.status();
        leaves.push_back(*value);
      }
    }
    absl::Status expanded = CheckExpansion();
    if (!expanded.ok()) return expanded;
    absl::StatusOr<std::vector<ValueId>> results = Computation(entry, arguments, 0);
    if (!results.ok()) return results.status();
    size_t place = 0;
    for (const Shape* leaf : graph.result.Leaves()) {
      absl::Status whole = CheckWholeBytes(*leaf);
      if (!whole.ok()) return whole;
      absl::StatusOr<ValueId> value = builder_.FromRowMajor((*results)[place++], *leaf);
      if (!value.ok()) return value.status();
      graph.results.push_back(*value);
    }
    return std::move(graph);
  }

 private:
  using Results = std::deque<InstructionResult>;
  struct Frame {
    const std::vector<std::vector<ValueId>>& arguments;
    int depth;
    std::unordered_map<int64_t, size_t> places;  // by id
    Results results;

    InstructionResult& operator[](int64_t id) { return results[places.at(id)]; }
  };

  // Returns RESOURCE_EXHAUSTED if the calls alone expand to too many instructions, which takes much
  // longer to find while they are lowered. CheckModule() lets a computation call those before it.
  absl::Status CheckExpansion() const {
    constexpr size_t kMany = size_t{1} << 32;  // sums of two do not overflow
    std::unordered_map<int64_t, size_t> sizes;
    for (const HloComputationProto& computation : module_.computations()) {
      size_t size = 0;
      for (const HloInstructionProto& instruction : computation.instructions()) {
        ++size;
        if (instruction.opcode() != hlo::OpcodeName(Opcode::kCall)) continue;
        for (int64_t id : instruction.called_computation_ids()) size += sizes.at(id);
        size = std::min(size, kMany);
      }
      sizes[computation.id()] = size;
    }
    return builder_.CheckCharge(sizes.at(module_.entry_computation_id()));
  }

  absl::StatusOr<std::vector<ValueId>> Computation(
      const HloComputationProto& computation, const std::vector<std::vector<ValueId>>& arguments,
      int depth) {
    if (depth == kMaxCallDepth) {
      return absl::ResourceExhaustedError(
          absl::StrCat("calls nested deeper than ", kMaxCallDepth, "; run the module on XLA"));
    }
    Frame frame{arguments, depth, {}, {}};
    for (const HloInstructionProto& instruction : computation.instructions()) {
      absl::StatusOr<InstructionResult> result = Instruction(instruction, frame);
      if (!result.ok()) {
        return absl::Status(result.status().code(),
                            absl::StrContains(result.status().message(), "instruction \"")
                                ? std::string(result.status().message())
                                : absl::StrCat(result.status().message(), " (instruction \"",
                                               instruction.name(), "\")"));
      }
      if (instruction.control_predecessor_ids_size() > 0) {
        Await(instruction, frame, *result);
        // Marks the step as having an effect, so that it and all before it run.
        builder_.step(result->step).has_effect = true;
      }
      frame.places[instruction.id()] = frame.results.size();
      frame.results.push_back(*std::move(result));
    }
    return frame[computation.root_id()].leaves;
  }

  // Makes the instruction run after its control predecessors.
  void Await(const HloInstructionProto& instruction, Frame& frame, InstructionResult& result) {
    std::vector<StepId> behind;
    for (int64_t id : instruction.control_predecessor_ids()) {
      const InstructionResult& predecessor = frame[id];
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

  absl::StatusOr<InstructionResult> Instruction(const HloInstructionProto& instruction,
                                                Frame& frame) {
    const std::optional<Opcode> opcode = hlo::ParseOpcode(instruction.opcode());
    if (!opcode.has_value()) {
      return absl::UnimplementedError(absl::StrCat("the embedded runtime has no instruction ",
                                                   instruction.opcode(),
                                                   "; run the module on XLA"));
    }
    for (const xla::TextAttribute& attribute : instruction.text_attributes()) {
      if (attribute.name().empty()) continue;  // a constant's text
      return absl::UnimplementedError(
          absl::StrCat("the embedded runtime does not know the attribute ", attribute.name(),
                       " of ", instruction.opcode(), "; run the module on XLA"));
    }
    absl::StatusOr<Shape> shape_with_layouts = hlo::ShapeFromProto(instruction.shape());
    if (!shape_with_layouts.ok()) return shape_with_layouts.status();
    absl::StatusOr<Shape> shape = shape_with_layouts->WithoutLayouts();
    if (!shape.ok()) return shape.status();
    InstructionResult result;
    result.shape = *std::move(shape);
    result.nodes = NodeCount(result.shape);
    size_t amount = result.nodes;
    for (int64_t id : instruction.operand_ids()) amount += frame[id].nodes;
    absl::Status status = builder_.Charge(amount);
    if (!status.ok()) return status;

    std::vector<InstructionResult*> operands;
    for (int64_t id : instruction.operand_ids()) operands.push_back(&frame[id]);
    switch (*opcode) {
      case Opcode::kParameter:
        result.leaves = frame.arguments[instruction.parameter_number()];
        return result;
      case Opcode::kConstant:
        status = Constant(instruction, result);
        break;
      case Opcode::kTuple:
        for (const InstructionResult* operand : operands) {
          result.leaves.insert(result.leaves.end(), operand->leaves.begin(), operand->leaves.end());
        }
        return result;
      case Opcode::kGetTupleElement: {
        InstructionResult& tuple = *operands[0];
        tuple.FindElements();
        const auto leaves = tuple.leaves.begin();
        const auto start = tuple.element_starts.begin() + instruction.tuple_index();
        result.leaves.assign(leaves + static_cast<ptrdiff_t>(start[0]),
                             leaves + static_cast<ptrdiff_t>(start[1]));
        return result;
      }
      case Opcode::kCopy:
      case Opcode::kReshape:
        // Values never change, and a reshape does not move bytes.
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
        for (const InstructionResult* operand : operands) {
          behind.insert(behind.end(), operand->leaves.begin(), operand->leaves.end());
        }
        result.leaves = {builder_.Token(behind)};
        result.step = builder_.last_step();
        return result;
      }
      case Opcode::kCall:
        status = Call(instruction, frame.depth, operands, result);
        break;
      case Opcode::kCustomCall:
        status =
            LowerCustomCall(instruction, targets_, operands, *shape_with_layouts, builder_, result);
        break;
      default:
        status = Computed(*opcode, instruction, operands, result);
        break;
    }
    if (!status.ok()) return status;
    return result;
  }

  absl::Status Constant(const HloInstructionProto& instruction, InstructionResult& result) {
    if (!instruction.has_literal()) {
      return absl::InvalidArgumentError(
          "expected a constant's elements, got none: XLA leaves large ones out of its dumps "
          "unless told to print them (--xla_dump_large_constants)");
    }
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
                    const std::vector<InstructionResult*>& operands, InstructionResult& result) {
    std::vector<std::vector<ValueId>> arguments;
    arguments.reserve(operands.size());
    for (const InstructionResult* operand : operands) arguments.push_back(operand->leaves);
    absl::StatusOr<std::vector<ValueId>> leaves =
        Computation(*computations_.at(instruction.called_computation_ids(0)), arguments, depth + 1);
    if (!leaves.ok()) return leaves.status();
    result.leaves = *std::move(leaves);
    return absl::OkStatus();
  }

  absl::Status Computed(Opcode opcode, const HloInstructionProto& instruction,
                        const std::vector<InstructionResult*>& operands,
                        InstructionResult& result) {
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
      values.reserve(operands.size());
      for (const InstructionResult* each : operands) values.push_back(each->leaves[0]);
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
