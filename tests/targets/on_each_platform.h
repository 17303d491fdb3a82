// Defines the targets of the Python tests for the platform that a library is built for: as they are
// for CPU, and with ON_GPU defined as GPU targets that compute the same
// (tests/gpu/targets/twins.h).
//
//   ON_EACH_PLATFORM("nested", Nested, "(a (b c)) d -> (difference other)");
//
// The form has a word for each array among the operands and the result, and parentheses around
// tuples, of which a GPU target gets the arrays alone. "!" at its end: the target throws.
#ifndef CALLBRIDGE_TESTS_TARGETS_ON_EACH_PLATFORM_H_
#define CALLBRIDGE_TESTS_TARGETS_ON_EACH_PLATFORM_H_

#include "xla/service/custom_call_target_registry.h"

#ifdef ON_GPU
#include "tests/gpu/targets/twins.h"
#define PLATFORM "CUDA"
#define TWIN(function, form) gpu::Twin<&(function)>::Of(form)
#define TYPED_TWIN(handler) &gpu::TypedTwin<&(handler)>::Call
#else
#define PLATFORM "Host"
#define TWIN(function, form) &(function)
#define TYPED_TWIN(handler) &(handler)
#endif

// The macro sees the function's type.
#define ON_EACH_PLATFORM(name, function, form) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, TWIN(function, form), PLATFORM)

// Nothing but its symbol tells the function's type, if anything does.
#define UNTOLD_ON_EACH_PLATFORM(name, function, form)                                           \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, reinterpret_cast<void*>(TWIN(function, form)), \
                                           PLATFORM)
#define HANDLER_ON_EACH_PLATFORM(name, handler)                                                \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, reinterpret_cast<void*>(TYPED_TWIN(handler)), \
                                           PLATFORM)

// XLA_FFI_DEFINE_HANDLER(), XLA_FFI_DEFINE_HANDLER_SYMBOL(), and a C function:
//
//   SYMBOL_ON_EACH_PLATFORM(plus_one, PlusOne, "x -> y", (void* out, const void** in), (out, in))
#ifdef ON_GPU
#define DEFINE_HANDLER_ON_EACH_PLATFORM(name, ...)     \
  XLA_FFI_DEFINE_HANDLER(name##_on_host, __VA_ARGS__); \
  static constexpr XLA_FFI_Handler* name = &gpu::TypedTwin<name##_on_host>::Call
#define SYMBOL_ON_EACH_PLATFORM(symbol, function, form, parameters, arguments)     \
  extern "C" __attribute__((visibility("default"))) void symbol(                   \
      CUstream stream, void** buffers, const char* opaque, size_t opaque_len,      \
      XlaCustomCallStatus* status) {                                               \
    gpu::Twin<&(function)>::Of(form);                                              \
    gpu::Twin<&(function)>::CallWith(stream, buffers, opaque, opaque_len, status); \
  }
#define HANDLER_SYMBOL_ON_EACH_PLATFORM(symbol, ...)                                               \
  XLA_FFI_DEFINE_HANDLER(symbol##_on_host, __VA_ARGS__);                                           \
  XLA_FFI_DECLARE_HANDLER_SYMBOL(symbol) { return gpu::CallOnHost(symbol##_on_host, call_frame); } \
  static_assert(true)
#else
#define DEFINE_HANDLER_ON_EACH_PLATFORM(name, ...) XLA_FFI_DEFINE_HANDLER(name, __VA_ARGS__)
#define SYMBOL_ON_EACH_PLATFORM(symbol, function, form, parameters, arguments) \
  extern "C" __attribute__((visibility("default"))) void symbol parameters { function arguments; }
#define HANDLER_SYMBOL_ON_EACH_PLATFORM(symbol, ...) \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(symbol, __VA_ARGS__)
#endif

#endif  // CALLBRIDGE_TESTS_TARGETS_ON_EACH_PLATFORM_H_
