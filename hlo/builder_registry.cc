#include "callbridge/hlo/builder_registry.h"

#include <algorithm>

#include "callbridge/abi/table_lock.h"

namespace callbridge::hlo {

BuilderRegistry& BuilderRegistry::Get() {
  const TableLock lock;
  // Never destroyed: builders may be static objects.
  static BuilderRegistry* const builders = new BuilderRegistry;
  return *builders;
}

void BuilderRegistry::Add(const xla::XlaBuilder* builder) {
  const TableLock lock;
  builders_.emplace_back(builder, std::this_thread::get_id());
}

void BuilderRegistry::Remove(const xla::XlaBuilder* builder) {
  const TableLock lock;
  const auto is_it = [builder](const auto& entry) { return entry.first == builder; };
  // From behind: builders of a scope go in the reverse of the order in which they came.
  const auto found = std::find_if(builders_.rbegin(), builders_.rend(), is_it);
  if (found != builders_.rend()) builders_.erase(std::next(found).base());
}

bool BuilderRegistry::Has(const xla::XlaBuilder* builder) {
  const TableLock lock;
  const auto is_it = [builder](const auto& entry) { return entry.first == builder; };
  return std::any_of(builders_.rbegin(), builders_.rend(), is_it);
}

const xla::XlaBuilder* BuilderRegistry::Youngest() {
  const TableLock lock;
  const auto is_mine = [](const auto& entry) { return entry.second == std::this_thread::get_id(); };
  const auto found = std::find_if(builders_.rbegin(), builders_.rend(), is_mine);
  return found == builders_.rend() ? nullptr : found->first;
}

}  // namespace callbridge::hlo
