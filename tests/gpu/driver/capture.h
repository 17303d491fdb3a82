// Stream capture, and what is illegal during it.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_CAPTURE_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_CAPTURE_H_

#include <thread>
#include <vector>

#include "tests/gpu/driver/operations.h"

namespace standin {

// All functions here need OrderOfStreams() held, or take it.
struct Capture {
  uint64_t id;
  Graph* graph;
  bool owns_graph;  // false by cuStreamBeginCaptureToGraph
  Stream* origin;
  std::vector<Stream*> members;
  CUstreamCaptureMode mode;
  std::thread::id thread;
  bool is_valid = true;
  bool is_active = true;
};

void Invalidate(Capture* capture);
// CUDA_ERROR_STREAM_CAPTURE_INVALIDATED if the stream's capture is.
CUresult CheckCapture(const Stream* stream);
CUresult AddToCapture(Stream* stream, Operation operation);
// cuStreamWaitEvent on an event that was recorded in `capture`, behind `nodes`.
CUresult JoinCapture(Stream* stream, Capture* capture, const std::vector<Node*>& nodes);

// Each returns an error and invalidates the captures that it is illegal in.
// To synchronise with, or ask, a stream that captures; the legacy stream while a blocking stream
// captures.
CUresult RefuseIfCapturing(Stream* stream);
// To synchronise with a context in which a stream captures.
CUresult RefuseWhileCapturing(Context* context);
// To use the legacy stream while a blocking stream of its context captures.
CUresult RefuseImplicit(Stream* stream);
// To call what may synchronise, e.g. cuMemAlloc, during a capture whose mode forbids it.
CUresult RefuseUnsafe();

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_CAPTURE_H_
