// ContentCache: values by the bytes that they were made from.
#ifndef CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_
#define CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/content_table.h"

namespace callbridge {

// Adds one value for each distinct content and never removes one: values may be in use at any time.
// For a small number of values; EvictingCache is for more. Thread-safe. Finds without a lock, and
// as fast among many values as among few.
template <typename Value>
class ContentCache {
 public:
  ContentCache() = default;
  ContentCache(const ContentCache&) = delete;
  ContentCache& operator=(const ContentCache&) = delete;

  // Returns the value of `content`, which lives as long as the cache, or null if there is none. May
  // miss a value that another thread is adding. Hashes all of the content, compares it once, and
  // allocates nothing.
  Value* Find(absl::string_view content) const { return Find(Hash(content), content); }

  // Returns the value of `content`, and adds Value(arguments...) if there is none. Threads that add
  // the same content at once all get the same value.
  template <typename... Arguments>
  Value& Add(absl::string_view content, Arguments&&... arguments) {
    const size_t hash = Hash(content);
    const TableLock lock;
    if (Value* const found = Find(hash, content)) return *found;
    table_.Reserve();
    nodes_.emplace_back(content, Value(std::forward<Arguments>(arguments)...));
    table_.Insert(nodes_.back(), hash);
    return nodes_.back().value;
  }

 private:
  struct Node : ContentNode<Node> {
    Node(absl::string_view content, Value&& value) : content(content), value(std::move(value)) {}

    const std::string content;
    Value value;
  };

  static size_t Hash(absl::string_view content) { return absl::Hash<absl::string_view>()(content); }
  Value* Find(size_t hash, absl::string_view content) const {
    Node* const node =
        table_.Find(hash, [&](const Node& candidate) { return candidate.content == content; });
    return node != nullptr ? &node->value : nullptr;
  }

  ContentTable<Node> table_;
  std::deque<Node> nodes_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CONTENT_CACHE_H_
