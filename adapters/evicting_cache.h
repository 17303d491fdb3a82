// EvictingCache: a limited number of values, by the bytes that they were made from.
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

// Holds up to `capacity` values. Beyond that it evicts one for each that it adds: one that was not
// looked up lately and is not held. It grows if all are held. Thread-safe. Finds without a lock,
// and as fast among many values as among few.
template <typename Value>
class EvictingCache {
 private:
  struct Node;

 public:
  explicit EvictingCache(size_t capacity) : capacity_(capacity) {}
  EvictingCache(const EvictingCache&) = delete;
  EvictingCache& operator=(const EvictingCache&) = delete;

  // A value, or none. The value is not evicted while this lives. Must not outlive the cache.
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

  // Returns the value of `content`, if there is one. May miss a value that another thread is
  // adding. Hashes all of the content, compares it once, and allocates nothing.
  Held Find(absl::string_view content) const { return Find(Hash(content), content); }

  // Returns the value of `content`, and adds Value() if there is none. Threads that add the same
  // content at once all get the same value. Destroys an evicted value on this thread, without
  // holding a lock.
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
    // Adds rather than stores, because a thread that found the node may be about to subtract what
    // it added.
    node->holders.fetch_add(1 - kEvicted, std::memory_order_release);
    table_.Insert(*node, hash);
    return Held(node);
  }

 private:
  // The holders of a node without a value are this number or little more, never as many as 0.
  static constexpr int64_t kEvicted = INT64_MIN / 2;

  // Lives as long as the cache, and holds one value after another.
  struct Node : ContentNode<Node> {
    bool Hold() {
      if (holders.fetch_add(1, std::memory_order_acquire) >= 0) return true;
      holders.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }

    std::atomic<int64_t> holders{kEvicted};
    std::atomic<bool> used_lately{false};
    // Read only while the node is held.
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

  // Moves a value into `evicted` and returns its node. Returns null if all nodes are held.
  Node* Evict(std::unique_ptr<Value>& evicted) {
    // In the second round no node was used lately, except by look-ups during this loop.
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
