#include "callbridge/adapters/plan_cache.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/types/span.h"
#include "callbridge/abi/site_descriptor.h"

namespace callbridge {
namespace {

void AppendLeafTypes(const Shape& shape, std::vector<PrimitiveType>& types) {
  for (const Shape* leaf : shape.Leaves()) types.push_back(leaf->element_type());
}

}  // namespace

PlanCache::~PlanCache() {
  for (Bucket& bucket : buckets_) {
    for (Node* node = bucket.load(std::memory_order_relaxed); node != nullptr;) {
      delete std::exchange(node, node->next);
    }
  }
}

absl::StatusOr<const SitePlan*> PlanCache::Find(absl::string_view tree) {
  const size_t hash = absl::Hash<absl::string_view>()(tree);
  Bucket& bucket = buckets_[hash % buckets_.size()];
  Node* const first = bucket.load(std::memory_order_acquire);
  for (const Node* node = first; node != nullptr; node = node->next) {
    if (node->hash == hash && node->tree == tree) return &node->plan;
  }
  absl::StatusOr<std::unique_ptr<Node>> made = MakeNode(hash, tree);
  if (!made.ok()) return made.status();
  // Two threads may make the same plan at once; both stay, and the later one is found.
  Node* node = made->release();
  node->next = first;
  while (!bucket.compare_exchange_weak(node->next, node, std::memory_order_acq_rel)) {
  }
  return &node->plan;
}

absl::StatusOr<std::unique_ptr<PlanCache::Node>> PlanCache::MakeNode(size_t hash,
                                                                     absl::string_view tree) const {
  absl::StatusOr<SiteDescriptor> site = DecodeSiteTree(tree);
  if (!site.ok()) return site.status();
  SitePlan plan{PlanCall(abi_, function_, site->operands, site->result, site->era), {}, {}};
  for (const Shape& operand : site->operands) AppendLeafTypes(operand, plan.operand_types);
  AppendLeafTypes(site->result, plan.result_types);
  return std::unique_ptr<Node>(new Node{hash, std::string(tree), std::move(plan), nullptr});
}

}  // namespace callbridge
