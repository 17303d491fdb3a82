// EntryTarget: what the entry points of one target use.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_TARGET_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_TARGET_H_

#include <memory>
#include <string>

#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/plan_cache.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

struct EntryTarget;

// Returns the function that serves EntryPoints::typed for `target`, an untyped one of `abi`: that
// of the ABI, or one that also checks captured calls (recorded_call.h).
UntypedAbi::TypedEntry TypedEntryFor(const Target& target, const UntypedAbi& abi);

struct EntryTarget {
  EntryTarget(const Target& target, const UntypedAbi& abi)
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

  void* const function;
  const UntypedAbi::UntypedEntry untyped_entry;
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

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_TARGET_H_
