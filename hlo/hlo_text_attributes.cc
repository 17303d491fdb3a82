#include "callbridge/hlo/hlo_text_attributes.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/opcode_attributes.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_proto_text.h"

namespace callbridge::hlo {
namespace {

using xla::HloInstructionProto;

struct Context {
  const DefinedIds& defined;
  TextCursor* cursor;
  HloInstructionProto* instruction;
};

// Reads "{", elements with commas between them, and "}". Calls `read_element` for each element.
template <typename ReadElement>
absl::Status ReadList(TextCursor* cursor, ReadElement read_element) {
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  if (cursor->Consume("}")) return absl::OkStatus();
  do {
    if (absl::Status status = read_element(); !status.ok()) return status;
  } while (cursor->Consume(","));
  return cursor->Expect("}");
}

// Calls `set` with the value that `read` returns.
template <typename Read, typename Set>
absl::Status Assign(Read read, Set set) {
  auto value = read();
  if (!value.ok()) return value.status();
  set(*std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ReadId(const absl::flat_hash_map<absl::string_view, int64_t>& ids,
                               absl::string_view what, TextCursor* cursor) {
  const size_t begin = cursor->position();
  absl::StatusOr<absl::string_view> name = cursor->ReadName(absl::StrCat("the name of ", what));
  if (!name.ok()) return name.status();
  const auto found = ids.find(*name);
  if (found != ids.end()) return found->second;
  return cursor->InvalidAt(begin,
                           absl::StrCat("expected ", what, " from further up, found ", *name));
}

absl::Status ReadCalledComputation(const Context& context) {
  return Assign(
      [&] { return ReadId(context.defined.computations, "a computation", context.cursor); },
      [&](int64_t id) { context.instruction->add_called_computation_ids(id); });
}

absl::Status ReadCalledComputations(const Context& context) {
  return ReadList(context.cursor, [&] { return ReadCalledComputation(context); });
}

absl::Status ReadControlPredecessors(const Context& context) {
  return ReadList(context.cursor, [&] {
    return Assign(
        [&] { return ReadId(context.defined.instructions, "an instruction", context.cursor); },
        [&](int64_t id) { context.instruction->add_control_predecessor_ids(id); });
  });
}

absl::Status ReadTarget(const Context& context) {
  return Assign(
      [&] { return context.cursor->ReadQuotedText("the target"); },
      [&](std::string target) { context.instruction->set_custom_call_target(std::move(target)); });
}

absl::Status ReadOperandLayouts(const Context& context) {
  context.instruction->set_constrain_layout(true);
  return ReadList(context.cursor, [&] {
    return Assign([&] { return ReadShape(context.cursor); },
                  [&](xla::ShapeProto shape) {
                    *context.instruction->add_operand_shapes_with_layout() =
                        WithLayouts(std::move(shape));
                  });
  });
}

absl::Status ReadSideEffect(const Context& context) {
  return Assign([&] { return context.cursor->ReadBool(); },
                [&](bool value) { context.instruction->set_custom_call_has_side_effect(value); });
}

// Reads the name of an enumerator of a protobuf enum.
template <typename Enum>
absl::StatusOr<Enum> ReadEnum(bool (*parse)(const std::string&, Enum*), absl::string_view what,
                              TextCursor* cursor) {
  const std::string word(cursor->PeekWord());
  Enum value;
  if (!parse(word, &value)) return cursor->Expected(what);
  cursor->ReadWord();
  return value;
}

absl::Status ReadApiVersion(const Context& context) {
  return Assign(
      [&] {
        return ReadEnum(xla::CustomCallApiVersion_Parse,
                        "API_VERSION_ORIGINAL, API_VERSION_STATUS_RETURNING, "
                        "API_VERSION_STATUS_RETURNING_UNIFIED or API_VERSION_TYPED_FFI",
                        context.cursor);
      },
      [&](xla::CustomCallApiVersion version) {
        context.instruction->set_custom_call_api_version(version);
      });
}

absl::Status ReadSchedule(const Context& context) {
  return Assign(
      [&] {
        return ReadEnum(xla::CustomCallSchedule_Parse,
                        "SCHEDULE_NONE, SCHEDULE_LATEST or SCHEDULE_EARLIEST", context.cursor);
      },
      [&](xla::CustomCallSchedule schedule) {
        context.instruction->set_custom_call_schedule(schedule);
      });
}

absl::Status ReadPaddingType(const Context& context) {
  return Assign(
      [&] {
        return ReadEnum(xla::PaddingType_Parse, "PADDING_VALID or PADDING_SAME", context.cursor);
      },
      [&](xla::PaddingType type) { context.instruction->set_padding_type(type); });
}

absl::Status ReadPrecisions(const Context& context) {
  xla::PrecisionConfig config;
  absl::Status status = ReadList(context.cursor, [&]() -> absl::Status {
    xla::PrecisionConfig::Precision precision;
    const std::string word = absl::AsciiStrToUpper(context.cursor->PeekWord());
    if (!xla::PrecisionConfig::Precision_Parse(word, &precision)) {
      return context.cursor->Expected("default, high or highest");
    }
    context.cursor->ReadWord();
    config.add_operand_precision(precision);
    return absl::OkStatus();
  });
  if (status.ok() && config.operand_precision_size() != 0) {
    *context.instruction->mutable_precision_config() = std::move(config);
  }
  return status;
}

// {0}: (1, {})
absl::Status ReadAlias(const Context& context) {
  TextCursor* cursor = context.cursor;
  xla::OutputOperandAliasing* alias = context.instruction->add_output_operand_aliasing();
  absl::Status status = Assign([&] { return ReadShapeIndex(cursor); },
                               [&](const std::vector<int64_t>& index) {
                                 for (int64_t i : index) alias->add_output_shape_index(i);
                               });
  if (status.ok()) status = cursor->Expect(":");
  if (status.ok()) status = cursor->Expect("(");
  if (!status.ok()) return status;
  status = Assign([&] { return cursor->ReadInteger("the number of an operand"); },
                  [&](int64_t operand) { alias->set_operand_index(operand); });
  if (status.ok()) status = cursor->Expect(",");
  if (!status.ok()) return status;
  status = Assign([&] { return ReadShapeIndex(cursor); },
                  [&](const std::vector<int64_t>& index) {
                    for (int64_t i : index) alias->add_operand_shape_index(i);
                  });
  return status.ok() ? cursor->Expect(")") : status;
}

absl::Status ReadAliases(const Context& context) {
  return ReadList(context.cursor, [&] { return ReadAlias(context); });
}

// Reads "f32[2]{0} {1, 2}", "(f32[] 1, s32[] 2)", or "(f32[], s32[]) (1, 2)", which older XLAs
// print.
absl::Status ReadShapedLiteral(int depth, TextCursor* cursor, xla::LiteralProto* literal) {
  const size_t begin = cursor->position();
  const absl::StatusOr<xla::ShapeProto> proto = ReadShape(cursor);
  if (!proto.ok() && begin != cursor->position() && depth < Shape::kMaxTupleDepth) {
    cursor->ReturnTo(begin);
    if (cursor->Consume("(")) {
      literal->mutable_shape()->set_element_type(xla::TUPLE);
      do {
        xla::LiteralProto* element = literal->add_tuple_literals();
        absl::Status status = ReadShapedLiteral(depth + 1, cursor, element);
        if (!status.ok()) return status;
        *literal->mutable_shape()->add_tuple_shapes() = element->shape();
      } while (cursor->Consume(","));
      return cursor->Expect(")");
    }
  }
  if (!proto.ok()) return proto.status();
  const absl::StatusOr<Shape> shape = ShapeFromProto(*proto);
  if (!shape.ok()) return shape.status();
  return Assign([&] { return ReadLiteral(*shape, cursor); },
                [&](xla::LiteralProto read) { *literal = std::move(read); });
}

absl::Status ReadLiteralAttribute(const Context& context) {
  xla::LiteralProto literal;
  absl::Status status = ReadShapedLiteral(/*depth=*/0, context.cursor, &literal);
  if (status.ok()) *context.instruction->mutable_literal() = std::move(literal);
  return status;
}

absl::Status ReadWindowAttribute(const Context& context) {
  return Assign(
      [&] { return ReadWindow(context.cursor); },
      [&](xla::Window window) { *context.instruction->mutable_window() = std::move(window); });
}

absl::Status ReadDimLabelsAttribute(const Context& context) {
  return Assign([&] { return ReadDimLabels(context.cursor); },
                [&](xla::ConvolutionDimensionNumbers numbers) {
                  *context.instruction->mutable_convolution_dimension_numbers() =
                      std::move(numbers);
                });
}

absl::Status ReadShardingAttribute(const Context& context) {
  return Assign([&] { return ReadSharding(context.cursor); },
                [&](xla::OpSharding sharding) {
                  *context.instruction->mutable_sharding() = std::move(sharding);
                });
}

absl::Status ReadFeatureGroups(const Context& context) {
  return Assign([&] { return context.cursor->ReadInteger("a number of groups"); },
                [&](int64_t count) { context.instruction->set_feature_group_count(count); });
}

absl::Status ReadBatchGroups(const Context& context) {
  return Assign([&] { return context.cursor->ReadInteger("a number of groups"); },
                [&](int64_t count) { context.instruction->set_batch_group_count(count); });
}

// Reads quoted bytes, or a dictionary without quotes.
absl::StatusOr<std::string> ReadQuotedOrDictionary(absl::string_view what, TextCursor* cursor) {
  if (!cursor->Peek("{")) return cursor->ReadQuoted(what);
  absl::StatusOr<absl::string_view> dictionary = cursor->ReadDictionary(what);
  if (!dictionary.ok()) return dictionary.status();
  return std::string(*dictionary);
}

absl::Status ReadBackendConfig(const Context& context) {
  return Assign(
      [&] { return ReadQuotedOrDictionary("the backend config", context.cursor); },
      [&](std::string config) { context.instruction->set_backend_config(std::move(config)); });
}

absl::Status ReadFrontendAttributesOf(const Context& context) {
  return ReadFrontendAttributes(context.cursor, context.instruction->mutable_frontend_attributes());
}

// A field of OpMetadata, by its name in text.
struct TextField {
  absl::string_view name;
  void (*set)(std::string, xla::OpMetadata*);
};
constexpr TextField kMetadataTexts[] = {
    {"op_type", [](std::string s, xla::OpMetadata* m) { m->set_op_type(std::move(s)); }},
    {"op_name", [](std::string s, xla::OpMetadata* m) { m->set_op_name(std::move(s)); }},
    {"source_file", [](std::string s, xla::OpMetadata* m) { m->set_source_file(std::move(s)); }},
    {"deduplicated_name",
     [](std::string s, xla::OpMetadata* m) { m->set_deduplicated_name(std::move(s)); }},
    {"scheduling_name",
     [](std::string s, xla::OpMetadata* m) { m->set_scheduling_name(std::move(s)); }},
};
struct NumberField {
  absl::string_view name;
  void (*set)(int64_t, xla::OpMetadata*);
};
constexpr NumberField kMetadataNumbers[] = {
    {"source_line", [](int64_t n, xla::OpMetadata* m) { m->set_source_line(static_cast<int>(n)); }},
    {"source_end_line",
     [](int64_t n, xla::OpMetadata* m) { m->set_source_end_line(static_cast<int>(n)); }},
    {"source_column",
     [](int64_t n, xla::OpMetadata* m) { m->set_source_column(static_cast<int>(n)); }},
    {"source_end_column",
     [](int64_t n, xla::OpMetadata* m) { m->set_source_end_column(static_cast<int>(n)); }},
    {"stack_frame_id",
     [](int64_t n, xla::OpMetadata* m) { m->set_stack_frame_id(static_cast<int>(n)); }},
    {"size_of_generated_code_in_bytes",
     [](int64_t n, xla::OpMetadata* m) { m->set_size_of_generated_code_in_bytes(n); }},
    {"size_of_memory_working_set_in_bytes",
     [](int64_t n, xla::OpMetadata* m) { m->set_size_of_memory_working_set_in_bytes(n); }},
};

// Reads one value of metadata. Returns UNIMPLEMENTED if OpMetadata has no field of this name.
absl::Status ReadMetadataValue(absl::string_view name, TextCursor* cursor,
                               xla::OpMetadata* metadata) {
  for (const TextField& field : kMetadataTexts) {
    if (field.name != name) continue;
    return Assign([&] { return cursor->ReadQuotedText(name); },
                  [&](std::string value) { field.set(std::move(value), metadata); });
  }
  for (const NumberField& field : kMetadataNumbers) {
    if (field.name != name) continue;
    return Assign(
        [&] { return cursor->ReadInteger(name == "source_line" ? "a line" : "an integer"); },
        [&](int64_t value) { field.set(value, metadata); });
  }
  return absl::UnimplementedError(absl::StrCat("metadata has no field ", name));
}

absl::Status ReadMetadataOf(const Context& context) {
  return ReadMetadata(context.cursor, context.instruction->mutable_metadata());
}

struct Attribute {
  absl::string_view name;
  absl::Status (*read)(const Context&);
  // True if only custom calls have it.
  bool is_of_custom_calls = false;
};

constexpr Attribute kAttributes[] = {
    {"api_version", ReadApiVersion, true},
    {"backend_config", ReadBackendConfig},
    {"batch_group_count", ReadBatchGroups},
    {"called_computations", ReadCalledComputations, true},
    {"control-predecessors", ReadControlPredecessors},
    {"custom_call_has_side_effect", ReadSideEffect, true},
    {"custom_call_target", ReadTarget, true},
    {"dim_labels", ReadDimLabelsAttribute},
    {"feature_group_count", ReadFeatureGroups},
    {"frontend_attributes", ReadFrontendAttributesOf},
    {"literal", ReadLiteralAttribute, true},
    {"metadata", ReadMetadataOf},
    {"operand_layout_constraints", ReadOperandLayouts, true},
    {"operand_precision", ReadPrecisions},
    {"output_to_operand_aliasing", ReadAliases, true},
    {"padding_type", ReadPaddingType},
    {"schedule", ReadSchedule, true},
    {"sharding", ReadShardingAttribute},
    {"to_apply", ReadCalledComputation, true},
    {"window", ReadWindowAttribute},
};

// Reads the value of the attribute. What has no field keeps its text.
absl::Status ReadAttribute(absl::string_view name, const Context& context) {
  TextCursor* cursor = context.cursor;
  HloInstructionProto* instruction = context.instruction;
  absl::StatusOr<bool> is_read =
      ReadOpcodeAttribute(name, context.defined.computations, cursor, instruction);
  if (!is_read.ok() || *is_read) return is_read.status();
  const size_t begin = cursor->position();
  for (const Attribute& attribute : kAttributes) {
    if (attribute.name != name) continue;
    if (attribute.is_of_custom_calls && !IsCustomCall(*instruction)) continue;
    absl::Status status = attribute.read(context);
    if (!absl::IsUnimplemented(status)) return status;
    // A form that no field expresses.
    cursor->ReturnTo(begin);
  }
  return ReadTextAttribute(name, cursor, instruction->add_text_attributes());
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadShapeIndex(TextCursor* cursor) {
  std::vector<int64_t> index;
  absl::Status status = ReadList(cursor, [&] {
    return Assign([&] { return cursor->ReadInteger("an index"); },
                  [&](int64_t i) { index.push_back(i); });
  });
  if (!status.ok()) return status;
  return index;
}

absl::Status ReadTextAttribute(absl::string_view name, TextCursor* cursor,
                               xla::TextAttribute* attribute) {
  const size_t begin = cursor->position();
  absl::StatusOr<absl::string_view> value =
      cursor->ReadValue(absl::StrCat("a value of \"", name, "\""));
  if (!value.ok()) return value.status();
  if (!IsUtf8(*value)) {
    return cursor->InvalidAt(begin, absl::StrCat("expected the value of ", name, " to be UTF-8"));
  }
  attribute->set_name(std::string(name));
  attribute->set_value(std::string(*value));
  return absl::OkStatus();
}

// {op_type="T" op_name="n" source_file="x.py" source_line=3}
absl::Status ReadMetadata(TextCursor* cursor, xla::OpMetadata* metadata) {
  xla::OpMetadata read;
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  while (!cursor->Consume("}")) {
    const absl::string_view name = cursor->ReadWord();
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    absl::Status status = ReadMetadataValue(name, cursor, &read);
    if (!status.ok()) return status;
  }
  *metadata = std::move(read);
  return absl::OkStatus();
}

std::string MetadataText(const xla::OpMetadata& metadata) {
  std::vector<std::string> fields;
  const auto add = [&](absl::string_view name, const std::string& value) {
    if (!value.empty()) fields.push_back(absl::StrCat(name, "=\"", absl::CEscape(value), "\""));
  };
  const auto add_number = [&](absl::string_view name, int64_t value) {
    if (value != 0) fields.push_back(absl::StrCat(name, "=", value));
  };
  add("op_type", metadata.op_type());
  add("op_name", metadata.op_name());
  add("source_file", metadata.source_file());
  add_number("source_line", metadata.source_line());
  add_number("source_end_line", metadata.source_end_line());
  add_number("source_column", metadata.source_column());
  add_number("source_end_column", metadata.source_end_column());
  add_number("size_of_generated_code_in_bytes", metadata.size_of_generated_code_in_bytes());
  add_number("size_of_memory_working_set_in_bytes", metadata.size_of_memory_working_set_in_bytes());
  add("deduplicated_name", metadata.deduplicated_name());
  add("scheduling_name", metadata.scheduling_name());
  add_number("stack_frame_id", metadata.stack_frame_id());
  return absl::StrJoin(fields, " ");
}

absl::Status ReadFrontendAttributes(TextCursor* cursor, xla::FrontendAttributes* attributes) {
  return ReadList(cursor, [&]() -> absl::Status {
    const std::string name(cursor->ReadWord());
    if (name.empty()) return cursor->Expected("the name of a frontend attribute");
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    const size_t begin = cursor->position();
    return Assign(
        [&]() -> absl::StatusOr<std::string> {
          absl::StatusOr<std::string> value =
              ReadQuotedOrDictionary("a frontend attribute", cursor);
          if (!value.ok() || IsUtf8(*value)) return value;
          return cursor->InvalidAt(begin, "expected a frontend attribute to be UTF-8");
        },
        [&](std::string value) { (*attributes->mutable_map())[name] = std::move(value); });
  });
}

xla::ShapeProto WithLayouts(xla::ShapeProto shape) {
  AddMissingLayouts(&shape);
  return shape;
}

absl::Status ReadInstructionAttributes(const DefinedIds& defined, TextCursor* cursor,
                                       HloInstructionProto* instruction) {
  absl::flat_hash_set<absl::string_view> seen;
  while (cursor->Consume(",")) {
    const size_t begin = cursor->position();
    const absl::string_view name = cursor->ReadWord();
    if (name.empty()) return cursor->Expected("an attribute");
    if (!seen.insert(name).second) {
      return cursor->InvalidAt(begin, absl::StrCat("expected ", name, " once, found it again"));
    }
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    absl::Status status = ReadAttribute(name, {defined, cursor, instruction});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace callbridge::hlo
