// Threads for handlers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_THREAD_POOL_H_
#define CALLBRIDGE_TYPED_FFI_HOST_THREAD_POOL_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Implement it to provide threads of your own.
class ThreadPool {
 public:
  // Runs task(data) once, on any thread, the caller's included. Thread-safe; tasks may call it.
  virtual void Schedule(XLA_FFI_Task* task, void* data) = 0;
  virtual int64_t num_threads() const = 0;

 protected:
  ~ThreadPool() = default;  // trivial, for those that live as long as the process
};

// A fixed number of threads and one queue. The threads run tasks in XLA's floating-point mode
// (abi/xla_floating_point.h), whichever thread made the pool.
class FixedThreadPool final : public ThreadPool {
 public:
  // At least one thread. Has fewer if the system has no more; without any, Schedule() runs the
  // tasks itself, and counts as one.
  explicit FixedThreadPool(int64_t num_threads);
  // Waits for all tasks, including those that they schedule. Must not be called on one of the
  // threads.
  ~FixedThreadPool();

  void Schedule(XLA_FFI_Task* task, void* data) override;
  int64_t num_threads() const override {
    return threads_.empty() ? 1 : static_cast<int64_t>(threads_.size());
  }

 private:
  struct Task {
    XLA_FFI_Task* function;
    void* data;
  };

  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  int running_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

// Returns the process's pool: as many threads as there are processors, at least two. They start
// with the first task and live as long as the process.
//
// A forked process gets threads of its own, which start with its first task; tasks that the parent
// scheduled run in the parent alone. Usable in the child whatever the parent's other threads were
// doing.
ThreadPool& ProcessThreads();

// Returns the same threads, on which a task runs in the floating-point mode, and traps the
// exceptions, of the thread that scheduled it.
ThreadPool& ProcessThreadsInSchedulersMode();

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_THREAD_POOL_H_
