#include "callbridge/adapters/entry_points/untyped_to_untyped.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/failure_status.h"

namespace callbridge {

absl::Status CallDescribed(EntryTarget& entry, void* first, void** pointers,
                           absl::string_view descriptor) {
  absl::StatusOr<SiteDescriptorParts> parts = SplitSiteDescriptor(descriptor);
  if (!parts.ok()) return parts.status();
  // GPU lists are flat whatever the trees.
  if (entry.abi.is_gpu()) {
    return entry.abi.call_on_gpu(entry.function, first, pointers, parts->opaque);
  }

  absl::StatusOr<const SitePlan*> site = entry.site_plans.Find(parts->tree);
  if (!site.ok()) return site.status();
  const CallPlan& plan = (*site)->call;
  // The runtime passes flat results, so a lone leaf is a pointer to an array, whatever tuple it is
  // in.
  const uint32_t results = plan.result.leaf_count();
  return plan.run(plan, parts->opaque, pointers, results == 1 ? &first : static_cast<void**>(first),
                  {});
}

void ReportFailure(const absl::Status& error, const EntryTarget& entry,
                   XlaCustomCallStatus* status) {
  const absl::string_view message =
      entry.abi.is_gpu() ? MessageForCustomCallFailed(error) : error.message();
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}

void CallUntypedByDescriptor(void* first, void** pointers, const char* opaque, size_t opaque_len,
                             XlaCustomCallStatus* status, EntryTarget& entry) {
  const absl::Status result =
      IsSiteDescriptor(opaque, opaque_len)
          ? RequiringThread([&] {
              return CallDescribed(entry, first, pointers, {opaque, opaque_len});
            })
          : absl::InvalidArgumentError(absl::StrCat(
                "custom call \"", entry.name, "\" has the ABI ", entry.abi.row.name,
                ", whose functions get the numbers of operands and results, so the call's opaque "
                "must describe the call site: pass the bytes of callbridge_site_encode"));
  if (!result.ok()) ReportFailure(result, entry, status);
}

}  // namespace callbridge
