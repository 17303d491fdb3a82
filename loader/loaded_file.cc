#include "callbridge/loader/loaded_file.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

// In seconds, with some margin: file systems have clocks of up to 2 s.
constexpr time_t kCoarsestClock = 3;
// What the kernel writes behind the path of a file that has no name any more.
constexpr absl::string_view kDeleted = " (deleted)";

// What the kernel knows of a file that is mapped.
struct MappedFile {
  std::string path;  // empty if none is
  uint64_t number = 0;
};

// Returns whether the file at `path` has that number, or any if it is not given.
bool Exists(const std::string& path, std::optional<uint64_t> number = std::nullopt) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return false;
  return !number.has_value() || status.st_ino == *number;
}

MappedFile FileMappedAt(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    uint64_t number = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %" SCNu64 " %n", &begin,
                    &end, &number, &path) != 3) {
      continue;
    }
    if (begin <= address && address < end) return {line.substr(path), number};
  }
  return {};
}

}  // namespace

std::optional<std::string> LoadedFilePath(const link_map& object) {
  const std::string name = *object.l_name != '\0' ? object.l_name : "/proc/self/exe";
  const bool is_absolute = std::filesystem::path(name).is_absolute();
  const auto [mapped, number] = FileMappedAt(reinterpret_cast<uintptr_t>(object.l_ld));
  bool is_name = is_absolute && IsSameFile(name, mapped);
  if (!Exists(mapped)) {
    // A file without a name may be open, and have one below /proc/self/fd. Otherwise the kernel's
    // path is of no use: it has a line break, or leads outside of the root folder.
    is_name = is_absolute && (!absl::EndsWith(mapped, kDeleted) || Exists(name, number));
    return is_name ? std::make_optional(name) : std::nullopt;
  }
  // $ORIGIN is the folder of the name, which may be a link.
  return is_name ? name : mapped;
}

bool IsSameFile(const std::string& path, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(path, other, error) && !error;
}

std::optional<FileState> FileState::Of(const std::string& path) {
  FileState state;
  std::error_code error;
  state.real_path_ = std::filesystem::canonical(path, error).native();
  if (error || stat(path.c_str(), &state.status_) != 0) return std::nullopt;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  state.is_old_ = now.tv_sec - state.status_.st_ctim.tv_sec >= kCoarsestClock;
  return state;
}

bool FileState::IsSameFileAs(const FileState& other) const {
  return real_path_ == other.real_path_ ||
         (status_.st_dev == other.status_.st_dev && status_.st_ino == other.status_.st_ino);
}

// The time of change too: programs may reset the time of modification.
FileState::Times FileState::times() const {
  return {status_.st_dev,         status_.st_ino,          status_.st_size,
          status_.st_mtim.tv_sec, status_.st_mtim.tv_nsec, status_.st_ctim.tv_sec,
          status_.st_ctim.tv_nsec};
}

bool FileState::IsAsIn(const FileState& then) const { return times() == then.times(); }

}  // namespace callbridge
