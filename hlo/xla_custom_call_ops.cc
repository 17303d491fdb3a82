#include "callbridge/hlo/xla_custom_call_ops.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {

using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;

namespace {

// What all kinds of custom calls have.
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
