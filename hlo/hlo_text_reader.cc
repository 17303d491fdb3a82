#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_proto_text.h"
#include "callbridge/hlo/text_cursor.h"
#include "google/protobuf/io/coded_stream.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using xla::ShapeProto;

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
    defined_.instructions.clear();

    absl::StatusOr<bool> has_signature = ReadSignature();
    if (!has_signature.ok()) return has_signature.status();
    if (absl::Status status = ReadInstructions(&computation); !status.ok()) return status;
    if (*has_signature) {
      const auto root = static_cast<int>(computation.root_id() - computation.instructions(0).id());
      const ShapeProto& shape = computation.instructions(root).shape();
      if (!computation.instructions(root).shape_is_left_out() &&
          !EqualButForLayouts(shape, declared_result_)) {
        return cursor_.InvalidAt(
            begin,
            absl::StrCat("computation ", *name, " is declared to return ",
                         TextOrError(declared_result_), ", its root is ", TextOrError(shape)));
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
        if (!PeekShape(&cursor_)) {
          absl::StatusOr<absl::string_view> name = cursor_.ReadName("a parameter's name");
          if (!name.ok()) return name.status();
          // XLA takes a signature without the colon too.
          if (!cursor_.Consume(":") && !PeekShape(&cursor_)) return cursor_.Expected("\":\"");
        }
        absl::StatusOr<ShapeProto> shape = ReadShape(&cursor_);
        if (!shape.ok()) return shape.status();
      } while (cursor_.Consume(","));
    }
    if (absl::Status status = cursor_.Expect(")"); !status.ok()) return status;
    if (absl::Status status = cursor_.Expect("->"); !status.ok()) return status;
    absl::StatusOr<ShapeProto> result = ReadShape(&cursor_);
    if (!result.ok()) return result.status();
    declared_result_ = *std::move(result);
    return true;
  }

  absl::Status ReadComputationAttribute(HloComputationProto* computation) {
    const absl::string_view name = cursor_.ReadWord();
    if (name.empty()) return cursor_.Expected("an attribute");
    if (absl::Status status = cursor_.Expect("="); !status.ok()) return status;
    if (name != "execution_thread") {
      return ReadTextAttribute(name, &cursor_, computation->add_text_attributes());
    }
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
      if (absl::Status status = ReadInstruction(computation); !status.ok()) return status;
      if (is_root && root != kNone) {
        return cursor_.InvalidAt(begin, "expected one ROOT in a computation, found another");
      }
      if (is_root) root = next_id_ - 1;
    } while (!cursor_.Consume("}"));
    computation->set_root_id(root == kNone ? next_id_ - 1 : root);
    ChooseNames(computation);
    SetProgramShape(computation);
    return absl::OkStatus();
  }

  // name = shape opcode(operands), attribute=..., ...
  absl::Status ReadInstruction(HloComputationProto* computation) {
    const size_t begin = cursor_.position();
    absl::StatusOr<absl::string_view> name = cursor_.ReadName("an instruction or \"}\"");
    if (!name.ok()) return name.status();
    if (absl::Status status = cursor_.Expect("="); !status.ok()) return status;
    absl::StatusOr<HloInstructionProto> instruction = ReadRightSide(/*depth=*/0, computation);
    if (!instruction.ok()) return instruction.status();
    absl::Status status = ReadInstructionAttributes(defined_, &cursor_, &*instruction);
    if (!status.ok()) return status;
    instruction->set_name(std::string(*name));
    if (!defined_.instructions.emplace(*name, next_id_).second) {
      return cursor_.InvalidAt(begin, absl::StrCat("there is another instruction ", *name));
    }
    Add(*std::move(instruction), computation);
    return absl::OkStatus();
  }

  // Ids of a computation are consecutive.
  int64_t Add(HloInstructionProto instruction, HloComputationProto* computation) {
    instruction.set_id(next_id_);
    *computation->add_instructions() = std::move(instruction);
    return next_id_++;
  }

  // [shape] opcode(operands)
  absl::StatusOr<HloInstructionProto> ReadRightSide(int depth, HloComputationProto* computation) {
    HloInstructionProto instruction;
    // XLA infers a shape that the text leaves out.
    instruction.set_shape_is_left_out(!PeekShape(&cursor_) && cursor_.PeekAfterWord() == '(');
    if (!instruction.shape_is_left_out()) {
      absl::StatusOr<ShapeProto> shape = ReadShape(&cursor_);
      if (!shape.ok()) return shape.status();
      *instruction.mutable_shape() = WithLayouts(*std::move(shape));
    }
    const absl::string_view opcode = cursor_.ReadWord();
    if (opcode.empty()) return cursor_.Expected("an opcode");
    instruction.set_opcode(std::string(opcode));
    if (IsCustomCall(instruction)) {
      instruction.set_custom_call_api_version(xla::API_VERSION_ORIGINAL);  // unless it says one
    }
    if (absl::Status status = cursor_.Expect("("); !status.ok()) return status;
    absl::Status status = ReadOperands(depth, computation, &instruction);
    if (status.ok()) status = cursor_.Expect(")");
    if (!status.ok()) return status;
    InferTuple(*computation, &instruction);
    return instruction;
  }

  // Sets a shape that was left out, if it is the tuple of the operands or one of its elements.
  static void InferTuple(const HloComputationProto& computation, HloInstructionProto* instruction) {
    if (!instruction->shape_is_left_out() || instruction->opcode() != OpcodeName(Opcode::kTuple)) {
      return;
    }
    ShapeProto tuple;
    tuple.set_element_type(xla::TUPLE);
    for (int64_t id : instruction->operand_ids()) {
      const HloInstructionProto& operand = InstructionOf(computation, id);
      if (operand.shape_is_left_out()) return;
      *tuple.add_tuple_shapes() = operand.shape();
    }
    *instruction->mutable_shape() = std::move(tuple);
    instruction->clear_shape_is_left_out();
  }

  static const HloInstructionProto& InstructionOf(const HloComputationProto& computation,
                                                  int64_t id) {
    return computation.instructions(static_cast<int>(id - computation.instructions(0).id()));
  }

  absl::Status ReadOperands(int depth, HloComputationProto* computation,
                            HloInstructionProto* instruction) {
    const std::optional<Opcode> opcode = ParseOpcode(instruction->opcode());
    if (opcode == Opcode::kParameter) {
      absl::StatusOr<int64_t> number = cursor_.ReadInteger("the number of a parameter");
      if (number.ok()) instruction->set_parameter_number(*number);
      return number.status();
    }
    if (opcode == Opcode::kConstant) return ReadConstant(instruction);
    if (cursor_.Peek(")")) return absl::OkStatus();
    do {
      absl::Status status = ReadOperand(depth, computation, instruction);
      if (!status.ok()) return status;
    } while (cursor_.Consume(","));
    return absl::OkStatus();
  }

  // A literal that callbridge has no elements for keeps its text: one of a shape that no custom
  // call takes, or one whose elements XLA left out, "{...}".
  absl::Status ReadConstant(HloInstructionProto* instruction) {
    const size_t begin = cursor_.position();
    if (instruction->shape_is_left_out()) return cursor_.Expected("a constant with a shape");
    // LiteralProto stores the elements in the order of the layout. Tiles and memory spaces are the
    // instruction's own.
    ShapeProto dense = instruction->shape();
    KeepOrderOnly(&dense);
    const absl::StatusOr<Shape> shape = ShapeFromProto(dense);
    if (!shape.ok() && !absl::IsUnimplemented(shape.status())) return shape.status();
    absl::Status status = shape.status();
    if (shape.ok()) {
      absl::StatusOr<xla::LiteralProto> literal = ReadLiteral(*shape, &cursor_);
      if (literal.ok()) {
        *instruction->mutable_literal() = *std::move(literal);
        *instruction->mutable_literal()->mutable_shape() = instruction->shape();
        return absl::OkStatus();
      }
      status = literal.status();
    }
    cursor_.ReturnTo(begin);
    absl::StatusOr<absl::string_view> text = cursor_.ReadValue("a literal");
    if (!text.ok()) return shape.ok() ? status : text.status();
    if (shape.ok() && !absl::StrContains(*text, "...")) return status;
    instruction->add_text_attributes()->set_value(std::string(*text));
    return absl::OkStatus();
  }

  // [shape] name, or an instruction without a name: [shape] opcode(operands)
  absl::Status ReadOperand(int depth, HloComputationProto* computation,
                           HloInstructionProto* instruction) {
    const size_t operand_begin = cursor_.position();
    std::optional<ShapeProto> declared;
    if (PeekShape(&cursor_)) {
      absl::StatusOr<ShapeProto> shape = ReadShape(&cursor_);
      if (!shape.ok()) return shape.status();
      declared = *std::move(shape);
    }
    if (!cursor_.Peek("%") && !cursor_.PeekWord().empty() && cursor_.PeekAfterWord() == '(') {
      cursor_.ReturnTo(operand_begin);
      return ReadUnnamed(depth, computation, instruction);
    }
    const size_t begin = cursor_.position();
    absl::StatusOr<absl::string_view> name = cursor_.ReadName("the name of an operand");
    if (!name.ok()) return name.status();
    const auto found = defined_.instructions.find(*name);
    if (found == defined_.instructions.end()) {
      return cursor_.InvalidAt(
          begin, absl::StrCat("expected an instruction from further up, found ", *name));
    }
    const HloInstructionProto& operand = InstructionOf(*computation, found->second);
    if (declared.has_value() && !operand.shape_is_left_out() &&
        !EqualButForLayouts(*declared, operand.shape())) {
      return cursor_.InvalidAt(
          begin, absl::StrCat("expected ", *name, " of shape ", TextOrError(operand.shape()),
                              ", found it declared to be ", TextOrError(*declared)));
    }
    instruction->add_operand_ids(found->second);
    return absl::OkStatus();
  }

  absl::Status ReadUnnamed(int depth, HloComputationProto* computation,
                           HloInstructionProto* instruction) {
    constexpr int kDeepest = 128;
    if (depth == kDeepest) {
      return cursor_.Expected(absl::StrCat("operands nested at most ", kDeepest, " deep"));
    }
    absl::StatusOr<HloInstructionProto> operand = ReadRightSide(depth + 1, computation);
    if (!operand.ok()) return operand.status();
    // ChooseNames() names it, when all other names are known.
    instruction->add_operand_ids(Add(*std::move(operand), computation));
    return absl::OkStatus();
  }

  // Names the instructions that have no name, as XLA does: "add.anon".
  static void ChooseNames(HloComputationProto* computation) {
    NameUniquer names;
    bool has_unnamed = false;
    for (const HloInstructionProto& instruction : computation->instructions()) {
      if (instruction.name().empty()) has_unnamed = true;
    }
    if (!has_unnamed) return;
    for (const HloInstructionProto& instruction : computation->instructions()) {
      if (!instruction.name().empty()) names.GetUniqueName(instruction.name(), "");
    }
    for (HloInstructionProto& instruction : *computation->mutable_instructions()) {
      if (!instruction.name().empty()) continue;
      instruction.set_name(names.GetUniqueName(absl::StrCat(instruction.opcode(), ".anon"), ""));
    }
  }

  static std::string TextOrError(const ShapeProto& shape) {
    const absl::StatusOr<std::string> text = ShapeProtoTextWithoutLayouts(shape);
    return text.ok() ? *text : std::string(text.status().message());
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
  // Of the computation that is being read.
  ShapeProto declared_result_;
};

}  // namespace

absl::StatusOr<HloModuleProto> ParseHloText(absl::string_view text) {
  return ModuleReader(text).Read();
}

// ---- Modules of any form ------------------------------------------------------------------------

namespace {

// Returns an error if the message has the fields that hold text; they are no part of XLA's.
absl::Status CheckHasNoText(const HloModuleProto& module) {
  bool has_text = module.text_attributes_size() != 0;
  for (const HloComputationProto& computation : module.computations()) {
    has_text = has_text || computation.text_attributes_size() != 0;
    for (const HloInstructionProto& instruction : computation.instructions()) {
      has_text =
          has_text || instruction.text_attributes_size() != 0 || instruction.shape_is_left_out();
    }
  }
  if (!has_text) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("field ", HloModuleProto::kTextAttributesFieldNumber, " or ",
                   HloInstructionProto::kShapeIsLeftOutFieldNumber,
                   " is set, which no XLA writes: expected attributes in fields of their own"));
}

absl::StatusOr<HloModuleProto> Checked(HloModuleProto module) {
  absl::Status status = CheckHasNoText(module);
  if (status.ok()) status = CheckModule(module);
  if (!status.ok()) return status;
  return module;
}

// Returns the bytes of the message's first field, if that is a field 1 that has bytes.
absl::string_view FirstField(absl::string_view message) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(message.data()),
                                                static_cast<int>(message.size()));
  uint32_t size = 0;
  if (stream.ReadTag() != 0x0a || !stream.ReadVarint32(&size)) return {};
  const absl::string_view rest = message.substr(stream.CurrentPosition());
  return size <= rest.size() ? rest.substr(0, size) : absl::string_view();
}

// Returns the module in a message that has one, which `get` finds, or an error. `depth` says how
// many messages enclose the module. protobuf writes to standard error about a name that is not
// UTF-8, and another kind of message has bytes there.
template <typename Message, typename Get>
absl::StatusOr<HloModuleProto> ModuleIn(absl::string_view bytes, int depth, Get get) {
  absl::string_view name = FirstField(bytes);
  for (int i = 0; i < depth; ++i) name = FirstField(name);
  Message message;
  if (!IsUtf8(name) || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("the bytes are not a message of this kind");
  }
  HloModuleProto* module = get(&message);
  if (module == nullptr) return absl::InvalidArgumentError("it has no module");
  return Checked(std::move(*module));
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
  // A message of one kind often parses as another too, with meaningless fields. CheckModule()
  // decides. HloModuleProtoWithConfig has its module where HloProto has it.
  const absl::StatusOr<HloModuleProto> readings[] = {
      ModuleIn<HloModuleProto>(bytes, 0, [](HloModuleProto* module) { return module; }),
      ModuleIn<xla::HloProto>(bytes, 1,
                              [](xla::HloProto* dump) {
                                return dump->has_hlo_module() ? dump->mutable_hlo_module()
                                                              : nullptr;
                              }),
      ModuleIn<xla::HloSnapshot>(bytes, 2, [](xla::HloSnapshot* snapshot) {
        return snapshot->hlo().has_hlo_module() ? snapshot->mutable_hlo()->mutable_hlo_module()
                                                : nullptr;
      })};
  for (const absl::StatusOr<HloModuleProto>& read : readings) {
    if (read.ok()) return read;
  }
  // If one is valid but unsupported, returns that error alone.
  for (const absl::StatusOr<HloModuleProto>& read : readings) {
    if (absl::IsUnimplemented(read.status())) return read.status();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a serialized HloModuleProto, HloProto or HloSnapshot, or HLO text, which begins "
      "with \"HloModule\". As HloModuleProto: ",
      readings[0].status().message(), ". As HloProto: ", readings[1].status().message(),
      ". As HloSnapshot: ", readings[2].status().message()));
}

// ---- Writing ------------------------------------------------------------------------------------

namespace {

// Attributes of a module's text that belong to the options of its compilation. XLA's messages of
// modules do not have them either.
constexpr absl::string_view kOptions[] = {
    "alias_passthrough_params", "allow_spmd_sharding_propagation_to_output",
    "allow_spmd_sharding_propagation_to_parameters", "num_partitions", "replica_count"};

absl::Status HasNoField(absl::string_view what, const xla::TextAttribute& attribute) {
  if (attribute.name().empty()) {
    return absl::UnimplementedError(
        absl::StrCat(what, " has elements that callbridge keeps as text, ",
                     attribute.value().substr(0, 40), ": write the module as text"));
  }
  return absl::UnimplementedError(absl::StrCat("no field is known for the attribute \"",
                                               attribute.name(), "\" of ", what,
                                               ": write the module as text"));
}

// Returns a name that is not taken: like XLA, `name` with another number at its end.
std::string OtherName(absl::string_view name, absl::flat_hash_map<std::string, int64_t>* numbers,
                      absl::flat_hash_set<std::string>* taken) {
  const size_t dot = name.rfind('.');
  int64_t number;
  const bool has_number =
      dot != absl::string_view::npos && dot > 0 && absl::SimpleAtoi(name.substr(dot + 1), &number);
  const std::string beginning(has_number ? name.substr(0, dot) : name);
  std::string other;
  do {
    other = absl::StrCat(beginning, ".", ++(*numbers)[beginning]);
  } while (!taken->insert(other).second);
  return other;
}

}  // namespace

absl::StatusOr<std::string> SerializeModule(const HloModuleProto& module) {
  HloModuleProto proto = module;
  for (const xla::TextAttribute& attribute : proto.text_attributes()) {
    if (std::find(std::begin(kOptions), std::end(kOptions), attribute.name()) ==
        std::end(kOptions)) {
      return HasNoField("the module", attribute);
    }
  }
  proto.clear_text_attributes();
  absl::flat_hash_map<std::string, int64_t> numbers;
  absl::flat_hash_set<std::string> taken;
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    for (const xla::TextAttribute& attribute : computation.text_attributes()) {
      return HasNoField(absl::StrCat("computation ", computation.name()), attribute);
    }
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      for (const xla::TextAttribute& attribute : instruction.text_attributes()) {
        return HasNoField(absl::StrCat("instruction ", instruction.name()), attribute);
      }
      if (instruction.shape_is_left_out() || instruction.opcode() == "custom-call-start") {
        return absl::UnimplementedError(absl::StrCat(
            "instruction ", instruction.name(), ": ",
            instruction.shape_is_left_out() ? "the text does not state its shape"
                                            : "custom-call-start has an opcode in text alone",
            "; write the module as text"));
      }
      // XLA takes each name once in a message.
      if (!taken.insert(instruction.name()).second) {
        instruction.set_name(OtherName(instruction.name(), &numbers, &taken));
      }
    }
  }
  std::string bytes;
  if (proto.SerializeToString(&bytes)) return bytes;
  return absl::ResourceExhaustedError(absl::StrCat(
      "the module is larger than the 2 GiB that protobuf writes: ", proto.ByteSizeLong(),
      " bytes"));
}

}  // namespace callbridge::hlo
