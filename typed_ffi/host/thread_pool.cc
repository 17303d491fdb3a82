#include "callbridge/typed_ffi/host/thread_pool.h"

#include <algorithm>

namespace callbridge {
namespace host {

FixedThreadPool::FixedThreadPool(int num_threads) {
  threads_.reserve(std::max(num_threads, 1));
  for (int i = 0; i < std::max(num_threads, 1); ++i) threads_.emplace_back([this] { Work(); });
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
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back({task, data});
  }
  changed_.notify_one();
}

void FixedThreadPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    // A running task may yet schedule more, so the last thread to go is the last one at work.
    changed_.wait(lock, [this] { return !tasks_.empty() || (ending_ && running_ == 0); });
    if (tasks_.empty()) break;
    const Task task = tasks_.front();
    tasks_.pop_front();
    ++running_;
    lock.unlock();
    task.function(task.data);
    lock.lock();
    --running_;
    if (ending_) changed_.notify_all();
  }
}

namespace {

class LazyThreads : public ThreadPool {
 public:
  void Schedule(XLA_FFI_Task* task, void* data) override {
    // Never destroyed: tasks may run when the process ends.
    static auto& threads = *new FixedThreadPool(static_cast<int>(num_threads()));
    threads.Schedule(task, data);
  }
  int64_t num_threads() const override { return std::max(2u, std::thread::hardware_concurrency()); }
};

}  // namespace

ThreadPool& ProcessThreads() {
  static auto& threads = *new LazyThreads;
  return threads;
}

}  // namespace host
}  // namespace callbridge
