#include "tests/gpu/driver/streams.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/standin.h"

namespace standin {
namespace {

std::atomic<uint64_t> next_stream_id{1};

// standin_hold_streams().
struct Hold {
  std::mutex mutex;
  std::condition_variable released;
  int holds = 0;

  void Wait() {
    std::unique_lock<std::mutex> lock(mutex);
    released.wait(lock, [this] { return holds == 0; });
  }
};

Hold& TheHold() {
  static Hold& hold = *new Hold;
  return hold;
}

// All but the legacy ones, destroyed ones too, whose work still runs. Guarded by OrderOfStreams().
std::vector<Stream*>& EverMade() {
  static std::vector<Stream*>& streams = *new std::vector<Stream*>;
  return streams;
}

std::vector<Stream*> StreamsOf(const Context* context) {
  std::vector<Stream*> streams;
  for (Stream* stream : EverMade()) {
    if (stream->context == context) streams.push_back(stream);
  }
  return streams;
}

Stream* MakeStream(Context* context, unsigned flags, int priority) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  return EverMade().emplace_back(Streams().Add(new Stream(context, flags, priority)));
}

// This thread's stream in each context.
Stream* PerThreadStream(Context* context) {
  thread_local std::map<Context*, Stream*> streams;
  Stream*& stream = streams[context];
  if (stream == nullptr) {
    stream = MakeStream(context, CU_STREAM_DEFAULT, 0);
    ledger::GiveBack("stream", reinterpret_cast<uint64_t>(stream));  // nobody has to destroy it
  }
  return stream;
}

}  // namespace

void Completion::Complete() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_done_ = true;
  when_ = std::chrono::steady_clock::now();
  done_.notify_all();
}

void Completion::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [this] { return is_done_; });
}

bool Completion::IsDone() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_done_;
}

std::chrono::steady_clock::time_point Completion::When() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return when_;
}

Stream::Stream(Context* context, unsigned flags, int priority)
    : context(context), flags(flags), priority(priority), id(next_stream_id++) {}

std::shared_ptr<Completion> Stream::Submit(Work work, Completions others, bool even_if_lost) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (IsLegacy()) {
    for (const Stream* other : StreamsOf(context)) {
      if (other->IsBlocking() && other->last != nullptr) others.push_back(other->last);
    }
  } else if (IsBlocking() && context->legacy_stream->last != nullptr) {
    others.push_back(context->legacy_stream->last);
  }
  last = std::make_shared<Completion>();
  const std::lock_guard<std::mutex> lock(mutex_);
  items_.push_back({std::move(work), std::move(others), even_if_lost, last});
  if (!is_running_) {
    is_running_ = true;
    std::thread(&Stream::RunItems, this).detach();
  }
  submitted_.notify_one();
  return last;
}

void Stream::RunItems() {
  static const auto delay =
      std::chrono::microseconds(NumberFromEnvironment("CALLBRIDGE_STANDIN_DELAY_US", 0));
  while (true) {
    Item item;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      submitted_.wait(lock, [this] { return !items_.empty() || is_closed_; });
      if (items_.empty()) return;
      item = std::move(items_.front());
      items_.pop_front();
    }
    for (const std::shared_ptr<Completion>& other : item.after) other->Wait();
    TheHold().Wait();
    if (delay.count() > 0 && item.work != nullptr) std::this_thread::sleep_for(delay);
    if (item.work != nullptr && (context->Error() == CUDA_SUCCESS || item.even_if_lost)) {
      if (const CUresult error = item.work(context); error != CUDA_SUCCESS) context->Lose(error);
    }
    item.completion->Complete();
  }
}

void Stream::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_closed_ = true;
  submitted_.notify_one();
}

CUresult Stream::Synchronize() {
  std::shared_ptr<Completion> all;
  {
    const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
    all = IsLegacy() ? Submit(nullptr) : last;
  }
  if (all != nullptr) all->Wait();
  return context->Error();
}

CUresult Stream::Query() {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(context->Error());
  const auto is_done = [](const Stream* stream) {
    return stream->last == nullptr || stream->last->IsDone();
  };
  bool done = is_done(this);
  if (IsLegacy()) {
    for (const Stream* other : StreamsOf(context))
      done = done && (!other->IsBlocking() || is_done(other));
  }
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

Handles<Stream>& Streams() {
  static Handles<Stream>& streams = *new Handles<Stream>("stream");
  return streams;
}

std::recursive_mutex& OrderOfStreams() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;
  return mutex;
}

Stream* MakeLegacyStream(Context* context) { return new Stream(context, CU_STREAM_DEFAULT, 0); }

CUresult FindStream(CUstream handle, Stream** stream) {
  if (handle == nullptr || handle == kLegacyStream || handle == kPerThreadStream) {
    Context* context;
    RETURN_IF_ERROR(CurrentContext(&context));
    *stream = handle == kPerThreadStream ? PerThreadStream(context) : context->legacy_stream;
    return CUDA_SUCCESS;
  }
  if (!Streams().Has(handle)) return CUDA_ERROR_INVALID_HANDLE;
  if (!Contexts().Has(handle->context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *stream = handle;
  return handle->context->Error();
}

CUresult SynchronizeContext(Context* context) {
  Completions all;
  {
    const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
    for (const Stream* stream : StreamsOf(context)) {
      if (stream->last != nullptr) all.push_back(stream->last);
    }
    if (context->legacy_stream->last != nullptr) all.push_back(context->legacy_stream->last);
  }
  for (const std::shared_ptr<Completion>& completion : all) completion->Wait();
  return context->Error();
}

DRIVER_FUNCTION(cuStreamCreateWithPriority, CUstream* stream, unsigned flags, int priority) {
  ENTER();
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  *stream = MakeStream(context, flags, std::max(-5, std::min(0, priority)));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamCreate, CUstream* stream, unsigned flags) {
  ENTER();
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  *stream = MakeStream(context, flags, 0);
  return CUDA_SUCCESS;
}

// What was submitted still runs.
DRIVER_FUNCTION(cuStreamDestroy_v2, CUstream stream) {
  ENTER();
  if (stream == nullptr || stream == kLegacyStream || stream == kPerThreadStream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!Streams().Remove(stream)) return CUDA_ERROR_INVALID_HANDLE;
  stream->Close();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamSynchronize, CUstream handle) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  RETURN_IF_ERROR(RefuseIfCapturing(stream));
  return stream->Synchronize();
}

DRIVER_FUNCTION(cuStreamQuery, CUstream handle) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  RETURN_IF_ERROR(RefuseIfCapturing(stream));
  return stream->Query();
}

DRIVER_FUNCTION(cuStreamGetCtx, CUstream handle, CUcontext* context) {
  ENTER();
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  *context = stream->context;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamGetDevice, CUstream handle, CUdevice* device) {
  ENTER();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  *device = stream->context->device;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamGetFlags, CUstream handle, unsigned* flags) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamGetPriority, CUstream handle, int* priority) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuStreamGetId, CUstream handle, uint64_t* id) {
  ENTER();
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  *id = stream->id;
  return CUDA_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) void standin_hold_streams(void) {
  const std::lock_guard<std::mutex> lock(TheHold().mutex);
  ++TheHold().holds;
}

extern "C" __attribute__((visibility("default"))) void standin_release_streams(void) {
  const std::lock_guard<std::mutex> lock(TheHold().mutex);
  --TheHold().holds;
  TheHold().released.notify_all();
}

}  // namespace standin
