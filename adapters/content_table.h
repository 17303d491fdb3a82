// ContentTable: nodes by a hash of their content, found without a lock.
#ifndef CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_
#define CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace callbridge {

// What the table knows of a node. Derive from it.
template <typename Node>
struct ContentNode {
  std::atomic<size_t> hash{0};
  std::atomic<Node*> next{nullptr};  // in its bucket
};

// A hash table of chains, with at least as many buckets as nodes. Nodes are the owner's, and must
// live as long as the table, removed ones too: who searches may still look at them. Find() is
// thread-safe; changes must be made by one thread at a time.
template <typename Node>
class ContentTable {
 public:
  ContentTable() = default;
  ContentTable(const ContentTable&) = delete;
  ContentTable& operator=(const ContentTable&) = delete;

  // The first node of this hash for which matches(node); null where there is none. While another
  // thread changes the table it may miss one that is there, and come by one that is not, or not of
  // this hash any more, which `matches` must refuse.
  template <typename Matches>
  Node* Find(size_t hash, const Matches& matches) const {
    const Buckets& buckets = *buckets_.load(std::memory_order_acquire);
    Node* node = buckets.Of(hash).load(std::memory_order_acquire);
    for (; node != nullptr; node = node->next.load(std::memory_order_acquire)) {
      if (node->hash.load(std::memory_order_relaxed) == hash && matches(*node)) return node;
    }
    return nullptr;
  }

  // Allocates what one Insert() more needs.
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
  // After Reserve(). The node is in no table.
  void Insert(Node& node, size_t hash) {
    node.hash.store(hash, std::memory_order_relaxed);
    Link(*buckets_.load(std::memory_order_relaxed), node);
    ++size_;
  }
  // The node is in this table. May be inserted again.
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
  // Those of today, and smaller ones, in which someone may still search: no more than as many
  // again.
  std::vector<std::unique_ptr<Buckets>> outgrown_;
  size_t size_ = 0;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CONTENT_TABLE_H_
