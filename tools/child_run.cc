#include "callbridge/tools/child_run.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/child_process.h"

namespace callbridge {
namespace {

// ---- What the child says

class Text {
 public:
  void Set(absl::string_view text) {
    size_ = std::min(text.size(), sizeof(bytes_));
    std::memcpy(bytes_, text.data(), size_);
  }
  absl::string_view Get() const { return {bytes_, std::min(size_, sizeof(bytes_))}; }

 private:
  size_t size_ = 0;
  char bytes_[8 << 10] = {};
};

// In memory that the child and its parent share. The parent reads it after the child's end.
struct Said {
  Text who;
  Text where;
  ExitStatus status = kFailure;
  bool has_returned = false;
};

class SaidInMemory final : public ForeignCode {
 public:
  explicit SaidInMemory(Said& said) : said_(said) {}
  void Begins(absl::string_view who, absl::string_view where) override {
    said_.who.Set(who);
    said_.where.Set(where);
  }

 private:
  Said& said_;
};

class SaidToNobody final : public ForeignCode {
 public:
  void Begins(absl::string_view, absl::string_view) override {}
};

// ---- Signals

// What ends a program from outside. The kernel sends a terminal's signals to both processes.
constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::atomic<pid_t> signalled_child{0};

void PassOn(int signal, siginfo_t* info, void*) {
  if (info->si_code != SI_KERNEL) kill(signalled_child, signal);
}

sigset_t Endings() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kEndings) sigaddset(&signals, signal);
  return signals;
}

// Passes signals on to the child, and lets its end be seen, until destroyed. Signals that this
// process ignores stay ignored.
class SignalsPassedOn {
 public:
  // Blocks the signals until HaveChild() or Restore().
  SignalsPassedOn() {
    const sigset_t endings = Endings();
    sigprocmask(SIG_BLOCK, &endings, &old_mask_);
    struct sigaction pass_on = {};
    pass_on.sa_sigaction = PassOn;
    pass_on.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < std::size(kEndings); ++i) {
      sigaction(kEndings[i], nullptr, &old_actions_[i]);
      if (old_actions_[i].sa_handler != SIG_IGN) sigaction(kEndings[i], &pass_on, nullptr);
    }
    struct sigaction wait = {};
    wait.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &wait, &old_child_action_);
  }
  ~SignalsPassedOn() { Restore(); }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  void HaveChild(pid_t child) {
    signalled_child = child;
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

  void Restore() {
    if (restored_) return;
    restored_ = true;
    for (size_t i = 0; i < std::size(kEndings); ++i) {
      sigaction(kEndings[i], &old_actions_[i], nullptr);
    }
    sigaction(SIGCHLD, &old_child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

 private:
  sigset_t old_mask_;
  struct sigaction old_actions_[std::size(kEndings)];
  struct sigaction old_child_action_;
  bool restored_ = false;
};

// Ends this process as the child ended.
void EndBySignal(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

bool EndsPrograms(int number) {
  return number == SIGPIPE ||
         std::find(std::begin(kEndings), std::end(kEndings), number) != std::end(kEndings);
}

bool IsCrash(int number) {
  constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  return std::find(std::begin(kCrashes), std::end(kCrashes), number) != std::end(kCrashes);
}

// ---- The child's end

// "crashed with SIGSEGV"
std::string HowItEnded(int status) {
  if (WIFEXITED(status)) {
    return absl::StrCat("ended the process with exit status ", WEXITSTATUS(status));
  }
  const int number = WTERMSIG(status);
  return absl::StrCat(IsCrash(number) ? "crashed with SIG" : "was killed by SIG",
                      SignalName(number));
}

ExitStatus AfterChild(int status, const Said& said) {
  if (WIFSIGNALED(status) && EndsPrograms(WTERMSIG(status))) EndBySignal(WTERMSIG(status));
  if (WIFEXITED(status) && said.has_returned) return said.status;
  return Failure(absl::InternalError(
      absl::StrCat(said.who.Get(), " ", HowItEnded(status), " ", said.where.Get())));
}

ExitStatus CannotRun(absl::string_view what, int error) {
  return Failure(absl::UnavailableError(
      absl::StrCat("no child process can be made for the call: ", what, ": ", std::strerror(error),
                   "; --in-process makes the call in this process")));
}

}  // namespace

ExitStatus RunForeignCode(bool in_child, absl::FunctionRef<ExitStatus(ForeignCode&)> run) {
  if (!in_child) {
    SaidToNobody nobody;
    return run(nobody);
  }
  void* memory =
      mmap(nullptr, sizeof(Said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return CannotRun("mmap", errno);
  Said& said = *new (memory) Said;
  said.who.Set("callbridge");
  SignalsPassedOn signals;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return CannotRun("fork", errno);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kFailure);
    signals.Restore();
    SaidInMemory in_memory(said);
    try {
      said.status = run(in_memory);
    } catch (...) {
      said.has_returned = true;  // with kFailure: whoever catches it prints it
      throw;
    }
    said.has_returned = true;
    return said.status;
  }
  signals.HaveChild(child);
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0) return CannotRun("waitpid", errno);
  signals.Restore();
  return AfterChild(status, said);
}

}  // namespace callbridge
