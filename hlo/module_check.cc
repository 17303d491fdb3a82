#include "callbridge/hlo/module_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/instruction_check.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_proto_text.h"

namespace callbridge::hlo {
namespace {

// Escapes and shortens a name, which may be any bytes of any number.
std::string Quoted(const std::string& name) {
  constexpr size_t kShown = 100;
  const std::string shown = absl::CHexEscape(absl::string_view(name).substr(0, kShown));
  return absl::StrCat("\"", shown, name.size() > kShown ? "..." : "", "\"");
}

absl::Status In(absl::string_view kind, const std::string& name, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(kind, " ", Quoted(name), ": ", status.message()));
}

class Checker {
 public:
  explicit Checker(const xla::HloModuleProto& module) : module_(module) {}

  absl::Status Check() {
    computations_.reserve(module_.computations_size());
    for (const xla::HloComputationProto& proto : module_.computations()) {
      absl::Status status = In("computation", proto.name(), CheckComputation(proto));
      if (!status.ok()) return status;
    }
    const ShapedComputation* entry = Find(module_.entry_computation_id());
    if (entry == nullptr) {
      return Invalid("entry computation: none of the ", computations_.size(),
                     " computations has the id ", module_.entry_computation_id());
    }
    if (module_.has_host_program_shape()) {
      absl::Status status = CheckProgramShape(module_.host_program_shape(), *entry);
      if (!status.ok()) return In("host program shape of", entry->proto->name(), status);
    }
    absl::Status status = CheckAliases(*entry);
    return status.ok() ? CheckSchedule() : status;
  }

 private:
  const ShapedComputation* Find(int64_t id) const {
    const auto found = computation_ids_.find(id);
    return found == computation_ids_.end() ? nullptr : &computations_[found->second];
  }

  absl::Status CheckComputation(const xla::HloComputationProto& proto) {
    if (proto.id() < 0) return Invalid("expected an id of 0 or more, got ", proto.id());
    if (computation_ids_.contains(proto.id())) {
      return Invalid("another computation has its id ", proto.id(), " too");
    }
    ShapedComputation computation{&proto, {}, {}, nullptr};
    // Keeps pointers to its elements valid.
    computation.instructions.reserve(proto.instructions_size());
    // The instructions before the current one, by id.
    absl::flat_hash_map<int64_t, const ShapedInstruction*> before;
    for (const xla::HloInstructionProto& instruction : proto.instructions()) {
      absl::Status status = AddInstruction(instruction, computation, before);
      if (!status.ok()) return In("instruction", instruction.name(), status);
    }
    const auto root = before.find(proto.root_id());
    if (root == before.end()) {
      return Invalid("root: none of its ", proto.instructions_size(), " instructions has the id ",
                     proto.root_id());
    }
    computation.root = root->second;
    absl::Status status = NumberParameters(computation);
    if (!status.ok()) return status;
    if (proto.has_program_shape()) {
      status = CheckProgramShape(proto.program_shape(), computation);
      if (!status.ok()) return status;
    }
    computation_ids_.emplace(proto.id(), computations_.size());
    computations_.push_back(std::move(computation));
    return absl::OkStatus();
  }

  absl::Status AddInstruction(const xla::HloInstructionProto& proto, ShapedComputation& computation,
                              absl::flat_hash_map<int64_t, const ShapedInstruction*>& before) {
    if (proto.id() < 0) return Invalid("expected an id of 0 or more, got ", proto.id());
    if (!instruction_ids_.insert(proto.id()).second) {
      return Invalid("another instruction has its id ", proto.id(), " too");
    }
    absl::StatusOr<Shape> shape =
        proto.shape_is_left_out() ? absl::UnimplementedError("a shape that the text leaves to XLA")
                                  : ShapeFromProto(proto.shape());
    // What no custom call takes passes through.
    if (!shape.ok() && !absl::IsUnimplemented(shape.status())) return shape.status();

    std::vector<const ShapedInstruction*> operands;
    for (const int64_t id : proto.operand_ids()) {
      const auto found = before.find(id);
      if (found == before.end()) return Unfound("operand", id);
      operands.push_back(found->second);
    }
    for (const int64_t id : proto.control_predecessor_ids()) {
      if (!before.contains(id)) return Unfound("control predecessor", id);
    }
    std::vector<const ShapedComputation*> called;
    for (const int64_t id : proto.called_computation_ids()) {
      const ShapedComputation* found = Find(id);
      if (found == nullptr) {
        return Invalid("it calls computation ", id, ": expected one before its own, ",
                       id == computation.proto->id() ? "but that is its own" : "but there is none");
      }
      called.push_back(found);
    }
    const int shape_id = ids_.Of(proto.shape());
    const int64_t element_count = shape.ok() ? shape->ElementCount() : 0;
    computation.instructions.push_back(
        {&proto, shape.ok() ? std::make_optional(*std::move(shape)) : std::nullopt, shape_id,
         element_count});
    const ShapedInstruction& added = computation.instructions.back();
    before.emplace(proto.id(), &added);
    return CheckInstruction(added, operands, called, ids_);
  }

  static absl::Status Unfound(absl::string_view what, int64_t id) {
    return Invalid(what, " ", id, ": expected an instruction before this one in its ",
                   "computation");
  }

  static absl::Status NumberParameters(ShapedComputation& computation) {
    std::vector<const ShapedInstruction*> unordered;
    for (const ShapedInstruction& instruction : computation.instructions) {
      if (ParseOpcode(instruction.proto->opcode()) == Opcode::kParameter) {
        unordered.push_back(&instruction);
      }
    }
    computation.parameters.resize(unordered.size(), nullptr);
    for (const ShapedInstruction* parameter : unordered) {
      const int64_t number = parameter->proto->parameter_number();
      if (number < 0 || static_cast<size_t>(number) >= unordered.size()) {
        return Invalid("parameter number ", number, ": with ", unordered.size(),
                       " parameters, expected 0 to ", unordered.size() - 1, ", each once");
      }
      if (computation.parameters[number] != nullptr) {
        return Invalid("parameter number ", number, " occurs twice: expected 0 to ",
                       unordered.size() - 1, ", each once");
      }
      computation.parameters[number] = parameter;
    }
    return absl::OkStatus();
  }

  absl::Status CheckProgramShape(const xla::ProgramShapeProto& proto,
                                 const ShapedComputation& computation) {
    const size_t count = computation.parameters.size();
    if (static_cast<size_t>(proto.parameters_size()) != count) {
      return Invalid("program shape: expected ", count, " parameters, as the computation has, got ",
                     proto.parameters_size());
    }
    for (size_t i = 0; i < count; ++i) {
      absl::Status status =
          CheckEqual(proto.parameters(static_cast<int>(i)), *computation.parameters[i]);
      if (!status.ok()) return Invalid("program shape: parameter ", i, ": ", status.message());
    }
    absl::Status status = CheckEqual(proto.result(), *computation.root);
    if (!status.ok()) return Invalid("program shape: result: ", status.message());
    return absl::OkStatus();
  }

  absl::Status CheckEqual(const xla::ShapeProto& proto, const ShapedInstruction& instruction) {
    if (instruction.proto->shape_is_left_out() || ids_.Of(proto) == instruction.shape_id) {
      return absl::OkStatus();
    }
    return Invalid("expected ", TextOf(instruction.proto->shape()),
                   ", as the instruction has, got ", TextOf(proto));
  }

  static std::string TextOf(const xla::ShapeProto& shape) {
    const absl::StatusOr<std::string> text = ShapeProtoText(shape);
    return text.ok() ? *text : std::string(text.status().message());
  }

  // Checks the module's aliases of results to parameters.
  absl::Status CheckAliases(const ShapedComputation& entry) {
    absl::flat_hash_set<const Shape*> taken;
    for (const auto& alias : module_.input_output_alias().entries()) {
      const auto text = [](const google::protobuf::RepeatedField<int64_t>& index) {
        return absl::StrCat("{", absl::StrJoin(index, ","), "}");
      };
      const auto leaf = [](const ShapedInstruction& instruction,
                           const google::protobuf::RepeatedField<int64_t>& index) {
        return LeafAt(instruction.shape(), {index.data(), static_cast<size_t>(index.size())});
      };
      const std::string where =
          absl::StrCat("input/output alias of output ", text(alias.output_shape_index()));
      if (!xla::Kind_IsValid(alias.kind())) {
        return Invalid(where, ": expected a kind from 0 to 2, got ", alias.kind());
      }
      const int64_t number = alias.parameter_number();
      const bool is_parameter =
          number >= 0 && static_cast<size_t>(number) < entry.parameters.size();
      // Aliases of what no custom call takes pass through.
      if (!entry.root->known_shape.has_value() ||
          (is_parameter && !entry.parameters[number]->known_shape.has_value())) {
        continue;
      }
      const Shape* output = leaf(*entry.root, alias.output_shape_index());
      if (output == nullptr) {
        return Invalid(where, ": expected a leaf of ", ShapeText(entry.root->shape()));
      }
      if (!taken.insert(output).second) return Invalid(where, ": it is aliased twice");
      if (!is_parameter) {
        return Invalid(where, " to parameter ", number, ": there are ", entry.parameters.size(),
                       " parameters");
      }
      const Shape* parameter = leaf(*entry.parameters[number], alias.parameter_shape_index());
      if (parameter == nullptr) {
        return Invalid(where, " to parameter ", number, " ", text(alias.parameter_shape_index()),
                       ": expected a leaf of ", ShapeText(entry.parameters[number]->shape()));
      }
      if (output->dimensions().size() != parameter->dimensions().size() ||
          ids_.Of(*output) != ids_.Of(*parameter)) {
        return Invalid(where, ": expected the shape of parameter ", number, "'s leaf, ",
                       ShapeText(*parameter), ", got ", ShapeText(*output));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckSchedule() {
    for (const auto& [computation_id, sequence] : module_.schedule().sequences()) {
      const ShapedComputation* computation = Find(computation_id);
      if (computation == nullptr) {
        return Invalid("schedule: no computation has the id ", computation_id);
      }
      absl::flat_hash_set<int64_t> unscheduled;
      for (const ShapedInstruction& instruction : computation->instructions) {
        unscheduled.insert(instruction.proto->id());
      }
      for (const int64_t id : sequence.instruction_ids()) {
        if (unscheduled.erase(id) == 1) continue;
        return Invalid("schedule of computation ", Quoted(computation->proto->name()),
                       ": instruction ", id, " is not in it, or occurs twice");
      }
    }
    return absl::OkStatus();
  }

  const xla::HloModuleProto& module_;
  ShapeIds ids_;
  std::vector<ShapedComputation> computations_;
  absl::flat_hash_map<int64_t, size_t> computation_ids_;
  absl::flat_hash_set<int64_t> instruction_ids_;
};

}  // namespace

absl::Status CheckModule(const xla::HloModuleProto& module) { return Checker(module).Check(); }

const Shape* LeafAt(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* at = &shape;
  for (const int64_t number : index) {
    const absl::Span<const Shape> elements = at->tuple_elements();
    if (number < 0 || static_cast<size_t>(number) >= elements.size()) return nullptr;
    at = &elements[number];
  }
  return at->IsTuple() ? nullptr : at;
}

// ---- InstructionOrder ---------------------------------------------------------------------------

namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;

absl::Status BadSchedule(const HloComputationProto& computation, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "schedule of computation \"", absl::CHexEscape(computation.name()), "\": ", what));
}

}  // namespace

absl::StatusOr<std::vector<const HloInstructionProto*>> InstructionOrder(
    const xla::HloModuleProto& module, const HloComputationProto& computation) {
  std::vector<const HloInstructionProto*> order;
  order.reserve(computation.instructions_size());
  const auto& sequences = module.schedule().sequences();
  const auto scheduled = sequences.find(computation.id());
  if (scheduled == sequences.end()) {
    for (const HloInstructionProto& instruction : computation.instructions()) {
      order.push_back(&instruction);
    }
    return order;
  }

  absl::flat_hash_map<int64_t, const HloInstructionProto*> by_id;
  for (const HloInstructionProto& instruction : computation.instructions()) {
    by_id[instruction.id()] = &instruction;
  }
  absl::flat_hash_set<int64_t> before;
  for (int64_t id : scheduled->second.instruction_ids()) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      return BadSchedule(computation, absl::StrCat("instruction ", id, " is not in it"));
    }
    const HloInstructionProto* instruction = found->second;
    for (const auto* ids : {&instruction->operand_ids(), &instruction->control_predecessor_ids()}) {
      for (int64_t needed : *ids) {
        if (before.contains(needed)) continue;
        return BadSchedule(computation, absl::StrCat("expected instruction ", needed, " before ",
                                                     id, ", which needs it, got it after"));
      }
    }
    if (before.insert(id).second) order.push_back(instruction);
  }
  if (order.size() != by_id.size()) {
    return BadSchedule(computation, absl::StrCat("expected its ", by_id.size(),
                                                 " instructions, got ", order.size()));
  }
  return order;
}

}  // namespace callbridge::hlo
