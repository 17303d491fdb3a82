#include "callbridge/loader/probe_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/interruptible_wait.h"
#include "callbridge/loader/typed_probe.h"

namespace callbridge {

// A server reads addresses from its socket. For each it writes the function's answers, line by
// line, and then kEnd with the status of the process that called it. Whoever opened the file writes
// kServing with the server's process number to kAnswersDescriptor.
namespace {

constexpr int kSocketDescriptor = 4;
constexpr absl::string_view kServing = "serving ";
constexpr absl::string_view kEnd = "end ";
// How long a server waits for the next request.
constexpr absl::Duration kIdle = absl::Seconds(1);
// The time after which a server ends whose function has not, whoever asked it.
constexpr int kSecondsToServe = 60;

}  // namespace

// ---- In the process that asks

namespace {

// What a server has opened. Another file at the same path is another one.
struct OpenedFile {
  std::string program;
  std::string path;
  std::string callbridge;
  dev_t device;
  ino_t number;
  off_t size;
  timespec changed;

  bool operator==(const OpenedFile& other) const {
    return program == other.program && path == other.path && callbridge == other.callbridge &&
           device == other.device && number == other.number && size == other.size &&
           changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
  }
};

absl::optional<OpenedFile> Identify(const std::string& program, const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return absl::nullopt;
  return OpenedFile{program,       path,           LoadedCallbridge(), status.st_dev,
                    status.st_ino, status.st_size, status.st_ctim};
}

class ProbeServer {
 public:
  ProbeServer(OpenedFile file, FileDescriptor socket, pid_t process)
      : file_(std::move(file)), socket_(std::move(socket)), process_(process) {}

  // Whether it has opened `file`, for this process and not for the one that it was forked from.
  bool Serves(const OpenedFile& file) const { return asker_ == getpid() && file_ == file; }

  // As RunProbe(). Returns no outcome if the server has ended; it does so when it is idle. Call it
  // again only after an outcome that has not timed out.
  absl::StatusOr<absl::optional<ChildOutcome>> Ask(uint64_t address, absl::Duration limit) {
    ChildOutcome outcome;
    InterruptibleWait wait(absl::Now() + limit);
    if (send(socket_.number(), &address, sizeof(address), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(sizeof(address))) {
      return absl::nullopt;
    }
    while (wait.GoesOn()) {
      if (!wait.AwaitInput(socket_.number())) continue;
      char buffer[1 << 12];
      const ssize_t count = read(socket_.number(), buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return absl::nullopt;
      outcome.output.append(buffer, count);
      if (TakeEnd(outcome)) return outcome;
    }
    kill(process_, SIGKILL);  // ends what it started too
    if (wait.interrupted()) {
      return absl::CancelledError(
          absl::StrCat(file_.program, " was killed, because a SIGINT came"));
    }
    outcome.timed_out = true;
    outcome.output.insert(0, absl::StrCat(kOpened, "\n"));
    return outcome;
  }

 private:
  // Returns whether all was said. Then makes of it what a process says that asks only once.
  static bool TakeEnd(ChildOutcome& outcome) {
    absl::string_view said = outcome.output;
    if (!absl::ConsumeSuffix(&said, "\n")) return false;
    const size_t before = said.rfind('\n');
    const size_t begin = before == absl::string_view::npos ? 0 : before + 1;
    absl::string_view last = said.substr(begin);
    int status = 0;
    if (!absl::ConsumePrefix(&last, kEnd) || !absl::SimpleAtoi(last, &status)) return false;
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
    outcome.output.resize(begin);
    outcome.output.insert(0, absl::StrCat(kOpened, "\n"));
    return true;
  }

  const OpenedFile file_;
  const FileDescriptor socket_;
  const pid_t process_;
  const pid_t asker_ = getpid();
};

// The server that is not asked at the moment. Under the TableLock.
std::unique_ptr<ProbeServer>& IdleServer() {
  static auto& server = *new std::unique_ptr<ProbeServer>;
  return server;
}

std::unique_ptr<ProbeServer> TakeServer(const OpenedFile& file) {
  const TableLock lock;
  std::unique_ptr<ProbeServer>& idle = IdleServer();
  return idle != nullptr && idle->Serves(file) ? std::move(idle) : nullptr;
}

void KeepServer(std::unique_ptr<ProbeServer> server) {
  const TableLock lock;
  IdleServer() = std::move(server);
}

struct Sockets {
  FileDescriptor own = FileDescriptor(-1);
  FileDescriptor servers = FileDescriptor(-1);
};

absl::StatusOr<Sockets> MakeSockets() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
    Sockets sockets{FileDescriptor::AboveStandard(ends[0]), FileDescriptor(-1)};
    const FileDescriptor servers(ends[1]);
    // Above all numbers that the child's files have.
    sockets.servers =
        FileDescriptor(fcntl(servers.number(), F_DUPFD_CLOEXEC, kSocketDescriptor + 1));
    if (sockets.own.is_open() && sockets.servers.is_open()) return sockets;
  }
  return absl::UnavailableError(absl::StrCat("no socket for a child: ", std::strerror(errno)));
}

// Returns the number of the process that the helper left behind as a server, or 0. Before it opens
// a file that is not whole, the helper says so.
pid_t ServerIn(const ChildOutcome& outcome) {
  absl::string_view said = outcome.output;
  said.remove_prefix(std::min(said.rfind(absl::StrCat(kOpened, "\n")), said.size()));
  pid_t process = 0;
  const bool serves = absl::ConsumePrefix(&said, absl::StrCat(kOpened, "\n", kServing)) &&
                      absl::ConsumeSuffix(&said, "\n") && absl::SimpleAtoi(said, &process);
  return serves ? process : 0;
}

}  // namespace

absl::StatusOr<ChildOutcome> RunProbe(const std::string& program, const std::string& path,
                                      uint64_t address, absl::Duration limit) {
  const absl::optional<OpenedFile> file = Identify(program, path);
  if (file.has_value()) {
    if (std::unique_ptr<ProbeServer> server = TakeServer(*file)) {
      absl::StatusOr<absl::optional<ChildOutcome>> outcome = server->Ask(address, limit);
      if (!outcome.ok()) return outcome.status();
      if (outcome->has_value()) {
        if (!(*outcome)->timed_out) KeepServer(std::move(server));
        return **std::move(outcome);
      }
    }
  }
  absl::StatusOr<Sockets> sockets = MakeSockets();
  if (!sockets.ok()) return sockets.status();
  ChildProcess child;
  child.command = {program, std::string(kServe), PathForChild(path),
                   absl::StrFormat("%#x", address), LoadedCallbridge()};
  child.gathered = {kAnswersDescriptor};
  child.passed = {{sockets->servers.number(), kSocketDescriptor}};
  child.limit = limit;
  absl::StatusOr<ChildOutcome> opened = RunChild(child);
  sockets->servers = FileDescriptor(-1);
  if (!opened.ok()) return opened.status();
  const pid_t process = ServerIn(*opened);
  if (process == 0) return opened;
  auto server =
      std::make_unique<ProbeServer>(file.value_or(OpenedFile()), std::move(sockets->own), process);
  absl::StatusOr<absl::optional<ChildOutcome>> outcome = server->Ask(address, limit);
  if (!outcome.ok()) return outcome.status();
  if (!outcome->has_value()) {
    return absl::UnavailableError(absl::StrCat(program, " ended before the function did"));
  }
  if (file.has_value() && !(*outcome)->timed_out) KeepServer(std::move(server));
  return **std::move(outcome);
}

// ---- In the helper process

namespace {

bool HasOneThread() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return !error && std::distance(begin(threads), end(threads)) == 1;
}

using Ask = absl::FunctionRef<void(uint64_t address, int answers)>;

// Returns the status of the process that asked the function.
int AskInFork(uint64_t address, Ask ask) {
  const pid_t server = getpid();
  const pid_t process = fork();
  if (process < 0) std::_Exit(1);
  if (process == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server) std::_Exit(1);
    ask(address, kSocketDescriptor);
    std::_Exit(0);  // skips the file's destructors
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-process, SIGKILL);  // what it left running
  return status;
}

[[noreturn]] void ServeUntilIdle(Ask ask) {
  close(kAnswersDescriptor);
  std::signal(SIGCHLD, SIG_DFL);
  for (;;) {
    pollfd request{kSocketDescriptor, POLLIN, 0};
    if (poll(&request, 1, static_cast<int>(absl::ToInt64Milliseconds(kIdle))) <= 0) break;
    uint64_t address = 0;
    if (read(kSocketDescriptor, &address, sizeof(address)) != sizeof(address)) break;
    alarm(kSecondsToServe);
    const int status = AskInFork(address, ask);
    alarm(0);
    SayLine(kSocketDescriptor, absl::StrCat(kEnd, status));
  }
  std::_Exit(0);
}

}  // namespace

void Serve(Ask ask) {
  if (!HasOneThread()) return;
  const pid_t process = fork();
  if (process < 0) return;
  if (process == 0) ServeUntilIdle(ask);
  // Who started this process ends its group when it has ended.
  setpgid(process, process);
  SayLine(kAnswersDescriptor, absl::StrCat(kServing, process));
  std::_Exit(0);
}

}  // namespace callbridge
