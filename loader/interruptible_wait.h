// InterruptibleWait: waits for other processes, without delaying this thread's signals.
#ifndef CALLBRIDGE_LOADER_INTERRUPTIBLE_WAIT_H_
#define CALLBRIDGE_LOADER_INTERRUPTIBLE_WAIT_H_

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace callbridge {

// Waits, and tells a SIGINT that this thread handles from all other signals: only SIGINT is
// unblocked, and only during a wait. Waits are short, so that other signals are not delayed for
// long.
class InterruptibleWait {
 public:
  explicit InterruptibleWait(absl::Time deadline) : deadline_(deadline) {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
    sigfillset(&in_waits_);
    // If this thread blocks SIGINT, another one handles it.
    if (sigismember(&before_, SIGINT) == 0) sigdelset(&in_waits_, SIGINT);
  }
  ~InterruptibleWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptibleWait(const InterruptibleWait&) = delete;
  InterruptibleWait& operator=(const InterruptibleWait&) = delete;

  // Returns false at the deadline and after a SIGINT.
  bool GoesOn() const { return !interrupted_ && absl::Now() < deadline_; }
  bool interrupted() const { return interrupted_; }

  // Waits for 50 ms at most. Returns true if `file` can be read or has ended.
  bool AwaitInput(int file) {
    pollfd readable{file, POLLIN, 0};
    return Wait(absl::Milliseconds(50), &readable, 1);
  }
  void Sleep(absl::Duration pause) { Wait(pause, nullptr, 0); }

 private:
  bool Wait(absl::Duration limit, pollfd* files, nfds_t count) {
    limit = std::clamp(deadline_ - absl::Now(), absl::ZeroDuration(), limit);
    const timespec timeout = absl::ToTimespec(limit);
    const int ready = ppoll(files, count, &timeout, &in_waits_);
    interrupted_ = interrupted_ || (ready < 0 && errno == EINTR);
    return ready > 0;
  }

  const absl::Time deadline_;
  sigset_t before_;
  sigset_t in_waits_;
  bool interrupted_ = false;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_INTERRUPTIBLE_WAIT_H_
