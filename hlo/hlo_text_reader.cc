#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;

bool EqualButForLayouts(const Shape& a, const Shape& b) {
  if (a.element_type() != b.element_type() || a.dimensions() != b.dimensions() ||
      a.tuple_elements().size() != b.tuple_elements().size()) {
    return false;
  }
  for (size_t i = 0; i < a.tuple_elements().size(); ++i) {
    if (!EqualButForLayouts(a.tuple_elements()[i], b.tuple_elements()[i])) return false;
  }
  return true;
}

class ModuleReader {
 public:
  explicit ModuleReader(absl::string_view text) : cursor_(text) {}

  absl::StatusOr<HloModuleProto> Read() {
    absl::StatusOr<ModuleHeader> header = ReadModuleHeader(&cursor_);
    if (!header.ok()) return header.status();
    module_ = std::move(header->module);
    is_scheduled_ = header->is_scheduled;
    while (!cursor_.AtEnd()) {
      if (absl::Status status = ReadComputation(); !status.ok()) return status;
    }
    if (absl::Status status = ChooseEntry(); !status.ok()) return status;
    if (absl::Status status = CheckModule(module_); !status.ok()) return status;
    return std::move(module_);
  }

 private:
  // [ENTRY] name [(parameters) -> shape] { instructions } [, execution_thread="main"]
  absl::Status ReadComputation() {
    const bool is_entry = cursor_.PeekWord() == "ENTRY";
    if (is_entry) cursor_.ReadWord();
    const size_t begin = cursor_.position();
    absl::StatusOr<absl::string_view> name = cursor_.ReadName("a computation");
    if (!name.ok()) return name.status();
    HloComputationProto computation;
    computation.set_name(std::string(*name));
    computation.set_id(module_.computations_size() + 1);
    shapes_.clear();
    defined_.instructions.clear();

    absl::StatusOr<bool> has_signature = ReadSignature();
    if (!has_signature.ok()) return has_signature.status();
    if (absl::Status status = ReadInstructions(&computation); !status.ok()) return status;
    if (*has_signature) {
      const Shape& root = shapes_[computation.root_id() - computation.instructions(0).id()];
      if (!EqualButForLayouts(root, declared_result_)) {
        return cursor_.InvalidAt(
            begin, absl::StrCat("computation ", *name, " is declared to return ",
                                ShapeText(declared_result_), ", its root is ", ShapeText(root)));
      }
    }
    while (cursor_.Consume(",")) {
      if (absl::Status status = ReadComputationAttribute(&computation); !status.ok()) return status;
    }

    // Defined after its instructions, so that it cannot call itself.
    if (!defined_.computations.emplace(*name, computation.id()).second) {
      return cursor_.InvalidAt(begin, absl::StrCat("there is another computation ", *name));
    }
    if (is_entry && entry_ != kNone) {
      return cursor_.InvalidAt(begin, "expected one ENTRY computation, found another");
    }
    if (is_entry) entry_ = module_.computations_size();
    *module_.add_computations() = std::move(computation);
    return absl::OkStatus();
  }

  // Reads "(parameters) -> shape" and sets declared_result_. The instructions repeat the
  // parameters. Returns false if there is no signature.
  absl::StatusOr<bool> ReadSignature() {
    if (!cursor_.Consume("(")) return false;
    if (!cursor_.Peek(")")) {
      do {
        absl::StatusOr<absl::string_view> name = cursor_.ReadName("a parameter's name");
        if (!name.ok()) return name.status();
        if (absl::Status status = cursor_.Expect(":"); !status.ok()) return status;
        absl::StatusOr<Shape> shape = cursor_.ReadShape();
        if (!shape.ok()) return shape.status();
      } while (cursor_.Consume(","));
    }
    if (absl::Status status = cursor_.Expect(")"); !status.ok()) return status;
    if (absl::Status status = cursor_.Expect("->"); !status.ok()) return status;
    absl::StatusOr<Shape> result = cursor_.ReadShape();
    if (!result.ok()) return result.status();
    declared_result_ = *std::move(result);
    return true;
  }

  absl::Status ReadComputationAttribute(HloComputationProto* computation) {
    const size_t begin = cursor_.position();
    const absl::string_view name = cursor_.ReadWord();
    if (name != "execution_thread") return UnknownAttribute(name, begin, cursor_);
    if (absl::Status status = cursor_.Expect("="); !status.ok()) return status;
    absl::StatusOr<std::string> thread = cursor_.ReadQuotedText("the thread's name");
    if (!thread.ok()) return thread.status();
    computation->set_execution_thread(*std::move(thread));
    return absl::OkStatus();
  }

  absl::Status ReadInstructions(HloComputationProto* computation) {
    if (absl::Status status = cursor_.Expect("{"); !status.ok()) return status;
    int64_t root = kNone;
    do {
      const size_t begin = cursor_.position();
      const bool is_root = cursor_.PeekWord() == "ROOT";
      if (is_root) cursor_.ReadWord();
      HloInstructionProto* instruction = computation->add_instructions();
      if (absl::Status status = ReadInstruction(instruction); !status.ok()) return status;
      if (is_root && root != kNone) {
        return cursor_.InvalidAt(begin, "expected one ROOT in a computation, found another");
      }
      if (is_root) root = instruction->id();
    } while (!cursor_.Consume("}"));
    computation->set_root_id(root == kNone ? next_id_ - 1 : root);
    SetProgramShape(computation);
    return absl::OkStatus();
  }

  // name = shape opcode(operands), attribute=..., ...
  absl::Status ReadInstruction(HloInstructionProto* instruction) {
    const size_t begin = cursor_.position();
    absl::StatusOr<absl::string_view> name = cursor_.ReadName("an instruction or \"}\"");
    if (!name.ok()) return name.status();
    if (absl::Status status = cursor_.Expect("="); !status.ok()) return status;
    absl::StatusOr<Shape> shape = cursor_.ReadShape();
    if (!shape.ok()) return shape.status();
    const size_t opcode_begin = cursor_.position();
    const absl::string_view opcode_name = cursor_.ReadWord();
    if (opcode_name.empty()) return cursor_.Expected("an opcode");
    const std::optional<Opcode> opcode = ParseOpcode(opcode_name);
    if (!opcode.has_value()) {
      return cursor_.UnimplementedAt(opcode_begin,
                                     absl::StrCat("the instruction \"", opcode_name, "\" (", *name,
                                                  ") is not supported; run this module on XLA"));
    }
    instruction->set_name(std::string(*name));
    instruction->set_opcode(std::string(opcode_name));
    instruction->set_id(next_id_++);
    *instruction->mutable_shape() = WithLayouts(*shape);
    if (*opcode == Opcode::kCustomCall) {
      instruction->set_custom_call_api_version(xla::API_VERSION_ORIGINAL);  // unless it says one
    }

    if (absl::Status status = cursor_.Expect("("); !status.ok()) return status;
    absl::Status status = ReadOperands(*opcode, instruction);
    if (status.ok()) status = cursor_.Expect(")");
    if (status.ok()) status = ReadInstructionAttributes(defined_, &cursor_, instruction);
    if (!status.ok()) return status;
    if (!defined_.instructions.emplace(*name, instruction->id()).second) {
      return cursor_.InvalidAt(begin, absl::StrCat("there is another instruction ", *name));
    }
    shapes_.push_back(*std::move(shape));
    return absl::OkStatus();
  }

  absl::Status ReadOperands(Opcode opcode, HloInstructionProto* instruction) {
    if (opcode == Opcode::kParameter) {
      absl::StatusOr<int64_t> number = cursor_.ReadInteger("the number of a parameter");
      if (number.ok()) instruction->set_parameter_number(*number);
      return number.status();
    }
    if (opcode == Opcode::kConstant) {
      // LiteralProto stores the elements in the order of the layout.
      absl::StatusOr<Shape> with_layouts = ShapeFromProto(instruction->shape());
      if (!with_layouts.ok()) return with_layouts.status();
      absl::StatusOr<xla::LiteralProto> literal = ReadLiteral(*with_layouts, &cursor_);
      if (!literal.ok()) return literal.status();
      *instruction->mutable_literal() = *std::move(literal);
      return absl::OkStatus();
    }
    if (cursor_.Peek(")")) return absl::OkStatus();
    do {
      if (absl::Status status = ReadOperand(instruction); !status.ok()) return status;
    } while (cursor_.Consume(","));
    return absl::OkStatus();
  }

  // [shape] name
  absl::Status ReadOperand(HloInstructionProto* instruction) {
    std::optional<Shape> declared;
    if (cursor_.PeekShape()) {
      absl::StatusOr<Shape> shape = cursor_.ReadShape();
      if (!shape.ok()) return shape.status();
      declared = *std::move(shape);
    }
    const size_t begin = cursor_.position();
    absl::StatusOr<absl::string_view> name = cursor_.ReadName("the name of an operand");
    if (!name.ok()) return name.status();
    const auto found = defined_.instructions.find(*name);
    if (found == defined_.instructions.end()) {
      return cursor_.InvalidAt(
          begin, absl::StrCat("expected an instruction from further up, found ", *name));
    }
    // Ids of a computation are consecutive.
    const Shape& shape = shapes_[shapes_.size() - (instruction->id() - found->second)];
    if (declared.has_value() && !EqualButForLayouts(*declared, shape)) {
      return cursor_.InvalidAt(begin,
                               absl::StrCat("expected ", *name, " of shape ", ShapeText(shape),
                                            ", found it declared to be ", ShapeText(*declared)));
    }
    instruction->add_operand_ids(found->second);
    return absl::OkStatus();
  }

  static void SetProgramShape(HloComputationProto* computation) {
    xla::ProgramShapeProto* program = computation->mutable_program_shape();
    std::vector<const HloInstructionProto*> parameters;
    for (const HloInstructionProto& instruction : computation->instructions()) {
      if (instruction.id() == computation->root_id()) {
        *program->mutable_result() = instruction.shape();
      }
      if (instruction.opcode() != OpcodeName(Opcode::kParameter)) continue;
      parameters.push_back(&instruction);
    }
    // CheckModule() reports invalid numbers.
    std::vector<const HloInstructionProto*> in_order(parameters.size());
    for (const HloInstructionProto* parameter : parameters) {
      const auto number = static_cast<uint64_t>(parameter->parameter_number());
      if (number < in_order.size()) in_order[number] = parameter;
    }
    for (const HloInstructionProto* parameter : in_order) {
      if (parameter == nullptr) continue;
      *program->add_parameters() = parameter->shape();
      program->add_parameter_names(parameter->name());
    }
  }

  // Like XLA, takes the last computation if none is marked ENTRY.
  absl::Status ChooseEntry() {
    const int count = module_.computations_size();
    if (count == 0) return cursor_.Expected("a computation");
    if (entry_ == kNone) entry_ = count - 1;
    for (int64_t i = entry_; i + 1 < count; ++i) {
      module_.mutable_computations()->SwapElements(static_cast<int>(i), static_cast<int>(i) + 1);
    }
    const HloComputationProto& entry = module_.computations(count - 1);
    module_.set_entry_computation_name(entry.name());
    module_.set_entry_computation_id(entry.id());
    const bool had_layout = module_.has_host_program_shape();
    xla::ProgramShapeProto* program = module_.mutable_host_program_shape();
    if (!had_layout) *program = entry.program_shape();
    *program->mutable_parameter_names() = entry.program_shape().parameter_names();
    if (!is_scheduled_) return absl::OkStatus();
    auto& sequences = *module_.mutable_schedule()->mutable_sequences();
    for (const HloComputationProto& computation : module_.computations()) {
      auto& sequence = sequences[computation.id()];
      for (const HloInstructionProto& instruction : computation.instructions()) {
        sequence.add_instruction_ids(instruction.id());
      }
    }
    return absl::OkStatus();
  }

  static constexpr int64_t kNone = -1;

  TextCursor cursor_;
  HloModuleProto module_;
  bool is_scheduled_ = false;
  int64_t entry_ = kNone;  // among the computations
  int64_t next_id_ = 1;
  DefinedIds defined_;
  // Of the computation that is being read: of its instructions, and its declared result.
  std::vector<Shape> shapes_;
  Shape declared_result_;
};

}  // namespace

absl::StatusOr<HloModuleProto> ParseHloText(absl::string_view text) {
  return ModuleReader(text).Read();
}

// ---- Modules of any form ------------------------------------------------------------------------

namespace {

using xla::HloModuleProto;

absl::StatusOr<HloModuleProto> Checked(HloModuleProto module) {
  if (absl::Status status = CheckModule(module); !status.ok()) return status;
  return module;
}

// Compares the whole word, since a message could begin with its first letters.
bool IsText(absl::string_view bytes) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  return absl::StartsWith(text, "HloModule") || absl::StartsWith(text, "//") ||
         absl::StartsWith(text, "/*");
}

}  // namespace

absl::StatusOr<HloModuleProto> ReadModule(absl::string_view bytes) {
  if (IsText(bytes)) return ParseHloText(bytes);
  if (bytes.size() > INT_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a module of less than 2 GiB, got ", bytes.size(), " bytes"));
  }
  const int size = static_cast<int>(bytes.size());
  // A message of one kind often parses as the other too, with meaningless fields. CheckModule()
  // decides.
  HloModuleProto module;
  absl::StatusOr<HloModuleProto> as_module =
      module.ParseFromArray(bytes.data(), size)
          ? Checked(std::move(module))
          : absl::InvalidArgumentError("the bytes are not a message of this kind");
  if (as_module.ok()) return as_module;
  xla::HloProto dump;
  absl::StatusOr<HloModuleProto> as_dump =
      !dump.ParseFromArray(bytes.data(), size)
          ? absl::InvalidArgumentError("the bytes are not a message of this kind")
      : dump.has_hlo_module() ? Checked(std::move(*dump.mutable_hlo_module()))
                              : absl::InvalidArgumentError("it has no module");
  if (as_dump.ok()) return as_dump;
  // If one of the two is valid but unsupported, returns that error alone.
  for (const absl::StatusOr<HloModuleProto>* read : {&as_module, &as_dump}) {
    if (absl::IsUnimplemented(read->status())) return read->status();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a serialized HloModuleProto or HloProto, or HLO text, which begins "
                   "with \"HloModule\". As HloModuleProto: ",
                   as_module.status().message(), ". As HloProto: ", as_dump.status().message()));
}

}  // namespace callbridge::hlo
