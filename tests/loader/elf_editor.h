// ElfEditor: an old binary's bytes, to be damaged in one place.
#ifndef CALLBRIDGE_TESTS_LOADER_ELF_EDITOR_H_
#define CALLBRIDGE_TESTS_LOADER_ELF_EDITOR_H_

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace callbridge {

inline std::string OldBinary(const std::string& name) {
  return std::string(OLD_BINARIES) + "/" + name + ".so";
}

inline std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class ElfEditor {
 public:
  explicit ElfEditor(const std::string& name) : bytes(BytesOf(OldBinary(name))) {}

  template <typename T>
  T& At(uint64_t offset) {
    if (offset + sizeof(T) > bytes.size()) throw std::out_of_range("test edits beyond the file");
    return *reinterpret_cast<T*>(&bytes[offset]);
  }
  Elf64_Ehdr& header() { return At<Elf64_Ehdr>(0); }

  // The first segment of that type, or the one after `skipped` others.
  Elf64_Phdr& Segment(Elf64_Word type, int skipped = 0) {
    for (int i = 0; i < header().e_phnum; ++i) {
      auto& segment = At<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type == type && skipped-- == 0) return segment;
    }
    throw std::out_of_range("test edits a segment that is not there");
  }
  Elf64_Dyn& Dynamic(Elf64_Sxword tag) {
    const Elf64_Phdr& segment = Segment(PT_DYNAMIC);
    for (uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      auto& entry = At<Elf64_Dyn>(segment.p_offset + at);
      if (entry.d_tag == tag) return entry;
    }
    throw std::out_of_range("test edits a dynamic entry that is not there");
  }
  // Where the byte at an address stands in the file.
  uint64_t Offset(uint64_t address) {
    for (int i = 0;; ++i) {
      const Elf64_Phdr& load = Segment(PT_LOAD, i);
      if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz) {
        return address - load.p_vaddr + load.p_offset;
      }
    }
  }
  // The i-th T of the table that `tag` leads to.
  template <typename T>
  T& Table(Elf64_Sxword tag, uint64_t i = 0) {
    return At<T>(Offset(Dynamic(tag).d_un.d_ptr) + i * sizeof(T));
  }

  // The dynamic symbol of that name.
  Elf64_Sym& Symbol(const std::string& name) {
    const uint64_t strings = Offset(Dynamic(DT_STRTAB).d_un.d_ptr);
    for (uint64_t i = 1;; ++i) {
      auto& symbol = Table<Elf64_Sym>(DT_SYMTAB, i);
      if (bytes.c_str() + strings + symbol.st_name == name) return symbol;
    }
  }

  std::string bytes;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_LOADER_ELF_EDITOR_H_
