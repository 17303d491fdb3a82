// ContentTable: a hash table of nodes, searched without a lock.
#ifndef CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_
#define CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace callbridge {

// The base class of nodes: what the table stores in them.
template <typename Node>
struct ContentNode {
  std::atomic<size_t> hash{0};
  std::atomic<Node*> next{nullptr};  // in its bucket
};

// A hash table with chains and at least as many buckets as nodes. The owner keeps the nodes alive
// as long as the table, removed ones too, because a search may still look at them. Find() is
// thread-safe; only one thread at a time may change the table.
template <typename Node>
class ContentTable {
 public:
  ContentTable() = default;
  ContentTable(const ContentTable&) = delete;
  ContentTable& operator=(const ContentTable&) = delete;

  // Returns the first node of this hash for which matches(node) is true, or null. While another
  // thread changes the table, it may miss a node, and may call `matches` with one that was removed
  // or whose hash has changed, which `matches` must refuse.
  template <typename Matches>
  Node* Find(size_t hash, const Matches& matches) const {
    const Buckets& buckets = *buckets_.load(std::memory_order_acquire);
    Node* node = buckets.Of(hash).load(std::memory_order_acquire);
    for (; node != nullptr; node = node->next.load(std::memory_order_acquire)) {
      if (node->hash.load(std::memory_order_relaxed) == hash && matches(*node)) return node;
    }
    return nullptr;
  }

  // Allocates what the next Insert() needs.
  void Reserve() {
    const Buckets& old = *buckets_.load(std::memory_order_relaxed);
    if (size_ <= old.mask) return;
    outgrown_.reserve(outgrown_.size() + 1);
    auto grown = std::make_unique<Buckets>();
    grown->mask = 2 * old.mask + 1;
    grown->allocated.reset(new Bucket[grown->mask + 1]());
    grown->heads = grown->allocated.get();
    for (size_t i = 0; i <= old.mask; ++i) {
      Node* node = old.heads[i].load(std::memory_order_relaxed);
      while (node != nullptr) {
        Node* const next = node->next.load(std::memory_order_relaxed);
        Link(*grown, *node);
        node = next;
      }
    }
    buckets_.store(grown.get(), std::memory_order_release);
    outgrown_.push_back(std::move(grown));
  }
  // Call Reserve() first. The node must not be in a table.
  void Insert(Node& node, size_t hash) {
    node.hash.store(hash, std::memory_order_relaxed);
    Link(*buckets_.load(std::memory_order_relaxed), node);
    ++size_;
  }
  // The node must be in this table. It may be inserted again.
  void Remove(Node& node) {
    const Buckets& buckets = *buckets_.load(std::memory_order_relaxed);
    std::atomic<Node*>* link = &buckets.Of(node.hash.load(std::memory_order_relaxed));
    while (Node* linked = link->load(std::memory_order_relaxed)) {
      if (linked == &node) break;
      link = &linked->next;
    }
    link->store(node.next.load(std::memory_order_relaxed), std::memory_order_release);
    --size_;
  }

 private:
  using Bucket = std::atomic<Node*>;
  struct Buckets {
    Bucket& Of(size_t hash) const { return heads[hash & mask]; }

    size_t mask;  // their number, a power of two, less one
    Bucket* heads;
    std::unique_ptr<Bucket[]> allocated;
  };

  static void Link(const Buckets& buckets, Node& node) {
    Bucket& bucket = buckets.Of(node.hash.load(std::memory_order_relaxed));
    node.next.store(bucket.load(std::memory_order_relaxed), std::memory_order_release);
    bucket.store(&node, std::memory_order_release);
  }

  // Most tables hold a node or two.
  std::array<Bucket, 8> first_heads_{};
  Buckets first_{first_heads_.size() - 1, first_heads_.data(), nullptr};
  std::atomic<const Buckets*> buckets_{&first_};
  // Today's buckets and all smaller ones, which a thread may still be searching. The smaller ones
  // together have no more buckets than today's.
  std::vector<std::unique_ptr<Buckets>> outgrown_;
  size_t size_ = 0;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_
