// A stream of device 0 that a test captures into a CUDA graph, as XLA does, and what is submitted.
#ifndef CALLBRIDGE_TESTS_CUDA_CAPTURING_STREAM_H_
#define CALLBRIDGE_TESTS_CUDA_CAPTURING_STREAM_H_

#include <memory>

#include "callbridge/cuda/memory.h"
#include "callbridge/cuda/stream.h"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge::cuda {

class CapturingStream {
 public:
  CapturingStream() {
    EXPECT_EQ(CallDriver("cuStreamBeginCapture_v2", handle(), kThreadLocal), result::kSuccess);
  }
  CapturingStream(const CapturingStream&) = delete;
  CapturingStream& operator=(const CapturingStream&) = delete;
  ~CapturingStream() {
    CUgraph_st* graph = nullptr;
    CallDriver("cuStreamEndCapture", handle(), &graph);
    if (graph != nullptr) CallDriver("cuGraphDestroy", graph);
  }

  StreamHandle handle() const { return static_cast<StreamHandle>(stream_->handle()); }

  // Submits work to `stream`: this one, the default stream, or any other.
  void Fill(StreamHandle stream) const {
    const CurrentContext current(*stream_->device());
    EXPECT_EQ(CallDriver("cuMemsetD32Async", ToDevice(memory_.data()), 1U, size_t{1}, stream),
              result::kSuccess);
  }
  // Waits for it, which invalidates the capture.
  void Wait() const { EXPECT_NE(CallDriver("cuStreamSynchronize", handle()), result::kSuccess); }

 private:
  static constexpr int kThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

  static DevicePointer ToDevice(const void* data) { return reinterpret_cast<DevicePointer>(data); }

  const std::unique_ptr<const Stream> memory_stream_ = *Stream::Create(*Device::Open(0));
  const DeviceMemory memory_ = *DeviceMemory::Allocate(*memory_stream_, 4);
  const std::unique_ptr<const Stream> stream_ = *Stream::Create(*Device::Open(0));
};

}  // namespace callbridge::cuda

#endif  // CALLBRIDGE_TESTS_CUDA_CAPTURING_STREAM_H_
