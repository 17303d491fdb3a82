#include "callbridge/adapters/untyped_to_untyped_entry.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/target_failure.h"

namespace callbridge {

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
