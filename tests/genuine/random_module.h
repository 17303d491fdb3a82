// Modules made by chance, whose custom calls are of tests/targets/described_calls.cc.
#ifndef CALLBRIDGE_TESTS_GENUINE_RANDOM_MODULE_H_
#define CALLBRIDGE_TESTS_GENUINE_RANDOM_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/shape.h"

namespace callbridge {

// The size of each leaf of each shape, in preorder.
std::vector<size_t> LeafSizes(const std::vector<xla::Shape>& shapes);

struct RandomModule {
  xla::HloModuleProto module;
  // Of each leaf of the parameters, in preorder.
  std::vector<std::string> operands;
};

// The same module for the same seed. Ends the process where the builder refuses what was built.
RandomModule MakeRandomModule(uint64_t seed);

// -> u64[2]: what the effects of the targets come to.
xla::HloModuleProto MakeEffectsModule();

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_GENUINE_RANDOM_MODULE_H_
