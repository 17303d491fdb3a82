// PerProcess: an object that a forked process does not share with its parent.
#ifndef CALLBRIDGE_ABI_PER_PROCESS_H_
#define CALLBRIDGE_ABI_PER_PROCESS_H_

#include <pthread.h>

#include <atomic>
#include <memory>

namespace callbridge {

// The one T of this process that `Name`, a type of its own, names. For what fork() leaves broken: a
// mutex that another thread had locked, threads.
//
// Takes no lock, not even for the initialisation of a static local: in a forked process the thread
// that held it does not exist. So two threads may do the same thing twice.
template <typename T, typename Name>
class PerProcess {
 public:
  // Constructs T(arguments...) on first use in each process. Never destroys it: a fork during its
  // use, or the end of the process, must not.
  template <typename... Arguments>
  static T& Get(const Arguments&... arguments) {
    T* object = object_.load(std::memory_order_acquire);
    if (object != nullptr) return *object;
    if (!forks_are_watched_.load(std::memory_order_acquire)) {
      const int failed = pthread_atfork(nullptr, nullptr, [] { object_.store(nullptr); });
      forks_are_watched_.store(failed == 0, std::memory_order_release);
    }
    auto made = std::make_unique<T>(arguments...);
    if (object_.compare_exchange_strong(object, made.get(), std::memory_order_acq_rel)) {
      object = made.release();
    }
    return *object;
  }

 private:
  static inline std::atomic<T*> object_{nullptr};
  static inline std::atomic<bool> forks_are_watched_{false};
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PER_PROCESS_H_
