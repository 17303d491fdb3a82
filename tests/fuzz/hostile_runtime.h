// The tests' XLA FFI runtime (tests/typed_ffi/fake_runtime.h) with answers made of a fuzzer's
// input: of any version, or newer than all that are known; it refuses, gives nothing, or gives what
// was asked for. Everything that it hands out must come back.
#ifndef CALLBRIDGE_TESTS_FUZZ_HOSTILE_RUNTIME_H_
#define CALLBRIDGE_TESTS_FUZZ_HOSTILE_RUNTIME_H_

#include <optional>
#include <string>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "hostile_memory.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge {

// One at a time.
class HostileRuntime {
 public:
  HostileRuntime(Bytes& bytes, Memory& memory);
  ~HostileRuntime();
  HostileRuntime(const HostileRuntime&) = delete;
  HostileRuntime& operator=(const HostileRuntime&) = delete;

  const XLA_FFI_Api* api() const { return runtime_->api(); }
  XLA_FFI_InvokeContext* ctx() { return runtime_->ctx(); }
  const typed_ffi::RuntimeVersion& version() const { return runtime_->version(); }

  // Runs what was scheduled.
  void FinishCall();

 private:
  // What a function is about to answer.
  XLA_FFI_Error* Lie(typed_ffi::ApiFunction function);
  void AttachExtension();
  void ProvideState();

  Bytes* bytes_;
  Memory* memory_;
  std::optional<typed_ffi::testing::FakeRuntime> runtime_;
};

// The state and user data that the fuzzed handlers have. Its id changes with the input.
struct FuzzedState {
  static XLA_FFI_TypeId id;
  std::string text = "state of a length that needs the heap";
};

// An extension that the runtime may attach to a call: version 1.0 is as here, others have only the
// header.
struct FuzzedExtension {
  XLA_FFI_Extension base;
  int64_t number;
};
inline constexpr int64_t kFuzzedExtensionType = 4711;

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FUZZ_HOSTILE_RUNTIME_H_
