// ElfFile: the bytes of a shared library for x86-64 and the segments that ld.so will map.
//
// ld.so trusts the file that it maps. Whatever callbridge hands to it is therefore checked first,
// here and in the other tables of this folder: every offset and size may lie.
#ifndef CALLBRIDGE_LOADER_ELF_FILE_H_
#define CALLBRIDGE_LOADER_ELF_FILE_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

class ElfFile {
 public:
  // INVALID_ARGUMENT says what the bytes are, or which segment is wrong.
  static absl::StatusOr<ElfFile> Parse(std::string bytes);
  // The same for a file that runs in this process: also a program of fixed addresses.
  static absl::StatusOr<ElfFile> ParseLoaded(std::string bytes);

  const std::string& bytes() const { return bytes_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  // The offset in the file of the `size` bytes that are mapped at `address`, which is relative to
  // the load address as all addresses in the file are. INVALID_ARGUMENT, naming `what`, unless all
  // of them come from the file.
  absl::StatusOr<uint64_t> FileOffset(uint64_t address, uint64_t size,
                                      absl::string_view what) const;

  // Whether one segment with all the given flags (PF_R, PF_W, PF_X) holds the `size` bytes of
  // memory at `address`, zero-filled ones included.
  bool IsMapped(uint64_t address, uint64_t size, Elf64_Word flags) const;

  // The T at an offset that FileOffset() returned for at least sizeof(T) bytes, aligned or not.
  template <typename T>
  T Read(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  template <typename T>
  void Write(uint64_t offset, const T& value) {
    std::memcpy(&bytes_[offset], &value, sizeof(T));
  }

 private:
  explicit ElfFile(std::string bytes) : bytes_(std::move(bytes)) {}

  absl::Status ReadSegments();
  absl::Status CheckLoadSegments() const;
  absl::Status CheckInnerSegments() const;
  absl::Status CheckProgramHeaderAddress(uint64_t address) const;
  absl::Status CheckThreadLocals(size_t index) const;
  absl::Status CheckReadOnlyAfterRelocation(size_t index) const;

  std::string bytes_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ELF_FILE_H_
