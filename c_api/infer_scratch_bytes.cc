#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/target.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/mindspore_aot/aot_targets.h"

callbridge_error* callbridge_infer_scratch_bytes(const callbridge_target* target,
                                                 const callbridge_site* site, int64_t* bytes) {
  return callbridge::WithoutExceptions({{"target", target}, {"site", site}, {"bytes", bytes}}, [&] {
    absl::StatusOr<callbridge::Target> known = callbridge::FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<callbridge::CallSite> call_site = callbridge::FromC(*site, *known);
    if (!call_site.ok()) return call_site.status();
    absl::StatusOr<uint64_t> inferred =
        callbridge::mindspore_aot::InferScratchBytes(*known, *call_site);
    if (!inferred.ok()) return inferred.status();
    *bytes = static_cast<int64_t>(*inferred);
    return absl::OkStatus();
  });
}
