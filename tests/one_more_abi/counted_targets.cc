// A library of functions of the ABI in target_abi.h, registered in each way that there is. Linked
// to nothing, as old libraries are.
#define CALLBRIDGE_MORE_ABIS "tests/one_more_abi/target_abi.h"

#include <cstdint>
#include <stdexcept>

#include "xla/service/custom_call_target_registry.h"

namespace {

constexpr int64_t kSize = 4;

// The sum of all arrays of f32[4] before the last one, into that.
int Sum(void** buffers, int64_t count) {
  auto* sum = static_cast<float*>(buffers[count - 1]);
  for (int64_t i = 0; i < kSize; ++i) {
    sum[i] = 0;
    for (int64_t k = 0; k + 1 < count; ++k) sum[i] += static_cast<const float*>(buffers[k])[i];
  }
  return 0;
}

// The number of buffers, into each of the last two.
int Count(void** buffers, int64_t count) {
  for (int64_t k = count - 2; k < count; ++k) {
    for (int64_t i = 0; i < kSize; ++i)
      static_cast<float*>(buffers[k])[i] = static_cast<float>(count);
  }
  return 0;
}

int Fail(void**, int64_t) { return 7; }

int Throw(void**, int64_t) { throw std::runtime_error("out of luck"); }

}  // namespace

// A name without a type.
extern "C" __attribute__((visibility("default"))) int counted_sum(void** buffers, int64_t count) {
  return Sum(buffers, count);
}

// The macro sees the type.
XLA_REGISTER_CUSTOM_CALL_TARGET(Sum, "Host");
// Nothing but the symbol has it.
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("Count", reinterpret_cast<void*>(&Count), "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("Fail", reinterpret_cast<void*>(&Fail), "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("Throw", reinterpret_cast<void*>(&Throw), "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("untold", reinterpret_cast<void*>(&counted_sum), "Host");
