// ElfFile: the bytes of a shared library, and the segments that ld.so maps.
//
// ld.so trusts the file that it maps. So callbridge checks every file before it hands it to ld.so,
// here, in dynamic_section.h and in symbol_table.h: every offset and size may be wrong.
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
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/machine.h"

namespace callbridge {

// Returns the machine of a file whose `bytes` begin with a whole ELF header for one of kMachines.
// Returns INVALID_ARGUMENT otherwise, and says what they are: empty, text, an archive, code for a
// machine that is not known.
absl::StatusOr<const Machine*> MachineOf(absl::string_view bytes);

// Returns OK if `bytes`, of which MachineOf() returned the machine, are a shared library or a
// position-independent program. Returns INVALID_ARGUMENT otherwise, and says what they are: an
// object file, a core dump.
absl::Status CheckIsSharedLibrary(absl::string_view bytes);

// Returns the size of a page of memory in bytes: this system's if the machine is this one, and the
// largest that another machine may have.
uint64_t PageSizeOf(const Machine& machine);

// Returns INVALID_ARGUMENT "has a bad <table>: <what>", to be appended to the file's name.
inline absl::Status TableError(absl::string_view table, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("has a bad ", table, ": ", what));
}

class ElfFile {
 public:
  // Takes the bytes of a shared library for this machine. Returns INVALID_ARGUMENT if they are
  // something else or a segment is invalid.
  static absl::StatusOr<ElfFile> Parse(std::string bytes);
  // Takes the bytes of a shared library for any of kMachines, to be read and not to be loaded.
  // Fails as Parse().
  static absl::StatusOr<ElfFile> ParseForeign(std::string bytes);
  // Takes the bytes of a file that runs in this process: a shared library or any program. Returns
  // INVALID_ARGUMENT if they are something else or a segment is invalid.
  static absl::StatusOr<ElfFile> ParseLoaded(std::string bytes);

  const Machine& machine() const { return *machine_; }
  const std::string& bytes() const { return bytes_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  // Returns the offset in the file of the `size` bytes that are mapped at `address`. Addresses are
  // relative to the load address, as everywhere in a file. Returns INVALID_ARGUMENT, naming `what`,
  // unless one loadable segment maps all of the bytes from the file.
  absl::StatusOr<uint64_t> FileOffset(uint64_t address, uint64_t size,
                                      absl::string_view what) const;

  // Returns whether one segment with all of `flags` (PF_R, PF_W, PF_X) contains the `size` bytes of
  // memory at `address`, zero-filled memory included.
  bool IsMapped(uint64_t address, uint64_t size, Elf64_Word flags) const;

  // Returns the T at `offset`, which FileOffset() returned for at least sizeof(T) bytes. `offset`
  // need not be aligned.
  template <typename T>
  T Read(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  // Replaces the T at `offset`, which FileOffset() returned for at least sizeof(T) bytes.
  template <typename T>
  void Write(uint64_t offset, const T& value) {
    std::memcpy(&bytes_[offset], &value, sizeof(T));
  }

 private:
  ElfFile(std::string bytes, const Machine& machine)
      : bytes_(std::move(bytes)), machine_(&machine) {}

  static absl::StatusOr<ElfFile> ParseFor(const Machine& machine, std::string bytes);

  absl::Status ReadSegments();
  absl::Status CheckLoadSegments() const;
  absl::Status CheckInnerSegments() const;
  absl::Status CheckProgramHeaderAddress(uint64_t address) const;
  absl::Status CheckThreadLocals(size_t index) const;
  absl::Status CheckReadOnlyAfterRelocation(size_t index) const;

  std::string bytes_;
  const Machine* machine_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ELF_FILE_H_
