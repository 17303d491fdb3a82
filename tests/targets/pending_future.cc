// A typed handler that returns a future, and leaves it to its caller when that is completed. It has
// state, which ends in this library's code. Registers itself with callbridge.
#include <cstdint>
#include <memory>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

// How the caller completes a future.
struct Completer {
  void (*complete)(void* promise);
  void* promise;
};

struct Ended {
  static ffi::TypeId id;
  explicit Ended(int64_t address) : count(reinterpret_cast<int*>(address)) {}
  ~Ended() { ++*count; }

  int* const count;
};
ffi::TypeId Ended::id = {};
const ffi::TypeInfo kEndedInfo = ffi::MakeTypeInfo<Ended>();
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "pending_future.Ended", &Ended::id, &kEndedInfo);

ffi::ErrorOr<std::unique_ptr<Ended>> Start(int64_t ended) { return std::make_unique<Ended>(ended); }
XLA_FFI_DEFINE_HANDLER(kStart, Start,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int64_t>("ended"));

ffi::Future Wait(ffi::ResultBuffer<ffi::S64> completer, Ended*) {
  auto* promise = new ffi::Promise;
  ffi::Future future(*promise);
  *reinterpret_cast<Completer*>(completer->typed_data()) = {
      [](void* made) {
        std::unique_ptr<ffi::Promise> own(static_cast<ffi::Promise*>(made));
        own->SetAvailable();
      },
      promise};
  return future;
}
XLA_FFI_DEFINE_HANDLER(kWait, Wait,
                       ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Ctx<ffi::State<Ended>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "wait", "Host",
                         (XLA_FFI_Handler_Bundle{kStart, nullptr, nullptr, kWait, nullptr}));

}  // namespace
