// CaptureProgress: how far the capture of a stream into a CUDA graph is.
#ifndef CALLBRIDGE_CUDA_CAPTURE_H_
#define CALLBRIDGE_CUDA_CAPTURE_H_

#include <cstddef>

#include "callbridge/cuda/driver_types.h"

namespace callbridge {
namespace cuda {

class CaptureProgress {
 public:
  // Asks the driver about a CUstream: one call of it if the stream does not capture. Does not
  // change a capture. The answer is unknown without a driver, with one that is older than
  // CUDA 11.3, in a process that was forked from one that had used it, or if the driver refuses to
  // say it. Thread-safe.
  static CaptureProgress Of(void* stream);

  bool is_active() const { return status_ == kIsCapturing; }
  // Whether the stream's capture has failed, so that its end will return an error.
  bool is_invalidated() const { return status_ == kCaptureIsInvalidated; }

  // Whether nothing was captured between two answers that are active. Work on other streams that
  // join the capture counts, and so do nodes that were added to the graph by other means.
  bool IsAt(const CaptureProgress& other) const {
    return nodes_ == other.nodes_ && dependencies_ == other.dependencies_ &&
           first_dependency_ == other.first_dependency_;
  }

 private:
  CaptureStatus status_ = kIsNotCapturing;
  size_t nodes_ = 0;  // in the graph
  // The nodes that the stream's next one comes after. A new node replaces all of them.
  size_t dependencies_ = 0;
  NodeHandle first_dependency_ = nullptr;
};

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_CAPTURE_H_
