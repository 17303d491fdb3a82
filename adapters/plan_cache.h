// PlanCache: the plans of one target's call sites, by the tree part of their site descriptors, so
// that a descriptor is decoded once and not in every call. Runtimes older than FFI state have no
// other place for plans, and reading state from a newer runtime costs more than this look-up.
#ifndef CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_
#define CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/content_cache.h"

namespace callbridge {

struct SitePlan {
  CallPlan call;
  // The declared types of the leaves, in preorder.
  std::vector<PrimitiveType> operand_types;
  std::vector<PrimitiveType> result_types;
};

// Thread-safe. Finding a known tree takes no lock and allocates nothing. Never shrinks: trees have
// no dimensions, so a program has few, and a plan has no state.
class PlanCache {
 public:
  PlanCache(const UntypedAbi& abi, void* function) : abi_(abi), function_(function) {}

  // Returns the plan for a descriptor's tree part (abi/site_descriptor.h), which lives as long as
  // the cache. Returns INVALID_ARGUMENT if the tree is malformed.
  absl::StatusOr<const SitePlan*> Find(absl::string_view tree);

 private:
  const UntypedAbi& abi_;
  void* const function_;
  ContentCache<SitePlan> plans_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_
