#include "callbridge/typed_ffi/host/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>

#include "callbridge/abi/xla_floating_point.h"

namespace callbridge {
namespace host {

FixedThreadPool::FixedThreadPool(int num_threads) {
  threads_.reserve(std::max(num_threads, 1));
  for (int i = 0; i < std::max(num_threads, 1); ++i) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      break;
    }
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
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back({task, data});
  }
  changed_.notify_one();
}

void FixedThreadPool::Work() {
  UseXlaFloatingPoint();
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

// Of this process; null until its first task. Never destroyed: tasks may run when the process ends.
std::atomic<FixedThreadPool*> process_pool{nullptr};

// Locks nothing, not even by a static local's initialisation: in a forked process the thread that
// had locked it is not there. So what two threads do at once here may be done twice.
FixedThreadPool& ProcessPool() {
  FixedThreadPool* pool = process_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  static std::atomic<bool> forks_are_watched{false};
  if (!forks_are_watched.load(std::memory_order_acquire)) {
    // The parent's pool has no threads in the child, and its lock may be held there for good.
    const int failed = pthread_atfork(nullptr, nullptr, [] { process_pool.store(nullptr); });
    forks_are_watched.store(failed == 0, std::memory_order_release);
  }
  auto made = std::make_unique<FixedThreadPool>(static_cast<int>(ProcessThreads().num_threads()));
  if (process_pool.compare_exchange_strong(pool, made.get(), std::memory_order_acq_rel)) {
    pool = made.release();
  }
  return *pool;
}

class LazyThreads final : public ThreadPool {
 public:
  void Schedule(XLA_FFI_Task* task, void* data) override { ProcessPool().Schedule(task, data); }
  int64_t num_threads() const override { return std::max(2u, std::thread::hardware_concurrency()); }
};

}  // namespace

ThreadPool& ProcessThreads() {
  static LazyThreads threads;
  return threads;
}

}  // namespace host
}  // namespace callbridge
