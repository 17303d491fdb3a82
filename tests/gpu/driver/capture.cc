#include "tests/gpu/driver/capture.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/graphs.h"

namespace standin {
namespace {

std::vector<Capture*>& ActiveCaptures() {
  static std::vector<Capture*>& captures = *new std::vector<Capture*>;
  return captures;
}

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Those that the legacy stream would wait for; none for another stream.
std::vector<Capture*> ImplicitCaptures(const Stream* stream) {
  std::vector<Capture*> captures;
  if (!stream->IsLegacy()) return captures;
  for (Capture* capture : ActiveCaptures()) {
    for (const Stream* member : capture->members) {
      if (member->context == stream->context && member->IsBlocking()) captures.push_back(capture);
    }
  }
  return captures;
}

CUresult Begin(CUstream handle, Graph* graph, std::vector<Node*> tail, CUstreamCaptureMode mode) {
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (stream->IsLegacy()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  static uint64_t next_id = 1;
  auto* capture = new Capture{next_id++, graph, graph == nullptr,          stream,
                              {stream},  mode,  std::this_thread::get_id()};
  if (graph == nullptr) capture->graph = Graphs().Add(new Graph);
  ActiveCaptures().push_back(capture);
  stream->capture = capture;
  stream->tail = std::move(tail);
  return CUDA_SUCCESS;
}

// All nodes that `nodes` come after, and these.
std::set<const Node*> WithAncestors(std::vector<Node*> nodes) {
  std::set<const Node*> seen;
  while (!nodes.empty()) {
    const Node* node = nodes.back();
    nodes.pop_back();
    if (!seen.insert(node).second) continue;
    nodes.insert(nodes.end(), node->after.begin(), node->after.end());
  }
  return seen;
}

void End(Capture* capture) {
  capture->is_active = false;
  for (Stream* member : capture->members) {
    member->capture = nullptr;
    member->tail.clear();
  }
  auto& active = ActiveCaptures();
  active.erase(std::remove(active.begin(), active.end(), capture), active.end());
}

CUresult GetInfo(CUstream handle, CUstreamCaptureStatus* status, uint64_t* id, CUgraph* graph,
                 const CUgraphNode** dependencies, size_t* count) {
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  // Invalidates no capture, unlike all else.
  if (!ImplicitCaptures(stream).empty()) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  const Capture* capture = stream->capture;
  *status = capture == nullptr  ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->is_valid ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph;
  if (dependencies != nullptr) *dependencies = stream->tail.data();
  if (count != nullptr) *count = stream->tail.size();
  return CUDA_SUCCESS;
}

CUresult UpdateDependencies(CUstream handle, CUgraphNode* nodes, size_t count, unsigned flags) {
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  RETURN_IF_ERROR(CheckCapture(stream));
  if (flags > 1 || (count > 0 && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (flags == 1) stream->tail.clear();  // CU_STREAM_SET_CAPTURE_DEPENDENCIES
  stream->tail.insert(stream->tail.end(), nodes, nodes + count);
  return CUDA_SUCCESS;
}

}  // namespace

void Invalidate(Capture* capture) { capture->is_valid = false; }

CUresult CheckCapture(const Stream* stream) {
  return stream->capture->is_valid ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult AddToCapture(Stream* stream, Operation operation) {
  RETURN_IF_ERROR(CheckCapture(stream));
  stream->tail = {AddNode(stream->capture->graph, std::move(operation), stream->tail)};
  return CUDA_SUCCESS;
}

CUresult JoinCapture(Stream* stream, Capture* capture, const std::vector<Node*>& nodes) {
  if (!capture->is_active) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  if (!capture->is_valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream->IsLegacy()) {
    Invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture != nullptr && stream->capture != capture) {
    Invalidate(capture);
    Invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (stream->capture == nullptr) {
    stream->capture = capture;
    capture->members.push_back(stream);
  }
  for (Node* node : nodes) {
    if (std::find(stream->tail.begin(), stream->tail.end(), node) == stream->tail.end()) {
      stream->tail.push_back(node);
    }
  }
  return CUDA_SUCCESS;
}

CUresult RefuseIfCapturing(Stream* stream) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (stream->capture == nullptr) return CUDA_SUCCESS;
  RETURN_IF_ERROR(CheckCapture(stream));
  Invalidate(stream->capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult RefuseWhileCapturing(Context* context) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  CUresult result = CUDA_SUCCESS;
  for (Capture* capture : ActiveCaptures()) {
    for (const Stream* member : capture->members) {
      if (member->context != context) continue;
      Invalidate(capture);
      result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  }
  return result;
}

CUresult RefuseImplicit(Stream* stream) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  const std::vector<Capture*> captures = ImplicitCaptures(stream);
  for (Capture* capture : captures) Invalidate(capture);
  return captures.empty() ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult RefuseUnsafe() {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (Capture* capture : ActiveCaptures()) {
    const bool is_mine = capture->thread == std::this_thread::get_id();
    if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    if (!is_mine && (capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
                     thread_mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)) {
      continue;
    }
    Invalidate(capture);
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

DRIVER_FUNCTION(cuStreamBeginCapture_v2, CUstream stream, CUstreamCaptureMode mode) {
  ENTER();
  return Begin(stream, nullptr, {}, mode);
}

DRIVER_FUNCTION(cuStreamBeginCaptureToGraph, CUstream stream, CUgraph graph,
                const CUgraphNode* dependencies, const void*, size_t count,
                CUstreamCaptureMode mode) {
  ENTER();
  if (!Graphs().Has(graph) || (count > 0 && dependencies == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  return Begin(stream, graph, std::vector<Node*>(dependencies, dependencies + count), mode);
}

DRIVER_FUNCTION(cuStreamEndCapture, CUstream handle, CUgraph* graph) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (graph != nullptr) *graph = nullptr;
  RETURN_IF_ERROR(RefuseImplicit(stream));
  Capture* capture = stream->capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  if (stream != capture->origin) {
    Invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult result = capture->is_valid ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (result == CUDA_SUCCESS) {
    const std::set<const Node*> joined = WithAncestors(stream->tail);
    for (const Stream* member : capture->members) {
      for (const Node* node : member->tail) {
        if (joined.count(node) == 0) result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
      }
    }
  }
  if (result == CUDA_SUCCESS) {
    if (graph != nullptr) *graph = capture->graph;
  } else if (capture->owns_graph) {
    Graphs().Remove(capture->graph);
  }
  End(capture);
  return result;
}

DRIVER_FUNCTION(cuStreamIsCapturing, CUstream handle, CUstreamCaptureStatus* status) {
  ENTER();
  return GetInfo(handle, status, nullptr, nullptr, nullptr, nullptr);
}

DRIVER_FUNCTION(cuStreamGetCaptureInfo_v2, CUstream handle, CUstreamCaptureStatus* status,
                uint64_t* id, CUgraph* graph, const CUgraphNode** dependencies, size_t* count) {
  ENTER();
  return GetInfo(handle, status, id, graph, dependencies, count);
}

DRIVER_FUNCTION(cuStreamGetCaptureInfo_v3, CUstream handle, CUstreamCaptureStatus* status,
                uint64_t* id, CUgraph* graph, const CUgraphNode** dependencies, const void** edges,
                size_t* count) {
  ENTER();
  if (status != nullptr && edges != nullptr) *edges = nullptr;
  return GetInfo(handle, status, id, graph, dependencies, count);
}

DRIVER_FUNCTION(cuStreamUpdateCaptureDependencies, CUstream stream, CUgraphNode* nodes,
                size_t count, unsigned flags) {
  ENTER();
  return UpdateDependencies(stream, nodes, count, flags);
}

DRIVER_FUNCTION(cuStreamUpdateCaptureDependencies_v2, CUstream stream, CUgraphNode* nodes,
                const void*, size_t count, unsigned flags) {
  ENTER();
  return UpdateDependencies(stream, nodes, count, flags);
}

DRIVER_FUNCTION(cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode* mode) {
  ENTER();
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, thread_mode);
  return CUDA_SUCCESS;
}

}  // namespace standin
