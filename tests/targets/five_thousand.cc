// An old binary with 5,000 targets, each of which returns its number.
#include <string>
#include <utility>

#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

template <size_t number>
void return_number(void* out, const void**) {
  *static_cast<int*>(out) = number;
}

template <size_t... numbers>
static bool RegisterAll(std::index_sequence<numbers...>) {
  void* const functions[] = {reinterpret_cast<void*>(return_number<numbers>)...};
  for (size_t i = 0; i < sizeof...(numbers); ++i) {
    xla::CustomCallTargetRegistry::Global()->Register("return_" + std::to_string(i), functions[i],
                                                      "Host");
  }
  return true;
}

static const bool registered = RegisterAll(std::make_index_sequence<5000>());
