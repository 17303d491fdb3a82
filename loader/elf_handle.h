// libelf on a file that is in memory.
#ifndef CALLBRIDGE_LOADER_ELF_HANDLE_H_
#define CALLBRIDGE_LOADER_ELF_HANDLE_H_

#include <libelf.h>

#include <memory>

#include "absl/strings/string_view.h"

namespace callbridge {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

// `bytes` must outlive it. Null where they are nothing that libelf knows.
inline ElfHandle OpenElf(absl::string_view bytes) {
  elf_version(EV_CURRENT);
  // libelf reads through this pointer; it writes where it was asked to update a file.
  return {elf_memory(const_cast<char*>(bytes.data()), bytes.size()), &elf_end};
}

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ELF_HANDLE_H_
