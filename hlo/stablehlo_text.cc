#include "callbridge/hlo/stablehlo_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/instruction_check.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/name_uniquer.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using xla::LiteralProto;

class ModulePrinter {
 public:
  explicit ModulePrinter(const HloModuleProto& module) : module_(module) {}

  absl::StatusOr<std::string> Print() {
    NameUniquer names;
    names.GetUniqueName("main", "");
    for (const HloComputationProto& computation : module_.computations()) {
      const bool is_entry = computation.id() == module_.entry_computation_id();
      functions_[computation.id()] =
          MlirSymbol(is_entry ? "main" : names.GetUniqueName(computation.name(), "computation"));
    }
    std::string attributes;
    for (const HloComputationProto& computation : module_.computations()) {
      const bool is_entry = computation.id() == module_.entry_computation_id();
      if (absl::Status status = PrintFunction(computation, is_entry); !status.ok()) return status;
      if (is_entry) attributes = Attributes(computation);
    }
    return absl::StrCat(types_.Aliases(), "module ",
                        MlirSymbol(NameUniquer().GetUniqueName(module_.name(), "module")),
                        attributes, " {\n", functions_text_, "}\n");
  }

 private:
  struct Value {
    std::string name;  // "%3"
    std::string type;
    Shape shape;
    // The tuple instruction that would make it, if none was printed: @main returns its operands.
    const HloInstructionProto* tuple = nullptr;
  };

  template <typename... Parts>
  void Append(const Parts&... parts) {
    absl::StrAppend(&text_, parts...);
  }

  const Value& ValueOf(int64_t id) const { return values_.at(id); }

  std::string NewName() { return absl::StrCat("%", next_value_++); }

  // Appends a line that defines a value, and returns the value's name.
  template <typename... Parts>
  std::string Define(const Parts&... parts) {
    std::string name = NewName();
    Append("    ", name, " = ", parts..., "\n");
    return name;
  }

  std::string Names(const google::protobuf::RepeatedField<int64_t>& ids) const {
    return absl::StrJoin(ids, ", ", [this](std::string* out, int64_t id) {
      absl::StrAppend(out, ValueOf(id).name);
    });
  }

  std::string Types(const google::protobuf::RepeatedField<int64_t>& ids) const {
    return absl::StrJoin(ids, ", ", [this](std::string* out, int64_t id) {
      absl::StrAppend(out, ValueOf(id).type);
    });
  }

  // @main takes and returns leaves, since runtimes pass arrays only. Other functions keep tuples.
  absl::Status PrintFunction(const HloComputationProto& computation, bool is_entry) {
    absl::StatusOr<std::vector<const HloInstructionProto*>> order =
        InstructionOrder(module_, computation);
    if (!order.ok()) return order.status();
    values_.clear();
    next_value_ = 0;
    Append("  func.func ", is_entry ? "public " : "private ", functions_.at(computation.id()), "(");
    absl::Status status = PrintParameters(computation, is_entry);
    if (!status.ok()) return status;
    // The text has the types of the results before the lines that define them.
    const std::string signature = std::exchange(text_, "");
    const bool root_is_flattened = is_entry && !IsUsed(computation.root_id(), computation);
    for (const HloInstructionProto* instruction : *order) {
      if (root_is_flattened && instruction->id() == computation.root_id() &&
          ParseOpcode(instruction->opcode()) == Opcode::kTuple &&
          instruction->control_predecessor_ids().empty()) {
        absl::StatusOr<Value> value = TypedValue(*instruction);
        if (!value.ok()) return value.status();
        value->tuple = instruction;
        values_[instruction->id()] = *std::move(value);
        continue;
      }
      if (absl::Status printed = PrintInstruction(*instruction); !printed.ok()) return printed;
    }
    const Value& root = ValueOf(computation.root_id());
    std::vector<std::string> names, types;
    if (is_entry) {
      status = FlattenTuple(root, &names, &types);
      if (!status.ok()) return status;
    } else {
      names = {root.name};
      types = {root.type};
    }
    const std::string result_types = absl::StrJoin(types, ", ");
    Append("    return", names.empty() ? "" : " ", absl::StrJoin(names, ", "),
           names.empty() ? "" : " : ", result_types, "\n  }\n");
    absl::StrAppend(&functions_text_, signature, ") -> (", result_types, ") {\n",
                    std::exchange(text_, ""));
    return absl::OkStatus();
  }

  static bool IsUsed(int64_t id, const HloComputationProto& computation) {
    return std::any_of(computation.instructions().begin(), computation.instructions().end(),
                       [id](const HloInstructionProto& instruction) {
                         const auto& ids = instruction.operand_ids();
                         return std::find(ids.begin(), ids.end(), id) != ids.end();
                       });
  }

  absl::Status PrintParameters(const HloComputationProto& computation, bool is_entry) {
    std::vector<const HloInstructionProto*> parameters;
    for (const HloInstructionProto& instruction : computation.instructions()) {
      if (ParseOpcode(instruction.opcode()) == Opcode::kParameter) {
        parameters.push_back(&instruction);
      }
    }
    std::sort(parameters.begin(), parameters.end(), [](const auto* a, const auto* b) {
      return a->parameter_number() < b->parameter_number();
    });
    int64_t argument = 0;
    for (const HloInstructionProto* parameter : parameters) {
      absl::StatusOr<Value> value = TypedValue(*parameter);
      if (!value.ok()) return value.status();
      const std::vector<const Shape*> leaves =
          is_entry ? value->shape.Leaves() : std::vector<const Shape*>{&value->shape};
      // The name of its first argument. PrintParameter() makes a tuple of the arguments.
      value->name = absl::StrCat("%arg", argument);
      for (const Shape* leaf : leaves) {
        absl::StatusOr<std::string> type = types_.Text(*leaf);
        if (!type.ok()) return type.status();
        Append(argument == 0 ? "" : ", ", "%arg", argument, ": ", *type);
        ++argument;
      }
      if (is_entry && value->shape.IsTuple()) {
        first_arguments_[parameter->id()] = argument - static_cast<int64_t>(leaves.size());
      }
      values_[parameter->id()] = *std::move(value);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Value> TypedValue(const HloInstructionProto& instruction) {
    absl::StatusOr<Shape> shape = ShapeFromProto(instruction.shape());
    if (!shape.ok()) return shape.status();
    absl::StatusOr<std::string> type = types_.Text(*shape);
    if (!type.ok()) return type.status();
    return Value{"", *std::move(type), *std::move(shape), nullptr};
  }

  // Appends the leaves of `value`. Recursive, as deep as shapes may be.
  absl::Status FlattenTuple(const Value& value, std::vector<std::string>* names,
                            std::vector<std::string>* types) {
    if (!value.shape.IsTuple()) {
      names->push_back(value.name);
      types->push_back(value.type);
      return absl::OkStatus();
    }
    if (value.tuple != nullptr) {
      for (int64_t id : value.tuple->operand_ids()) {
        if (absl::Status status = FlattenTuple(ValueOf(id), names, types); !status.ok()) {
          return status;
        }
      }
      return absl::OkStatus();
    }
    int64_t index = 0;
    for (const Shape& element : value.shape.tuple_elements()) {
      absl::StatusOr<std::string> type = types_.Text(element);
      if (!type.ok()) return type.status();
      Value part = {GetElement(value, index++, *type), *type, element, nullptr};
      if (absl::Status status = FlattenTuple(part, names, types); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::string GetElement(const Value& tuple, int64_t index, const std::string& type) {
    return Define("stablehlo.get_tuple_element ", tuple.name, "[", index, "] : (", tuple.type,
                  ") -> ", type);
  }

  std::string MakeTuple(absl::string_view names, absl::string_view types, const std::string& type) {
    return Define("\"stablehlo.tuple\"(", names, ") : (", types, ") -> ", type);
  }

  // Makes a tuple of the arguments of @main from *argument on, and returns its name.
  absl::StatusOr<std::string> TupleOfArguments(const Shape& shape, int64_t* argument) {
    if (!shape.IsTuple()) return absl::StrCat("%arg", (*argument)++);
    std::vector<std::string> names, types;
    for (const Shape& element : shape.tuple_elements()) {
      absl::StatusOr<std::string> name = TupleOfArguments(element, argument);
      if (!name.ok()) return name;
      absl::StatusOr<std::string> type = types_.Text(element);
      if (!type.ok()) return type;
      names.push_back(*std::move(name));
      types.push_back(*std::move(type));
    }
    absl::StatusOr<std::string> type = types_.Text(shape);
    if (!type.ok()) return type;
    return MakeTuple(absl::StrJoin(names, ", "), absl::StrJoin(types, ", "), *type);
  }

  absl::Status PrintInstruction(const HloInstructionProto& instruction) {
    const std::optional<Opcode> opcode = ParseOpcode(instruction.opcode());
    if (!opcode.has_value()) {
      return Unsupported(instruction, absl::StrCat("the instruction \"",
                                                   absl::CHexEscape(instruction.opcode()), "\""));
    }
    if (instruction.control_predecessor_ids_size() != 0) {
      return Unsupported(instruction, "a control predecessor, which StableHLO lacks");
    }
    if (*opcode == Opcode::kParameter) return PrintParameter(instruction);
    absl::StatusOr<Value> value = TypedValue(instruction);
    if (!value.ok()) return value.status();
    absl::StatusOr<std::string> name = DefineInstruction(*opcode, instruction, *value);
    if (!name.ok()) return name.status();
    value->name = *std::move(name);
    values_[instruction.id()] = *std::move(value);
    return absl::OkStatus();
  }

  static absl::Status Unsupported(const HloInstructionProto& instruction, absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat(what, " (", absl::CHexEscape(instruction.name()),
                                                 ") cannot be written as StableHLO here; write "
                                                 "the module as HLO text"));
  }

  absl::Status PrintParameter(const HloInstructionProto& instruction) {
    const auto first = first_arguments_.find(instruction.id());
    if (first == first_arguments_.end()) return absl::OkStatus();
    Value& value = values_.at(instruction.id());
    int64_t argument = first->second;
    absl::StatusOr<std::string> name = TupleOfArguments(value.shape, &argument);
    if (!name.ok()) return name.status();
    value.name = *std::move(name);
    return absl::OkStatus();
  }

  // Returns the name of the new value. `value` has no name yet.
  absl::StatusOr<std::string> DefineInstruction(Opcode opcode,
                                                const HloInstructionProto& instruction,
                                                const Value& value) {
    const std::string names = Names(instruction.operand_ids());
    const std::string types = Types(instruction.operand_ids());
    const std::string function_type = absl::StrCat("(", types, ") -> ", value.type);
    const auto generic = [&](absl::string_view name) {
      return Define("\"", name, "\"(", names, ") : ", function_type);
    };
    switch (opcode) {
      case Opcode::kAbs:
      case Opcode::kAdd:
      case Opcode::kConvert:
      case Opcode::kDivide:
      case Opcode::kMaximum:
      case Opcode::kMinimum:
      case Opcode::kMultiply:
      case Opcode::kNegate:
      case Opcode::kReshape:
      case Opcode::kSubtract:
      case Opcode::kTuple:
        return generic(absl::StrCat("stablehlo.", OpcodeName(opcode)));
      case Opcode::kAddDependency:
        return generic("mhlo.add_dependency");
      case Opcode::kAfterAll:
        return generic(names.empty() ? "stablehlo.create_token" : "stablehlo.after_all");
      case Opcode::kBroadcast:
        return Define("stablehlo.broadcast_in_dim ", names, ", dims = [",
                      absl::StrJoin(instruction.dimensions(), ", "), "] : ", function_type);
      case Opcode::kCall:
        return Define("func.call ", functions_.at(instruction.called_computation_ids(0)), "(",
                      names, ") : ", function_type);
      case Opcode::kConstant:
        return DefineConstant(instruction.literal());
      case Opcode::kCopy:
        return names;  // the same value: StableHLO has no layouts
      case Opcode::kCustomCall: {
        absl::StatusOr<std::string> attributes =
            StableHloCustomCallAttributes(instruction, functions_);
        if (!attributes.ok()) return attributes;
        return Define("stablehlo.custom_call ", MlirSymbol(instruction.custom_call_target()), "(",
                      names, ") {", *attributes, "} : ", function_type);
      }
      case Opcode::kGetTupleElement:
        return GetElement(ValueOf(instruction.operand_ids(0)), instruction.tuple_index(),
                          value.type);
      case Opcode::kParameter:
        break;  // PrintParameter()'s
    }
    return Unsupported(instruction, instruction.opcode());
  }

  // Recursive, as deep as shapes may be.
  absl::StatusOr<std::string> DefineConstant(const LiteralProto& literal) {
    absl::StatusOr<Shape> shape = ShapeFromProto(literal.shape());
    if (!shape.ok()) return shape.status();
    absl::StatusOr<std::string> type = types_.Text(*shape);
    if (!type.ok()) return type;
    if (!shape->IsTuple()) {
      absl::StatusOr<std::string> elements = DenseElementsText(literal, *shape);
      if (!elements.ok()) return elements;
      return Define("stablehlo.constant dense<", *elements, "> : ", *type);
    }
    std::vector<std::string> names, types;
    for (const LiteralProto& element : literal.tuple_literals()) {
      absl::StatusOr<Shape> element_shape = ShapeFromProto(element.shape());
      if (!element_shape.ok()) return element_shape.status();
      absl::StatusOr<std::string> element_type = types_.Text(*element_shape);
      if (!element_type.ok()) return element_type;
      absl::StatusOr<std::string> name = DefineConstant(element);
      if (!name.ok()) return name;
      names.push_back(*std::move(name));
      types.push_back(*std::move(element_type));
    }
    return MakeTuple(absl::StrJoin(names, ", "), absl::StrJoin(types, ", "), *type);
  }

  // The attributes of the module.
  std::string Attributes(const HloComputationProto& entry) const {
    if (module_.input_output_alias().entries().empty()) return "";
    std::vector<const Shape*> parameters;
    for (const HloInstructionProto& instruction : entry.instructions()) {
      if (ParseOpcode(instruction.opcode()) != Opcode::kParameter) continue;
      const auto number = static_cast<size_t>(instruction.parameter_number());
      if (parameters.size() <= number) parameters.resize(number + 1);
      parameters[number] = &ValueOf(instruction.id()).shape;
    }
    return absl::StrCat(" attributes {",
                        StableHloInputOutputAlias(module_.input_output_alias(), parameters,
                                                  ValueOf(entry.root_id()).shape),
                        "}");
  }

  const HloModuleProto& module_;
  MlirTypes types_;
  std::string functions_text_;
  std::string text_;                                     // of the function that is being printed
  absl::flat_hash_map<int64_t, std::string> functions_;  // "@name", by the computation's id
  // Of the function that is being printed.
  absl::flat_hash_map<int64_t, Value> values_;
  absl::flat_hash_map<int64_t, int64_t> first_arguments_;  // of parameters that are tuples
  int64_t next_value_ = 0;
};

}  // namespace

absl::StatusOr<std::string> PrintStableHloText(const HloModuleProto& module) {
  return ModulePrinter(module).Print();
}

}  // namespace callbridge::hlo
