#include "callbridge/typed_ffi/host/thread_pool.h"

#include <fenv.h>

#include <algorithm>
#include <memory>
#include <new>

#include "callbridge/abi/ended_thread.h"
#include "callbridge/abi/own_threads.h"
#include "callbridge/abi/per_process.h"
#include "callbridge/abi/xla_floating_point.h"

namespace callbridge {
namespace host {

FixedThreadPool::FixedThreadPool(int64_t num_threads) {
  num_threads = std::max<int64_t>(num_threads, 1);
  threads_.reserve(num_threads);
  for (int64_t i = 0; i < num_threads; ++i) {
    if (!AddOwnThread(threads_, [this] { Work(); })) break;
  }
}

FixedThreadPool::~FixedThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void FixedThreadPool::Schedule(XLA_FFI_Task* task, void* data) {
  if (threads_.empty()) {
    task(data);
    return;
  }
  // Notified under the lock: once the task may run, whoever waits for it may end the pool.
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back({task, data});
  changed_.notify_one();
}

void FixedThreadPool::Work() {
  UseXlaFloatingPoint();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    // A running task may schedule more, so that the last working thread is the last to end.
    changed_.wait(lock, [this] { return !tasks_.empty() || (ending_ && running_ == 0); });
    if (tasks_.empty()) break;
    const Task task = tasks_.front();
    tasks_.pop_front();
    ++running_;
    lock.unlock();
    RequiringThread([&] { task.function(task.data); });
    lock.lock();
    --running_;
    if (ending_) changed_.notify_all();
  }
}

namespace {

class LazyThreads final : public ThreadPool {
 public:
  void Schedule(XLA_FFI_Task* task, void* data) override {
    // In a forked process the parent's pool has no threads, and its lock may be held forever.
    PerProcess<FixedThreadPool, LazyThreads>::Get(num_threads()).Schedule(task, data);
  }
  int64_t num_threads() const override { return std::max(2u, std::thread::hardware_concurrency()); }
};

}  // namespace

ThreadPool& ProcessThreads() {
  static LazyThreads threads;
  return threads;
}

namespace {

// A task and the mode of who scheduled it.
struct TaskInMode {
  static void Run(void* data) {
    const std::unique_ptr<TaskInMode> self(static_cast<TaskInMode*>(data));
    const RestoresMode threads_mode;
    fesetenv(&self->mode);
    self->function(self->data);
  }

  struct RestoresMode {
    RestoresMode() { fegetenv(&mode); }
    ~RestoresMode() { fesetenv(&mode); }
    RestoresMode(const RestoresMode&) = delete;
    RestoresMode& operator=(const RestoresMode&) = delete;
    fenv_t mode;
  };

  XLA_FFI_Task* function;
  void* data;
  fenv_t mode;
};

class ThreadsInSchedulersMode final : public ThreadPool {
 public:
  void Schedule(XLA_FFI_Task* task, void* data) override {
    auto* in_mode = new (std::nothrow) TaskInMode;
    if (in_mode == nullptr) return task(data);
    in_mode->function = task;
    in_mode->data = data;
    fegetenv(&in_mode->mode);
    ProcessThreads().Schedule(&TaskInMode::Run, in_mode);
  }
  int64_t num_threads() const override { return ProcessThreads().num_threads(); }
};

}  // namespace

ThreadPool& ProcessThreadsInSchedulersMode() {
  static ThreadsInSchedulersMode threads;
  return threads;
}

}  // namespace host
}  // namespace callbridge
