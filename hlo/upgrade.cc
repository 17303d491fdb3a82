#include "callbridge/hlo/upgrade.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using Ids = std::vector<int64_t>;

// A typed call lists all leaves of its operands, so a large tuple that many calls take makes a
// module that is larger by their product. Each leaf also costs the bytes of a shape.
constexpr int64_t kMaxNodes = 1 << 20;

constexpr absl::string_view kXlaInternalTargets[] = {
#include "callbridge/hlo/xla_internal_calls.inc"
};

// Returns true for targets that XLA itself implements, such as "Sharding". They are untyped on
// every XLA.
bool IsXlaInternalTarget(absl::string_view target) {
  return std::any_of(std::begin(kXlaInternalTargets), std::end(kXlaInternalTargets),
                     [&](absl::string_view pattern) {
                       return absl::ConsumeSuffix(&pattern, "*") ? absl::StartsWith(target, pattern)
                                                                 : target == pattern;
                     });
}

bool IsUntypedCall(const HloInstructionProto& instruction) {
  return IsCustomCall(instruction) &&
         instruction.custom_call_api_version() != xla::API_VERSION_TYPED_FFI &&
         !IsXlaInternalTarget(instruction.custom_call_target());
}

// Returns the number of tuples, arrays and tokens.
int64_t NodeCount(const Shape& shape) {
  int64_t count = 1;
  for (const Shape& element : shape.tuple_elements()) count += NodeCount(element);
  return count;
}

bool HasTuple(absl::Span<const Shape> shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.IsTuple(); });
}

// Returns the descriptor of what a target needs beyond the leaves of a typed call; "" if nothing.
// The same rule as in python/callbridge/_core/_call_site.py, except for the opaque: it is not known
// here which targets read it.
std::string SiteAttribute(const CallSite& site) {
  if (site.api_version == ApiVersion::kStatusReturningUnified &&
      IsSiteDescriptor(site.opaque.data(), site.opaque.size())) {
    return site.opaque;  // callbridge made this call; the opaque is the descriptor already
  }
  const bool trees_arrive = !HasTuple(site.operands) &&
                            (!site.result.IsTuple() || (site.result.LeafCount() != 1 &&
                                                        !HasTuple(site.result.tuple_elements())));
  return trees_arrive && site.opaque.empty() ? "" : EncodeSiteDescriptor(site);
}

// Returns the dictionary that XLA passes to a typed target as attributes.
std::string TypedConfig(const CallSite& site) {
  const std::string attribute = SiteAttribute(site);
  if (attribute.empty()) return "{}";
  return absl::StrCat("{", kSiteDescriptorAttribute, " = dense<\"0x",
                      absl::BytesToHexString(attribute), "\"> : tensor<", attribute.size(),
                      "xui8>}");
}

class ModuleUpgrade {
 public:
  ModuleUpgrade(const HloModuleProto& module, std::vector<CallLeftAlone>* left_alone)
      : module_(module), left_alone_(left_alone) {
    for (const HloComputationProto& computation : module.computations()) {
      for (const HloInstructionProto& instruction : computation.instructions()) {
        if (absl::StartsWith(instruction.opcode(), "async-")) {
          asynchronous_.insert(instruction.called_computation_ids().begin(),
                               instruction.called_computation_ids().end());
        }
        next_id_ = std::max(next_id_, instruction.id() + 1);
        names_.GetUniqueName(instruction.name(), "");
      }
    }
  }

  absl::StatusOr<HloModuleProto> Run() {
    for (HloComputationProto& computation : *module_.mutable_computations()) {
      const auto& instructions = computation.instructions();
      if (std::none_of(instructions.begin(), instructions.end(), IsUntypedCall)) continue;
      absl::Status status = UpgradeComputation(&computation);
      if (!status.ok()) return status;
    }
    if (absl::Status status = CheckModule(module_); !status.ok()) return status;
    return std::move(module_);
  }

 private:
  // A value of the computation that is being upgraded.
  struct Value {
    const HloInstructionProto* instruction = nullptr;  // as it was
    // Set if a call needs them.
    std::optional<Shape> shape;
    int64_t node_count = 0;
    Ids leaves;
  };

  // Returns "" if the call can be upgraded.
  std::string WhyNot(const HloInstructionProto& call, bool is_asynchronous) const {
    bool has_tuple_operand = false;
    const auto shape_problem = [](absl::string_view what, const xla::ShapeProto& proto) {
      if (proto.element_type() == xla::PRIMITIVE_TYPE_INVALID) {
        return absl::StrCat(what, " has no shape in the text");
      }
      const absl::StatusOr<Shape> shape = ShapeFromProto(proto);
      if (shape.ok()) return std::string();
      return absl::StrCat(what, " is ", shape.status().message());
    };
    for (int i = 0; i < call.operand_ids_size(); ++i) {
      const xla::ShapeProto& shape = values_.at(call.operand_ids(i)).instruction->shape();
      const std::string problem = shape_problem(absl::StrCat("operand ", i), shape);
      if (!problem.empty()) return problem;
      has_tuple_operand = has_tuple_operand || shape.element_type() == xla::TUPLE;
    }
    for (int i = 0; i < call.operand_shapes_with_layout_size(); ++i) {
      const std::string problem =
          shape_problem(absl::StrCat("the constrained layout of operand ", i),
                        call.operand_shapes_with_layout(i));
      if (!problem.empty()) return problem;
    }
    if (call.called_computation_ids_size() > 1) {
      return absl::StrCat("it calls ", call.called_computation_ids_size(),
                          " computations, and XLA takes one in a call that constrains its layouts");
    }
    const bool is_start = call.opcode() != OpcodeName(Opcode::kCustomCall);
    if (is_start && call.shape().tuple_shapes_size() < 2) {
      return "its shape is not that of an async-start: ((operands), result, ...)";
    }
    const xla::ShapeProto& result = ResultOf(call);
    const std::string problem = shape_problem("its result", result);
    if (!problem.empty()) return problem;
    if (is_asynchronous && (has_tuple_operand || IsRebuilt(*ShapeFromProto(result)))) {
      return "it is asynchronous, and has a tuple that a typed call needs other instructions for";
    }
    return "";
  }

  // Returns the shape of what the target returns.
  static const xla::ShapeProto& ResultOf(const HloInstructionProto& call) {
    return call.opcode() == OpcodeName(Opcode::kCustomCall) ? call.shape()
                                                            : call.shape().tuple_shapes(1);
  }

  // Returns true if a typed call cannot return this result as it is.
  static bool IsRebuilt(const Shape& result) {
    return result.IsTuple() && (result.LeafCount() == 1 || HasTuple(result.tuple_elements()));
  }

  bool IsUpgraded(const HloInstructionProto& instruction) const {
    return IsUntypedCall(instruction) && !left_.contains(instruction.id());
  }

  absl::Status UpgradeComputation(HloComputationProto* computation) {
    const HloComputationProto original = *computation;
    values_.clear();
    calls_.clear();
    flattened_.clear();
    left_.clear();
    for (const HloInstructionProto& instruction : original.instructions()) {
      values_[instruction.id()].instruction = &instruction;
      if (!IsUntypedCall(instruction)) continue;
      const bool is_asynchronous = asynchronous_.contains(original.id()) ||
                                   instruction.opcode() != OpcodeName(Opcode::kCustomCall);
      std::string reason = WhyNot(instruction, is_asynchronous);
      if (!reason.empty()) {
        left_.insert(instruction.id());
        if (left_alone_ != nullptr) {
          left_alone_->push_back(
              {instruction.name(), instruction.custom_call_target(), std::move(reason)});
        }
        continue;
      }
      for (int64_t id : instruction.operand_ids()) MarkFlattened(id);
    }
    computation->clear_instructions();
    // The instructions that replace each instruction, in order.
    absl::flat_hash_map<int64_t, Ids> in_place_of;
    for (const HloInstructionProto& instruction : original.instructions()) {
      const int begin = computation->instructions_size();
      if (IsUpgraded(instruction)) {
        if (absl::Status status = UpgradeCall(instruction, computation); !status.ok()) {
          return status;
        }
      } else {
        *computation->add_instructions() = instruction;
        if (flattened_.contains(instruction.id())) FlattenTuple(instruction, computation);
      }
      Ids& ids = in_place_of[instruction.id()];
      for (int i = begin; i < computation->instructions_size(); ++i) {
        ids.push_back(computation->instructions(i).id());
      }
    }
    for (HloInstructionProto& instruction : *computation->mutable_instructions()) {
      for (int64_t& id : *instruction.mutable_control_predecessor_ids()) {
        const auto call = calls_.find(id);
        if (call != calls_.end()) id = call->second;
      }
    }
    UpgradeSchedule(computation->id(), in_place_of);
    return absl::OkStatus();
  }

  void UpgradeSchedule(int64_t computation_id,
                       const absl::flat_hash_map<int64_t, Ids>& in_place_of) {
    if (!module_.has_schedule()) return;
    auto& sequences = *module_.mutable_schedule()->mutable_sequences();
    const auto scheduled = sequences.find(computation_id);
    if (scheduled == sequences.end()) return;
    xla::HloScheduleProto::InstructionSequence upgraded;
    for (int64_t id : scheduled->second.instruction_ids()) {
      for (int64_t new_id : in_place_of.at(id)) upgraded.add_instruction_ids(new_id);
    }
    scheduled->second.Swap(&upgraded);
  }

  // Marks the tuple, and all tuples that the tuple instruction makes it from.
  void MarkFlattened(int64_t id) {
    Ids pending = {id};
    while (!pending.empty()) {
      const HloInstructionProto& instruction = *values_.at(pending.back()).instruction;
      pending.pop_back();
      if (instruction.shape().element_type() != xla::TUPLE) continue;
      if (!flattened_.insert(instruction.id()).second) continue;
      if (ParseOpcode(instruction.opcode()) != Opcode::kTuple) continue;
      pending.insert(pending.end(), instruction.operand_ids().begin(),
                     instruction.operand_ids().end());
    }
  }

  // Sets the leaves of a tuple that is not a call's result.
  void FlattenTuple(const HloInstructionProto& instruction, HloComputationProto* computation) {
    Ids leaves;
    if (ParseOpcode(instruction.opcode()) == Opcode::kTuple) {
      for (int64_t id : instruction.operand_ids()) AppendLeavesOf(id, &leaves);
    } else {
      AddElements(instruction.id(), instruction.name(), instruction.shape(), computation, &leaves);
    }
    values_.at(instruction.id()).leaves = std::move(leaves);
  }

  void AppendLeavesOf(int64_t id, Ids* leaves) {
    const Value& value = values_.at(id);
    if (value.instruction->shape().element_type() != xla::TUPLE) {
      leaves->push_back(id);
    } else {
      leaves->insert(leaves->end(), value.leaves.begin(), value.leaves.end());
    }
  }

  HloInstructionProto* Add(Opcode opcode, const std::string& name, const xla::ShapeProto& shape,
                           HloComputationProto* computation) {
    HloInstructionProto* instruction = computation->add_instructions();
    instruction->set_id(next_id_++);
    instruction->set_name(names_.GetUniqueName(name, OpcodeName(opcode)));
    instruction->set_opcode(std::string(OpcodeName(opcode)));
    *instruction->mutable_shape() = shape;
    return instruction;
  }

  // get-tuple-element instructions down to the leaves. Recursive, as deep as shapes may be.
  void AddElements(int64_t tuple_id, const std::string& name, const xla::ShapeProto& shape,
                   HloComputationProto* computation, Ids* leaves) {
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      const xla::ShapeProto& element = shape.tuple_shapes(i);
      HloInstructionProto* get = Add(Opcode::kGetTupleElement, name, element, computation);
      get->add_operand_ids(tuple_id);
      get->set_tuple_index(i);
      const int64_t id = get->id();
      if (element.element_type() == xla::TUPLE) {
        AddElements(id, name, element, computation, leaves);
      } else {
        leaves->push_back(id);
      }
    }
  }

  // Adds the tuple instructions for `shape`, and advances `leaves` past those that it uses. Returns
  // the id of the outermost instruction.
  int64_t AddTuple(const std::string& name, const xla::ShapeProto& shape,
                   HloComputationProto* computation, const int64_t** leaves) {
    if (shape.element_type() != xla::TUPLE) return *(*leaves)++;
    Ids elements;
    for (const xla::ShapeProto& element : shape.tuple_shapes()) {
      elements.push_back(AddTuple(name, element, computation, leaves));
    }
    HloInstructionProto* tuple = Add(Opcode::kTuple, name, shape, computation);
    tuple->mutable_operand_ids()->Assign(elements.begin(), elements.end());
    return tuple->id();
  }

  absl::StatusOr<const Value*> ShapedValue(int64_t id) {
    Value& value = values_.at(id);
    if (value.shape.has_value()) return &value;
    absl::StatusOr<Shape> shape = ShapeFromProto(value.instruction->shape());
    if (!shape.ok()) return shape.status();
    value.node_count = NodeCount(*shape);
    value.shape = *std::move(shape);
    return &value;
  }

  absl::StatusOr<CallSite> SiteOf(const HloInstructionProto& call) {
    CallSite site;
    site.api_version = static_cast<ApiVersion>(call.custom_call_api_version());
    site.opaque = call.backend_config();
    for (int64_t id : call.operand_ids()) {
      absl::StatusOr<const Value*> operand = ShapedValue(id);
      if (!operand.ok()) return operand.status();
      node_count_ += (*operand)->node_count;
      if (node_count_ > kMaxNodes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("expected custom calls whose operands have at most ", kMaxNodes,
                         " leaves and tuples in all, got more; split the module"));
      }
      site.operands.push_back(*(*operand)->shape);
    }
    absl::StatusOr<Shape> result = ShapeFromProto(ResultOf(call));
    if (!result.ok()) return result.status();
    site.result = *std::move(result);
    return site;
  }

  absl::Status UpgradeCall(const HloInstructionProto& original, HloComputationProto* computation) {
    absl::StatusOr<CallSite> site = SiteOf(original);
    if (!site.ok()) return site.status();
    const bool is_rebuilt = IsRebuilt(site->result);
    HloInstructionProto* call = computation->add_instructions();
    *call = original;
    call->set_custom_call_api_version(xla::API_VERSION_TYPED_FFI);
    call->set_backend_config(TypedConfig(*site));
    if (is_rebuilt) call->set_id(next_id_++);
    const int64_t call_id = call->id();
    calls_[original.id()] = call_id;
    FlattenOperands(original, call);
    FlattenAliases(*site, original, call);
    if (!is_rebuilt && !flattened_.contains(original.id())) return absl::OkStatus();
    if (is_rebuilt) FlattenResult(call);

    Ids leaves;
    if (call->shape().element_type() == xla::TUPLE) {
      AddElements(call_id, original.name(), call->shape(), computation, &leaves);
    } else {
      leaves.push_back(call_id);
    }
    if (is_rebuilt) {
      const int64_t* next = leaves.data();
      AddTuple(original.name(), original.shape(), computation, &next);
      // The outermost tuple comes last. It replaces the call's result.
      HloInstructionProto* tuple =
          computation->mutable_instructions(computation->instructions_size() - 1);
      tuple->set_id(original.id());
    }
    values_.at(original.id()).leaves = std::move(leaves);
    return absl::OkStatus();
  }

  void FlattenOperands(const HloInstructionProto& original, HloInstructionProto* call) {
    Ids operands;
    for (int64_t id : original.operand_ids()) AppendLeavesOf(id, &operands);
    call->mutable_operand_ids()->Assign(operands.begin(), operands.end());
    std::vector<const xla::ShapeProto*> layouts;
    if (original.constrain_layout()) {
      for (const xla::ShapeProto& shape : original.operand_shapes_with_layout()) {
        AppendLeaves(shape, &layouts);
      }
    } else {
      for (int64_t id : original.operand_ids()) {
        AppendLeaves(values_.at(id).instruction->shape(), &layouts);
      }
    }
    call->clear_operand_shapes_with_layout();
    for (const xla::ShapeProto* shape : layouts) *call->add_operand_shapes_with_layout() = *shape;
    if (original.constrain_layout()) return;
    // A target whose call constrains no layout expects row-major ones. To XLA, no constraint means
    // that it may choose another one if that suits another instruction.
    call->set_constrain_layout(true);
    for (xla::ShapeProto& shape : *call->mutable_operand_shapes_with_layout())
      SetToDefaultLayout(&shape);
    SetToDefaultLayout(call->mutable_shape());
  }

  // Aliases refer to leaves, which are now operands of their own.
  static void FlattenAliases(const CallSite& site, const HloInstructionProto& original,
                             HloInstructionProto* call) {
    if (original.output_operand_aliasing_size() == 0) return;
    absl::flat_hash_map<const Shape*, int64_t> number_of;
    int64_t number = 0;
    for (const Shape& operand : site.operands) {
      for (const Shape* leaf : operand.Leaves()) number_of[leaf] = number++;
    }
    const std::vector<const Shape*> results = site.result.Leaves();
    for (size_t i = 0; i < results.size(); ++i) number_of[results[i]] = static_cast<int64_t>(i);
    const auto leaf_number = [&](const Shape& shape, const auto& index) {
      return number_of.at(LeafAt(shape, {index.data(), static_cast<size_t>(index.size())}));
    };
    for (int i = 0; i < original.output_operand_aliasing_size(); ++i) {
      const xla::OutputOperandAliasing& alias = original.output_operand_aliasing(i);
      xla::OutputOperandAliasing* flat = call->mutable_output_operand_aliasing(i);
      const int64_t output = leaf_number(site.result, alias.output_shape_index());
      flat->clear_output_shape_index();
      if (results.size() != 1) flat->add_output_shape_index(output);
      flat->set_operand_index(
          leaf_number(site.operands[alias.operand_index()], alias.operand_shape_index()));
      flat->clear_operand_shape_index();
    }
  }

  // XLA's typed calls return one array or token, or a tuple of any other number.
  static void FlattenResult(HloInstructionProto* call) {
    const xla::ShapeProto shape = call->shape();
    std::vector<const xla::ShapeProto*> leaves;
    AppendLeaves(shape, &leaves);
    call->clear_shape();
    if (leaves.size() == 1) {
      *call->mutable_shape() = *leaves.front();
      if (call->sharding().tuple_shardings_size() == 1) {
        const xla::OpSharding sharding = call->sharding().tuple_shardings(0);
        *call->mutable_sharding() = sharding;
      }
      return;
    }
    call->mutable_shape()->set_element_type(xla::TUPLE);
    for (const xla::ShapeProto* leaf : leaves) *call->mutable_shape()->add_tuple_shapes() = *leaf;
  }

  HloModuleProto module_;
  int64_t next_id_ = 0;
  NameUniquer names_;
  int64_t node_count_ = 0;
  std::vector<CallLeftAlone>* const left_alone_;
  absl::flat_hash_set<int64_t> asynchronous_;  // computations of async-start
  // Of the computation that is being upgraded, by their original ids.
  absl::flat_hash_map<int64_t, Value> values_;
  absl::flat_hash_map<int64_t, int64_t> calls_;  // the new ids of the calls
  absl::flat_hash_set<int64_t> flattened_;       // tuples whose leaves a call takes
  absl::flat_hash_set<int64_t> left_;            // untyped calls that stay
};

}  // namespace

absl::StatusOr<HloModuleProto> Upgrade(const HloModuleProto& module,
                                       std::vector<CallLeftAlone>* left_alone) {
  return ModuleUpgrade(module, left_alone).Run();
}

}  // namespace callbridge::hlo
