#include "callbridge/tools/file_bytes.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

absl::Status FileError(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, path);
}

absl::Status TooLong(const std::string& path, size_t most, absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": expected at most ", most, " bytes, found ", found));
}

// Returns the file's size if it is known; 0 for pipes and devices.
size_t KnownSize(std::FILE* file) {
  struct stat info;
  return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most,
                                     absl::string_view begin) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return FileError(path, errno);
  constexpr size_t kChunk = 1 << 16;
  std::string bytes;
  const size_t size = KnownSize(file.get());
  if (size > most) return TooLong(path, most, absl::StrCat(size));
  bytes.reserve(size);
  char chunk[kChunk];
  while (const size_t count = std::fread(chunk, 1, kChunk, file.get())) {
    if (count > most - bytes.size()) return TooLong(path, most, "more");
    bytes.append(chunk, count);
    const size_t common = std::min(begin.size(), bytes.size());
    if (begin.substr(0, common) != absl::string_view(bytes).substr(0, common)) return bytes;
  }
  if (std::ferror(file.get()) != 0) return FileError(path, errno);
  return bytes;
}

}  // namespace callbridge
