// The tables that ld.so reads, damaged one at a time. Each of these files would make ld.so crash,
// end the process by an assertion, or run for ever.
#include "callbridge/loader/dynamic_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/loader/private_copy.h"
#include "callbridge/loader/symbol_table.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kNowhere = 0x123456789000;

struct Damage {
  const char* name;
  const char* binary;
  std::function<void(ElfEditor&)> edit;
  const char* message;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

// How many buckets DT_GNU_HASH has, and where they begin, in 32-bit words.
uint32_t GnuBuckets(ElfEditor& e) { return e.Table<uint32_t>(DT_GNU_HASH, 0); }
uint64_t FirstGnuBucket(ElfEditor& e) { return 4 + 2 * e.Table<uint32_t>(DT_GNU_HASH, 2); }

// DT_VERDEF's first version is the library itself.
Elf64_Verdef& SecondDefinition(ElfEditor& e) {
  const uint64_t first = e.Dynamic(DT_VERDEF).d_un.d_ptr;
  return e.At<Elf64_Verdef>(e.Offset(first + e.Table<Elf64_Verdef>(DT_VERDEF).vd_next));
}

const Damage kDamages[] = {
    {"NoDynamicSegment", "original_linked",
     [](ElfEditor& e) { e.Segment(PT_DYNAMIC).p_type = PT_NULL; }, "has no PT_DYNAMIC segment"},
    {"TwoDynamicSegments", "original_linked",
     [](ElfEditor& e) { e.Segment(PT_GNU_STACK).p_type = PT_DYNAMIC; },
     "has two PT_DYNAMIC segments"},
    {"DynamicSegmentNowhere", "original_linked",
     [](ElfEditor& e) { e.Segment(PT_DYNAMIC).p_vaddr = kNowhere; }, "has a bad PT_DYNAMIC"},
    {"DynamicSectionWithoutEnd", "original_linked",
     [](ElfEditor& e) { e.Segment(PT_DYNAMIC).p_memsz = 4 * sizeof(Elf64_Dyn); },
     "no DT_NULL ends it"},
    {"NoStrings", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_STRTAB).d_tag = DT_DEBUG; },
     "has no dynamic string table"},
    {"StringsNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_STRTAB).d_un.d_ptr = kNowhere; }, "has a bad DT_STRTAB"},
    {"EndlessStrings", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_STRSZ).d_un.d_val = UINT64_MAX; }, "has a bad DT_STRTAB"},
    {"StringsWithoutSize", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_STRSZ).d_tag = DT_DEBUG; }, "has no dynamic string table"},
    {"StringsOfNoSize", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_STRSZ).d_un.d_val = 0; },
     "has no dynamic string table"},
    {"UnterminatedStrings", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_STRSZ).d_un.d_val -= 1; }, "no NUL ends its last string"},
    {"NeededNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_NEEDED).d_un.d_val = kNowhere; }, "has a bad DT_NEEDED"},
    {"NoSymbols", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_SYMTAB).d_tag = DT_DEBUG; },
     "has no dynamic symbol table"},
    {"SmallSymbols", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_SYMENT).d_un.d_val = 16; },
     "has no dynamic symbol table"},
    {"SymbolsNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_SYMTAB).d_un.d_ptr = kNowhere; }, "has a bad DT_SYMTAB"},
    {"SymbolNameNowhere", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Sym>(DT_SYMTAB, 1).st_name = 0xffffffff; },
     "has a bad symbol 1: its name is at 4294967295 of a DT_STRTAB"},
    {"SymbolNameBehindTheLast", "original_linked",
     [](ElfEditor& e) {
       e.Table<Elf64_Sym>(DT_SYMTAB, 1).st_name = e.Dynamic(DT_STRSZ).d_un.d_val;
     },
     "has a bad symbol 1"},
    {"GnuHashNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_GNU_HASH).d_un.d_ptr = kNowhere; }, "has a bad DT_GNU_HASH"},
    {"GnuHashManyBuckets", "original_linked",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_GNU_HASH, 0) = 0xffffffff; }, "has a bad DT_GNU_HASH"},
    {"GnuHashBucketTooLow", "original_linked",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_GNU_HASH, 1) = 0xffffffff; }, "and the first one is"},
    {"GnuHashBucketTooHigh", "original_linked",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_GNU_HASH, FirstGnuBucket(e)) = 0xfffffff0; },
     "whose last chain does not end"},
    {"GnuHashChainWithoutEnd", "original_linked",
     [](ElfEditor& e) {
       const uint64_t chains = FirstGnuBucket(e) + GnuBuckets(e);
       const uint64_t end = e.Segment(PT_LOAD).p_filesz;
       for (uint64_t at = e.Dynamic(DT_GNU_HASH).d_un.d_ptr + 4 * chains; at + 4 <= end; at += 4) {
         e.At<uint32_t>(e.Offset(at)) &= ~1u;
       }
     },
     "has a bad"},
    {"GnuHashBucketBelowTheFirst", "original_linked",
     [](ElfEditor& e) {
       const uint32_t first = e.Table<uint32_t>(DT_GNU_HASH, 1);
       e.Table<uint32_t>(DT_GNU_HASH, FirstGnuBucket(e)) = first - 1;
     },
     "and the first one is"},
    {"GnuHashBloomFilter", "original_linked",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_GNU_HASH, 2) = 0; }, "its Bloom filter has 0 words"},
    {"GnuHashBloomFilterOfThree", "original_linked",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_GNU_HASH, 2) = 3; },
     "its Bloom filter has 3 words; a power of two was expected"},
    {"SysvHashNowhere", "original_sysv_hash",
     [](ElfEditor& e) { e.Dynamic(DT_HASH).d_un.d_ptr = kNowhere; }, "has a bad DT_HASH"},
    {"SysvHashBucketTooHigh", "original_sysv_hash",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_HASH, 2) = 0xfffffff0; },
     "leads to symbol 4294967280"},
    {"SysvHashBucketBehindTheLast", "original_sysv_hash",
     [](ElfEditor& e) {
       const uint32_t symbols = e.Table<uint32_t>(DT_HASH, 1);
       e.Table<uint32_t>(DT_HASH, 2) = symbols;
     },
     "has a bad DT_HASH: it leads to symbol"},
    {"SysvHashManyBuckets", "original_sysv_hash",
     [](ElfEditor& e) { e.Table<uint32_t>(DT_HASH, 0) = 0xffffffff; }, "has a bad DT_HASH"},
    {"SysvHashCycle", "original_sysv_hash",
     [](ElfEditor& e) {
       const auto symbol = e.Table<uint32_t>(DT_HASH, 2) = 1;
       e.Table<uint32_t>(DT_HASH, 2 + e.Table<uint32_t>(DT_HASH, 0) + symbol) = symbol;
     },
     "has a bad DT_HASH: a chain does not end"},
    {"RelocationsNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELA).d_un.d_ptr = kNowhere; }, "has a bad DT_RELA"},
    {"RelocationsWithoutSize", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELASZ).d_tag = DT_DEBUG; },
     "has only one of DT_RELA and DT_RELASZ"},
    {"RelocationsWithoutEntrySize", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELAENT).d_tag = DT_DEBUG; }, "has a bad DT_RELAENT"},
    {"HalfARelocation", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELASZ).d_un.d_val += 8; }, "is not a multiple of 24"},
    {"RelocationsOnOddAddress", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELA).d_un.d_ptr += 1; }, "is not a multiple of 8"},
    {"Executable", "original_no_plt",
     [](ElfEditor& e) { e.Dynamic(DT_FLAGS_1).d_un.d_val |= DF_1_PIE; },
     "is a position-independent executable"},
    {"RelocationWritesNowhere", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Rela>(DT_RELA).r_offset = kNowhere; },
     "where no writable segment is"},
    {"RelocationWritesCode", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Rela>(DT_RELA).r_offset = e.Segment(PT_LOAD, 1).p_vaddr; },
     "where no writable segment is"},
    {"RelocationWritesDynamicSection", "original_linked",
     [](ElfEditor& e) {
       e.Table<Elf64_Rela>(DT_RELA).r_offset = e.Segment(PT_DYNAMIC).p_vaddr + 12;
     },
     "in the dynamic section"},
    {"RelocationWritesBehindTheSegment", "original_linked",
     [](ElfEditor& e) {
       const Elf64_Phdr& data = e.Segment(PT_LOAD, 3);
       auto& relocation = e.Table<Elf64_Rela>(DT_RELA);
       relocation.r_offset = data.p_vaddr + data.p_memsz - sizeof(Elf64_Addr);
       relocation.r_info = ELF64_R_INFO(0ull, kThisMachine.other_sizes[3].type);  // of two words
     },
     "where no writable segment is"},
    {"RelocationCopies", "original_linked",
     [](ElfEditor& e) {
       e.Table<Elf64_Rela>(DT_JMPREL).r_info = ELF64_R_INFO(1ull, kThisMachine.copy);
     },
     "only executables have copy relocations"},
    {"RelocationSymbolTooHigh", "original_linked",
     [](ElfEditor& e) {
       e.Table<Elf64_Rela>(DT_JMPREL).r_info =
           ELF64_R_INFO(0xffffffffull, kThisMachine.global_pointer);
     },
     "has a bad DT_SYMTAB"},
    {"TooManyRelative", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_RELACOUNT).d_un.d_val = 1000; }, "is not relative"},
    {"PackedRelocationNowhere", "original_relr",
     [](ElfEditor& e) { e.Table<Elf64_Relr>(DT_RELR) = kNowhere; }, "where no writable segment is"},
    {"PackedRelocationBitmap", "original_relr",
     [](ElfEditor& e) { e.Table<Elf64_Relr>(DT_RELR) = UINT64_MAX; },
     "where no writable segment is"},
    {"PackedRelocationFirstOfBitmap", "original_relr",
     [](ElfEditor& e) { e.Table<Elf64_Relr>(DT_RELR) = 0b11; },
     "it writes to address 0, where no writable segment is"},
    {"PackedRelocationLastOfBitmap", "original_relr",
     [](ElfEditor& e) {
       Elf64_Relr* words = &e.Table<Elf64_Relr>(DT_RELR);
       words[0] = uint64_t{1} << 63 | 1;
       const uint64_t count = e.Dynamic(DT_RELRSZ).d_un.d_val / sizeof(Elf64_Relr);
       std::fill(words + 1, words + count, Elf64_Relr{1});  // of no words
     },
     "it writes to address 0x1f0, where no writable segment is"},
    {"PltFormat", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_PLTREL).d_un.d_val = DT_REL; },
     "has a bad DT_PLTREL"},
    {"PltFormatMissing", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_PLTREL).d_tag = DT_DEBUG; }, "has a bad DT_PLTREL"},
    {"InitIsData", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_INIT).d_un.d_ptr = 0; },
     "has a bad DT_INIT: there is no code at address 0"},
    {"FiniIsData", "original_linked", [](ElfEditor& e) { e.Dynamic(DT_FINI).d_un.d_ptr = 0; },
     "has a bad DT_FINI: there is no code at address 0"},
    {"VersionsNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_VERNEED).d_un.d_ptr = kNowhere; }, "has a bad DT_VERNEED"},
    {"VersionLibraryNowhere", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Verneed>(DT_VERNEED).vn_file = 0xffffffff; },
     "has a bad DT_VERNEED: its name is at"},
    {"VersionFormat", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Verneed>(DT_VERNEED).vn_version = 2; },
     "a record of format 2; 1 was expected"},
    {"VersionRecordsNowhere", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Verneed>(DT_VERNEED).vn_aux = 0xffffffff; },
     "has a bad DT_VERNEED"},
    {"VersionIndexUnknown", "original_linked",
     [](ElfEditor& e) { e.Table<Elf64_Versym>(DT_VERSYM, 1) = 0x7ffe; },
     "symbol 1 has version 32766, which no table describes"},
    {"VersionsWithoutIndex", "original_linked",
     [](ElfEditor& e) {
       const uint64_t versions = e.Dynamic(DT_VERNEED).d_un.d_ptr;
       auto& first = e.Table<Elf64_Verneed>(DT_VERNEED);
       first.vn_next = 0;
       auto& version = e.At<Elf64_Vernaux>(e.Offset(versions + first.vn_aux));
       version.vna_next = 0;
       version.vna_other = 0;
     },
     "no version has an index"},
    {"VersionIndexesMissing", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_VERSYM).d_tag = DT_DEBUG; }, "has a bad DT_VERSYM"},
    {"VersionIndexesNowhere", "original_linked",
     [](ElfEditor& e) { e.Dynamic(DT_VERSYM).d_un.d_ptr = kNowhere; }, "has a bad DT_VERSYM"},
    {"DefinitionsNowhere", "original_versioned",
     [](ElfEditor& e) { e.Dynamic(DT_VERDEF).d_un.d_ptr = kNowhere; }, "has a bad DT_VERDEF"},
    {"DefinitionFormat", "original_versioned",
     [](ElfEditor& e) { e.Table<Elf64_Verdef>(DT_VERDEF).vd_version = 2; },
     "DT_VERDEF: a record of format 2; 1 was expected"},
    {"DefinitionNameNowhere", "original_versioned",
     [](ElfEditor& e) { SecondDefinition(e).vd_aux = 0xffffffff; }, "has a bad DT_VERDEF"},
    {"DefinitionNameBehindTheLast", "original_versioned",
     [](ElfEditor& e) {
       const auto& first = e.Table<Elf64_Verdef>(DT_VERDEF);
       e.At<Elf64_Verdaux>(e.Offset(e.Dynamic(DT_VERDEF).d_un.d_ptr + first.vd_aux)).vda_name =
           static_cast<uint32_t>(e.Dynamic(DT_STRSZ).d_un.d_val);
     },
     "has a bad DT_VERDEF: its name is at"},
    {"NextDefinitionNowhere", "original_versioned",
     [](ElfEditor& e) { SecondDefinition(e).vd_next = 0xffffff00; }, "has a bad DT_VERDEF"},
    // Bit 15 is no part of an index.
    {"DefinitionIndexWithAllBits", "original_versioned",
     [](ElfEditor& e) { SecondDefinition(e).vd_ndx = 0xffff; },
     "has version 2, which no table describes"},
};

// Each table has its size beside it, and some the size of an entry.
struct TableRow {
  const char* binary;
  Elf64_Sxword address;
  const char* address_name;
  Elf64_Sxword size;
  const char* size_name;
  uint64_t entry_size;
  Elf64_Sxword entry_size_tag;  // DT_NULL: none
  const char* entry_size_name;
};
const TableRow kTableRows[] = {
    {"original_linked", DT_RELA, "DT_RELA", DT_RELASZ, "DT_RELASZ", 24, DT_RELAENT, "DT_RELAENT"},
    {"original_linked", DT_JMPREL, "DT_JMPREL", DT_PLTRELSZ, "DT_PLTRELSZ", 24, DT_NULL, ""},
    {"original_relr", DT_RELR, "DT_RELR", DT_RELRSZ, "DT_RELRSZ", 8, DT_RELRENT, "DT_RELRENT"},
    {"original_linked", DT_INIT_ARRAY, "DT_INIT_ARRAY", DT_INIT_ARRAYSZ, "DT_INIT_ARRAYSZ", 8,
     DT_NULL, ""},
    {"original_linked", DT_FINI_ARRAY, "DT_FINI_ARRAY", DT_FINI_ARRAYSZ, "DT_FINI_ARRAYSZ", 8,
     DT_NULL, ""},
};

std::string DynamicError(ElfEditor& editor) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  return std::string(DynamicSection::Parse(*file).status().message());
}

TEST(DynamicSectionTest, TablesAreWholeOrNotThere) {
  for (const TableRow& row : kTableRows) {
    const std::string together = std::string("has only one of ") + row.address_name + " and " +
                                 row.size_name + "; they come together";
    const std::pair<std::function<void(ElfEditor&)>, std::string> damages[] = {
        {[&](ElfEditor& e) { e.Dynamic(row.address).d_tag = DT_DEBUG; }, together},
        {[&](ElfEditor& e) { e.Dynamic(row.size).d_tag = DT_DEBUG; }, together},
        {[&](ElfEditor& e) { e.Dynamic(row.size).d_un.d_val += row.entry_size - 1; },
         std::string("has a bad ") + row.size_name + ": "},
        {[&](ElfEditor& e) { e.Dynamic(row.address).d_un.d_ptr += 4; },
         std::string("has a bad ") + row.address_name + ": address 0x"},
        {[&](ElfEditor& e) { e.Dynamic(row.address).d_un.d_ptr = uint64_t{1} << 46; },
         std::string("has a bad ") + row.address_name + ": "},
    };
    for (const auto& [edit, message] : damages) {
      ElfEditor editor(row.binary);
      edit(editor);
      EXPECT_THAT(DynamicError(editor), StartsWith(message)) << row.address_name;
    }
    if (row.entry_size_tag == DT_NULL) continue;
    ElfEditor editor(row.binary);
    editor.Dynamic(row.entry_size_tag).d_un.d_val += 8;
    EXPECT_EQ(DynamicError(editor), std::string("has a bad ") + row.entry_size_name + ": " +
                                        std::to_string(row.entry_size) + " was expected with " +
                                        row.address_name);
  }
}

TEST(DynamicSectionTest, NamesAreInTheStringTable) {
  const std::pair<Elf64_Sxword, const char*> tags[] = {
      {DT_NEEDED, "DT_NEEDED"},   {DT_SONAME, "DT_SONAME"},       {DT_RPATH, "DT_RPATH"},
      {DT_RUNPATH, "DT_RUNPATH"}, {DT_AUXILIARY, "DT_AUXILIARY"}, {DT_FILTER, "DT_FILTER"}};
  for (const auto& [tag, name] : tags) {
    ElfEditor editor("original_linked");
    const uint64_t size = editor.Dynamic(DT_STRSZ).d_un.d_val;
    Elf64_Dyn& entry = editor.Dynamic(DT_RELACOUNT);
    entry = {tag, {size - 1}};  // the last NUL
    EXPECT_EQ(DynamicError(editor), "");
    entry.d_un.d_val = size;
    EXPECT_EQ(DynamicError(editor), std::string("has a bad ") + name + ": its name is at " +
                                        std::to_string(size) + " of a DT_STRTAB of " +
                                        std::to_string(size) + " bytes");
  }
}

TEST(SymbolHashTest, EmptyTablesReachNothing) {
  ElfEditor editor("original_linked");
  const uint64_t first = FirstGnuBucket(editor);
  for (uint32_t i = 0; i < GnuBuckets(editor); ++i) {
    editor.Table<uint32_t>(DT_GNU_HASH, first + i) = 0;
  }
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(HashedSymbolCount(*file, DynamicSection::Parse(*file).value()).value(), 0u);
}

class DamagedTableTest : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedTableTest, IsRefused) {
  ElfEditor editor(GetParam().binary);
  GetParam().edit(editor);
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::StatusOr<PrivateCopy> copy = MakePrivateCopy(*std::move(file), {});
  ASSERT_FALSE(copy.ok());
  EXPECT_EQ(copy.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(copy.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, DamagedTableTest, ::testing::ValuesIn(kDamages),
                         [](const auto& info) { return std::string(info.param.name); });

// A thousand libraries that share one list of ten thousand versions: a larger file could ask for
// years.
TEST(DynamicSectionTest, RefusesOverlappingVersionRecords) {
  constexpr uint32_t kLibraries = 1000;
  constexpr uint32_t kVersions = 10000;
  std::string records;
  const auto append = [&records](const auto& record) {
    records.append(reinterpret_cast<const char*>(&record), sizeof(record));
  };
  for (uint32_t i = kLibraries; i > 0; --i) {
    const uint32_t next = i > 1 ? sizeof(Elf64_Verneed) : 0;
    append(Elf64_Verneed{1, 1, 1, static_cast<uint32_t>(i * sizeof(Elf64_Verneed)), next});
  }
  for (uint32_t i = kVersions; i > 0; --i) {
    const uint32_t next = i > 1 ? sizeof(Elf64_Vernaux) : 0;
    append(Elf64_Vernaux{0, 0, 2, 1, next});
  }
  ElfEditor editor("original_linked");
  editor.bytes.resize((editor.bytes.size() + 7) / 8 * 8);
  Elf64_Phdr& data = editor.Segment(PT_LOAD, 3);
  editor.Dynamic(DT_VERNEED).d_un.d_ptr = data.p_vaddr + editor.bytes.size() - data.p_offset;
  data.p_filesz = data.p_memsz = editor.bytes.size() + records.size() - data.p_offset;
  editor.bytes += records;
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string(MakePrivateCopy(*std::move(file), {}).status().message()),
              HasSubstr("its records overlap"));
}

// As ld.so does: of a tag that is there twice, the last entry counts.
TEST(DynamicSectionTest, TakesTheLastOfRepeatedTags) {
  ElfEditor editor("original_linked");
  const Elf64_Dyn& first = editor.Dynamic(DT_SYMENT);
  Elf64_Dyn& last = editor.Dynamic(DT_RELACOUNT);
  ASSERT_LT(&first, &last);
  last = {DT_SYMENT, {7}};
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(*file);
  ASSERT_TRUE(dynamic.ok()) << dynamic.status();
  EXPECT_EQ(dynamic->Find(DT_SYMENT), 7);
}

TEST(DynamicSectionTest, ReadsWhatLinkersWrite) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(ElfEditor("original_linked").bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(*file);
  ASSERT_TRUE(dynamic.ok()) << dynamic.status();
  EXPECT_THAT(dynamic->NeededLibraries(), Contains("libtensorflow_cc.so.2"));
  EXPECT_THAT(dynamic->NeededLibraries(), Contains("libstdc++.so.6"));
  EXPECT_GT(dynamic->Table(DT_RELA).count, 0u);
  EXPECT_GT(dynamic->Table(DT_INIT_ARRAY).count, 0u);
  EXPECT_EQ(dynamic->Table(DT_RELR).count, 0u);
  EXPECT_EQ(dynamic->Find(DT_SYMENT), sizeof(Elf64_Sym));
  EXPECT_EQ(dynamic->Find(DT_RUNPATH), std::nullopt);
}

}  // namespace
}  // namespace callbridge
