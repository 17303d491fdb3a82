#include "callbridge/hlo/hlo_text_attributes.h"

#include <bitset>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"

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
    return Assign([&] { return context.cursor->ReadShape(); },
                  [&](const Shape& shape) {
                    *context.instruction->add_operand_shapes_with_layout() = WithLayouts(shape);
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
  return ReadList(context.cursor, [&]() -> absl::Status {
    xla::PrecisionConfig::Precision precision;
    const std::string word = absl::AsciiStrToUpper(context.cursor->PeekWord());
    if (!xla::PrecisionConfig::Precision_Parse(word, &precision)) {
      return context.cursor->Expected("default, high or highest");
    }
    context.cursor->ReadWord();
    context.instruction->mutable_precision_config()->add_operand_precision(precision);
    return absl::OkStatus();
  });
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

absl::Status ReadLiteralAttribute(const Context& context) {
  absl::StatusOr<Shape> shape = context.cursor->ReadShape();
  if (!shape.ok()) return shape.status();
  return Assign([&] { return ReadLiteral(*shape, context.cursor); },
                [&](xla::LiteralProto literal) {
                  *context.instruction->mutable_literal() = std::move(literal);
                });
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

absl::Status ReadTupleIndex(const Context& context) {
  return Assign([&] { return context.cursor->ReadInteger("an index"); },
                [&](int64_t index) { context.instruction->set_tuple_index(index); });
}

absl::Status ReadDimensions(const Context& context) {
  return ReadList(context.cursor, [&] {
    return Assign([&] { return context.cursor->ReadInteger("the number of a dimension"); },
                  [&](int64_t dimension) { context.instruction->add_dimensions(dimension); });
  });
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

absl::Status ReadFrontendAttributes(const Context& context) {
  TextCursor* cursor = context.cursor;
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
        [&](std::string value) {
          auto& map = *context.instruction->mutable_frontend_attributes()->mutable_map();
          map[name] = std::move(value);
        });
  });
}

// Skips a value of metadata that OpMetadata has no field for.
absl::Status SkipMetadata(TextCursor* cursor) {
  if (cursor->Peek("{")) return cursor->ReadDictionary("metadata").status();
  if (cursor->Peek("\"")) return cursor->ReadQuoted("metadata").status();
  if (cursor->ReadWord().empty()) return cursor->Expected("a value of metadata");
  return absl::OkStatus();
}

// {op_type="T" op_name="n" source_file="x.py" source_line=3}
absl::Status ReadMetadata(const Context& context) {
  TextCursor* cursor = context.cursor;
  xla::OpMetadata* metadata = context.instruction->mutable_metadata();
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  while (!cursor->Consume("}")) {
    const absl::string_view name = cursor->ReadWord();
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    std::string* field = name == "op_type"       ? metadata->mutable_op_type()
                         : name == "op_name"     ? metadata->mutable_op_name()
                         : name == "source_file" ? metadata->mutable_source_file()
                                                 : nullptr;
    absl::Status status;
    if (field != nullptr) {
      status = Assign([&] { return cursor->ReadQuotedText(name); },
                      [&](std::string value) { *field = std::move(value); });
    } else if (name == "source_line") {
      status = Assign([&] { return cursor->ReadInteger("a line"); },
                      [&](int64_t line) { metadata->set_source_line(static_cast<int>(line)); });
    } else {
      status = SkipMetadata(cursor);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

struct Attribute {
  absl::string_view name;
  absl::Status (*read)(const Context&);
};

constexpr Attribute kAttributes[] = {
    {"api_version", ReadApiVersion},
    {"backend_config", ReadBackendConfig},
    {"batch_group_count", ReadBatchGroups},
    {"called_computations", ReadCalledComputations},
    {"control-predecessors", ReadControlPredecessors},
    {"custom_call_has_side_effect", ReadSideEffect},
    {"custom_call_target", ReadTarget},
    {"dim_labels", ReadDimLabelsAttribute},
    {"dimensions", ReadDimensions},
    {"feature_group_count", ReadFeatureGroups},
    {"frontend_attributes", ReadFrontendAttributes},
    {"index", ReadTupleIndex},
    {"literal", ReadLiteralAttribute},
    {"metadata", ReadMetadata},
    {"operand_layout_constraints", ReadOperandLayouts},
    {"operand_precision", ReadPrecisions},
    {"output_to_operand_aliasing", ReadAliases},
    {"padding_type", ReadPaddingType},
    {"schedule", ReadSchedule},
    {"sharding", ReadShardingAttribute},
    {"to_apply", ReadCalledComputation},
    {"window", ReadWindowAttribute},
};
constexpr size_t kAttributeCount = sizeof(kAttributes) / sizeof(kAttributes[0]);

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

absl::Status UnknownAttribute(absl::string_view name, size_t position, const TextCursor& cursor) {
  return cursor.UnimplementedAt(
      position,
      absl::StrCat("the attribute \"", name, "\" is not supported; run this module on XLA"));
}

xla::ShapeProto WithLayouts(const Shape& shape) {
  xla::ShapeProto proto = ShapeToProto(shape);
  AddMissingLayouts(&proto);
  return proto;
}

absl::Status ReadInstructionAttributes(const DefinedIds& defined, TextCursor* cursor,
                                       HloInstructionProto* instruction) {
  std::bitset<kAttributeCount> seen;
  while (cursor->Consume(",")) {
    const size_t begin = cursor->position();
    const absl::string_view name = cursor->ReadWord();
    if (name.empty()) return cursor->Expected("an attribute");
    size_t i = 0;
    while (i < kAttributeCount && kAttributes[i].name != name) ++i;
    if (i == kAttributeCount) return UnknownAttribute(name, begin, *cursor);
    if (seen[i]) {
      return cursor->InvalidAt(begin, absl::StrCat("expected ", name, " once, found it again"));
    }
    seen.set(i);
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    const Context context = {defined, cursor, instruction};
    if (absl::Status status = kAttributes[i].read(context); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace callbridge::hlo
