// ProbedFile: a file that callbridge-probe opens to ask its functions (typed_probe.h).
//
// Handlers answer the metadata query by themselves. So a file is opened even if libraries that it
// needs are not installed here, such as CUDA's: what they would provide is replaced by a function
// that returns null.
#ifndef CALLBRIDGE_LOADER_PROBED_FILE_H_
#define CALLBRIDGE_LOADER_PROBED_FILE_H_

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/loaded_copy.h"

namespace callbridge {

// How the error of Function() ends.
constexpr absl::string_view kHasNoCode = ": has no code at that address";

// Never closed.
class ProbedFile {
 public:
  // Opens the file at `path` as TargetLibrary does, if it has a function at `address`. Opens Python
  // modules too, although no interpreter is there. Runs no code of the file; the constructors of
  // libraries that it needs run. Error messages begin with the path.
  static absl::StatusOr<ProbedFile> Open(const std::string& path, uint64_t address);

  // What is missing to open the file whole: libraries that are not found, or symbols that none has.
  // Empty if it is whole. If it is not, only an answer counts: what calls a missing function may
  // crash.
  const std::string& missing() const { return missing_; }

  // Runs the file's constructors. Call it once, before any function.
  absl::Status RunConstructors();

  // Returns the function at `address`, or INVALID_ARGUMENT if there is no code.
  absl::StatusOr<void*> Function(uint64_t address) const;

 private:
  ProbedFile(std::string path, const ElfFile& file);

  std::string path_;
  std::vector<Elf64_Phdr> code_;  // its executable segments
  LoadedCopy* loaded_ = nullptr;
  uint64_t load_address_ = 0;
  std::string missing_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROBED_FILE_H_
