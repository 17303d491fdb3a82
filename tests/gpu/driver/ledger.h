// What was taken from the driver and by whom, written at exit.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_LEDGER_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_LEDGER_H_

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace standin::ledger {

// The thread's Caller() took `handle`, a `what` ("device memory"); `detail` is for people.
void Take(const char* what, uint64_t handle, const std::string& detail = "");
void GiveBack(const char* what, uint64_t handle);
// Something that is wrong in any program, e.g. "double free"; each text is written once.
void Note(const std::string& text);

}  // namespace standin::ledger

namespace standin {

// The live objects of one kind. Objects are never deleted, so that a stale handle is always
// recognised.
template <typename T>
class Handles {
 public:
  // `what` they are in the ledger; null if they are not in it.
  explicit Handles(const char* what) : what_(what) {}

  T* Add(T* object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    live_.insert(object);
    if (what_ != nullptr) ledger::Take(what_, reinterpret_cast<uint64_t>(object));
    return object;
  }
  bool Has(const T* object) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_.count(const_cast<T*>(object)) > 0;
  }
  // False if it is none, which is noted.
  bool Remove(T* object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (live_.erase(object) == 0) {
      if (what_ != nullptr && dead_.count(object) > 0)
        ledger::Note(std::string("destroyed twice: ") + what_);
      return false;
    }
    dead_.insert(object);
    if (what_ != nullptr) ledger::GiveBack(what_, reinterpret_cast<uint64_t>(object));
    return true;
  }
  std::set<T*> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_;
  }

 private:
  const char* what_;
  mutable std::mutex mutex_;
  std::set<T*> live_;
  std::set<T*> dead_;
};

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_LEDGER_H_
