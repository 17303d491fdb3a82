#include "callbridge/loader/symbol_versions.h"

#include <elf.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/table_error.h"

namespace callbridge {
namespace {

// Bit 15 of an index says that the symbol is hidden.
constexpr uint16_t kIndexMask = 0x7fff;

// Links lead forward, so a chain ends; but records may overlap, and where each has a chain of its
// own there may be absurdly many.
class RecordLimit {
 public:
  explicit RecordLimit(const ElfFile& file) : left_(file.bytes().size() / kSmallestRecord) {}

  absl::Status Count() {
    if (left_ == 0) return TableError("DT_VERNEED", "its records overlap");
    --left_;
    return absl::OkStatus();
  }

 private:
  static constexpr uint64_t kSmallestRecord = sizeof(Elf64_Vernaux);

  uint64_t left_;
};

// Reads the versions of one library.
absl::Status ReadIndexes(const ElfFile& file, const DynamicSection& dynamic, uint64_t address,
                         RecordLimit& limit, std::vector<uint16_t>& indexes) {
  while (true) {
    absl::StatusOr<uint64_t> offset = file.FileOffset(address, sizeof(Elf64_Vernaux), "DT_VERNEED");
    if (!offset.ok()) return offset.status();
    const auto version = file.Read<Elf64_Vernaux>(*offset);
    absl::Status status = dynamic.String(version.vna_name, "DT_VERNEED").status();
    if (status.ok()) status = limit.Count();
    if (!status.ok()) return status;
    indexes.push_back(version.vna_other & kIndexMask);
    if (version.vna_next == 0) return absl::OkStatus();
    address += version.vna_next;
  }
}

}  // namespace

absl::StatusOr<SymbolVersions> SymbolVersions::Parse(const ElfFile& file,
                                                     const DynamicSection& dynamic,
                                                     size_t symbol_count) {
  SymbolVersions versions;
  const std::optional<uint64_t> needed = dynamic.Find(DT_VERNEED);
  const std::optional<uint64_t> defined = dynamic.Find(DT_VERDEF);
  if (!needed.has_value() && !defined.has_value()) return versions;

  absl::Status status;
  if (needed.has_value()) status = versions.ReadNeeded(file, dynamic, *needed);
  if (status.ok() && defined.has_value()) status = versions.ReadDefined(file, dynamic, *defined);
  if (!status.ok()) return status;
  const std::optional<uint64_t> indexes = dynamic.Find(DT_VERSYM);
  if (!indexes.has_value()) return TableError("DT_VERSYM", "it is missing, and versions are there");
  absl::StatusOr<uint64_t> offset =
      file.FileOffset(*indexes, symbol_count * sizeof(Elf64_Versym), "DT_VERSYM");
  if (!offset.ok()) return offset.status();
  versions.indexes_offset_ = *offset;
  status = versions.CheckIndexes(file, symbol_count);
  if (!status.ok()) return status;
  return versions;
}

absl::Status SymbolVersions::ReadNeeded(const ElfFile& file, const DynamicSection& dynamic,
                                        uint64_t address) {
  RecordLimit limit(file);
  while (true) {
    absl::StatusOr<uint64_t> offset = file.FileOffset(address, sizeof(Elf64_Verneed), "DT_VERNEED");
    if (!offset.ok()) return offset.status();
    const auto record = file.Read<Elf64_Verneed>(*offset);
    if (record.vn_version != VER_NEED_CURRENT) {
      return TableError("DT_VERNEED", absl::StrCat("a record of format ", record.vn_version, "; ",
                                                   VER_NEED_CURRENT, " was expected"));
    }
    absl::StatusOr<absl::string_view> library = dynamic.String(record.vn_file, "DT_VERNEED");
    if (!library.ok()) return library.status();
    needed_.push_back({address, *offset, *library, {}});
    absl::Status status = limit.Count();
    if (status.ok()) {
      status = ReadIndexes(file, dynamic, address + record.vn_aux, limit, needed_.back().indexes);
    }
    if (!status.ok()) return status;
    if (record.vn_next == 0) return absl::OkStatus();
    address += record.vn_next;
  }
}

absl::Status SymbolVersions::ReadDefined(const ElfFile& file, const DynamicSection& dynamic,
                                         uint64_t address) {
  while (true) {
    absl::StatusOr<uint64_t> offset = file.FileOffset(address, sizeof(Elf64_Verdef), "DT_VERDEF");
    if (!offset.ok()) return offset.status();
    const auto record = file.Read<Elf64_Verdef>(*offset);
    if (record.vd_version != VER_DEF_CURRENT) {
      return TableError("DT_VERDEF", absl::StrCat("a record of format ", record.vd_version, "; ",
                                                  VER_DEF_CURRENT, " was expected"));
    }
    offset = file.FileOffset(address + record.vd_aux, sizeof(Elf64_Verdaux), "DT_VERDEF");
    if (!offset.ok()) return offset.status();
    const auto name = file.Read<Elf64_Verdaux>(*offset);
    absl::Status status = dynamic.String(name.vda_name, "DT_VERDEF").status();
    if (!status.ok()) return status;
    defined_.push_back(record.vd_ndx & kIndexMask);
    if (record.vd_next == 0) return absl::OkStatus();
    address += record.vd_next;
  }
}

absl::Status SymbolVersions::CheckIndexes(const ElfFile& file, size_t symbol_count) const {
  std::vector<bool> known(kIndexMask + 1, false);
  for (uint16_t index : defined_) known[index] = true;
  for (const NeededVersions& library : needed_) {
    for (uint16_t index : library.indexes) known[index] = true;
  }
  // ld.so makes no table of versions then, and reads it all the same.
  if (std::find(known.begin() + VER_NDX_GLOBAL, known.end(), true) == known.end()) {
    return TableError("DT_VERSYM", "no version has an index");
  }
  known[VER_NDX_LOCAL] = true;
  known[VER_NDX_GLOBAL] = true;
  for (size_t symbol = 0; symbol < symbol_count; ++symbol) {
    const uint16_t index = file.Read<Elf64_Versym>(*IndexOffset(symbol)) & kIndexMask;
    if (known[index]) continue;
    return TableError("DT_VERSYM", absl::StrCat("symbol ", symbol, " has version ", index,
                                                ", which no table describes"));
  }
  return absl::OkStatus();
}

std::optional<uint64_t> SymbolVersions::IndexOffset(size_t symbol) const {
  if (!indexes_offset_.has_value()) return std::nullopt;
  return *indexes_offset_ + symbol * sizeof(Elf64_Versym);
}

}  // namespace callbridge
