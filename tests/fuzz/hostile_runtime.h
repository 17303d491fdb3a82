// An XLA FFI runtime of any version in typed_ffi/runtime_versions.h, whose answers are made of a
// fuzzer's input: it refuses, gives nothing, or gives what was asked for. Its table is as large as
// that version's. Like XLA it checks the sizes of what it is given. Everything that it hands out
// must come back: what does not is a leak.
#ifndef CALLBRIDGE_TESTS_FUZZ_HOSTILE_RUNTIME_H_
#define CALLBRIDGE_TESTS_FUZZ_HOSTILE_RUNTIME_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "hostile_memory.h"

struct XLA_FFI_Error {
  std::string message;
};
struct XLA_FFI_Future {
  bool is_complete = false;
};

namespace callbridge {

// One at a time.
class HostileRuntime {
 public:
  HostileRuntime(Bytes& bytes, Memory& memory);
  ~HostileRuntime();
  HostileRuntime(const HostileRuntime&) = delete;
  HostileRuntime& operator=(const HostileRuntime&) = delete;

  const XLA_FFI_Api* api() const { return api_; }
  const typed_ffi::RuntimeVersion& version() const { return *version_; }

  // Runs what was scheduled, and ends the states.
  void FinishCall();
  // Whether the future is one that it made, and is complete.
  bool IsComplete(const XLA_FFI_Future* future) const;

  // ---- For the functions of the table

  Bytes& bytes() { return *bytes_; }
  Memory& memory() { return *memory_; }
  void Schedule(std::function<void()> task) { tasks_.push_back(std::move(task)); }
  void Keep(void* state, void (*deleter)(void* state)) { states_.push_back({state, deleter}); }
  XLA_FFI_Future* NewFuture();

 private:
  Bytes* bytes_;
  Memory* memory_;
  const typed_ffi::RuntimeVersion* version_;
  const XLA_FFI_Api* api_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::pair<void*, void (*)(void*)>> states_;
  std::vector<std::unique_ptr<XLA_FFI_Future>> futures_;
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
