// Streams: a thread each, that runs what was submitted in order.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_STREAMS_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_STREAMS_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/ledger.h"

namespace standin {

struct Capture;

// That some work is done; for events, when.
class Completion {
 public:
  void Complete();
  void Wait();
  bool IsDone();
  std::chrono::steady_clock::time_point When();  // once it is done

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::chrono::steady_clock::time_point when_;
};

using Work = std::function<CUresult(Context*)>;
using Completions = std::vector<std::shared_ptr<Completion>>;

class Stream {
 public:
  Stream(Context* context, unsigned flags, int priority);

  // Runs `work` after all that was submitted before, and after `others`. A legacy stream's work is
  // also after that of all blocking streams of the context, and theirs after its. `even_if_lost`:
  // also in a context that is lost.
  std::shared_ptr<Completion> Submit(Work work, Completions others = {}, bool even_if_lost = false);
  // Waits for all that was submitted; returns the context's error.
  CUresult Synchronize();
  // CUDA_ERROR_NOT_READY if something is not done.
  CUresult Query();
  // Ends the thread when all that was submitted is done.
  void Close();

  bool IsLegacy() const { return this == context->legacy_stream; }
  bool IsBlocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }

  Context* const context;
  const unsigned flags;
  const int priority;
  const uint64_t id;

  // Guarded by OrderOfStreams().
  Capture* capture = nullptr;
  std::vector<Node*> tail;  // what the next captured operation comes after
  std::shared_ptr<Completion> last;

 private:
  struct Item {
    Work work;
    Completions after;
    bool even_if_lost;
    std::shared_ptr<Completion> completion;
  };
  void RunItems();

  std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<Item> items_;
  bool is_running_ = false;
  bool is_closed_ = false;
};

Handles<Stream>& Streams();

// Held to submit, to record an event and to capture, so that all streams agree on what came first.
std::recursive_mutex& OrderOfStreams();

Stream* MakeLegacyStream(Context* context);

// The stream that a handle means: null and kLegacyStream the current context's, kPerThreadStream
// this thread's in it. Fails if there is none or its context is lost.
CUresult FindStream(CUstream handle, Stream** stream);

// Waits for all streams of `context`; returns its error.
CUresult SynchronizeContext(Context* context);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_STREAMS_H_
