// Starts threads that the program does not know of.
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

// Blocks, while it lives, the signals that others send to this thread. Signals that the thread's
// own instructions raise are not blocked: the kernel would end the process without running a
// handler.
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

// Starts a thread that runs function(), which must not throw. Signals sent to the process are left
// to the program's own threads, where their handlers expect to run. Returns false if the system
// cannot start another thread.
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
