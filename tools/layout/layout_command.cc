#include "callbridge/tools/layout/layout_command.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/tuple_layout.h"
#include "callbridge/tools/layout/layout_forms.h"
#include "callbridge/tools/layout/layout_plan.h"
#include "callbridge/tools/output_file.h"
#include "callbridge/tools/packed_elements.h"
#include "callbridge/tools/standard_files.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

using Json = nlohmann::ordered_json;

struct LayoutCall {
  std::vector<Shape> operands;
  std::optional<Shape> result;
  std::optional<TupleLayout> tuple_layout;
};

// Returns what the parser returned; an error's message gets the name of what was parsed.
template <typename T>
absl::StatusOr<T> Named(absl::string_view name, absl::StatusOr<T> value) {
  if (value.ok()) return value;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", value.status().message()));
}

absl::StatusOr<Shape> ReadShape(absl::string_view name, absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  if (shape.ok()) {
    if (absl::Status status = CheckElementSizes(*shape); !status.ok()) shape = status;
  }
  return Named(name, std::move(shape));
}

absl::StatusOr<LayoutCall> ReadCall(const LayoutOptions& options) {
  LayoutCall call;
  for (const std::string& text : options.operands) {
    absl::StatusOr<Shape> shape = ReadShape(absl::StrCat("SHAPE ", call.operands.size() + 1), text);
    if (!shape.ok()) return shape.status();
    call.operands.push_back(*std::move(shape));
  }
  if (options.result.has_value()) {
    absl::StatusOr<Shape> shape = ReadShape("--result", *options.result);
    if (!shape.ok()) return shape.status();
    call.result = *std::move(shape);
  }
  if (options.tuple_layout.has_value()) {
    const absl::StatusOr<TupleLayout> tuple_layout =
        Named("--tuple-layout", ParseTupleLayout(*options.tuple_layout));
    if (!tuple_layout.ok()) return tuple_layout.status();
    call.tuple_layout = *tuple_layout;
  }
  return call;
}

std::string TextOf(const std::vector<LayoutPlan>& plans) {
  std::string text;
  for (const LayoutPlan& plan : plans) {
    if (&plan != &plans.front()) absl::StrAppend(&text, "\n");
    absl::StrAppend(&text, plan.title, " (", plan.callers, ")\n", plan.signature, "\n\n",
                    DrawingOf(plan), "\n");
    for (const std::string& line : DeclarationsOf(plan)) absl::StrAppend(&text, line, "\n");
  }
  return text;
}

// Adds what the pointer points to.
void Describe(const LayoutSlot& slot, Json* json) {
  (*json)["name"] = slot.name;
  if (slot.shape != nullptr) (*json)["shape"] = ShapeText(*slot.shape);
  if (slot.table.has_value()) (*json)["table"] = *slot.table;
}

Json DescribeTable(const LayoutTable& table) {
  Json json = {{"name", table.name}, {"slots", Json::array()}};
  for (const LayoutSlot& slot : table.slots) {
    Json described = {{"offset", json["slots"].size() * kSlotBytes}};
    Describe(slot, &described);
    json["slots"].push_back(described);
  }
  return json;
}

Json DescribePlan(const LayoutPlan& plan) {
  Json json = {{"platform", plan.tuple_layouts.empty() ? "GPU" : "Host"},
               {"tuple_layouts", Json::array()}};
  for (const TupleLayout tuple_layout : plan.tuple_layouts)
    json["tuple_layouts"].push_back(std::string(TupleLayoutName(tuple_layout)));
  json["signature"] = plan.signature;
  json["parameters"] = Json::array();
  for (const LayoutParameter& parameter : plan.parameters) {
    Json described = {{"parameter", parameter.name}};
    Describe(parameter.slot, &described);
    json["parameters"].push_back(described);
  }
  json["tables"] = Json::array();
  for (const LayoutTable& table : plan.tables) json["tables"].push_back(DescribeTable(table));
  json["declarations"] = DeclarationsOf(plan);
  return json;
}

// Returns one object on one line: `layouts`, each with its parameters, tables and declarations.
// Refers to tables by their index in the list.
std::string JsonOf(absl::Span<const LayoutPlan> plans) {
  Json json = {{"layouts", Json::array()}};
  for (const LayoutPlan& plan : plans) json["layouts"].push_back(DescribePlan(plan));
  return json.dump() + "\n";
}

absl::Status WriteLayouts(const LayoutOptions& options, const std::vector<LayoutPlan>& plans) {
  if (options.svg_file == "-") return PrintToStandardOutput(SvgOf(plans));
  if (options.svg_file.has_value()) {
    if (absl::Status status = WriteFile(*options.svg_file, SvgOf(plans), ""); !status.ok()) {
      return status;
    }
  }
  return PrintToStandardOutput(options.json ? JsonOf(plans) : TextOf(plans));
}

}  // namespace

ExitStatus RunLayout(const LayoutOptions& options) {
  if (options.operands.empty() && !options.result.has_value()) {
    return UsageError("expected the SHAPE of an operand, or --result");
  }
  if (options.json && options.svg_file == "-") {
    return UsageError("--json and --svg - both write to standard output: expected one of them");
  }
  const absl::StatusOr<LayoutCall> call = ReadCall(options);
  if (!call.ok()) return UsageError(call.status().message());
  const Shape* result = call->result.has_value() ? &*call->result : nullptr;
  const absl::Status status =
      WriteLayouts(options, PlanLayouts(call->operands, result, call->tuple_layout));
  return status.ok() ? kSuccess : Failure(status);
}

}  // namespace callbridge
