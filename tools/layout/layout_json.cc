#include "callbridge/tools/layout/layout_json.h"

#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/layout_declarations.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string JsonOf(absl::Span<const LayoutPlan> plans) {
  Json json = {{"layouts", Json::array()}};
  for (const LayoutPlan& plan : plans) json["layouts"].push_back(DescribePlan(plan));
  return json.dump() + "\n";
}

}  // namespace callbridge
