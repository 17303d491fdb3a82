// Typed handlers that register themselves, with state.
#include <cstdint>
#include <memory>

#include "callbridge/callbridge_ffi.h"
#include "tests/targets/on_each_platform.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

struct Counter {
  static ffi::TypeId id;
  int32_t count = 0;
};
ffi::TypeId Counter::id = {};
XLA_FFI_REGISTER_TYPE(callbridge_xla_ffi_api(), "Counter of typed_registered.cc", &Counter::id);

ffi::ErrorOr<std::unique_ptr<Counter>> MakeCounter() { return std::make_unique<Counter>(); }

ffi::Error Count(Counter* counter, ffi::Result<ffi::Buffer<ffi::S32>> count) {
  *count->typed_data() = ++counter->count;
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(kMakeCounter, MakeCounter, ffi::Ffi::BindInstantiate());
DEFINE_HANDLER_ON_EACH_PLATFORM(
    kCount, Count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>());

constexpr XLA_FFI_Handler_Bundle kCounter = {kMakeCounter, nullptr, nullptr, kCount, nullptr};
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "typed_counter", PLATFORM, kCounter);

}  // namespace
