#include "callbridge/hlo/opcode_attributes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "callbridge/hlo/replica_groups_text.h"
#include "callbridge/hlo/shape_proto_text.h"
#include "callbridge/hlo/text_list.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace callbridge::hlo {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using xla::HloInstructionProto;

enum class Kind {
  kInteger,       // 3
  kIntegers,      // {0,1}
  kOneInteger,    // {0}, or 0 without braces: a list that holds one
  kBool,          // true
  kBools,         // {true,false}
  kFloat,         // 0.001
  kUpperEnum,     // RFFT
  kLowerEnum,     // rng_default
  kWord,          // kLoop
  kQuoted,        // "..."
  kShape,         // f32[2]{0}
  kComputation,   // %f, the called computation of this index
  kComputations,  // {%f, %g}
  kSlice,         // {[0:2], [1:5:2]}
  kPadding,       // 0_1x0_0_2
  kReplicas,      // {{0,1},{2,3}}, [2,2]<=[4] or mesh['x'=2] {'x'}
  kPairs,         // {{0,1},{1,0}}
  kAliases,       // {{0}: (1, {})}
};

struct Row {
  absl::string_view name;
  // Separated by blanks.
  absl::string_view opcodes;
  Kind kind;
  // A field of the instruction, or a field of a message in it.
  absl::string_view field;
  // True if XLA prints the attribute with its default value too.
  bool always = false;
  // Of kComputation.
  int index = 0;
};

constexpr absl::string_view kCollectives =
    "all-reduce all-reduce-start all-gather all-gather-start reduce-scatter all-to-all "
    "collective-broadcast ragged-all-to-all";
constexpr absl::string_view kChannels =
    "all-reduce all-reduce-start all-gather all-gather-start reduce-scatter all-to-all "
    "collective-broadcast ragged-all-to-all collective-permute collective-permute-start send "
    "recv send-done recv-done";
constexpr absl::string_view kGather = "gather";
constexpr absl::string_view kScatter = "scatter";

// In the order in which XLA prints them.
constexpr Row kRows[] = {
    {"condition", "while", Kind::kComputation, "called_computation_ids", true, 1},
    {"body", "while", Kind::kComputation, "called_computation_ids", true, 0},
    {"branch_computations", "conditional", Kind::kComputations, "called_computation_ids", true},
    {"true_computation", "conditional", Kind::kComputation, "called_computation_ids", false, 0},
    {"false_computation", "conditional", Kind::kComputation, "called_computation_ids", false, 1},
    {"epsilon", "batch-norm-training batch-norm-inference batch-norm-grad", Kind::kFloat, "epsilon",
     true},
    {"feature_index", "batch-norm-training batch-norm-inference batch-norm-grad", Kind::kInteger,
     "feature_index", true},
    {"fft_type", "fft", Kind::kUpperEnum, "fft_type", true},
    {"fft_length", "fft", Kind::kIntegers, "fft_length", true},
    {"direction", "compare", Kind::kWord, "comparison_direction"},
    {"type", "compare", Kind::kWord, "comparison_type"},
    {"left_side", "triangular-solve", Kind::kBool, "triangular_solve_options.left_side"},
    {"lower", "triangular-solve", Kind::kBool, "triangular_solve_options.lower"},
    {"unit_diagonal", "triangular-solve", Kind::kBool, "triangular_solve_options.unit_diagonal"},
    {"transpose_a", "triangular-solve", Kind::kUpperEnum, "triangular_solve_options.transpose_a",
     true},
    {"lower", "cholesky", Kind::kBool, "cholesky_options.lower"},
    {"channel_id", kChannels, Kind::kInteger, "channel_id"},
    {"is_host_transfer", "send recv send-done recv-done", Kind::kBool, "is_host_transfer"},
    {"replica_groups", kCollectives, Kind::kReplicas, "replica_groups", true},
    {"source_target_pairs", "collective-permute collective-permute-start", Kind::kPairs,
     "source_target_pairs", true},
    {"constrain_layout", kCollectives, Kind::kBool, "constrain_layout"},
    {"use_global_device_ids", kCollectives, Kind::kBool, "use_global_device_ids"},
    {"dimensions", "broadcast concatenate map reduce reverse sort transpose", Kind::kIntegers,
     "dimensions", true},
    {"dimensions",
     "get-dimension-size set-dimension-size all-gather all-gather-start reduce-scatter all-to-all",
     Kind::kIntegers, "dimensions"},
    {"index", "get-tuple-element", Kind::kInteger, "tuple_index", true},
    {"parameter_replication", "parameter", Kind::kBools,
     "parameter_replication.replicated_at_leaf_buffers"},
    {"iota_dimension", "iota", Kind::kOneInteger, "dimensions"},
    {"is_stable", "sort", Kind::kBool, "is_stable"},
    {"slice", "slice", Kind::kSlice, "slice_dimensions", true},
    {"padding", "pad", Kind::kPadding, "padding_config", true},
    {"dynamic_slice_sizes", "dynamic-slice", Kind::kIntegers, "dynamic_slice_sizes", true},
    {"exponent_bits", "reduce-precision", Kind::kInteger, "exponent_bits", true},
    {"mantissa_bits", "reduce-precision", Kind::kInteger, "mantissa_bits", true},
    {"infeed_config", "infeed", Kind::kQuoted, "infeed_config"},
    {"outfeed_shape", "outfeed", Kind::kShape, "outfeed_shape"},
    {"outfeed_config", "outfeed", Kind::kQuoted, "outfeed_config"},
    {"distribution", "rng", Kind::kLowerEnum, "distribution", true},
    {"algorithm", "rng-bit-generator", Kind::kLowerEnum, "rng_algorithm", true},
    {"delta", "rng-get-and-update-state", Kind::kInteger, "delta", true},
    {"k", "topk", Kind::kInteger, "k", true},
    {"largest", "topk", Kind::kBool, "largest", true},
    {"cross_program_prefetch_index", "copy-start", Kind::kInteger, "cross_program_prefetch_index"},
    {"lhs_batch_dims", "dot", Kind::kIntegers, "dot_dimension_numbers.lhs_batch_dimensions"},
    {"lhs_contracting_dims", "dot", Kind::kIntegers,
     "dot_dimension_numbers.lhs_contracting_dimensions", true},
    {"rhs_batch_dims", "dot", Kind::kIntegers, "dot_dimension_numbers.rhs_batch_dimensions"},
    {"rhs_contracting_dims", "dot", Kind::kIntegers,
     "dot_dimension_numbers.rhs_contracting_dimensions", true},
    {"offset_dims", kGather, Kind::kIntegers, "gather_dimension_numbers.offset_dims", true},
    {"collapsed_slice_dims", kGather, Kind::kIntegers,
     "gather_dimension_numbers.collapsed_slice_dims", true},
    {"start_index_map", kGather, Kind::kIntegers, "gather_dimension_numbers.start_index_map", true},
    {"operand_batching_dims", kGather, Kind::kIntegers,
     "gather_dimension_numbers.operand_batching_dims"},
    {"start_indices_batching_dims", kGather, Kind::kIntegers,
     "gather_dimension_numbers.start_indices_batching_dims"},
    {"index_vector_dim", kGather, Kind::kInteger, "gather_dimension_numbers.index_vector_dim",
     true},
    {"slice_sizes", kGather, Kind::kIntegers, "gather_slice_sizes", true},
    {"update_window_dims", kScatter, Kind::kIntegers,
     "scatter_dimension_numbers.update_window_dims", true},
    {"inserted_window_dims", kScatter, Kind::kIntegers,
     "scatter_dimension_numbers.inserted_window_dims", true},
    {"scatter_dims_to_operand_dims", kScatter, Kind::kIntegers,
     "scatter_dimension_numbers.scatter_dims_to_operand_dims", true},
    {"input_batching_dims", kScatter, Kind::kIntegers,
     "scatter_dimension_numbers.input_batching_dims"},
    {"scatter_indices_batching_dims", kScatter, Kind::kIntegers,
     "scatter_dimension_numbers.scatter_indices_batching_dims"},
    {"index_vector_dim", kScatter, Kind::kInteger, "scatter_dimension_numbers.index_vector_dim",
     true},
    {"indices_are_sorted", "gather scatter", Kind::kBool, "indices_are_sorted"},
    {"unique_indices", "scatter", Kind::kBool, "unique_indices"},
    {"select", "select-and-scatter", Kind::kComputation, "called_computation_ids", true, 0},
    {"scatter", "select-and-scatter", Kind::kComputation, "called_computation_ids", true, 1},
    {"kind", "fusion", Kind::kWord, "fusion_kind"},
    {"output_to_operand_aliasing", "fusion", Kind::kAliases, "output_operand_aliasing"},
    {"async_execution_thread", "async-start async-update async-done", Kind::kQuoted,
     "async_execution_thread"},
    {"calls", "fusion async-start async-update async-done", Kind::kComputation,
     "called_computation_ids", false, 0},
    {"to_apply",
     "call map reduce reduce-window sort scatter all-reduce all-reduce-start reduce-scatter",
     Kind::kComputation, "called_computation_ids", false, 0},
    {"is_composite", "call", Kind::kBool, "is_composite"},
};

bool IsOf(const Row& row, absl::string_view opcode) {
  for (absl::string_view each : absl::StrSplit(row.opcodes, ' ')) {
    if (each == opcode) return true;
  }
  return false;
}

struct Place {
  Message* message;
  const FieldDescriptor* field;
  const google::protobuf::Reflection& reflection() const { return *message->GetReflection(); }
};

const FieldDescriptor* FieldOf(const Message& message, absl::string_view name) {
  return message.GetDescriptor()->FindFieldByName(std::string(name));
}

// Returns where the value of the row goes, and makes the messages around it.
Place PlaceOf(const Row& row, HloInstructionProto* instruction) {
  Place place = {instruction, nullptr};
  const std::vector<absl::string_view> names = absl::StrSplit(row.field, '.');
  place.field = FieldOf(*instruction, names[0]);
  if (names.size() == 2) {
    place.message = place.reflection().MutableMessage(instruction, place.field);
    place.field = FieldOf(*place.message, names[1]);
  }
  return place;
}

// ---- Reading ------------------------------------------------------------------------------------

absl::Status AddInteger(TextCursor* cursor, const Place& place) {
  absl::StatusOr<int64_t> value = cursor->ReadInteger("an integer");
  if (value.ok()) place.reflection().AddInt64(place.message, place.field, *value);
  return value.status();
}

absl::Status ReadSlice(TextCursor* cursor, HloInstructionProto* instruction) {
  return ReadList(cursor, [&]() -> absl::Status {
    auto* slice = instruction->add_slice_dimensions();
    if (absl::Status status = cursor->Expect("["); !status.ok()) return status;
    absl::StatusOr<int64_t> start = cursor->ReadInteger("where the slice begins");
    if (!start.ok()) return start.status();
    if (absl::Status status = cursor->Expect(":"); !status.ok()) return status;
    absl::StatusOr<int64_t> limit = cursor->ReadInteger("where the slice ends");
    if (!limit.ok()) return limit.status();
    absl::StatusOr<int64_t> stride = 1;
    if (cursor->Consume(":")) stride = cursor->ReadInteger("a stride");
    if (!stride.ok()) return stride.status();
    slice->set_start(*start);
    slice->set_limit(*limit);
    slice->set_stride(*stride);
    return cursor->Expect("]");
  });
}

absl::Status ReadPadding(TextCursor* cursor, HloInstructionProto* instruction) {
  xla::PaddingConfig* config = instruction->mutable_padding_config();
  const size_t begin = cursor->position();
  for (absl::string_view text : absl::StrSplit(cursor->ReadWord(), 'x')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, '_');
    int64_t numbers[3] = {0, 0, 0};
    bool ok = parts.size() == 2 || parts.size() == 3;
    for (size_t i = 0; ok && i < parts.size(); ++i) ok = absl::SimpleAtoi(parts[i], &numbers[i]);
    if (!ok) return cursor->InvalidAt(begin, "expected LOW_HIGH_INTERIOR with \"x\" between them");
    auto* dimension = config->add_dimensions();
    dimension->set_edge_padding_low(numbers[0]);
    dimension->set_edge_padding_high(numbers[1]);
    dimension->set_interior_padding(numbers[2]);
  }
  return absl::OkStatus();
}

absl::Status ReadPairs(TextCursor* cursor, HloInstructionProto* instruction) {
  return ReadList(cursor, [&]() -> absl::Status {
    if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
    std::vector<int64_t> numbers;
    absl::Status status = ReadNumbers("}", cursor, [&](int64_t n) { numbers.push_back(n); });
    if (!status.ok()) return status;
    if (numbers.size() != 2) return cursor->Expected("pairs of replicas");
    xla::SourceTarget* pair = instruction->add_source_target_pairs();
    pair->set_source(numbers[0]);
    pair->set_target(numbers[1]);
    return absl::OkStatus();
  });
}

// Reads "{0,1}".
absl::Status ReadIndex(TextCursor* cursor, google::protobuf::RepeatedField<int64_t>* index) {
  return ReadList(cursor, [&]() -> absl::Status {
    absl::StatusOr<int64_t> number = cursor->ReadInteger("an index");
    if (number.ok()) index->Add(*number);
    return number.status();
  });
}

absl::Status ReadAliases(TextCursor* cursor, HloInstructionProto* instruction) {
  return ReadList(cursor, [&]() -> absl::Status {
    xla::OutputOperandAliasing* alias = instruction->add_output_operand_aliasing();
    absl::Status status = ReadIndex(cursor, alias->mutable_output_shape_index());
    if (status.ok()) status = cursor->Expect(":");
    if (status.ok()) status = cursor->Expect("(");
    if (!status.ok()) return status;
    absl::StatusOr<int64_t> operand = cursor->ReadInteger("the number of an operand");
    if (!operand.ok()) return operand.status();
    alias->set_operand_index(*operand);
    status = cursor->Expect(",");
    if (status.ok()) status = ReadIndex(cursor, alias->mutable_operand_shape_index());
    return status.ok() ? cursor->Expect(")") : status;
  });
}

absl::Status ReadEnum(bool is_lower, TextCursor* cursor, const Place& place) {
  const std::string word(cursor->PeekWord());
  const std::string name = is_lower ? absl::AsciiStrToUpper(word) : word;
  const auto* value = place.field->enum_type()->FindValueByName(name);
  if (value == nullptr) return cursor->Expected("a known name");
  cursor->ReadWord();
  place.reflection().SetEnum(place.message, place.field, value);
  return absl::OkStatus();
}

absl::Status ReadField(const Row& row, TextCursor* cursor, HloInstructionProto* instruction) {
  const Place place = PlaceOf(row, instruction);
  const google::protobuf::Reflection& reflection = place.reflection();
  switch (row.kind) {
    case Kind::kInteger: {
      absl::StatusOr<int64_t> value = cursor->ReadInteger("an integer");
      if (!value.ok()) return value.status();
      if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
        reflection.SetInt32(place.message, place.field, static_cast<int32_t>(*value));
      } else {
        reflection.SetInt64(place.message, place.field, *value);
      }
      return absl::OkStatus();
    }
    case Kind::kIntegers:
      return ReadList(cursor, [&] { return AddInteger(cursor, place); });
    case Kind::kOneInteger:
      return AddInteger(cursor, place);
    case Kind::kBool: {
      absl::StatusOr<bool> value = cursor->ReadBool();
      if (value.ok()) reflection.SetBool(place.message, place.field, *value);
      return value.status();
    }
    case Kind::kBools:
      return ReadList(cursor, [&]() -> absl::Status {
        absl::StatusOr<bool> value = cursor->ReadBool();
        if (value.ok()) reflection.AddBool(place.message, place.field, *value);
        return value.status();
      });
    case Kind::kFloat: {
      float value;
      if (!absl::SimpleAtof(cursor->ReadUntil(",)} \t\r\n"), &value)) {
        return cursor->Expected("a number");
      }
      reflection.SetFloat(place.message, place.field, value);
      return absl::OkStatus();
    }
    case Kind::kUpperEnum:
    case Kind::kLowerEnum:
      return ReadEnum(row.kind == Kind::kLowerEnum, cursor, place);
    case Kind::kWord: {
      const std::string word(cursor->ReadWord());
      if (word.empty()) return cursor->Expected("a word");
      reflection.SetString(place.message, place.field, word);
      return absl::OkStatus();
    }
    case Kind::kQuoted: {
      absl::StatusOr<std::string> value = place.field->type() == FieldDescriptor::TYPE_BYTES
                                              ? cursor->ReadQuoted(row.name)
                                              : cursor->ReadQuotedText(row.name);
      if (value.ok()) reflection.SetString(place.message, place.field, *value);
      return value.status();
    }
    case Kind::kShape: {
      absl::StatusOr<xla::ShapeProto> shape = ReadShape(cursor);
      if (shape.ok()) {
        reflection.MutableMessage(place.message, place.field)->CopyFrom(*shape);
      }
      return shape.status();
    }
    case Kind::kSlice:
      return ReadSlice(cursor, instruction);
    case Kind::kPadding:
      return ReadPadding(cursor, instruction);
    case Kind::kReplicas:
      return ReadReplicaGroups(cursor, instruction);
    case Kind::kPairs:
      return ReadPairs(cursor, instruction);
    case Kind::kAliases:
      return ReadAliases(cursor, instruction);
    case Kind::kComputation:
    case Kind::kComputations:
      break;
  }
  return absl::InternalError("computations are read elsewhere");
}

absl::Status ReadComputations(const Row& row,
                              const absl::flat_hash_map<absl::string_view, int64_t>& ids,
                              TextCursor* cursor, HloInstructionProto* instruction) {
  const auto read = [&]() -> absl::StatusOr<int64_t> {
    const size_t begin = cursor->position();
    absl::StatusOr<absl::string_view> name = cursor->ReadName("the name of a computation");
    if (!name.ok()) return name.status();
    const auto found = ids.find(*name);
    if (found != ids.end()) return found->second;
    return cursor->InvalidAt(begin,
                             absl::StrCat("expected a computation from further up, found ", *name));
  };
  auto* called = instruction->mutable_called_computation_ids();
  if (row.kind == Kind::kComputation) {
    absl::StatusOr<int64_t> id = read();
    if (!id.ok()) return id.status();
    // The fields have the computations in another order than the text.
    called->Add(*id);
    for (int i = called->size() - 1; i > row.index; --i) called->SwapElements(i, i - 1);
    return absl::OkStatus();
  }
  return ReadList(cursor, [&]() -> absl::Status {
    absl::StatusOr<int64_t> id = read();
    if (id.ok()) called->Add(*id);
    return id.status();
  });
}

// ---- Printing -----------------------------------------------------------------------------------

std::string IndexText(const google::protobuf::RepeatedField<int64_t>& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

// Returns "" if the field has its default value, and the row does not print that.
absl::StatusOr<std::string> ValueText(const Row& row, const HloInstructionProto& instruction) {
  const Message* message = &instruction;
  const std::vector<absl::string_view> names = absl::StrSplit(row.field, '.');
  const FieldDescriptor* field = FieldOf(*message, names[0]);
  if (names.size() == 2) {
    if (!message->GetReflection()->HasField(*message, field)) return std::string();
    message = &message->GetReflection()->GetMessage(*message, field);
    field = FieldOf(*message, names[1]);
  }
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const bool is_set = field->is_repeated() ? reflection.FieldSize(*message, field) != 0
                                           : reflection.HasField(*message, field);
  const bool is_replicas = row.kind == Kind::kReplicas;
  if (!is_set && !row.always && !is_replicas) return std::string();
  switch (row.kind) {
    case Kind::kInteger:
      return absl::StrCat(field->cpp_type() == FieldDescriptor::CPPTYPE_INT32
                              ? reflection.GetInt32(*message, field)
                              : reflection.GetInt64(*message, field));
    case Kind::kIntegers:
    case Kind::kOneInteger: {
      std::vector<int64_t> values;
      for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
        values.push_back(reflection.GetRepeatedInt64(*message, field, i));
      }
      const std::string text = absl::StrJoin(values, ",");
      return row.kind == Kind::kOneInteger ? text : absl::StrCat("{", text, "}");
    }
    case Kind::kBool:
      return std::string(reflection.GetBool(*message, field) ? "true" : "false");
    case Kind::kBools: {
      std::vector<absl::string_view> values;
      for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
        values.push_back(reflection.GetRepeatedBool(*message, field, i) ? "true" : "false");
      }
      return absl::StrCat("{", absl::StrJoin(values, ","), "}");
    }
    case Kind::kFloat:
      return absl::StrCat(reflection.GetFloat(*message, field));
    case Kind::kUpperEnum:
    case Kind::kLowerEnum: {
      const int number = reflection.GetEnumValue(*message, field);
      const auto* value = field->enum_type()->FindValueByNumber(number);
      if (value == nullptr) {
        return absl::UnimplementedError(absl::StrCat(row.name, " number ", number,
                                                     " has no name; write the module as a proto"));
      }
      return row.kind == Kind::kLowerEnum ? absl::AsciiStrToLower(value->name()) : value->name();
    }
    case Kind::kWord:
      return reflection.GetString(*message, field);
    case Kind::kQuoted:
      return absl::StrCat("\"", absl::CEscape(reflection.GetString(*message, field)), "\"");
    case Kind::kShape:
      return ShapeProtoText(instruction.outfeed_shape());
    case Kind::kSlice:
      return absl::StrCat(
          "{",
          absl::StrJoin(instruction.slice_dimensions(), ", ",
                        [](std::string* out, const HloInstructionProto::SliceDimensions& slice) {
                          absl::StrAppend(out, "[", slice.start(), ":", slice.limit());
                          if (slice.stride() != 1) absl::StrAppend(out, ":", slice.stride());
                          out->push_back(']');
                        }),
          "}");
    case Kind::kPadding: {
      const auto& dimensions = instruction.padding_config().dimensions();
      const bool has_interior =
          std::any_of(dimensions.begin(), dimensions.end(),
                      [](const auto& d) { return d.interior_padding() != 0; });
      return absl::StrJoin(
          dimensions, "x",
          [&](std::string* out, const xla::PaddingConfig::PaddingConfigDimension& d) {
            absl::StrAppend(out, d.edge_padding_low(), "_", d.edge_padding_high());
            if (has_interior) absl::StrAppend(out, "_", d.interior_padding());
          });
    }
    case Kind::kReplicas:
      return ReplicaGroupsText(instruction);
    case Kind::kPairs:
      return absl::StrCat("{",
                          absl::StrJoin(instruction.source_target_pairs(), ",",
                                        [](std::string* out, const xla::SourceTarget& pair) {
                                          absl::StrAppend(out, "{", pair.source(), ",",
                                                          pair.target(), "}");
                                        }),
                          "}");
    case Kind::kAliases:
      return absl::StrCat(
          "{",
          absl::StrJoin(instruction.output_operand_aliasing(), ", ",
                        [](std::string* out, const xla::OutputOperandAliasing& alias) {
                          absl::StrAppend(out, IndexText(alias.output_shape_index()), ": (",
                                          alias.operand_index(), ", ",
                                          IndexText(alias.operand_shape_index()), ")");
                        }),
          "}");
    case Kind::kComputation:
    case Kind::kComputations:
      break;
  }
  return absl::InternalError("computations are printed elsewhere");
}

std::string ComputationsText(const Row& row, const HloInstructionProto& instruction,
                             absl::FunctionRef<std::string(int64_t)> computation_name) {
  const auto& ids = instruction.called_computation_ids();
  if (row.kind == Kind::kComputation) {
    return row.index < ids.size() ? computation_name(ids[row.index]) : "";
  }
  return absl::StrCat("{",
                      absl::StrJoin(ids, ", ",
                                    [&](std::string* out, int64_t id) {
                                      absl::StrAppend(out, computation_name(id));
                                    }),
                      "}");
}

}  // namespace

absl::StatusOr<bool> ReadOpcodeAttribute(
    absl::string_view name, const absl::flat_hash_map<absl::string_view, int64_t>& computations,
    TextCursor* cursor, HloInstructionProto* instruction) {
  for (const Row& row : kRows) {
    if (row.name != name || !IsOf(row, instruction->opcode())) continue;
    if (row.kind == Kind::kComputation || row.kind == Kind::kComputations) {
      absl::Status status = ReadComputations(row, computations, cursor, instruction);
      if (!status.ok()) return status;
      return true;
    }
    const size_t begin = cursor->position();
    HloInstructionProto changed = *instruction;
    if (ReadField(row, cursor, &changed).ok()) {
      instruction->Swap(&changed);
      return true;
    }
    cursor->ReturnTo(begin);
    return false;
  }
  return false;
}

absl::Status AppendOpcodeAttributes(const HloInstructionProto& instruction,
                                    const xla::ShapeProto* first_operand,
                                    absl::FunctionRef<std::string(int64_t)> computation_name,
                                    std::string* text, std::set<int>* printed) {
  const bool is_predicate = first_operand != nullptr && first_operand->element_type() == xla::PRED;
  for (const Row& row : kRows) {
    if (!IsOf(row, instruction.opcode())) continue;
    const absl::string_view outer = *absl::StrSplit(row.field, '.').begin();
    printed->insert(FieldOf(instruction, outer)->number());
    if (row.kind == Kind::kReplicas) {
      printed->insert(HloInstructionProto::kCollectiveDeviceListFieldNumber);
      printed->insert(HloInstructionProto::kIotaCollectiveDeviceListFieldNumber);
      printed->insert(HloInstructionProto::kMeshAxesReplicaGroupListFieldNumber);
    }
    const auto& texts = instruction.text_attributes();
    const bool is_text = std::any_of(
        texts.begin(), texts.end(),
        [&](const xla::TextAttribute& attribute) { return attribute.name() == row.name; });
    if (is_text) continue;
    absl::StatusOr<std::string> value;
    if (row.kind == Kind::kComputation || row.kind == Kind::kComputations) {
      // A conditional on a predicate has two branches with names, one on an index has a list.
      if (instruction.opcode() == "conditional" &&
          is_predicate != (row.kind == Kind::kComputation)) {
        continue;
      }
      value = ComputationsText(row, instruction, computation_name);
    } else if (row.name == "type" && instruction.comparison_type() != "TOTALORDER") {
      continue;  // the default for the operands' type
    } else {
      value = ValueText(row, instruction);
    }
    if (!value.ok()) return value.status();
    if (!value->empty()) absl::StrAppend(text, ", ", row.name, "=", *value);
  }
  return absl::OkStatus();
}

}  // namespace callbridge::hlo
