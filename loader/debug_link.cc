#include "callbridge/loader/debug_link.h"

#include <gelf.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/elf_handle.h"

namespace callbridge {
namespace {

constexpr size_t kChecksumSize = 4;

struct DebugLink {
  uint64_t header_offset;  // of the section's header
  std::string name;
  std::string checksum;
};

constexpr size_t RoundUpToFour(size_t size) { return (size + 3) & ~size_t{3}; }

// A name, padded to four bytes, and a checksum; nothing where the bytes are something else.
std::optional<DebugLink> ReadLink(const char* bytes, size_t size, uint64_t header_offset) {
  const size_t name_size = strnlen(bytes, size);
  const size_t checksum = RoundUpToFour(name_size + 1);
  const std::string name(bytes, name_size);
  if (checksum + kChecksumSize > size || name.empty() || name.find('/') != std::string::npos) {
    return std::nullopt;
  }
  return DebugLink{header_offset, name, std::string(bytes + checksum, kChecksumSize)};
}

// libelf checks every index, offset and string.
std::optional<DebugLink> FindDebugLink(const ElfFile& file) {
  const ElfHandle elf = OpenElf(file.bytes());
  size_t names = 0;
  GElf_Ehdr ehdr;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0 ||
      gelf_getehdr(elf.get(), &ehdr) == nullptr) {
    return std::nullopt;
  }
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr || std::strcmp(name, ".gnu_debuglink") != 0) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    const uint64_t offset = ehdr.e_shoff + elf_ndxscn(section) * sizeof(Elf64_Shdr);
    if (data == nullptr || data->d_buf == nullptr || ehdr.e_shentsize != sizeof(Elf64_Shdr) ||
        offset > file.bytes().size() - sizeof(Elf64_Shdr)) {
      return std::nullopt;
    }
    return ReadLink(static_cast<const char*>(data->d_buf), data->d_size, offset);
  }
  return std::nullopt;
}

std::optional<std::string> FindDebugFile(const std::string& folder, const std::string& name) {
  for (const char* below : {"", ".debug"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / below / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.native();
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<ElfFile> WithDebugLink(ElfFile file, const std::string& folder) {
  const std::optional<DebugLink> link = FindDebugLink(file);
  if (!link.has_value()) return file;
  const std::optional<std::string> debug_file = FindDebugFile(folder, link->name);
  if (!debug_file.has_value()) return file;

  std::string content = absl::StrCat("../../..", *debug_file);
  content.resize(RoundUpToFour(content.size() + 1), '\0');
  absl::StrAppend(&content, link->checksum);

  std::string bytes = file.bytes();
  bytes.resize(RoundUpToFour(bytes.size()), '\0');
  auto header = file.Read<Elf64_Shdr>(link->header_offset);
  header.sh_offset = bytes.size();
  header.sh_size = content.size();
  bytes.replace(link->header_offset, sizeof(header), reinterpret_cast<const char*>(&header),
                sizeof(header));
  absl::StrAppend(&bytes, content);
  return ElfFile::Parse(std::move(bytes));
}

}  // namespace callbridge
