#include "callbridge/loader/gpu_code.h"

#include <gelf.h>

#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

// NVIDIA documents neither; these are read off what nvcc 12 and clang write.
struct FatBinaryHeader {
  static constexpr uint32_t kMagic = 0xBA55ED50;
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint64_t size;  // of the entries, which follow
};

struct FatBinaryEntry {
  static constexpr uint16_t kPtx = 1;
  static constexpr uint16_t kMachineCode = 2;
  uint16_t kind;
  uint16_t attributes;
  uint32_t header_size;
  uint64_t size;  // of the code, which follows the header
  uint32_t unused[3];
  uint32_t architecture;
};

template <typename T>
bool Read(absl::string_view bytes, T* value) {
  if (bytes.size() < sizeof(T)) return false;
  std::memcpy(value, bytes.data(), sizeof(T));
  return true;
}

void AddEntries(absl::string_view entries, std::set<std::string>& names) {
  FatBinaryEntry entry;
  while (Read(entries, &entry)) {
    if (entry.kind == FatBinaryEntry::kPtx) {
      names.insert(absl::StrCat("compute_", entry.architecture));
    } else if (entry.kind == FatBinaryEntry::kMachineCode) {
      names.insert(absl::StrCat("sm_", entry.architecture));
    }
    if (entry.header_size < sizeof(entry) || entry.header_size > entries.size()) return;
    entries.remove_prefix(entry.header_size);
    if (entry.size > entries.size()) return;
    entries.remove_prefix(entry.size);
  }
}

}  // namespace

std::set<std::string> FatBinaryArchitectures(absl::string_view section) {
  std::set<std::string> names;
  FatBinaryHeader header;
  constexpr size_t kAlignment = 8;  // of each fat binary in the section
  while (Read(section, &header)) {
    if (header.magic != FatBinaryHeader::kMagic || header.header_size < sizeof(header) ||
        header.header_size > section.size()) {
      if (section.size() < kAlignment) break;
      section.remove_prefix(kAlignment);
      continue;
    }
    section.remove_prefix(header.header_size);
    const absl::string_view entries = section.substr(0, header.size);
    AddEntries(entries, names);
    section.remove_prefix(entries.size());
  }
  return names;
}

std::set<std::string> GpuArchitectures(Elf* elf, bool* has_hip) {
  size_t names_index = 0;
  if (elf_getshdrstrndx(elf, &names_index) != 0) return {};
  std::set<std::string> architectures;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names_index, header.sh_name);
    if (name == nullptr) continue;
    if (absl::StartsWith(name, ".hip_fatbin")) *has_hip = true;
    if (absl::string_view(name) != ".nv_fatbin") continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    architectures.merge(
        FatBinaryArchitectures({static_cast<const char*>(data->d_buf), data->d_size}));
  }
  return architectures;
}

}  // namespace callbridge
