// The instructions that computations consist of: parameters, tuples, tokens, calls, custom calls.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {

using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;

namespace {

// Gives the computations and instructions of a module the ids after *last_id, and names that end in
// them.
class Renumbering {
 public:
  explicit Renumbering(int64_t* last_id) : last_id_(last_id) {}

  template <typename Numbered>
  void Renumber(Numbered& message) {
    const int64_t id = ++*last_id_;
    new_ids_[message.id()] = id;
    message.set_id(id);
    message.set_name(absl::StrCat(message.name().substr(0, message.name().rfind('.')), ".", id));
  }

  StatusOr<int64_t> NewId(int64_t id) const {
    const auto found = new_ids_.find(id);
    if (found != new_ids_.end()) return found->second;
    return absl::InvalidArgumentError(
        absl::StrCat("a computation that is to be called refers to the id ", id,
                     ", which nothing in its module has"));
  }

  Status Replace(google::protobuf::RepeatedField<int64_t>* ids) const {
    for (int64_t& id : *ids) {
      TF_ASSIGN_OR_RETURN(id, NewId(id));
    }
    return OkStatus();
  }

 private:
  int64_t* const last_id_;
  absl::flat_hash_map<int64_t, int64_t> new_ids_;
};

std::string HumanStrings(const std::vector<Shape>& shapes) {
  return absl::StrJoin(shapes, ", ", [](std::string* out, const Shape& shape) {
    absl::StrAppend(out, ShapeUtil::HumanString(shape));
  });
}

}  // namespace

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name) {
  return Parameter(builder, parameter_number, shape, name, {});
}

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_RETURN_IF_ERROR(builder->first_error());
    if (!XlaBuilderFriend::TakeParameterNumber(builder, parameter_number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", parameter_number, " already registered"));
    }
    HloInstructionProto proto;
    proto.set_name(name);
    proto.set_parameter_number(parameter_number);
    if (!replicated_at_leaf_buffers.empty()) {
      *proto.mutable_parameter_replication()->mutable_replicated_at_leaf_buffers() = {
          replicated_at_leaf_buffers.begin(), replicated_at_leaf_buffers.end()};
    }
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kParameter, shape, {});
  });
}

XlaOp Parameter(int64_t parameter_number, const Shape& shape, const std::string& name) {
  return Parameter(XlaBuilderFriend::LatestBuilder(), parameter_number, shape, name);
}

XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(elements));
    return XlaBuilderFriend::Add(builder, {}, Opcode::kTuple, ShapeUtil::MakeTupleShape(shapes),
                                 elements);
  });
}

XlaOp GetTupleElement(XlaOp tuple_data, int64_t index) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(tuple_data);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* tuple, builder->GetShapePtr(tuple_data));
    const std::string text = ShapeUtil::HumanString(*tuple);
    if (!tuple->IsTuple()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Operand to GetTupleElement() is not a tuple; got ", text));
    }
    if (index < 0 || index >= tuple->tuple_shapes_size()) {
      return absl::InvalidArgumentError(absl::StrCat("GetTupleElement() index (", index,
                                                     ") out of range for tuple shape ", text));
    }
    HloInstructionProto proto;
    proto.set_tuple_index(index);
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kGetTupleElement,
                                 tuple->tuple_shapes(static_cast<int>(index)), {tuple_data});
  });
}

// ---- Tokens -------------------------------------------------------------------------------------

XlaOp CreateToken(XlaBuilder* builder) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn(
      XlaBuilderFriend::Add(builder, {}, Opcode::kAfterAll, ShapeUtil::MakeTokenShape(), {}));
}

XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    if (tokens.empty()) {
      return absl::InvalidArgumentError("AfterAll requires at least one operand");
    }
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(tokens));
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].IsToken()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("All operands to AfterAll must be tokens; operand ", i, " has shape ",
                       ShapeUtil::HumanString(shapes[i])));
    }
    return XlaBuilderFriend::Add(builder, {}, Opcode::kAfterAll, ShapeUtil::MakeTokenShape(),
                                 tokens);
  });
}

XlaOp AddDependency(XlaOp operand, XlaOp token) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    return XlaBuilderFriend::BuildAddDependency(builder, operand, token, shape);
  });
}

namespace internal {

XlaOp XlaBuilderFriend::BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                           const Shape& shape) {
  Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* token_shape, builder->GetShapePtr(token));
    if (!token_shape->IsToken()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected a token as what to wait for, but got ",
                       ShapeUtil::HumanString(*token_shape), "."));
    }
    return Add(builder, {}, Opcode::kAddDependency, shape, {operand, token});
  });
}

}  // namespace internal

// ---- Calls --------------------------------------------------------------------------------------

Status XlaBuilder::AddCalledComputation(const XlaComputation& computation,
                                        HloInstructionProto* caller) {
  const HloModuleProto& module = computation.proto();
  std::vector<HloComputationProto> copies(module.computations().begin(),
                                          module.computations().end());
  Renumbering renumbering(&last_id_);
  for (HloComputationProto& copy : copies) {
    renumbering.Renumber(copy);
    for (HloInstructionProto& instruction : *copy.mutable_instructions()) {
      renumbering.Renumber(instruction);
    }
  }
  for (HloComputationProto& copy : copies) {
    TF_ASSIGN_OR_RETURN(const int64_t root, renumbering.NewId(copy.root_id()));
    copy.set_root_id(root);
    for (HloInstructionProto& instruction : *copy.mutable_instructions()) {
      for (auto* ids :
           {instruction.mutable_operand_ids(), instruction.mutable_control_predecessor_ids(),
            instruction.mutable_called_computation_ids()}) {
        TF_RETURN_IF_ERROR(renumbering.Replace(ids));
      }
    }
  }
  TF_ASSIGN_OR_RETURN(const int64_t entry, renumbering.NewId(module.entry_computation_id()));
  for (HloComputationProto& copy : copies) called_.push_back(std::move(copy));
  caller->add_called_computation_ids(entry);
  return OkStatus();
}

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
           absl::Span<const XlaOp> operands) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    TF_ASSIGN_OR_RETURN(const ProgramShape called, computation.GetProgramShape());
    if (called.parameters_size() != static_cast<int>(shapes.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Call applied function arity must match number of arguments; got: arity: ",
          called.parameters_size(), ", arguments: ", shapes.size(), "; computation signature: ",
          ShapeUtil::HumanString(called), "; argument shapes: [", HumanStrings(shapes), "]."));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Shape& parameter = called.parameters(static_cast<int>(i));
      if (ShapeUtil::Compatible(parameter, shapes[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Call parameter must match argument; got parameter ", i,
                       " shape: ", ShapeUtil::HumanString(parameter),
                       ", argument shape: ", ShapeUtil::HumanString(shapes[i]), "."));
    }
    HloInstructionProto proto;
    TF_RETURN_IF_ERROR(XlaBuilderFriend::AddCalled(builder, computation, &proto));
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kCall, called.result(),
                                 operands);
  });
}

// ---- Custom calls -------------------------------------------------------------------------------

namespace {

// The arguments that all kinds of custom calls take.
struct CustomCallArguments {
  const std::string& target;
  absl::Span<const XlaOp> operands;
  const Shape& shape;
  const std::string& opaque;
  bool has_side_effect;
  OutputOperandAliases aliases;
  const Literal* literal;
  CustomCallSchedule schedule;
  CustomCallApiVersion api_version;
};

bool HasLayouts(const Shape& shape) {
  bool all = true;
  ShapeUtil::ForEachSubshape(shape, [&all](const Shape& subshape, const ShapeIndex&) {
    all = all && (!subshape.IsArray() || subshape.has_layout());
  });
  return all;
}

Status CheckLayouts(const CustomCallArguments& call, absl::Span<const Shape> operand_shapes) {
  if (!HasLayouts(call.shape)) {
    return absl::InvalidArgumentError(
        "Result shape must have layout for custom call with constrained layout.");
  }
  if (operand_shapes.size() != call.operands.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Must specify a shape with layout for each operand for custom call with "
                     "constrained layout; given ",
                     operand_shapes.size(), " shapes, expected ", call.operands.size()));
  }
  for (size_t i = 0; i < operand_shapes.size(); ++i) {
    if (HasLayouts(operand_shapes[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("No layout specified for operand ", i,
                                                   " for custom call with constrained layout."));
  }
  return OkStatus();
}

StatusOr<HloInstructionProto> ToProto(const CustomCallArguments& call) {
  if (absl::StartsWith(call.target, "$")) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid custom_call_target \"", call.target,
                     "\": Call targets that start with '$' are reserved for internal use."));
  }
  HloInstructionProto proto;
  proto.set_custom_call_target(call.target);
  proto.set_backend_config(call.opaque);
  proto.set_custom_call_has_side_effect(call.has_side_effect);
  if (call.literal != nullptr) *proto.mutable_literal() = call.literal->ToProto();
  for (const auto& [output_index, operand] : call.aliases) {
    OutputOperandAliasing* const alias = proto.add_output_operand_aliasing();
    alias->mutable_output_shape_index()->Add(output_index.begin(), output_index.end());
    alias->set_operand_index(operand.first);
    alias->mutable_operand_shape_index()->Add(operand.second.begin(), operand.second.end());
  }
  proto.set_custom_call_schedule(call.schedule);
  proto.set_custom_call_api_version(call.api_version);
  return proto;
}

// `add_more` completes the message.
template <typename AddMore>
XlaOp AddCustomCall(XlaBuilder* builder, const CustomCallArguments& call, AddMore&& add_more) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_RETURN_IF_ERROR(builder->first_error());
    TF_ASSIGN_OR_RETURN(HloInstructionProto proto, ToProto(call));
    TF_RETURN_IF_ERROR(add_more(proto));
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kCustomCall, call.shape,
                                 call.operands);
  });
}

Status ConstrainLayouts(const CustomCallArguments& call, absl::Span<const Shape> operand_shapes,
                        HloInstructionProto& proto) {
  TF_RETURN_IF_ERROR(CheckLayouts(call, operand_shapes));
  proto.set_constrain_layout(true);
  for (const Shape& shape : operand_shapes) {
    *proto.add_operand_shapes_with_layout() = shape.ToProto();
  }
  return OkStatus();
}

}  // namespace

XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape, const std::string& opaque,
                 bool has_side_effect, OutputOperandAliases output_operand_aliasing,
                 const Literal* literal, CustomCallSchedule schedule,
                 CustomCallApiVersion api_version) {
  const CustomCallArguments call{call_target_name, operands,        shape,
                                 opaque,           has_side_effect, output_operand_aliasing,
                                 literal,          schedule,        api_version};
  return AddCustomCall(builder, call, [](HloInstructionProto&) { return OkStatus(); });
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, const XlaComputation& computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                OutputOperandAliases output_operand_aliasing,
                                const Literal* literal, CustomCallSchedule schedule,
                                CustomCallApiVersion api_version) {
  const CustomCallArguments call{call_target_name, operands,        shape,
                                 opaque,           has_side_effect, output_operand_aliasing,
                                 literal,          schedule,        api_version};
  return AddCustomCall(builder, call, [&](HloInstructionProto& proto) {
    return XlaBuilderFriend::AddCalled(builder, computation, &proto);
  });
}

XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque, bool has_side_effect,
                           OutputOperandAliases output_operand_aliasing, const Literal* literal,
                           CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  const CustomCallArguments call{call_target_name, operands,        shape_with_layout,
                                 opaque,           has_side_effect, output_operand_aliasing,
                                 literal,          schedule,        api_version};
  return AddCustomCall(builder, call, [&](HloInstructionProto& proto) {
    return ConstrainLayouts(call, operand_shapes_with_layout, proto);
  });
}

XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              OutputOperandAliases output_operand_aliasing, const Literal* literal,
                              Window window, ConvolutionDimensionNumbers dnums,
                              CustomCallSchedule schedule, CustomCallApiVersion api_version) {
  const CustomCallArguments call{call_target_name, operands,        shape,
                                 opaque,           has_side_effect, output_operand_aliasing,
                                 literal,          schedule,        api_version};
  return AddCustomCall(builder, call, [&](HloInstructionProto& proto) -> Status {
    *proto.mutable_window() = window;
    *proto.mutable_convolution_dimension_numbers() = dnums;
    if (operand_shapes_with_layout.empty()) return OkStatus();
    return ConstrainLayouts(call, operand_shapes_with_layout, proto);
  });
}

}  // namespace callbridge_v1
}  // namespace xla
