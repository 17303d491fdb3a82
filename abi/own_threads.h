// Threads of callbridge's own, which the program around it does not know of.
#ifndef CALLBRIDGE_ABI_OWN_THREADS_H_
#define CALLBRIDGE_ABI_OWN_THREADS_H_

#include <pthread.h>
#include <signal.h>

#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace callbridge {

// Blocks, as long as it lives, the signals that others send to this thread. What the thread's own
// instructions raise is not blocked: the kernel would end the process without its handler.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t sent;
    sigfillset(&sent);
    for (int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&sent, raised);
    }
    pthread_sigmask(SIG_BLOCK, &sent, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// Starts a thread that runs function(), which must not throw. Signals that are sent to the process
// are left to the program's own threads, where their handlers expect to run. False where the system
// has no more threads, or no memory for one.
template <typename Function>
bool AddOwnThread(std::vector<std::thread>& threads, Function function) {
  const BlockedSignals inherited;
  try {
    threads.emplace_back(std::move(function));
    return true;
  } catch (const std::system_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_OWN_THREADS_H_
