// The builders that there are, so that an XlaOp whose builder is gone is an error and no crash.
#ifndef CALLBRIDGE_HLO_BUILDER_REGISTRY_H_
#define CALLBRIDGE_HLO_BUILDER_REGISTRY_H_

#include <thread>
#include <utility>
#include <vector>

#include "callbridge/hlo/xla_builder.h"

namespace callbridge::hlo {

// Thread-safe.
class BuilderRegistry {
 public:
  static BuilderRegistry& Get();

  void Add(const xla::XlaBuilder* builder);
  void Remove(const xla::XlaBuilder* builder);
  bool Has(const xla::XlaBuilder* builder);
  // The one that the calling thread made last, or null.
  const xla::XlaBuilder* Youngest();

 private:
  // The youngest last; under the TableLock.
  std::vector<std::pair<const xla::XlaBuilder*, std::thread::id>> builders_;
};

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_BUILDER_REGISTRY_H_
