#include "callbridge/loader/origin.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_sections.h"

namespace callbridge {

// ---- $ORIGIN

namespace {

uint64_t RoundUp(uint64_t value, uint64_t page) { return (value + page - 1) & ~(page - 1); }

bool IsPartOfName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the length of the $ORIGIN at the beginning of `text`; 0 if there is none.
size_t OriginSize(absl::string_view text) {
  if (absl::StartsWith(text, "${ORIGIN}")) return 9;
  if (!absl::StartsWith(text, "$ORIGIN")) return 0;
  return text.size() > 7 && IsPartOfName(text[7]) ? 0 : 7;
}

bool IsExpanded(const Elf64_Dyn& entry) {
  switch (entry.d_tag) {
    case DT_NEEDED:
    case DT_RPATH:
    case DT_RUNPATH:
    case DT_AUXILIARY:
    case DT_FILTER:
      return true;
    default:
      return false;
  }
}

// The new string table, and the entries of the dynamic section that point into it.
struct Strings {
  std::string table;
  std::vector<Elf64_Dyn> entries;
};

// Returns nothing if there is nothing to replace.
absl::StatusOr<std::optional<Strings>> ReplaceStrings(const ElfFile& file,
                                                      const DynamicSection& dynamic,
                                                      absl::string_view folder) {
  const uint64_t size = *dynamic.Find(DT_STRSZ);
  absl::StatusOr<uint64_t> offset = file.FileOffset(*dynamic.Find(DT_STRTAB), size, "DT_STRTAB");
  if (!offset.ok()) return offset.status();
  Strings strings{file.bytes().substr(*offset, size), dynamic.entries()};
  for (Elf64_Dyn& entry : strings.entries) {
    if (!IsExpanded(entry)) continue;
    absl::StatusOr<absl::string_view> text = dynamic.String(entry.d_un.d_val, "path");
    if (!text.ok()) return text.status();
    if (!HasOrigin(*text)) continue;
    entry.d_un.d_val = strings.table.size();
    absl::StrAppend(&strings.table, ReplaceOrigin(*text, folder), absl::string_view("\0", 1));
  }
  if (strings.table.size() == size) return std::optional<Strings>();
  return std::make_optional(std::move(strings));
}

uint64_t EndOfMemory(const ElfFile& file) {
  uint64_t end = 0;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  return end;
}

// Returns a view of the bytes of trivial objects.
template <typename T>
absl::string_view BytesOf(const std::vector<T>& objects) {
  return {reinterpret_cast<const char*>(objects.data()), objects.size() * sizeof(T)};
}

}  // namespace

bool HasOrigin(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (OriginSize(text.substr(i)) > 0) return true;
  }
  return false;
}

std::string ReplaceOrigin(absl::string_view text, absl::string_view folder) {
  std::string replaced;
  while (!text.empty()) {
    const size_t size = OriginSize(text);
    absl::StrAppend(&replaced, size > 0 ? folder : text.substr(0, 1));
    text.remove_prefix(size > 0 ? size : 1);
  }
  return replaced;
}

absl::StatusOr<ElfFile> WithOrigin(ElfFile file, absl::string_view folder) {
  if (folder.empty() || folder.find_first_of(":$") != absl::string_view::npos) return file;
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return dynamic.status();
  absl::StatusOr<std::optional<Strings>> replaced = ReplaceStrings(file, *dynamic, folder);
  if (!replaced.ok()) return replaced.status();
  if (!replaced->has_value()) return file;
  Strings& strings = **replaced;

  // The new segment: first the program headers, then the strings.
  std::vector<Elf64_Phdr> segments = file.segments();
  const uint64_t headers_size = (segments.size() + 1) * sizeof(Elf64_Phdr);
  const uint64_t size = headers_size + strings.table.size();
  const uint64_t page = PageSizeOf(file.machine());
  const uint64_t offset = RoundUp(file.bytes().size(), page);
  const uint64_t address = RoundUp(EndOfMemory(file), page);
  for (Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_PHDR) continue;
    segment = {PT_PHDR, segment.p_flags, offset,       address,
               address, headers_size,    headers_size, segment.p_align};
  }
  segments.push_back({PT_LOAD, PF_R, offset, address, address, size, size, page});

  for (Elf64_Dyn& entry : strings.entries) {
    if (entry.d_tag == DT_STRTAB) entry.d_un.d_ptr = address + headers_size;
    if (entry.d_tag == DT_STRSZ) entry.d_un.d_val = strings.table.size();
  }
  auto header = file.Read<Elf64_Ehdr>(0);
  header.e_phoff = offset;
  header.e_phnum = static_cast<Elf64_Half>(segments.size());

  std::string bytes = file.bytes();
  const absl::string_view entries = BytesOf(strings.entries);
  bytes.replace(dynamic->offset(), entries.size(), entries.data(), entries.size());
  bytes.replace(0, sizeof(header), reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.resize(offset, '\0');
  absl::StrAppend(&bytes, BytesOf(segments), strings.table);
  return ElfFile::Parse(std::move(bytes));
}

// ---- The debug link

namespace {

constexpr size_t kChecksumSize = 4;

struct DebugLink {
  uint64_t header_offset;  // of the section's header
  std::string name;
  std::string checksum;
};

constexpr size_t RoundUpToFour(size_t size) { return (size + 3) & ~size_t{3}; }

// Reads a name, padded to four bytes, and a checksum. Returns nothing if the bytes are something
// else.
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
