#include "callbridge/loader/symbol_hash.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/table_error.h"

namespace callbridge {
namespace {

constexpr uint64_t kHashWord = sizeof(uint32_t);

struct GnuHashHeader {
  uint32_t bucket_count;
  uint32_t first_symbol;  // the symbols before it are not in the table
  uint32_t bloom_words;   // of 64 bits
  uint32_t bloom_shift;
};

// The last symbol that a bucket leads to, or 0 if all buckets are empty.
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

// Chains lie one after the other; an odd word ends one. So if the last one ends, all do.
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

// Each symbol stands in one chain, so a lookup that visits more than there are goes in circles.
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

}  // namespace callbridge
