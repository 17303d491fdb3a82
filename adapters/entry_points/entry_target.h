// EntryTarget: what the entry points of one untyped target use.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_TARGET_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_TARGET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/content_cache.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

struct SitePlan {
  CallPlan call;
  // The declared types of the leaves, in preorder.
  std::vector<PrimitiveType> operand_types;
  std::vector<PrimitiveType> result_types;
};

// The plans of one target's call sites, by the tree part of their site descriptors, so that a
// descriptor is decoded once and not in every call. Runtimes older than FFI state have no other
// place for plans, and reading state from a newer runtime costs more than this look-up.
//
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

struct EntryTarget {
  EntryTarget(const Target& target, const UntypedAbi& abi);

  void* const function;
  const UntypedAbi::UntypedEntry untyped_entry;
  // That of the ABI, or one that also checks captured calls (recorded_call.h).
  const UntypedAbi::TypedEntry typed_entry;
  const std::string name;
  const std::shared_ptr<const void> library;  // never unloaded: runtimes keep entry points
  const UntypedAbi& abi;
  // For calls without a site descriptor.
  const CallPlan array_result;
  const CallPlan list_result;
  // For calls with one.
  PlanCache site_plans;
  // What `typed_entry` reports to XLA.
  const XLA_FFI_Handler_Traits traits;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_ENTRY_TARGET_H_
