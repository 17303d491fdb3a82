#include "callbridge/adapters/untyped_to_untyped_entry.h"

namespace callbridge {

absl::Status CallDescribed(EntryTarget& entry, void* first, void** pointers,
                           absl::string_view descriptor) {
  absl::StatusOr<SiteDescriptorParts> parts = SplitSiteDescriptor(descriptor);
  if (!parts.ok()) return parts.status();
  // GPU lists are flat whatever the trees.
  if (entry.abi.gpu) return entry.abi.call(entry.function, first, pointers, parts->opaque);

  absl::StatusOr<const SitePlan*> site = entry.site_plans.Find(parts->tree);
  if (!site.ok()) return site.status();
  const CallPlan& plan = (*site)->call;
  // The runtime was told of flat results: a lone leaf is an array to it, whatever tuple it stands
  // in.
  const size_t results = plan.result.leaf_count();
  CallBuffers buffers{{pointers, plan.operands.leaf_count()},
                      {results == 1 ? &first : static_cast<void**>(first), results}};
  return plan.run(plan, parts->opaque, buffers, {});
}

}  // namespace callbridge
