#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/opcode_attributes.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_proto_text.h"
#include "callbridge/hlo/text_cursor.h"
#include "google/protobuf/unknown_field_set.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using Indices = google::protobuf::RepeatedField<int64_t>;

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

// The fields that the printer itself prints, or that say what the text says in another way.
constexpr int kPrintedForAll[] = {
    HloInstructionProto::kNameFieldNumber,
    HloInstructionProto::kOpcodeFieldNumber,
    HloInstructionProto::kShapeFieldNumber,
    HloInstructionProto::kMetadataFieldNumber,
    HloInstructionProto::kLiteralFieldNumber,
    HloInstructionProto::kParameterNumberFieldNumber,
    HloInstructionProto::kWindowFieldNumber,
    HloInstructionProto::kConvolutionDimensionNumbersFieldNumber,
    HloInstructionProto::kFeatureGroupCountFieldNumber,
    HloInstructionProto::kBatchGroupCountFieldNumber,
    HloInstructionProto::kPaddingTypeFieldNumber,
    HloInstructionProto::kPrecisionConfigFieldNumber,
    HloInstructionProto::kIdFieldNumber,
    HloInstructionProto::kOperandIdsFieldNumber,
    HloInstructionProto::kControlPredecessorIdsFieldNumber,
    HloInstructionProto::kShardingFieldNumber,
    HloInstructionProto::kBackendConfigFieldNumber,
    HloInstructionProto::kFrontendAttributesFieldNumber,
    HloInstructionProto::kTextAttributesFieldNumber,
    HloInstructionProto::kShapeIsLeftOutFieldNumber,
    // Follows from the operands' types, unless it is TOTALORDER, which is printed.
    HloInstructionProto::kComparisonTypeFieldNumber,
};
constexpr int kPrintedForCustomCalls[] = {
    HloInstructionProto::kCustomCallTargetFieldNumber,
    HloInstructionProto::kCalledComputationIdsFieldNumber,
    HloInstructionProto::kConstrainLayoutFieldNumber,
    HloInstructionProto::kOperandShapesWithLayoutFieldNumber,
    HloInstructionProto::kCustomCallHasSideEffectFieldNumber,
    HloInstructionProto::kOutputOperandAliasingFieldNumber,
    HloInstructionProto::kCustomCallScheduleFieldNumber,
    HloInstructionProto::kCustomCallApiVersionFieldNumber,
};

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
    const auto& donors = module_.buffer_donor().entries();
    if (!donors.empty()) {
      Append(", buffer_donor={ ",
             absl::StrJoin(donors, ", ",
                           [](std::string* out, const auto& donor) {
                             absl::StrAppend(out, "(", donor.parameter_number(), ", ",
                                             IndexText(donor.parameter_shape_index()), ")");
                           }),
             " }");
    }
    if (module_.has_host_program_shape() &&
        module_.host_program_shape().result().element_type() != xla::PRIMITIVE_TYPE_INVALID) {
      Append(", entry_computation_layout={");
      absl::Status status = PrintProgramShape(module_.host_program_shape());
      if (!status.ok()) return status;
      Append("}");
    }
    AppendTextAttributes(module_.text_attributes());
    if (!module_.frontend_attributes().map().empty()) {
      absl::Status status = PrintFrontendAttributes(module_.frontend_attributes());
      if (!status.ok()) return status;
    }
    Append("\n");
    PrintStackFrames(module_.stack_frame_index());
    return absl::OkStatus();
  }

  // XLA reads the tables in this order, each with a blank line after it.
  void PrintStackFrames(const xla::StackFrameIndexProto& index) {
    if (index.stack_frames_size() == 0 && index.file_names_size() == 0) return;
    int row = 0;
    Append("\nFileNames\n");
    for (const std::string& name : index.file_names()) Append(++row, " ", Quoted(name), "\n");
    Append("\nFunctionNames\n");
    row = 0;
    for (const std::string& name : index.function_names()) Append(++row, " ", Quoted(name), "\n");
    Append("\nFileLocations\n");
    row = 0;
    for (const auto& location : index.file_locations()) {
      Append(++row, " {file_name_id=", location.file_name_id(),
             " function_name_id=", location.function_name_id(), " line=", location.line(),
             " end_line=", location.end_line(), " column=", location.column(),
             " end_column=", location.end_column(), "}\n");
    }
    Append("\nStackFrames\n");
    row = 0;
    for (const auto& frame : index.stack_frames()) {
      // The text has one more than the message.
      Append(++row, " {file_location_id=", frame.file_location_id(),
             " parent_frame_id=", int64_t{frame.parent_frame_id()} + 1, "}\n");
    }
    Append("\n");
  }

  // An attribute without a name is a constant's literal.
  void AppendTextAttributes(
      const google::protobuf::RepeatedPtrField<xla::TextAttribute>& attributes) {
    for (const xla::TextAttribute& attribute : attributes) {
      if (!attribute.name().empty()) Append(", ", attribute.name(), "=", attribute.value());
    }
  }

  absl::Status PrintProgramShape(const xla::ProgramShapeProto& program) {
    Append("(");
    for (int i = 0; i < program.parameters_size(); ++i) {
      if (i != 0) Append(", ");
      if (i != 0 && i % 5 == 0) Append("/*index=", i, "*/");
      absl::Status status = AppendText(ShapeProtoText(program.parameters(i)));
      if (!status.ok()) return status;
    }
    Append(")->");
    return AppendText(ShapeProtoText(program.result()));
  }

  absl::Status PrintComputation(const HloComputationProto& computation) {
    absl::StatusOr<std::vector<const HloInstructionProto*>> instructions =
        InstructionOrder(module_, computation);
    if (!instructions.ok()) return instructions.status();
    NameUniquer names;
    instruction_names_.clear();
    shapes_.clear();
    for (const HloInstructionProto* instruction : *instructions) {
      shapes_[instruction->id()] = &instruction->shape();
      instruction_names_[instruction->id()] =
          names.GetUniqueName(instruction->name(), "instruction");
    }
    Append("\n");
    if (computation.id() == module_.entry_computation_id()) Append("ENTRY ");
    Append("%", computation_names_.at(computation.id()), " ");
    if (HasAllShapes(computation)) {
      if (absl::Status status = PrintSignature(computation); !status.ok()) return status;
      Append(" ");
    }
    Append("{\n");
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
    AppendTextAttributes(computation.text_attributes());
    Append("\n");
    return absl::OkStatus();
  }

  // Returns false if the root's shape follows from its operands, and is not stated.
  static bool HasAllShapes(const HloComputationProto& computation) {
    for (const HloInstructionProto& instruction : computation.instructions()) {
      if (instruction.id() == computation.root_id()) return !instruction.shape_is_left_out();
    }
    return true;
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
      absl::Status status = AppendText(ShapeProtoTextWithoutLayouts(parameter->shape()));
      if (!status.ok()) return status;
    }
    Append(") -> ");
    return AppendText(ShapeProtoTextWithoutLayouts(root->shape()));
  }

  absl::Status PrintInstruction(const HloInstructionProto& instruction) {
    Append("%", instruction_names_.at(instruction.id()), " =");
    if (!instruction.shape_is_left_out()) {
      Append(" ");
      absl::Status status = AppendText(ShapeProtoText(instruction.shape()));
      if (!status.ok()) return status;
    }
    if (!NameUniquer::IsName(instruction.opcode())) {
      return absl::UnimplementedError(absl::StrCat(
          "the instruction \"", absl::CHexEscape(instruction.opcode()), "\" (",
          absl::CHexEscape(instruction.name()),
          ") has an opcode that HLO text cannot express; write the module as a proto"));
    }
    Append(" ", instruction.opcode(), "(");
    if (absl::Status status = PrintOperands(instruction); !status.ok()) return status;
    Append(")");
    return PrintAttributes(instruction);
  }

  absl::Status PrintOperands(const HloInstructionProto& instruction) {
    const std::optional<Opcode> opcode = ParseOpcode(instruction.opcode());
    if (opcode == Opcode::kParameter) {
      Append(instruction.parameter_number());
      return absl::OkStatus();
    }
    if (opcode == Opcode::kConstant) return PrintConstant(instruction);
    for (int i = 0; i < instruction.operand_ids_size(); ++i) {
      if (i != 0) Append(", ");
      if (i != 0 && i % 5 == 0) Append("/*index=", i, "*/");
      Append("%", instruction_names_.at(instruction.operand_ids(i)));
    }
    return absl::OkStatus();
  }

  // XLA prints "{...}" where a dump left the elements out.
  absl::Status PrintConstant(const HloInstructionProto& instruction) {
    if (instruction.has_literal()) return PrintLiteral(instruction.literal());
    for (const xla::TextAttribute& attribute : instruction.text_attributes()) {
      if (attribute.name().empty()) {
        Append(attribute.value());
        return absl::OkStatus();
      }
    }
    Append("{...}");
    return absl::OkStatus();
  }

  absl::Status PrintLiteral(const xla::LiteralProto& literal) {
    // The literal's own shape has the layout of its elements.
    xla::ShapeProto dense = literal.shape();
    KeepOrderOnly(&dense);
    absl::StatusOr<Shape> shape = ShapeFromProto(dense);
    if (!shape.ok()) return shape.status();
    return AppendText(LiteralText(literal, *shape));
  }

  // Prints each array of the literal with its shape, "(f32[] 1, s32[2]{0} {1, 2})".
  absl::Status PrintShapedLiteral(const xla::LiteralProto& literal) {
    if (literal.shape().element_type() != xla::TUPLE) {
      if (absl::Status status = AppendText(ShapeProtoText(literal.shape())); !status.ok()) {
        return status;
      }
      Append(" ");
      return PrintLiteral(literal);
    }
    Append("(");
    for (int i = 0; i < literal.tuple_literals_size(); ++i) {
      if (i != 0) Append(", ");
      absl::Status status = PrintShapedLiteral(literal.tuple_literals(i));
      if (!status.ok()) return status;
    }
    Append(")");
    return absl::OkStatus();
  }

  absl::Status PrintAttributes(const HloInstructionProto& instruction) {
    std::set<int> printed(std::begin(kPrintedForAll), std::end(kPrintedForAll));
    absl::Status status = PrintConvolution(instruction);
    if (status.ok() && IsCustomCall(instruction)) {
      printed.insert(std::begin(kPrintedForCustomCalls), std::end(kPrintedForCustomCalls));
      PrintPrecisions(instruction);
      status = PrintCustomCall(instruction);
    }
    if (!status.ok()) return status;
    const xla::ShapeProto* first_operand =
        instruction.operand_ids().empty() ? nullptr : shapes_.at(instruction.operand_ids(0));
    status = AppendOpcodeAttributes(
        instruction, first_operand, [this](int64_t id) { return ComputationName(id); }, &text_,
        &printed);
    if (!status.ok()) return status;
    if (!IsCustomCall(instruction)) PrintPrecisions(instruction);
    AppendTextAttributes(instruction.text_attributes());
    status = PrintCommonAttributes(instruction);
    if (status.ok()) PrintFieldsWithoutText(instruction, printed);
    return status;
  }

  // Says in a comment which fields HLO text has no words for here.
  void PrintFieldsWithoutText(const HloInstructionProto& instruction,
                              const std::set<int>& printed) {
    std::set<std::string> lost;
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    const google::protobuf::Reflection& reflection = *instruction.GetReflection();
    reflection.ListFields(instruction, &fields);
    for (const google::protobuf::FieldDescriptor* field : fields) {
      if (printed.count(field->number()) != 0) continue;
      // Messages that say nothing are written by XLA too.
      if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE &&
          !field->is_repeated() && reflection.GetMessage(instruction, field).ByteSizeLong() == 0) {
        continue;
      }
      lost.insert(absl::StrCat(field->name(), " (", field->number(), ")"));
    }
    const google::protobuf::UnknownFieldSet& unknown = reflection.GetUnknownFields(instruction);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const google::protobuf::UnknownField& field = unknown.field(i);
      const bool is_empty =
          field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED
              ? field.length_delimited().empty()
              : field.type() == google::protobuf::UnknownField::TYPE_VARINT && field.varint() == 0;
      if (!is_empty) lost.insert(absl::StrCat(field.number()));
    }
    if (!lost.empty()) Append(" /*fields without text: ", absl::StrJoin(lost, ", "), "*/");
  }

  std::string ComputationName(int64_t id) const {
    return absl::StrCat("%", computation_names_.at(id));
  }

  absl::Status PrintCustomCall(const HloInstructionProto& instruction) {
    absl::Status status;
    Append(", custom_call_target=", Quoted(instruction.custom_call_target()));
    if (instruction.constrain_layout()) {
      Append(", operand_layout_constraints={");
      for (int i = 0; i < instruction.operand_shapes_with_layout_size(); ++i) {
        if (i != 0) Append(", ");
        status = AppendText(ShapeProtoText(instruction.operand_shapes_with_layout(i)));
        if (!status.ok()) return status;
      }
      Append("}");
    }
    if (instruction.custom_call_has_side_effect()) Append(", custom_call_has_side_effect=true");
    if (instruction.has_literal()) {
      Append(", literal=");
      status = PrintShapedLiteral(instruction.literal());
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
    return absl::OkStatus();
  }

  void PrintPrecisions(const HloInstructionProto& instruction) {
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
    const std::string text = MetadataText(metadata);
    if (!text.empty()) Append(", metadata={", text, "}");
  }

  const HloModuleProto& module_;
  std::string text_;
  absl::flat_hash_map<int64_t, std::string> computation_names_;
  absl::flat_hash_map<int64_t, std::string> instruction_names_;  // of this computation
  absl::flat_hash_map<int64_t, const xla::ShapeProto*> shapes_;  // of its instructions
};

}  // namespace

absl::StatusOr<std::string> PrintHloText(const HloModuleProto& module) {
  return ModulePrinter(module).Print();
}

}  // namespace callbridge::hlo
