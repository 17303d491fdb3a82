#include "callbridge/tools/file_bytes.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

absl::Status FileError(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, path);
}

// Bytes that are there to be read where that is known beforehand: pipes and devices have 0.
size_t KnownSize(std::FILE* file) {
  struct stat info;
  return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return FileError(path, errno);
  constexpr size_t kChunk = 1 << 16;
  std::string bytes;
  bytes.reserve(KnownSize(file.get()));
  char chunk[kChunk];
  while (const size_t count = std::fread(chunk, 1, kChunk, file.get())) bytes.append(chunk, count);
  if (std::ferror(file.get()) != 0) return FileError(path, errno);
  return bytes;
}

absl::Status WriteFile(const std::string& path, absl::string_view head, absl::string_view tail) {
  File file(std::fopen(path.c_str(), "wbe"));
  if (file == nullptr) return FileError(path, errno);
  std::fwrite(head.data(), 1, head.size(), file.get());
  std::fwrite(tail.data(), 1, tail.size(), file.get());
  const bool failed = std::ferror(file.get()) != 0;
  // Closing writes what is still buffered.
  if (failed || std::fclose(file.release()) != 0) return FileError(path, errno);
  return absl::OkStatus();
}

}  // namespace callbridge
