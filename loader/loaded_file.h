// Where the file of a loaded program or library lies now: not every path that led to it still does.
#ifndef CALLBRIDGE_LOADER_LOADED_FILE_H_
#define CALLBRIDGE_LOADER_LOADED_FILE_H_

#include <link.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <tuple>

namespace callbridge {

// Returns an absolute path of the file that ld.so mapped as `object`, whatever path it was opened
// by: a relative one means another file in another working folder. Returns no path if the file was
// removed or replaced since.
std::optional<std::string> LoadedFilePath(const link_map& object);

// Returns whether both paths lead to one file.
bool IsSameFile(const std::string& path, const std::string& other);

// Which file is at a path, and what changes when it is written to.
class FileState {
 public:
  // Returns that of the file at `path`; none if there is no file.
  static std::optional<FileState> Of(const std::string& path);

  // By its real path, or its number on its device, which links share.
  bool IsSameFileAs(const FileState& other) const;
  // Returns whether nothing shows that the file was written to since, or replaced.
  bool IsAsIn(const FileState& then) const;
  // Returns true only if it was not: a file that had just been written may have been written again
  // in the same tick of its file system's clock, which does not show.
  bool IsSurelyAsIn(const FileState& then) const { return then.is_old_ && IsAsIn(then); }

 private:
  using Times = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;

  Times times() const;

  std::string real_path_;
  struct stat status_ = {};
  bool is_old_ = false;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LOADED_FILE_H_
