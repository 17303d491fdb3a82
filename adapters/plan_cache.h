// PlanCache: the plans of one target's call sites, by the tree part of their site descriptors, so
// that a descriptor is decoded once and not once a call. Runtimes older than FFI state have no
// other place for it, and asking a newer one for state costs more than this look-up.
#ifndef CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_
#define CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/adapters/call_plan.h"

namespace callbridge {

struct SitePlan {
  CallPlan call;
  // The declared types of the leaves, in preorder.
  std::vector<PrimitiveType> operand_types;
  std::vector<PrimitiveType> result_types;
};

// Grows by one plan for each distinct tree and never shrinks: what programs call is finite, and a
// plan may be in use at any time. Thread-safe; finding a known tree takes no lock and allocates
// nothing.
class PlanCache {
 public:
  PlanCache(const UntypedAbi& abi, void* function) : abi_(abi), function_(function) {}
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // The plan for a descriptor's tree part (abi/site_descriptor.h); it lives as long as the cache.
  // INVALID_ARGUMENT where the tree is malformed.
  absl::StatusOr<const SitePlan*> Find(absl::string_view tree);

 private:
  struct Node {
    size_t hash;
    std::string tree;
    SitePlan plan;
    Node* next;
  };
  using Bucket = std::atomic<Node*>;

  absl::StatusOr<std::unique_ptr<Node>> MakeNode(size_t hash, absl::string_view tree) const;

  const UntypedAbi& abi_;
  void* const function_;
  std::array<Bucket, 16> buckets_{};
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_PLAN_CACHE_H_
