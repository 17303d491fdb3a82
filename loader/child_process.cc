#include "callbridge/loader/child_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/interruptible_wait.h"
#include "callbridge/loader/loaded_file.h"
#include "callbridge/loader/python_interpreter.h"

namespace callbridge {

// ---- Running a program

namespace {

constexpr size_t kMaximumOutput = size_t{16} << 20;

absl::Status StartError(const ChildProcess& child, int error) {
  return absl::UnavailableError(
      absl::StrCat(child.command.front(), " cannot be started: ", std::strerror(error)));
}

// Returns pointers into `words`, in the form that exec takes.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

absl::string_view NameOf(absl::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> Environment(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
      return NameOf(change) == NameOf(*variable);
    });
    if (!is_changed) variables.emplace_back(*variable);
  }
  for (const std::string& change : changes) {
    if (absl::StrContains(change, "=")) variables.push_back(change);
  }
  return variables;
}

// Settings that posix_spawn applies in the child before the program runs.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void Set(const ChildProcess& child, int pipe) {
    for (int standard : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
    }
    for (int number : child.gathered) {
      posix_spawn_file_actions_adddup2(&actions_, pipe, number);
    }
    for (const auto& [own, number] : child.passed) {
      posix_spawn_file_actions_adddup2(&actions_, own, number);
    }
    // A process group, to be killed as one, and a new program's default signals.
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// The pipe that takes what a child writes.
struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};

// Returns no pipe, and sets errno, if none can be made.
absl::optional<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::nullopt;
  Pipe pipe{FileDescriptor::AboveStandard(ends[0]), FileDescriptor::AboveStandard(ends[1])};
  if (!pipe.reading.is_open() || !pipe.writing.is_open()) return absl::nullopt;
  return pipe;
}

// Reads until the pipe's end. Returns false if the wait ended first.
bool ReadUntilEnd(int pipe, std::string& output, InterruptibleWait& waiter) {
  char buffer[1 << 14];
  while (waiter.GoesOn()) {
    if (!waiter.AwaitInput(pipe)) continue;
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    const size_t room = kMaximumOutput - output.size();
    output.append(buffer, std::min(static_cast<size_t>(count), room));
  }
  return false;
}

// Returns true if the process has ended: it may close the pipe and go on. Its process number stays
// reserved.
bool Ends(pid_t process, InterruptibleWait& waiter) {
  const absl::Duration longest = absl::Milliseconds(5);
  for (absl::Duration pause = absl::Microseconds(50);; pause = std::min(2 * pause, longest)) {
    siginfo_t info = {};
    const int result = waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT);
    if (result == 0 && info.si_pid == process) return true;
    if (result != 0 && errno != EINTR) return true;
    if (!waiter.GoesOn()) return false;
    waiter.Sleep(pause);
  }
}

// Waits until the child ends, whose name is `what`, or the wait does.
absl::StatusOr<ChildOutcome> Await(pid_t process, Pipe& pipe, absl::string_view what,
                                   InterruptibleWait& waiter) {
  pipe.writing = FileDescriptor(-1);
  ChildOutcome outcome;
  const bool ended =
      ReadUntilEnd(pipe.reading.number(), outcome.output, waiter) && Ends(process, waiter);
  kill(-process, SIGKILL);  // also what it left running
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(process, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (!ended && waiter.interrupted()) {
    return absl::CancelledError(absl::StrCat(what, " was killed, because a SIGINT came"));
  }
  outcome.timed_out = !ended;
  outcome.is_unknown = ended && waited < 0;
  if (!ended || outcome.is_unknown) return outcome;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
  return outcome;
}

// In a fork: what posix_spawn does for a program. Allocates nothing.
void BecomeHelper() {
  PrepareForCrash();
  setpgid(0, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard : {0, 1, 2}) dup2(nothing, standard);
  // What is registered last runs first.
  on_exit([](int status, void*) { _exit(status); }, nullptr);
  at_quick_exit([] { _exit(0); });
  std::set_terminate(std::abort);
}

}  // namespace

absl::StatusOr<ChildOutcome> RunChild(const ChildProcess& child) {
  absl::optional<Pipe> pipe = MakePipe();
  if (!pipe.has_value()) return StartError(child, errno);
  SpawnSettings settings;
  settings.Set(child, pipe->writing.number());
  const std::vector<std::string> environment = Environment(child.variables);
  pid_t process = 0;
  InterruptibleWait waiter(absl::Now() + child.limit);
  const int error = posix_spawn(&process, child.command.front().c_str(), settings.actions(),
                                settings.attributes(), Pointers(child.command).data(),
                                Pointers(environment).data());
  if (error != 0) return StartError(child, error);
  return Await(process, *pipe, child.command.front(), waiter);
}

absl::StatusOr<ChildOutcome> RunFork(absl::FunctionRef<void(int output)> in_child,
                                     absl::Duration limit) {
  const auto error = [](int number) {
    return absl::UnavailableError(
        absl::StrCat("this process cannot be forked: ", std::strerror(number)));
  };
  absl::optional<Pipe> pipe = MakePipe();
  if (!pipe.has_value()) return error(errno);
  InterruptibleWait waiter(absl::Now() + limit);
  pid_t process = 0;
  {
    const PythonAtFork python;
    process = fork();
    if (process == 0) {
      BecomeHelper();
      python.AfterForkInChild();
      in_child(pipe->writing.number());
      _exit(0);
    }
  }
  if (process < 0) return error(errno);
  setpgid(process, process);  // the fork does so too, but perhaps later than it is killed
  return Await(process, *pipe, "a fork of this process", waiter);
}

void PrepareForCrash() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

std::string PathForChild(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error).lexically_normal();
  const bool is_of_process =
      absl::StartsWith(absolute.native(), "/dev/") || absl::StartsWith(absolute.native(), "/proc/");
  const std::filesystem::path real =
      is_of_process ? std::filesystem::canonical(absolute, error) : absolute;
  return error ? path : real.native();
}

// sigabbrev_np() is not in Debian 11's glibc.
std::string SignalName(int signal) {
  static constexpr struct {
    int number;
    const char* name;
  } kNames[] = {
      {SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGILL, "ILL"},
      {SIGTRAP, "TRAP"}, {SIGABRT, "ABRT"}, {SIGBUS, "BUS"},   {SIGFPE, "FPE"},
      {SIGKILL, "KILL"}, {SIGSEGV, "SEGV"}, {SIGPIPE, "PIPE"}, {SIGALRM, "ALRM"},
      {SIGTERM, "TERM"}, {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"}, {SIGSYS, "SYS"},
  };
  for (const auto& known : kNames) {
    if (known.number == signal) return known.name;
  }
  return absl::StrCat(signal);
}

std::string WhatWentWrong(const ChildOutcome& outcome, absl::Duration limit) {
  if (outcome.timed_out) return absl::StrCat("did not end in ", absl::FormatDuration(limit));
  if (outcome.is_unknown) {
    return "ended in an unknown way: this process ignores SIGCHLD, or waits for all of its "
           "children";
  }
  if (outcome.signal != 0) {
    return absl::StrCat("ended by SIG", SignalName(outcome.signal));
  }
  if (outcome.exit_status != 0) return absl::StrCat("exited with status ", outcome.exit_status);
  return "";
}

// ---- callbridge's own helpers

namespace {

// ld.so's name may be relative to a working folder of before.
std::string PathOf(const link_map& library) {
  return LoadedFilePath(library).value_or(library.l_name);
}

// Returns the folder of the library or program that contains this code; empty if it is a program
// and /proc is not mounted.
std::filesystem::path OwnFolder() {
  static const int here = 0;
  const link_map* object = LoadedObject(&here);
  const bool is_library = object != nullptr && *object->l_name != '\0';
  std::error_code error;
  const std::filesystem::path path = is_library
                                         ? std::filesystem::path(PathOf(*object))
                                         : std::filesystem::read_symlink("/proc/self/exe", error);
  return path.parent_path();
}

// `folders` are relative to callbridge's own.
absl::StatusOr<std::string> Find(const std::string& name, const char* variable,
                                 std::initializer_list<const char*> folders, int access_mode) {
  std::vector<std::string> places;
  if (const char* declared = std::getenv(variable)) {
    places = {declared};
  } else {
    const std::filesystem::path own = OwnFolder();
    if (own.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("expected /proc, through which callbridge finds ", name,
                       ": mount it (mount -t proc proc /proc), or set ", variable, " to its path"));
    }
    for (const char* folder : folders) places.push_back((own / folder / name).lexically_normal());
  }
  for (const std::string& path : places) {
    if (access(path.c_str(), access_mode) == 0) return path;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      name, " is not at ", absl::StrJoin(places, " nor at "), "; set ", variable, " to its path"));
}

}  // namespace

absl::StatusOr<std::string> FindHelperProgram(const std::string& name, const char* variable) {
  return Find(name, variable, {"", "../libexec/callbridge"}, X_OK);
}

absl::StatusOr<std::string> FindHelperLibrary(const std::string& name, const char* variable) {
  // Beside libcallbridge.so; from bin; from libexec/callbridge, where helper programs are.
  return Find(name, variable, {"", "../lib", "../../lib"}, R_OK);
}

absl::StatusOr<std::string> FindHeader(const std::string& name, const char* variable) {
  return Find(absl::StrCat("include/", name), variable, {"..", "../.."}, R_OK);
}

std::string LoadedCallbridge() {
  void* library = dlopen(CALLBRIDGE_LIBRARY, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return "";
  link_map* map = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  std::string path = PathForChild(PathOf(*map));
  dlclose(library);
  return path;
}

void OpenLoadedCallbridge(const char* path) {
  // If that fails, the error of the file that needs it says so.
  if (*path != '\0') dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

absl::StatusOr<std::string> FindPythonFolder() {
  constexpr char kVariable[] = "CALLBRIDGE_PYTHON_FOLDER";
  const std::filesystem::path own = OwnFolder();
  if (!own.empty() && std::getenv(kVariable) == nullptr) {
    // A wheel's package holds bin and libexec itself.
    for (const std::filesystem::path& package :
         {own.parent_path(), own.parent_path().parent_path()}) {
      const std::filesystem::path file = package / "__init__.py";
      if (access(file.c_str(), R_OK) == 0) return package.parent_path().native();
    }
  }
  // From bin; from libexec/callbridge and from a build's folder.
  return Find("python", kVariable, {"..", "../.."}, R_OK);
}

}  // namespace callbridge
