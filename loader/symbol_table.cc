#include "callbridge/loader/symbol_table.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// ---- Hash tables

namespace {

constexpr uint64_t kHashWord = sizeof(uint32_t);

struct GnuHashHeader {
  uint32_t bucket_count;
  uint32_t first_symbol;  // symbols before it are not in the table
  uint32_t bloom_words;   // of 64 bits
  uint32_t bloom_shift;
};

// Returns the last symbol that a bucket refers to, or 0 if all buckets are empty.
absl::StatusOr<uint32_t> HighestBucket(const ElfFile& file, const GnuHashHeader& header,
                                       uint64_t buckets_offset) {
  uint32_t highest = 0;
  for (uint64_t i = 0; i < header.bucket_count; ++i) {
    const auto symbol = file.Read<uint32_t>(buckets_offset + i * kHashWord);
    if (symbol != 0 && symbol < header.first_symbol) {
      return TableError("DT_GNU_HASH",
                        absl::StrCat("a bucket holds symbol ", symbol, ", and the first one is ",
                                     header.first_symbol));
    }
    highest = std::max(highest, symbol);
  }
  return highest;
}

// Chains are adjacent, and an odd word ends one. So if the last one ends, all do.
absl::StatusOr<uint64_t> GnuHashedSymbols(const ElfFile& file, uint64_t address) {
  absl::StatusOr<uint64_t> offset = file.FileOffset(address, sizeof(GnuHashHeader), "DT_GNU_HASH");
  if (!offset.ok()) return offset.status();
  const auto header = file.Read<GnuHashHeader>(*offset);
  if (!absl::has_single_bit(header.bloom_words)) {
    return TableError("DT_GNU_HASH", absl::StrCat("its Bloom filter has ", header.bloom_words,
                                                  " words; a power of two was expected"));
  }
  const uint64_t buckets = sizeof(header) + uint64_t{header.bloom_words} * sizeof(uint64_t);
  const uint64_t chains = buckets + header.bucket_count * kHashWord;
  offset = file.FileOffset(address, chains, "DT_GNU_HASH");
  if (!offset.ok()) return offset.status();
  absl::StatusOr<uint32_t> last = HighestBucket(file, header, *offset + buckets);
  if (!last.ok() || *last == 0) return last;
  for (uint64_t symbol = *last;; ++symbol) {
    const uint64_t word = address + chains + (symbol - header.first_symbol) * kHashWord;
    offset = file.FileOffset(word, kHashWord, "DT_GNU_HASH, whose last chain does not end");
    if (!offset.ok()) return offset.status();
    if ((file.Read<uint32_t>(*offset) & 1) != 0) return symbol + 1;
  }
}

struct SysvHashHeader {
  uint32_t bucket_count;
  uint32_t chain_count;  // as many as symbols
};

// Each symbol is in one chain, so a lookup that visits more symbols than there are is in a cycle.
absl::StatusOr<uint64_t> SysvHashedSymbols(const ElfFile& file, uint64_t address) {
  absl::StatusOr<uint64_t> offset = file.FileOffset(address, sizeof(SysvHashHeader), "DT_HASH");
  if (!offset.ok()) return offset.status();
  const auto header = file.Read<SysvHashHeader>(*offset);
  const uint64_t words = uint64_t{header.bucket_count} + header.chain_count;
  offset = file.FileOffset(address, sizeof(header) + words * kHashWord, "DT_HASH");
  if (!offset.ok()) return offset.status();
  const uint64_t buckets = *offset + sizeof(header);
  const uint64_t chains = buckets + header.bucket_count * kHashWord;
  uint64_t visited = 0;
  for (uint64_t i = 0; i < header.bucket_count; ++i) {
    auto symbol = file.Read<uint32_t>(buckets + i * kHashWord);
    while (symbol != STN_UNDEF) {
      if (symbol >= header.chain_count) {
        return TableError("DT_HASH",
                          absl::StrCat("it leads to symbol ", symbol, " of ", header.chain_count));
      }
      if (++visited > header.chain_count) return TableError("DT_HASH", "a chain does not end");
      symbol = file.Read<uint32_t>(chains + symbol * kHashWord);
    }
  }
  return header.chain_count;
}

}  // namespace

absl::StatusOr<uint64_t> HashedSymbolCount(const ElfFile& file, const DynamicSection& dynamic) {
  uint64_t count = 0;
  if (const std::optional<uint64_t> address = dynamic.Find(DT_GNU_HASH)) {
    absl::StatusOr<uint64_t> symbols = GnuHashedSymbols(file, *address);
    if (!symbols.ok()) return symbols;
    count = *symbols;
  }
  if (const std::optional<uint64_t> address = dynamic.Find(DT_HASH)) {
    absl::StatusOr<uint64_t> symbols = SysvHashedSymbols(file, *address);
    if (!symbols.ok()) return symbols;
    count = std::max(count, *symbols);
  }
  return count;
}

// ---- Symbols

absl::StatusOr<SymbolTable> SymbolTable::Parse(const ElfFile& file, const DynamicSection& dynamic,
                                               const std::vector<uint32_t>& relocated) {
  const std::optional<uint64_t> address = dynamic.Find(DT_SYMTAB);
  if (!address.has_value() || dynamic.Find(DT_SYMENT).value_or(0) != sizeof(Elf64_Sym)) {
    return absl::InvalidArgumentError(absl::StrCat("has no dynamic symbol table (DT_SYMTAB, and ",
                                                   sizeof(Elf64_Sym), " as DT_SYMENT)"));
  }
  absl::StatusOr<uint64_t> hashed = HashedSymbolCount(file, dynamic);
  if (!hashed.ok()) return hashed.status();
  const uint64_t count =
      std::max(*hashed, relocated.empty() ? uint64_t{1} : uint64_t{relocated.back()} + 1);
  absl::StatusOr<uint64_t> offset =
      file.FileOffset(*address, count * sizeof(Elf64_Sym), "DT_SYMTAB");
  if (!offset.ok()) return offset.status();

  SymbolTable table;
  table.offset_ = *offset;
  table.symbols_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto entry = file.Read<Elf64_Sym>(table.Offset(i));
    absl::StatusOr<absl::string_view> name =
        dynamic.String(entry.st_name, absl::StrCat("symbol ", i));
    if (!name.ok()) return name.status();
    table.symbols_.push_back({entry, *name});
  }
  return table;
}

// ---- Versions

namespace {

// Bit 15 of an index says that the symbol is hidden.
constexpr uint16_t kIndexMask = 0x7fff;

// Links lead forward, so a chain ends. But records may overlap, and if each has a chain of its own
// there may be absurdly many.
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
  // Without an index ld.so allocates no table of versions, but reads it.
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
