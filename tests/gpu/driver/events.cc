#include "tests/gpu/driver/events.h"

#include <chrono>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/operations.h"

namespace standin {
namespace {

constexpr unsigned kExternal = 1;  // CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL

CUresult Record(CUevent event, CUstream handle, unsigned flags) {
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  if (!Events().Has(event) || event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (stream->capture != nullptr) {
    if (flags == kExternal) return AddToCapture(stream, RecordEvent{event});
    RETURN_IF_ERROR(CheckCapture(stream));
    event->capture = stream->capture;
    event->nodes = stream->tail;
    return CUDA_SUCCESS;
  }
  event->capture = nullptr;
  event->recorded = stream->Submit(nullptr);
  return CUDA_SUCCESS;
}

CUresult Query(CUevent event, bool wait) {
  if (!Events().Has(event)) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Completion> recorded;
  {
    const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
    if (event->capture != nullptr) {
      Invalidate(event->capture);
      return CUDA_ERROR_CAPTURED_EVENT;
    }
    RETURN_IF_ERROR(RefuseUnsafe());
    recorded = event->recorded;
  }
  if (recorded != nullptr && wait) recorded->Wait();
  RETURN_IF_ERROR(event->context->Error());
  return recorded == nullptr || recorded->IsDone() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

}  // namespace

Handles<Event>& Events() {
  static Handles<Event>& events = *new Handles<Event>("event");
  return events;
}

void WaitFor(Event* event) {
  std::shared_ptr<Completion> recorded;
  {
    const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
    recorded = event->recorded;
  }
  if (recorded != nullptr) recorded->Wait();
}

void RecordNow(Event* event) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  event->capture = nullptr;
  event->recorded = std::make_shared<Completion>();
  event->recorded->Complete();
}

DRIVER_FUNCTION(cuEventCreate, CUevent* event, unsigned flags) {
  ENTER();
  if (event == nullptr || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  *event = Events().Add(new Event(context, flags));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuEventDestroy_v2, CUevent event) {
  ENTER();
  return Events().Remove(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

DRIVER_FUNCTION(cuEventRecord, CUevent event, CUstream stream) {
  ENTER();
  return Record(event, stream, 0);
}

DRIVER_FUNCTION(cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned flags) {
  ENTER();
  if (flags > kExternal) return CUDA_ERROR_INVALID_VALUE;
  return Record(event, stream, flags);
}

DRIVER_FUNCTION(cuEventQuery, CUevent event) {
  ENTER();
  return Query(event, false);
}

DRIVER_FUNCTION(cuEventSynchronize, CUevent event) {
  ENTER();
  return Query(event, true);
}

static CUresult Elapsed(float* milliseconds, CUevent start, CUevent end) {
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Events().Has(start) || !Events().Has(end) || start->context != end->context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  for (const Event* event : {start, end}) {
    if ((event->flags & CU_EVENT_DISABLE_TIMING) != 0 || event->recorded == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!event->recorded->IsDone()) return CUDA_ERROR_NOT_READY;
  }
  *milliseconds =
      std::chrono::duration<float, std::milli>(end->recorded->When() - start->recorded->When())
          .count();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuEventElapsedTime, float* milliseconds, CUevent start, CUevent end) {
  ENTER();
  return Elapsed(milliseconds, start, end);
}

DRIVER_FUNCTION(cuEventElapsedTime_v2, float* milliseconds, CUevent start, CUevent end) {
  ENTER();
  return Elapsed(milliseconds, start, end);
}

DRIVER_FUNCTION(cuStreamWaitEvent, CUstream handle, CUevent event, unsigned flags) {
  ENTER();
  if (flags > kExternal) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  if (!Events().Has(event)) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (event->capture != nullptr && flags == 0)
    return JoinCapture(stream, event->capture, event->nodes);
  if (stream->capture != nullptr) {
    if (flags == kExternal) return AddToCapture(stream, WaitEvent{event});
    if (event->recorded == nullptr) return CUDA_SUCCESS;
    Invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (event->recorded != nullptr) stream->Submit(nullptr, {event->recorded});
  return CUDA_SUCCESS;
}

}  // namespace standin
