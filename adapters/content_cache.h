// ContentCache: what was made of some bytes, found by those bytes.
#ifndef CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_
#define CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Grows by one value for each distinct content and never shrinks: values may be in use at any time.
// Thread-safe without locks.
template <typename Value>
class ContentCache {
 public:
  ContentCache() = default;
  ~ContentCache() {
    for (Bucket& bucket : buckets_) {
      for (Node* node = bucket.load(std::memory_order_relaxed); node != nullptr;) {
        delete std::exchange(node, node->next);
      }
    }
  }
  ContentCache(const ContentCache&) = delete;
  ContentCache& operator=(const ContentCache&) = delete;

  // The value of `content`, which lives as long as the cache; null where there is none. Hashes all
  // of the content, compares it once, and allocates nothing.
  Value* Find(absl::string_view content) const {
    const size_t hash = absl::Hash<absl::string_view>()(content);
    return Find(BucketOf(hash).load(std::memory_order_acquire), nullptr, hash, content);
  }

  // The same, where there may be none yet: then it becomes Value(arguments...). Of several threads
  // that add one content at once all get the same value.
  template <typename... Arguments>
  Value& Add(absl::string_view content, Arguments&&... arguments) {
    const size_t hash = absl::Hash<absl::string_view>()(content);
    Node* const node =
        new Node{hash, std::string(content), nullptr, Value(std::forward<Arguments>(arguments)...)};
    Bucket& bucket = BucketOf(hash);
    Node* searched = nullptr;
    Node* first = bucket.load(std::memory_order_acquire);
    do {
      // Others add in front of what has been searched.
      if (Value* const found = Find(first, searched, hash, content)) {
        delete node;
        return *found;
      }
      node->next = searched = first;
    } while (!bucket.compare_exchange_weak(first, node, std::memory_order_acq_rel,
                                           std::memory_order_acquire));
    return node->value;
  }

 private:
  struct Node {
    const size_t hash;
    const std::string content;
    Node* next;
    Value value;
  };
  using Bucket = std::atomic<Node*>;

  // Looks from `node` up to `end`.
  static Value* Find(Node* node, const Node* end, size_t hash, absl::string_view content) {
    for (; node != end; node = node->next) {
      if (node->hash == hash && node->content == content) return &node->value;
    }
    return nullptr;
  }
  Bucket& BucketOf(size_t hash) const { return buckets_[hash % buckets_.size()]; }

  mutable std::array<Bucket, 16> buckets_{};
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_
