// Registers an untyped target and a typed handler with the library that it is linked to.
#include <atomic>
#include <cstdint>
#include <memory>

#include "callbridge/legacy/custom_call_target_registry.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

struct Counter {
  static ffi::TypeId id;
  std::atomic<int32_t> count;
};
ffi::TypeId Counter::id = {};
const ffi::TypeInfo kCounterInfo = ffi::MakeTypeInfo<Counter>();
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "plugin.Counter", &Counter::id, &kCounterInfo);

ffi::ErrorOr<std::unique_ptr<Counter>> Start(int32_t start) {
  auto counter = std::make_unique<Counter>();
  counter->count = start;
  return counter;
}
XLA_FFI_DEFINE_HANDLER(kStart, Start,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("start"));

ffi::Error Count(ffi::Result<ffi::Buffer<ffi::S32>> count, int32_t, Counter* counter) {
  *count->typed_data() = counter->count++;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCount, Count,
                       ffi::Ffi::Bind()
                           .Ret<ffi::Buffer<ffi::S32>>()
                           .Attr<int32_t>("start")
                           .Ctx<ffi::State<Counter>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "count", "Host",
                         (XLA_FFI_Handler_Bundle{kStart, nullptr, nullptr, kCount, nullptr}));

void OnlyUntyped(void* out, const void**) { *static_cast<float*>(out) = 3; }
const bool registered = [] {
  xla::CustomCallTargetRegistry::Global()->Register("only_untyped",
                                                    reinterpret_cast<void*>(OnlyUntyped), "Host");
  return true;
}();

}  // namespace
