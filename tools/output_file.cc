#include "callbridge/tools/output_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/files.h"

namespace callbridge {
namespace {

namespace fs = std::filesystem;

// Writes all bytes and closes the file. Returns 0 or an errno.
int WriteAndClose(FileDescriptor file, absl::string_view head, absl::string_view tail) {
  for (absl::string_view bytes : {head, tail}) {
    while (!bytes.empty()) {
      const ssize_t count = write(file.number(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  // Some file systems write only here.
  return close(file.Release()) == 0 ? 0 : errno;
}

absl::Status WriteInPlace(const std::string& path, absl::string_view head, absl::string_view tail) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  const int error = file.is_open() ? WriteAndClose(std::move(file), head, tail) : errno;
  return error == 0 ? absl::OkStatus() : absl::ErrnoToStatus(error, path);
}

bool IsInProc(const fs::path& link) {
  const fs::path folder = link.parent_path();
  struct statfs info;
  return statfs(folder.empty() ? "." : folder.c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

// Returns the path at the end of the symbolic links, whether the file exists or not. Returns
// nothing for a link in /proc.
std::optional<fs::path> FollowLinks(fs::path path) {
  std::error_code error;
  while (fs::is_symlink(fs::symlink_status(path, error))) {
    if (IsInProc(path)) return std::nullopt;
    path = path.parent_path() / fs::read_symlink(path, error);
    if (error) break;
  }
  return path;
}

// Has signals that end the program wait until the destructor, so that they leave no temporary file.
// (Another thread that does not block them takes them.)
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

// A new file beside another one. The destructor removes it unless it has replaced the other one.
class TemporaryFile {
 public:
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  // Returns 0 or an errno, like the other functions.
  int Create(const fs::path& folder) {
    for (int i = 0;; ++i) {
      // No longer than the name of any other file may be.
      const fs::path path = folder / absl::StrCat(".callbridge-", getpid(), "-", i);
      file_ = FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file_.is_open()) {
        path_ = path;
        return 0;
      }
      if (errno != EEXIST) return errno;
    }
  }

  int Resemble(const struct stat& old) {
    if (fchown(file_.number(), old.st_uid, old.st_gid) != 0) return errno;
    return fchmod(file_.number(), old.st_mode & 0777) == 0 ? 0 : errno;
  }

  int Write(absl::string_view head, absl::string_view tail) {
    return WriteAndClose(std::move(file_), head, tail);
  }

  int TakePlaceOf(const fs::path& other) {
    if (std::rename(path_.c_str(), other.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  FileDescriptor file_{-1};
  fs::path path_;
};

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view head, absl::string_view tail) {
  struct stat old;
  const bool is_there = stat(path.c_str(), &old) == 0;
  if (!is_there && errno != ENOENT) return absl::ErrnoToStatus(errno, path);
  if (is_there && !S_ISREG(old.st_mode)) return WriteInPlace(path, head, tail);
  // A folder that allows replacing files does not make a read-only file writable.
  if (is_there && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return absl::ErrnoToStatus(errno, path);
  }
  const std::optional<fs::path> place = FollowLinks(path);
  if (!place.has_value()) return WriteInPlace(path, head, tail);

  const SignalsWait signals_wait;
  TemporaryFile temporary;
  int error = temporary.Create(place->parent_path());
  if (error == 0 && is_there) error = temporary.Resemble(old);
  if (is_there && (error == EACCES || error == EPERM)) return WriteInPlace(path, head, tail);
  if (error == 0) error = temporary.Write(head, tail);
  if (error == 0) error = temporary.TakePlaceOf(*place);
  // The file is a mount point.
  if (error == EBUSY) return WriteInPlace(path, head, tail);
  return error == 0 ? absl::OkStatus() : absl::ErrnoToStatus(error, path);
}

}  // namespace callbridge
