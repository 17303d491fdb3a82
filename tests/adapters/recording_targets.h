// Targets of every untyped ABI that write down what they were handed. One call at a time.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_RECORDING_TARGETS_H_
#define CALLBRIDGE_TESTS_ADAPTERS_RECORDING_TARGETS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "callbridge/adapters/target.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "gtest/gtest.h"

namespace callbridge {

struct Recorded {
  int calls = 0;
  void* out = nullptr;     // Host
  void** in = nullptr;     // Host; valid during the call only, so `inspect` looks at it
  void* stream = nullptr;  // GPU
  void** buffers = nullptr;
  std::string opaque;
  bool got_status = false;

  // Run inside the call, if set.
  void (*inspect)(Recorded&) = nullptr;
  // The failure that a status-returning target reports; none where null.
  const std::string* failure = nullptr;
};
inline Recorded recorded;

inline void Finish(XlaCustomCallStatus* status) {
  ++recorded.calls;
  recorded.got_status = status != nullptr;
  if (status != nullptr && recorded.failure != nullptr) {
    XlaCustomCallStatusSetFailure(status, recorded.failure->data(), recorded.failure->size());
  }
  if (recorded.inspect != nullptr) recorded.inspect(recorded);
}

inline void HostOriginalTarget(void* out, void** in) {
  recorded.out = out;
  recorded.in = in;
  Finish(nullptr);
}
inline void HostStatusTarget(void* out, void** in, XlaCustomCallStatus* status) {
  recorded.out = out;
  recorded.in = in;
  Finish(status);
}
inline void HostUnifiedTarget(void* out, void** in, const char* opaque, size_t opaque_len,
                              XlaCustomCallStatus* status) {
  recorded.out = out;
  recorded.in = in;
  recorded.opaque.assign(opaque, opaque_len);
  Finish(status);
}
inline void GpuOriginalTarget(void* stream, void** buffers, const char* opaque, size_t opaque_len) {
  recorded.stream = stream;
  recorded.buffers = buffers;
  recorded.opaque.assign(opaque, opaque_len);
  Finish(nullptr);
}
inline void GpuStatusTarget(void* stream, void** buffers, const char* opaque, size_t opaque_len,
                            XlaCustomCallStatus* status) {
  recorded.stream = stream;
  recorded.buffers = buffers;
  recorded.opaque.assign(opaque, opaque_len);
  Finish(status);
}

// Expects an error with that text before any of these targets was called.
inline void ExpectInvalid(const absl::Status& status, const std::string& text) {
  EXPECT_EQ(status, absl::InvalidArgumentError(text));
  EXPECT_EQ(recorded.calls, 0);
}

template <typename Function>
Target MakeTarget(Function* function, Platform platform, ApiVersion version, bool proved = true) {
  return {"recording", platform, version, proved, reinterpret_cast<void*>(function)};
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_RECORDING_TARGETS_H_
