#include "callbridge/adapters/entry_points/entry_target.h"

#include <utility>

#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_points/typed_to_untyped.h"

namespace callbridge {
namespace {

void AppendLeafTypes(const Shape& shape, std::vector<PrimitiveType>& types) {
  for (const Shape* leaf : shape.Leaves()) types.push_back(leaf->element_type());
}

}  // namespace

absl::StatusOr<const SitePlan*> PlanCache::Find(absl::string_view tree) {
  const SitePlan* const found = plans_.Find(tree);
  if (found != nullptr) return found;
  absl::StatusOr<SiteDescriptor> site = DecodeSiteTree(tree);
  if (!site.ok()) return site.status();
  SitePlan plan{
      PlanCall(abi_, function_, site->operands, site->result, site->tuple_layout), {}, {}};
  for (const Shape& operand : site->operands) AppendLeafTypes(operand, plan.operand_types);
  AppendLeafTypes(site->result, plan.result_types);
  return &plans_.Add(tree, std::move(plan));
}

EntryTarget::EntryTarget(const Target& target, const UntypedAbi& abi)
    : function(target.address),
      untyped_entry(abi.untyped_entry),
      typed_entry(TypedEntryFor(target, abi)),
      name(target.name),
      library(target.library),
      abi(abi),
      array_result{abi.run_array_result, target.address, {}, {}},
      list_result{abi.run_list_result, target.address, {}, {}},
      site_plans(abi, target.address),
      traits(target.traits) {}

}  // namespace callbridge
