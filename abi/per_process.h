// PerProcess: an object of this process, which a process that is forked from it does not share.
#ifndef CALLBRIDGE_ABI_PER_PROCESS_H_
#define CALLBRIDGE_ABI_PER_PROCESS_H_

#include <pthread.h>

#include <atomic>
#include <memory>

namespace callbridge {

// The one T named by `Name`, a type of its own. For what a fork leaves behind broken: a mutex that
// another thread had locked, threads.
//
// Locks nothing, not even by a static local's initialisation: in a forked process the thread that
// had locked it is not there. So what two threads do at once here may be done twice.
template <typename T, typename Name>
class PerProcess {
 public:
  // Made on first use in each process, as T(arguments...). Never destroyed: a fork in the midst of
  // its use, or the process's end, must not do it.
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
