// Windows, dimension labels and shardings in HLO text.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "callbridge/hlo/hlo_text_attributes.h"

namespace callbridge::hlo {
namespace {

using xla::ConvolutionDimensionNumbers;
using xla::Window;
using xla::WindowDimension;

// A field of WindowDimension. The text omits it if all dimensions have the default value `usual`.
struct WindowField {
  absl::string_view name;
  int64_t usual;
  int64_t (*get)(const WindowDimension&);
  void (*set)(int64_t, WindowDimension*);
};

constexpr WindowField kWindowFields[] = {
    {"stride", 1, [](const WindowDimension& d) { return d.stride(); },
     [](int64_t value, WindowDimension* d) { d->set_stride(value); }},
    {"lhs_dilate", 1, [](const WindowDimension& d) { return d.base_dilation(); },
     [](int64_t value, WindowDimension* d) { d->set_base_dilation(value); }},
    {"rhs_dilate", 1, [](const WindowDimension& d) { return d.window_dilation(); },
     [](int64_t value, WindowDimension* d) { d->set_window_dilation(value); }},
    {"rhs_reversal", 0, [](const WindowDimension& d) { return int64_t{d.window_reversal()}; },
     [](int64_t value, WindowDimension* d) { d->set_window_reversal(value != 0); }},
};
constexpr absl::string_view kPadding = "pad";

void AppendPadding(const Window& window, std::string* text) {
  bool any = false;
  for (const WindowDimension& d : window.dimensions()) {
    any = any || d.padding_low() != 0 || d.padding_high() != 0;
  }
  if (!any) return;
  absl::StrAppend(
      text, " ", kPadding, "=",
      absl::StrJoin(window.dimensions(), "x", [](std::string* out, const WindowDimension& d) {
        absl::StrAppend(out, d.padding_low(), "_", d.padding_high());
      }));
}

absl::Status SetNumbers(const WindowField& field, const std::vector<absl::string_view>& texts,
                        Window* window) {
  for (size_t i = 0; i < texts.size(); ++i) {
    int64_t value;
    if (!absl::SimpleAtoi(texts[i], &value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected whole numbers with \"x\" between them for ", field.name));
    }
    field.set(value, window->mutable_dimensions(static_cast<int>(i)));
  }
  return absl::OkStatus();
}

absl::Status SetPadding(const std::vector<absl::string_view>& texts, Window* window) {
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(texts[i], absl::MaxSplits('_', 1));
    int64_t low, high;
    if (!absl::SimpleAtoi(sides.first, &low) || !absl::SimpleAtoi(sides.second, &high)) {
      return absl::InvalidArgumentError("expected LOW_HIGH with \"x\" between them for pad");
    }
    WindowDimension* dimension = window->mutable_dimensions(static_cast<int>(i));
    dimension->set_padding_low(low);
    dimension->set_padding_high(high);
  }
  return absl::OkStatus();
}

absl::Status SetField(absl::string_view name, const std::vector<absl::string_view>& texts,
                      Window* window) {
  if (static_cast<int>(texts.size()) != window->dimensions_size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", name, " of ",
                                                   window->dimensions_size(),
                                                   " dimensions, as size has, got ", texts.size()));
  }
  if (name == kPadding) return SetPadding(texts, window);
  for (const WindowField& field : kWindowFields) {
    if (field.name == name) return SetNumbers(field, texts, window);
  }
  return absl::InvalidArgumentError(
      "expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
}

absl::Status SetSizes(const std::vector<absl::string_view>& texts, Window* window) {
  for (absl::string_view text : texts) {
    WindowDimension* dimension = window->add_dimensions();
    for (const WindowField& field : kWindowFields) field.set(field.usual, dimension);
    int64_t size;
    if (!absl::SimpleAtoi(text, &size)) {
      return absl::InvalidArgumentError("expected whole numbers with \"x\" between them for size");
    }
    dimension->set_size(size);
  }
  return absl::OkStatus();
}

// One of the three parts of dimension labels: two dimensions with a letter, the others with a
// number.
struct Labels {
  int64_t first, second;
  std::vector<int64_t> spatial;
};

absl::Status AppendLabels(const Labels& labels, char first, char second, std::string* text) {
  constexpr size_t kDigits = 10;
  // XLA writes "?" for a dimension that has no label.
  int64_t last = std::max(labels.first, labels.second);
  for (int64_t dimension : labels.spatial) last = std::max(last, dimension);
  constexpr int64_t kMostDimensions = 64;
  const size_t rank = static_cast<size_t>(std::clamp<int64_t>(last + 1, 0, kMostDimensions));
  std::string part(rank, '?');
  bool fits = labels.spatial.size() <= kDigits;
  const auto put = [&](int64_t dimension, char label) {
    fits =
        fits && dimension >= 0 && dimension < static_cast<int64_t>(rank) && part[dimension] == '?';
    if (fits) part[dimension] = label;
  };
  put(labels.first, first);
  put(labels.second, second);
  for (size_t i = 0; i < labels.spatial.size(); ++i) {
    put(labels.spatial[i], static_cast<char>('0' + i));
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected dimension numbers from 0 to ", kMostDimensions - 1,
                     ", once each, of which at most ", kDigits, " are spatial"));
  }
  absl::StrAppend(text, part);
  return absl::OkStatus();
}

// The inverse of AppendLabels(). Returns false if `part` is invalid.
bool ParseLabels(absl::string_view part, char first, char second, Labels* labels) {
  if (part.size() < 2) return false;
  labels->spatial.assign(part.size() - 2, -1);
  labels->first = labels->second = -1;
  for (size_t i = 0; i < part.size(); ++i) {
    const size_t digit = static_cast<size_t>(part[i] - '0');
    int64_t* dimension = nullptr;
    if (part[i] == first) {
      dimension = &labels->first;
    } else if (part[i] == second) {
      dimension = &labels->second;
    } else if (part[i] >= '0' && part[i] <= '9' && digit < labels->spatial.size()) {
      dimension = &labels->spatial[digit];
    }
    if (dimension == nullptr || *dimension != -1) return false;
    *dimension = static_cast<int64_t>(i);
  }
  return true;
}

}  // namespace

std::string WindowText(const Window& window) {
  std::string text = "{";
  if (window.dimensions_size() != 0) {
    absl::StrAppend(
        &text, "size=",
        absl::StrJoin(window.dimensions(), "x", [](std::string* out, const WindowDimension& d) {
          absl::StrAppend(out, d.size());
        }));
  }
  for (const WindowField& field : kWindowFields) {
    // XLA has it after the strides.
    if (&field == &kWindowFields[1]) AppendPadding(window, &text);
    bool any = false;
    for (const WindowDimension& d : window.dimensions()) any = any || field.get(d) != field.usual;
    if (!any) continue;
    absl::StrAppend(
        &text, " ", field.name, "=",
        absl::StrJoin(window.dimensions(), "x", [&](std::string* out, const WindowDimension& d) {
          absl::StrAppend(out, field.get(d));
        }));
  }
  return absl::StrCat(text, "}");
}

absl::StatusOr<Window> ReadWindow(TextCursor* cursor) {
  Window window;
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  while (!cursor->Consume("}")) {
    const size_t begin = cursor->position();
    const absl::string_view name = cursor->ReadWord();
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    const std::vector<absl::string_view> texts = absl::StrSplit(cursor->ReadUntil(" }\t\r\n"), 'x');
    const bool is_size = name == "size" && window.dimensions_size() == 0;
    absl::Status status = is_size ? SetSizes(texts, &window) : SetField(name, texts, &window);
    if (!status.ok()) return cursor->InvalidAt(begin, status.message());
  }
  return window;
}

absl::StatusOr<std::string> DimLabelsText(const ConvolutionDimensionNumbers& numbers) {
  const auto spatial = [](const auto& field) {
    return std::vector<int64_t>(field.begin(), field.end());
  };
  const Labels input = {numbers.input_batch_dimension(), numbers.input_feature_dimension(),
                        spatial(numbers.input_spatial_dimensions())};
  const Labels kernel = {numbers.kernel_input_feature_dimension(),
                         numbers.kernel_output_feature_dimension(),
                         spatial(numbers.kernel_spatial_dimensions())};
  const Labels output = {numbers.output_batch_dimension(), numbers.output_feature_dimension(),
                         spatial(numbers.output_spatial_dimensions())};
  std::string text;
  absl::Status status = AppendLabels(input, 'b', 'f', &text);
  absl::StrAppend(&text, "_");
  if (status.ok()) status = AppendLabels(kernel, 'i', 'o', &text);
  absl::StrAppend(&text, "->");
  if (status.ok()) status = AppendLabels(output, 'b', 'f', &text);
  if (!status.ok()) return status;
  return text;
}

absl::StatusOr<ConvolutionDimensionNumbers> ReadDimLabels(TextCursor* cursor) {
  const size_t begin = cursor->position();
  const absl::string_view text = cursor->ReadUntil(",)} \t\r\n");
  if (absl::StrContains(text, '?')) {
    return cursor->UnimplementedAt(begin, "no field says how many dimensions have no label");
  }
  const std::vector<absl::string_view> sides = absl::StrSplit(text, absl::MaxSplits("->", 1));
  const std::vector<absl::string_view> operands =
      absl::StrSplit(sides.front(), absl::MaxSplits('_', 1));
  Labels input, kernel, output;
  if (sides.size() != 2 || operands.size() != 2 || !ParseLabels(operands[0], 'b', 'f', &input) ||
      !ParseLabels(operands[1], 'i', 'o', &kernel) || !ParseLabels(sides[1], 'b', 'f', &output)) {
    return cursor->InvalidAt(begin, "expected dimension labels, such as b01f_01io->b01f");
  }
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(input.first);
  numbers.set_input_feature_dimension(input.second);
  for (int64_t i : input.spatial) numbers.add_input_spatial_dimensions(i);
  numbers.set_kernel_input_feature_dimension(kernel.first);
  numbers.set_kernel_output_feature_dimension(kernel.second);
  for (int64_t i : kernel.spatial) numbers.add_kernel_spatial_dimensions(i);
  numbers.set_output_batch_dimension(output.first);
  numbers.set_output_feature_dimension(output.second);
  for (int64_t i : output.spatial) numbers.add_output_spatial_dimensions(i);
  return numbers;
}

// ---- Shardings ----------------------------------------------------------------------------------

namespace {

using xla::OpSharding;

constexpr absl::string_view kReplicateLast = "last_tile_dim_replicate";

// The names of the kinds that last_tile_dims may hold.
constexpr std::pair<absl::string_view, OpSharding::Type> kLastTileDims[] = {
    {"manual", OpSharding::MANUAL},
    {"maximal", OpSharding::MAXIMAL},
    {"replicated", OpSharding::REPLICATED},
    {"unknown", OpSharding::UNKNOWN},
};

absl::string_view GroupName(OpSharding::ShardGroupType type) {
  return type == OpSharding::LIKE ? "shard_like" : "shard_as";
}

absl::StatusOr<std::string> DevicesText(const OpSharding& sharding) {
  std::string text =
      absl::StrCat("devices=[", absl::StrJoin(sharding.tile_assignment_dimensions(), ","), "]");
  if (sharding.iota_reshape_dims_size() != 0) {
    absl::StrAppend(&text, "<=[", absl::StrJoin(sharding.iota_reshape_dims(), ","), "]");
    if (sharding.iota_reshape_dims_size() > 1) {
      absl::StrAppend(&text, "T(", absl::StrJoin(sharding.iota_transpose_perm(), ","), ")");
    }
  } else if (sharding.tile_assignment_devices_size() != 0) {
    absl::StrAppend(&text, absl::StrJoin(sharding.tile_assignment_devices(), ","));
  } else {
    return absl::UnimplementedError(
        "a sharding over several devices that does not say which; write the module as a proto");
  }
  if (sharding.replicate_on_last_tile_dim()) absl::StrAppend(&text, " ", kReplicateLast);
  if (sharding.last_tile_dims_size() == 0) return text;
  std::vector<absl::string_view> kinds;
  for (int type : sharding.last_tile_dims()) {
    for (const auto& [name, kind] : kLastTileDims) {
      if (kind == type) kinds.push_back(name);
    }
  }
  return absl::StrCat(text, " last_tile_dims={", absl::StrJoin(kinds, ", "), "}");
}

// Returns the sharding without its braces, group and metadata.
absl::StatusOr<std::string> KindText(const OpSharding& sharding) {
  switch (sharding.type()) {
    case OpSharding::REPLICATED:
      return std::string("replicated");
    case OpSharding::MANUAL:
      return std::string("manual");
    case OpSharding::UNKNOWN:
      return std::string("unknown");
    case OpSharding::MAXIMAL:
      if (sharding.tile_assignment_devices_size() != 1) break;
      return absl::StrCat("maximal device=", sharding.tile_assignment_devices(0));
    case OpSharding::OTHER:
      return DevicesText(sharding);
    default:
      break;
  }
  return absl::UnimplementedError(
      "a sharding over several devices that does not say which; write the module as a proto");
}

absl::StatusOr<std::string> OneShardingText(const OpSharding& sharding) {
  absl::StatusOr<std::string> kind = KindText(sharding);
  if (!kind.ok()) return kind;
  std::string text = absl::StrCat("{", *kind);
  if (sharding.is_shard_group()) {
    absl::StrAppend(&text, " ", GroupName(sharding.shard_group_type()), " ",
                    sharding.shard_group_id());
  }
  if (sharding.metadata_size() == 1) {
    absl::StrAppend(&text, " metadata={", MetadataText(sharding.metadata(0)), "}");
  } else if (sharding.metadata_size() > 1) {
    absl::StrAppend(&text, " metadata={",
                    absl::StrJoin(sharding.metadata(), ", ",
                                  [](std::string* out, const xla::OpMetadata& metadata) {
                                    absl::StrAppend(out, "{", MetadataText(metadata), "}");
                                  }),
                    "}");
  }
  return absl::StrCat(text, "}");
}

// Reads what may follow the kind: "shard_as 0 metadata={op_name="a"}".
absl::Status ReadGroupAndMetadata(TextCursor* cursor, OpSharding* sharding) {
  for (const OpSharding::ShardGroupType type : {OpSharding::AS, OpSharding::LIKE}) {
    if (!cursor->Consume(GroupName(type))) continue;
    absl::StatusOr<int64_t> id = cursor->ReadInteger("the number of a group");
    if (!id.ok()) return id.status();
    sharding->set_is_shard_group(true);
    sharding->set_shard_group_type(type);
    sharding->set_shard_group_id(*id);
  }
  if (!cursor->Consume("metadata=")) return absl::OkStatus();
  const size_t begin = cursor->position();
  if (cursor->Consume("{") && cursor->Peek("{")) {
    do {
      absl::Status status = ReadMetadata(cursor, sharding->add_metadata());
      if (!status.ok()) return status;
    } while (cursor->Consume(","));
    return cursor->Expect("}");
  }
  cursor->ReturnTo(begin);
  return ReadMetadata(cursor, sharding->add_metadata());
}

// Reads what follows "<=": "[2,4]T(1,0)".
absl::Status ReadIota(TextCursor* cursor, OpSharding* sharding) {
  if (absl::Status status = cursor->Expect("["); !status.ok()) return status;
  do {
    absl::StatusOr<int64_t> size = cursor->ReadInteger("a number of devices");
    if (!size.ok()) return size.status();
    sharding->add_iota_reshape_dims(*size);
  } while (cursor->Consume(","));
  if (absl::Status status = cursor->Expect("]"); !status.ok()) return status;
  if (!cursor->Consume("T(")) {
    for (int i = 0; i < sharding->iota_reshape_dims_size(); ++i) {
      sharding->add_iota_transpose_perm(i);
    }
    return absl::OkStatus();
  }
  do {
    absl::StatusOr<int64_t> dimension = cursor->ReadInteger("the number of a dimension");
    if (!dimension.ok()) return dimension.status();
    sharding->add_iota_transpose_perm(static_cast<int32_t>(*dimension));
  } while (cursor->Consume(","));
  return cursor->Expect(")");
}

// Reads what follows "devices=", up to the closing brace.
absl::Status ReadDevices(TextCursor* cursor, OpSharding* sharding) {
  sharding->set_type(OpSharding::OTHER);
  if (absl::Status status = cursor->Expect("["); !status.ok()) return status;
  do {
    absl::StatusOr<int64_t> dimension = cursor->ReadInteger("a number of devices");
    if (!dimension.ok()) return dimension.status();
    sharding->add_tile_assignment_dimensions(*dimension);
  } while (cursor->Consume(","));
  if (absl::Status status = cursor->Expect("]"); !status.ok()) return status;
  if (cursor->Consume("<=")) {
    if (absl::Status status = ReadIota(cursor, sharding); !status.ok()) return status;
  } else {
    do {
      absl::StatusOr<int64_t> device = cursor->ReadInteger("the number of a device");
      if (!device.ok()) return device.status();
      sharding->add_tile_assignment_devices(*device);
    } while (cursor->Consume(","));
  }
  if (cursor->Consume(kReplicateLast)) sharding->set_replicate_on_last_tile_dim(true);
  if (!cursor->Consume("last_tile_dims=")) return absl::OkStatus();
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  do {
    const absl::string_view word = cursor->PeekWord();
    const auto* found = std::find_if(std::begin(kLastTileDims), std::end(kLastTileDims),
                                     [&](const auto& row) { return row.first == word; });
    if (found == std::end(kLastTileDims)) {
      return cursor->Expected("manual, maximal, replicated or unknown");
    }
    cursor->ReadWord();
    sharding->add_last_tile_dims(found->second);
  } while (cursor->Consume(","));
  return cursor->Expect("}");
}

// Reads what follows the opening brace.
absl::Status ReadOneSharding(TextCursor* cursor, OpSharding* sharding) {
  const size_t begin = cursor->position();
  const absl::string_view kind = cursor->ReadWord();
  if (kind == "replicated") {
    sharding->set_type(OpSharding::REPLICATED);
  } else if (kind == "manual") {
    sharding->set_type(OpSharding::MANUAL);
  } else if (kind == "unknown") {
    sharding->set_type(OpSharding::UNKNOWN);
  } else if (kind == "maximal") {
    sharding->set_type(OpSharding::MAXIMAL);
    if (absl::Status status = cursor->Expect("device"); !status.ok()) return status;
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    absl::StatusOr<int64_t> device = cursor->ReadInteger("the number of a device");
    if (!device.ok()) return device.status();
    sharding->add_tile_assignment_dimensions(1);
    sharding->add_tile_assignment_devices(*device);
  } else if (kind == "devices") {
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    if (absl::Status status = ReadDevices(cursor, sharding); !status.ok()) return status;
  } else {
    return cursor->UnimplementedAt(begin, absl::StrCat("no field expresses the sharding ", kind));
  }
  if (absl::Status status = ReadGroupAndMetadata(cursor, sharding); !status.ok()) return status;
  return cursor->Expect("}");
}

}  // namespace

absl::StatusOr<std::string> ShardingText(const OpSharding& sharding) {
  if (sharding.type() != OpSharding::TUPLE) return OneShardingText(sharding);
  std::string text = "{";
  for (const OpSharding& element : sharding.tuple_shardings()) {
    absl::StatusOr<std::string> one = OneShardingText(element);
    if (!one.ok()) return one;
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", *one);
  }
  return absl::StrCat(text, "}");
}

absl::StatusOr<OpSharding> ReadSharding(TextCursor* cursor) {
  OpSharding sharding;
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  if (!cursor->Peek("{") && !cursor->Peek("}")) {
    if (absl::Status status = ReadOneSharding(cursor, &sharding); !status.ok()) return status;
    return sharding;
  }
  sharding.set_type(OpSharding::TUPLE);
  if (cursor->Consume("}")) return sharding;
  do {
    if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
    absl::Status status = ReadOneSharding(cursor, sharding.add_tuple_shardings());
    if (!status.ok()) return status;
  } while (cursor->Consume(","));
  if (absl::Status status = cursor->Expect("}"); !status.ok()) return status;
  return sharding;
}

}  // namespace callbridge::hlo
