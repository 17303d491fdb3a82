// EvictingCache: what was made of some bytes, found by those bytes, as long as there is room.
#ifndef CALLBRIDGE_ADAPTERS_EVICTING_CACHE_H_
#define CALLBRIDGE_ADAPTERS_EVICTING_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/content_table.h"

namespace callbridge {

// Has up to `capacity` values, and then evicts one for each that it adds: one that has not been
// looked up lately and that nobody holds, and where all are held it grows. Thread-safe; finds
// without a lock, as fast among many values as among few.
template <typename Value>
class EvictingCache {
 private:
  struct Node;

 public:
  explicit EvictingCache(size_t capacity) : capacity_(capacity) {}
  EvictingCache(const EvictingCache&) = delete;
  EvictingCache& operator=(const EvictingCache&) = delete;

  // A value, which is not evicted while this lives, or none. Must not outlive the cache.
  class Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    Held& operator=(Held&& other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~Held() {
      if (node_ != nullptr) node_->holders.fetch_sub(1, std::memory_order_release);
    }

    explicit operator bool() const { return node_ != nullptr; }
    Value& operator*() const { return *node_->value; }
    Value* operator->() const { return node_->value.get(); }

   private:
    friend class EvictingCache;
    explicit Held(Node* node) : node_(node) {}

    Node* node_ = nullptr;
  };

  // The value of `content`. While another thread adds, it may miss one that is there. Hashes all of
  // the content, compares it once, and allocates nothing.
  Held Find(absl::string_view content) const { return Find(Hash(content), content); }

  // The same, where there may be none yet: then it becomes Value(). Of several threads that add one
  // content at once all get the same value. An evicted value is destroyed on this thread, without
  // any lock.
  Held FindOrAdd(absl::string_view content) {
    const size_t hash = Hash(content);
    std::unique_ptr<Value> evicted;
    const TableLock lock;
    Held found = Find(hash, content);
    if (found) return found;
    std::string kept(content);
    auto value = std::make_unique<Value>();
    table_.Reserve();
    Node* node = nodes_.size() < capacity_ ? nullptr : Evict(evicted);
    if (node == nullptr) node = &nodes_.emplace_back();
    node->content = std::move(kept);
    node->value = std::move(value);
    // Added and not stored: who has come by the node is about to take back what it added.
    node->holders.fetch_add(1 - kEvicted, std::memory_order_release);
    table_.Insert(*node, hash);
    return Held(node);
  }

 private:
  // Holders of a node that has no value, or fewer than none.
  static constexpr int64_t kEvicted = INT64_MIN / 2;

  // Lives as long as the cache, for one value after the other.
  struct Node : ContentNode<Node> {
    bool Hold() {
      if (holders.fetch_add(1, std::memory_order_acquire) >= 0) return true;
      holders.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }

    std::atomic<int64_t> holders{kEvicted};
    std::atomic<bool> used_lately{false};
    // Must be held to be looked at.
    std::string content;
    std::unique_ptr<Value> value;
  };

  static size_t Hash(absl::string_view content) { return absl::Hash<absl::string_view>()(content); }

  Held Find(size_t hash, absl::string_view content) const {
    Node* const node = table_.Find(hash, [&](Node& candidate) {
      if (!candidate.Hold()) return false;
      if (candidate.content == content) return true;
      candidate.holders.fetch_sub(1, std::memory_order_release);
      return false;
    });
    if (node != nullptr && !node->used_lately.load(std::memory_order_relaxed)) {
      node->used_lately.store(true, std::memory_order_relaxed);
    }
    return Held(node);
  }

  // A node whose value was evicted into `evicted`; null where all that there are is held.
  Node* Evict(std::unique_ptr<Value>& evicted) {
    // In the second round none has been used lately, but for what is looked up meanwhile.
    for (size_t tried = 0; tried < 2 * nodes_.size(); ++tried) {
      Node& node = nodes_[next_tried_++ % nodes_.size()];
      if (node.used_lately.exchange(false, std::memory_order_relaxed)) continue;
      int64_t holders = 0;
      if (!node.holders.compare_exchange_strong(holders, kEvicted, std::memory_order_acq_rel)) {
        continue;
      }
      table_.Remove(node);
      evicted = std::move(node.value);
      return &node;
    }
    return nullptr;
  }

  const size_t capacity_;
  ContentTable<Node> table_;
  std::deque<Node> nodes_;
  size_t next_tried_ = 0;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_EVICTING_CACHE_H_
