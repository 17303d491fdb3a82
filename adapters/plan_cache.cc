#include "callbridge/adapters/plan_cache.h"

#include <utility>

#include "callbridge/abi/site_descriptor.h"

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

}  // namespace callbridge
