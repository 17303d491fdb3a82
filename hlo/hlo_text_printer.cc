#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using Indices = google::protobuf::RepeatedField<int64_t>;

// Appends the shape as XLA prints it: scalars have no layout. Recursive, as deep as shapes may be.
void AppendShapeText(const Shape& shape, std::string* text) {
  if (shape.IsTuple()) {
    text->push_back('(');
    for (const Shape& element : shape.tuple_elements()) {
      if (&element != &shape.tuple_elements().front()) text->push_back(',');
      AppendShapeText(element, text);
    }
    text->push_back(')');
  } else if (shape.IsArray() && shape.dimensions().empty() && shape.layout() == Layout()) {
    absl::StrAppend(text, PrimitiveTypeName(shape.element_type()), "[]");
  } else {
    absl::StrAppend(text, ShapeText(shape));
  }
}

absl::StatusOr<std::string> TextOfShape(const xla::ShapeProto& proto) {
  absl::StatusOr<Shape> shape = ShapeFromProto(proto);
  if (!shape.ok()) return shape.status();
  std::string text;
  AppendShapeText(*shape, &text);
  return text;
}

// Returns the shape as signatures have it.
xla::ShapeProto WithoutLayouts(xla::ShapeProto shape) {
  shape.clear_layout();
  for (xla::ShapeProto& element : *shape.mutable_tuple_shapes()) {
    element = WithoutLayouts(std::move(element));
  }
  return shape;
}

std::string Quoted(absl::string_view bytes) {
  return absl::StrCat("\"", absl::CEscape(bytes), "\"");
}

// Like XLA, writes bytes that read as one dictionary without quotes.
std::string QuotedOrDictionary(absl::string_view bytes) {
  const bool is_dictionary = !bytes.empty() && DictionarySize(bytes) == bytes.size() &&
                             std::all_of(bytes.begin(), bytes.end(), absl::ascii_isprint);
  return is_dictionary ? std::string(bytes) : Quoted(bytes);
}

std::string IndexText(const Indices& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

class ModulePrinter {
 public:
  explicit ModulePrinter(const HloModuleProto& module) : module_(module) {}

  absl::StatusOr<std::string> Print() {
    NameUniquer names;
    for (const HloComputationProto& computation : module_.computations()) {
      computation_names_[computation.id()] = names.GetUniqueName(computation.name(), "computation");
    }
    if (absl::Status status = PrintHeader(); !status.ok()) return status;
    for (const HloComputationProto& computation : module_.computations()) {
      if (absl::Status status = PrintComputation(computation); !status.ok()) return status;
    }
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void Append(const Parts&... parts) {
    absl::StrAppend(&text_, parts...);
  }

  // Appends the text, or returns its error.
  absl::Status AppendText(const absl::StatusOr<std::string>& text) {
    if (text.ok()) Append(*text);
    return text.status();
  }

  absl::Status PrintHeader() {
    Append("HloModule ", NameUniquer().GetUniqueName(module_.name(), "module"));
    if (module_.schedule().sequences_size() != 0) Append(", is_scheduled=true");
    const auto& aliases = module_.input_output_alias().entries();
    if (!aliases.empty()) {
      Append(", input_output_alias={ ",
             absl::StrJoin(aliases, ", ",
                           [](std::string* out, const auto& alias) {
                             absl::StrAppend(out, IndexText(alias.output_shape_index()), ": (",
                                             alias.parameter_number(), ", ",
                                             IndexText(alias.parameter_shape_index()), ", ",
                                             alias.kind() == xla::MUST_ALIAS ? "must" : "may",
                                             "-alias)");
                           }),
             " }");
    }
    if (module_.has_host_program_shape()) {
      Append(", entry_computation_layout={");
      absl::Status status = PrintProgramShape(module_.host_program_shape());
      if (!status.ok()) return status;
      Append("}");
    }
    Append("\n");
    return absl::OkStatus();
  }

  absl::Status PrintProgramShape(const xla::ProgramShapeProto& program) {
    Append("(");
    for (int i = 0; i < program.parameters_size(); ++i) {
      if (i != 0) Append(", ");
      absl::Status status = AppendText(TextOfShape(program.parameters(i)));
      if (!status.ok()) return status;
    }
    Append(")->");
    return AppendText(TextOfShape(program.result()));
  }

  absl::Status PrintComputation(const HloComputationProto& computation) {
    absl::StatusOr<std::vector<const HloInstructionProto*>> instructions =
        InstructionOrder(module_, computation);
    if (!instructions.ok()) return instructions.status();
    NameUniquer names;
    instruction_names_.clear();
    for (const HloInstructionProto* instruction : *instructions) {
      instruction_names_[instruction->id()] =
          names.GetUniqueName(instruction->name(), "instruction");
    }
    Append("\n");
    if (computation.id() == module_.entry_computation_id()) Append("ENTRY ");
    Append("%", computation_names_.at(computation.id()), " ");
    if (absl::Status status = PrintSignature(computation); !status.ok()) return status;
    Append(" {\n");
    for (const HloInstructionProto* instruction : *instructions) {
      Append("  ");
      if (instruction->id() == computation.root_id()) Append("ROOT ");
      if (absl::Status status = PrintInstruction(*instruction); !status.ok()) return status;
      Append("\n");
    }
    Append("}");
    if (!computation.execution_thread().empty() && computation.execution_thread() != "main") {
      Append(", execution_thread=", Quoted(computation.execution_thread()));
    }
    Append("\n");
    return absl::OkStatus();
  }

  absl::Status PrintSignature(const HloComputationProto& computation) {
    std::vector<const HloInstructionProto*> parameters;
    const HloInstructionProto* root = nullptr;
    for (const HloInstructionProto& instruction : computation.instructions()) {
      if (instruction.id() == computation.root_id()) root = &instruction;
      if (instruction.opcode() != OpcodeName(Opcode::kParameter)) continue;
      const auto number = static_cast<size_t>(instruction.parameter_number());
      if (parameters.size() <= number) parameters.resize(number + 1);
      parameters[number] = &instruction;
    }
    Append("(");
    for (const HloInstructionProto* parameter : parameters) {
      if (parameter != parameters.front()) Append(", ");
      Append(instruction_names_.at(parameter->id()), ": ");
      absl::Status status = AppendText(TextOfShape(WithoutLayouts(parameter->shape())));
      if (!status.ok()) return status;
    }
    Append(") -> ");
    return AppendText(TextOfShape(WithoutLayouts(root->shape())));
  }

  absl::Status PrintInstruction(const HloInstructionProto& instruction) {
    Append("%", instruction_names_.at(instruction.id()), " = ");
    if (absl::Status status = AppendText(TextOfShape(instruction.shape())); !status.ok()) {
      return status;
    }
    const std::optional<Opcode> opcode = ParseOpcode(instruction.opcode());
    if (!opcode.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("the instruction \"", absl::CHexEscape(instruction.opcode()), "\" (",
                       absl::CHexEscape(instruction.name()),
                       ") is not supported; use XLA to print this module"));
    }
    Append(" ", instruction.opcode(), "(");
    if (absl::Status status = PrintOperands(*opcode, instruction); !status.ok()) return status;
    Append(")");
    return PrintAttributes(*opcode, instruction);
  }

  absl::Status PrintOperands(Opcode opcode, const HloInstructionProto& instruction) {
    if (opcode == Opcode::kParameter) {
      Append(instruction.parameter_number());
      return absl::OkStatus();
    }
    if (opcode == Opcode::kConstant) return PrintLiteral(instruction.literal());
    Append(absl::StrJoin(instruction.operand_ids(), ", ", [this](std::string* out, int64_t id) {
      absl::StrAppend(out, "%", instruction_names_.at(id));
    }));
    return absl::OkStatus();
  }

  absl::Status PrintLiteral(const xla::LiteralProto& literal) {
    // The literal's own shape has the layout of its elements.
    absl::StatusOr<Shape> shape = ShapeFromProto(literal.shape());
    if (!shape.ok()) return shape.status();
    return AppendText(LiteralText(literal, *shape));
  }

  absl::Status PrintAttributes(Opcode opcode, const HloInstructionProto& instruction) {
    if (opcode == Opcode::kBroadcast) Append(", dimensions=", IndexText(instruction.dimensions()));
    if (opcode == Opcode::kGetTupleElement) Append(", index=", instruction.tuple_index());
    if (opcode == Opcode::kCall) {
      Append(", to_apply=", ComputationName(instruction.called_computation_ids(0)));
    }
    if (opcode == Opcode::kCustomCall) {
      if (absl::Status status = PrintCustomCall(instruction); !status.ok()) return status;
    }
    return PrintCommonAttributes(instruction);
  }

  std::string ComputationName(int64_t id) const {
    return absl::StrCat("%", computation_names_.at(id));
  }

  absl::Status PrintCustomCall(const HloInstructionProto& instruction) {
    absl::Status status = PrintConvolution(instruction);
    if (!status.ok()) return status;
    Append(", custom_call_target=", Quoted(instruction.custom_call_target()));
    if (instruction.constrain_layout()) {
      Append(", operand_layout_constraints={");
      for (int i = 0; i < instruction.operand_shapes_with_layout_size(); ++i) {
        if (i != 0) Append(", ");
        status = AppendText(TextOfShape(instruction.operand_shapes_with_layout(i)));
        if (!status.ok()) return status;
      }
      Append("}");
    }
    if (instruction.custom_call_has_side_effect()) Append(", custom_call_has_side_effect=true");
    if (instruction.has_literal()) {
      Append(", literal=");
      status = AppendText(TextOfShape(instruction.literal().shape()));
      Append(" ");
      if (status.ok()) status = PrintLiteral(instruction.literal());
      if (!status.ok()) return status;
    }
    if (instruction.output_operand_aliasing_size() != 0) {
      Append(", output_to_operand_aliasing={",
             absl::StrJoin(instruction.output_operand_aliasing(), ", ",
                           [](std::string* out, const xla::OutputOperandAliasing& alias) {
                             absl::StrAppend(out, IndexText(alias.output_shape_index()), ": (",
                                             alias.operand_index(), ", ",
                                             IndexText(alias.operand_shape_index()), ")");
                           }),
             "}");
    }
    if (instruction.custom_call_schedule() != xla::SCHEDULE_NONE) {
      Append(", schedule=", xla::CustomCallSchedule_Name(instruction.custom_call_schedule()));
    }
    if (instruction.custom_call_api_version() != xla::API_VERSION_ORIGINAL) {
      Append(", api_version=",
             xla::CustomCallApiVersion_Name(instruction.custom_call_api_version()));
    }
    if (instruction.called_computation_ids_size() != 0) {
      Append(", called_computations={",
             absl::StrJoin(instruction.called_computation_ids(), ", ",
                           [this](std::string* out, int64_t id) {
                             absl::StrAppend(out, ComputationName(id));
                           }),
             "}");
    }
    return absl::OkStatus();
  }

  // Prints the attributes of convolutions, which custom calls may have too.
  absl::Status PrintConvolution(const HloInstructionProto& instruction) {
    if (instruction.has_window()) Append(", window=", WindowText(instruction.window()));
    if (instruction.has_convolution_dimension_numbers()) {
      Append(", dim_labels=");
      absl::Status status = AppendText(DimLabelsText(instruction.convolution_dimension_numbers()));
      if (!status.ok()) return status;
    }
    if (instruction.feature_group_count() > 1) {
      Append(", feature_group_count=", instruction.feature_group_count());
    }
    if (instruction.batch_group_count() > 1) {
      Append(", batch_group_count=", instruction.batch_group_count());
    }
    if (instruction.padding_type() != xla::PADDING_INVALID) {
      Append(", padding_type=", xla::PaddingType_Name(instruction.padding_type()));
    }
    const auto& precisions = instruction.precision_config().operand_precision();
    if (!precisions.empty()) {
      Append(", operand_precision={",
             absl::StrJoin(
                 precisions, ",",
                 [](std::string* out, int precision) {
                   absl::StrAppend(
                       out, absl::AsciiStrToLower(xla::PrecisionConfig::Precision_Name(precision)));
                 }),
             "}");
    }
    return absl::OkStatus();
  }

  absl::Status PrintCommonAttributes(const HloInstructionProto& instruction) {
    if (instruction.has_sharding()) {
      Append(", sharding=");
      absl::Status status = AppendText(ShardingText(instruction.sharding()));
      if (!status.ok()) return status;
    }
    if (!instruction.control_predecessor_ids().empty()) {
      Append(", control-predecessors={",
             absl::StrJoin(instruction.control_predecessor_ids(), ", ",
                           [this](std::string* out, int64_t id) {
                             absl::StrAppend(out, "%", instruction_names_.at(id));
                           }),
             "}");
    }
    if (!instruction.frontend_attributes().map().empty()) {
      absl::Status status = PrintFrontendAttributes(instruction.frontend_attributes());
      if (!status.ok()) return status;
    }
    if (instruction.has_metadata()) PrintMetadata(instruction.metadata());
    if (!instruction.backend_config().empty()) {
      Append(", backend_config=", QuotedOrDictionary(instruction.backend_config()));
    }
    return absl::OkStatus();
  }

  absl::Status PrintFrontendAttributes(const xla::FrontendAttributes& attributes) {
    // Sorted by name, since protobuf maps have no order.
    std::vector<std::pair<std::string, std::string>> sorted(attributes.map().begin(),
                                                            attributes.map().end());
    std::sort(sorted.begin(), sorted.end());
    Append(", frontend_attributes={");
    for (const auto& [name, value] : sorted) {
      if (!NameUniquer::IsName(name)) {
        return absl::UnimplementedError(
            absl::StrCat("expected a frontend attribute's name that HLO text can express, got \"",
                         absl::CHexEscape(name), "\""));
      }
      if (&name != &sorted.front().first) Append(",");
      Append(name, "=", Quoted(value));
    }
    Append("}");
    return absl::OkStatus();
  }

  void PrintMetadata(const xla::OpMetadata& metadata) {
    std::vector<std::string> fields;
    const auto add = [&](absl::string_view name, const std::string& value) {
      if (!value.empty()) fields.push_back(absl::StrCat(name, "=", Quoted(value)));
    };
    add("op_type", metadata.op_type());
    add("op_name", metadata.op_name());
    add("source_file", metadata.source_file());
    if (metadata.source_line() != 0) {
      fields.push_back(absl::StrCat("source_line=", metadata.source_line()));
    }
    if (!fields.empty()) Append(", metadata={", absl::StrJoin(fields, " "), "}");
  }

  const HloModuleProto& module_;
  std::string text_;
  absl::flat_hash_map<int64_t, std::string> computation_names_;
  absl::flat_hash_map<int64_t, std::string> instruction_names_;  // of this computation
};

}  // namespace

absl::StatusOr<std::string> PrintHloText(const HloModuleProto& module) {
  return ModulePrinter(module).Print();
}

}  // namespace callbridge::hlo
