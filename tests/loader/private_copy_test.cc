#include "callbridge/loader/private_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/symbol_table.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

void* const kGlobal = reinterpret_cast<void*>(0x123400001000);
const OldSymbol kSymbols[] = {{"_ZN3xla24CustomCallTargetRegistry6GlobalEv", kGlobal}};

PrivateCopy CopyOf(ElfEditor editor) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  if (!file.ok()) throw std::runtime_error(file.status().ToString());
  absl::StatusOr<PrivateCopy> copy = MakePrivateCopy(*std::move(file), kSymbols);
  if (!copy.ok()) throw std::runtime_error(copy.status().ToString());
  return *std::move(copy);
}

struct Tables {
  explicit Tables(ElfFile elf_file)
      : file(std::move(elf_file)),
        dynamic(*DynamicSection::Parse(file)),
        symbols(*SymbolTable::Parse(file, dynamic, *RelocatedSymbols(file, dynamic))),
        versions(*SymbolVersions::Parse(file, dynamic, symbols.symbols().size())) {}
  Tables(const Tables&) = delete;  // the tables are views to the file

  Elf64_Sym Symbol(absl::string_view name) const {
    for (const DynamicSymbol& symbol : symbols.symbols()) {
      if (symbol.name == name) return symbol.entry;
    }
    throw std::out_of_range(std::string(name));
  }
  std::vector<std::string> VersionedLibraries() const {
    std::vector<std::string> names;
    for (const NeededVersions& library : versions.needed()) names.emplace_back(library.library);
    return names;
  }

  const ElfFile file;
  DynamicSection dynamic;
  SymbolTable symbols;
  SymbolVersions versions;
};

class EveryFlavourTest : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryFlavourTest, BindsServedSymbolsOnly) {
  const PrivateCopy copy = CopyOf(ElfEditor(GetParam()));
  const Tables tables(copy.file);
  const Elf64_Sym served = tables.Symbol(kSymbols[0].name);
  EXPECT_EQ(served.st_shndx, SHN_ABS);
  EXPECT_EQ(served.st_value, reinterpret_cast<uintptr_t>(kGlobal));
  EXPECT_EQ(ELF64_ST_BIND(served.st_info), STB_LOCAL);
  EXPECT_EQ(ELF64_ST_TYPE(served.st_info), STT_FUNC);
  EXPECT_EQ(ELF64_ST_VISIBILITY(served.st_other), STV_HIDDEN);
  const Elf64_Sym other = tables.Symbol(
      "_ZN3xla24CustomCallTargetRegistry8RegisterERKNSt7__cxx1112basic_stringIcSt11char_"
      "traitsIcESaIcEEEPvS8_");
  EXPECT_EQ(other.st_shndx, SHN_UNDEF);
}

TEST_P(EveryFlavourTest, NeedsNoTensorFlow) {
  const PrivateCopy copy = CopyOf(ElfEditor(GetParam()));
  const Tables tables(copy.file);
  EXPECT_THAT(tables.dynamic.NeededLibraries(), Not(Contains("libtensorflow_cc.so.2")));
  EXPECT_THAT(tables.dynamic.NeededLibraries(), Contains("libstdc++.so.6"));
  EXPECT_THAT(tables.VersionedLibraries(), Not(Contains("libtensorflow_cc.so.2")));
  EXPECT_THAT(tables.VersionedLibraries(), Contains("libstdc++.so.6"));
  EXPECT_EQ(tables.dynamic.Find(DT_VERNEEDNUM), tables.versions.needed().size());
}

TEST_P(EveryFlavourTest, TakesConstructorsFromTheLoader) {
  const PrivateCopy copy = CopyOf(ElfEditor(GetParam()));
  EXPECT_GT(copy.constructors.init_array_count, 0u);
  EXPECT_NE(copy.constructors.init_array, 0u);
  EXPECT_NE(copy.constructors.init_function, 0u);
  const Tables tables(copy.file);
  EXPECT_EQ(tables.dynamic.Find(DT_INIT_ARRAY), std::nullopt);
  EXPECT_EQ(tables.dynamic.Find(DT_INIT_ARRAYSZ), std::nullopt);
  EXPECT_EQ(tables.dynamic.Find(DT_INIT), std::nullopt);
  EXPECT_NE(tables.dynamic.Find(DT_FINI_ARRAY), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(All, EveryFlavourTest,
                         ::testing::Values("original_linked", "original_unlinked",
                                           "original_sysv_hash", "original_both_hashes",
                                           "original_relr", "original_no_plt", "original_stripped",
                                           "original_gold", "original_hidden", "original_versioned",
                                           "status_linked"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PrivateCopyTest, TellsWhatItDropped) {
  EXPECT_THAT(CopyOf(ElfEditor("original_linked")).dropped_libraries,
              ElementsAre("libtensorflow_cc.so.2"));
  EXPECT_THAT(CopyOf(ElfEditor("original_unlinked")).dropped_libraries, IsEmpty());
}

// Symbols of a dropped version take any; those of other libraries keep theirs.
TEST(PrivateCopyTest, ResetsVersionsOfDroppedLibraries) {
  const PrivateCopy copy = CopyOf(ElfEditor("original_linked"));
  const Tables tables(copy.file);
  for (size_t i = 1; i < tables.symbols.symbols().size(); ++i) {
    const DynamicSymbol& symbol = tables.symbols.symbols()[i];
    const auto version = copy.file.Read<Elf64_Versym>(*tables.versions.IndexOffset(i));
    if (symbol.name == kSymbols[0].name) {
      EXPECT_EQ(version, VER_NDX_GLOBAL);
    }
    if (symbol.name == "__cxa_finalize") {
      EXPECT_GT(version, VER_NDX_GLOBAL);
    }
  }
}

// Bit 15, by which a symbol is hidden, is no part of the version's index.
TEST(PrivateCopyTest, ResetsVersionsOfHiddenSymbols) {
  ElfEditor editor("original_linked");
  const Tables before(*ElfFile::Parse(editor.bytes));
  size_t served = 1;
  while (before.symbols.symbols()[served].name != kSymbols[0].name) ++served;
  auto& version = editor.Table<Elf64_Versym>(DT_VERSYM, served);
  ASSERT_GT(version, VER_NDX_GLOBAL);
  version |= 0x8000;
  const PrivateCopy copy = CopyOf(editor);
  const Tables tables(copy.file);
  EXPECT_EQ(copy.file.Read<Elf64_Versym>(*tables.versions.IndexOffset(served)), VER_NDX_GLOBAL);
}

// Whichever record is dropped: the first, the last, one between, or all.
TEST(PrivateCopyTest, UnlinksVersionRecordsAnywhereInTheChain) {
  ElfEditor editor("original_linked");
  const Tables before(*ElfFile::Parse(editor.bytes));
  const std::vector<std::string> libraries = before.VersionedLibraries();
  ASSERT_GE(libraries.size(), 3u);
  for (const std::string& library : libraries) {
    ElfEditor edited = editor;
    // Without its DT_NEEDED, the record would make ld.so end the process.
    const Elf64_Phdr& segment = edited.Segment(PT_DYNAMIC);
    for (uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      auto& entry = edited.At<Elf64_Dyn>(segment.p_offset + at);
      if (entry.d_tag == DT_NEEDED &&
          *before.dynamic.String(entry.d_un.d_val, "DT_NEEDED") == library) {
        entry.d_tag = DT_DEBUG;
      }
    }
    std::vector<std::string> expected;
    for (const std::string& other : libraries) {
      if (other != library && other != "libtensorflow_cc.so.2") expected.push_back(other);
    }
    EXPECT_EQ(Tables(CopyOf(edited).file).VersionedLibraries(), expected) << library;
  }

  for (uint64_t i = 0; i < libraries.size(); ++i) editor.Dynamic(DT_NEEDED).d_tag = DT_DEBUG;
  const Tables none(CopyOf(editor).file);
  EXPECT_THAT(none.VersionedLibraries(), IsEmpty());
  EXPECT_EQ(none.dynamic.Find(DT_VERNEED), std::nullopt);
  EXPECT_EQ(none.dynamic.Find(DT_VERNEEDNUM), std::nullopt);
  EXPECT_EQ(none.dynamic.Find(DT_VERSYM), std::nullopt);
}

// Of no library that is needed, but of its own.
TEST(PrivateCopyTest, KeepsItsOwnVersions) {
  ElfEditor editor("original_versioned");
  const Tables before(*ElfFile::Parse(editor.bytes));
  for (size_t i = 0; i < before.dynamic.NeededLibraries().size(); ++i) {
    editor.Dynamic(DT_NEEDED).d_tag = DT_DEBUG;
  }
  const Tables tables(CopyOf(editor).file);
  EXPECT_EQ(tables.dynamic.Find(DT_VERNEED), std::nullopt);
  EXPECT_NE(tables.dynamic.Find(DT_VERDEF), std::nullopt);
  ASSERT_NE(tables.dynamic.Find(DT_VERSYM), std::nullopt);
  for (size_t i = 1; i < tables.symbols.symbols().size(); ++i) {
    if (before.symbols.symbols()[i].entry.st_shndx == SHN_UNDEF) continue;
    EXPECT_EQ(tables.file.Read<Elf64_Versym>(*tables.versions.IndexOffset(i)),
              before.file.Read<Elf64_Versym>(*before.versions.IndexOffset(i)));
  }
}

// Each of the two hash tables may know more symbols than the other.
TEST(PrivateCopyTest, ReadsTheSymbolsOfBothHashTables) {
  const auto count = [](const ElfEditor& editor) {
    absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
    return HashedSymbolCount(*file, DynamicSection::Parse(*file).value()).value();
  };
  ElfEditor editor("original_both_hashes");
  const uint64_t symbols = count(editor);
  ElfEditor without_gnu = editor;
  without_gnu.Dynamic(DT_GNU_HASH).d_tag = DT_DEBUG;
  EXPECT_EQ(count(without_gnu), symbols);
  const auto buckets = editor.Table<uint32_t>(DT_HASH, 0);
  for (uint32_t i = 0; i < buckets; ++i) editor.Table<uint32_t>(DT_HASH, 2 + i) = STN_UNDEF;
  editor.Table<uint32_t>(DT_HASH, 1) = 1;
  EXPECT_EQ(count(editor), symbols);
}

// Undefined symbols may lie behind all that the hash tables know.
TEST(PrivateCopyTest, ReadsTheSymbolsOfRelocations) {
  ElfEditor editor("original_linked");
  editor.Dynamic(DT_GNU_HASH).d_tag = DT_DEBUG;
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  const DynamicSection dynamic = DynamicSection::Parse(*file).value();
  EXPECT_EQ(SymbolTable::Parse(*file, dynamic, {})->symbols().size(), 1u) << "the null symbol";
  EXPECT_EQ(SymbolTable::Parse(*file, dynamic, {1, 4})->symbols().size(), 5u);
}

TEST(PrivateCopyTest, HiddenVersionsAreVersions) {
  ElfEditor editor("original_linked");
  const uint64_t needed = editor.Dynamic(DT_VERNEED).d_un.d_ptr;
  const uint64_t first = needed + editor.Table<Elf64_Verneed>(DT_VERNEED).vn_aux;
  editor.At<Elf64_Vernaux>(editor.Offset(first)).vna_other |= 0x8000;
  EXPECT_THAT(CopyOf(editor).dropped_libraries, ElementsAre("libtensorflow_cc.so.2"));
}

// A binary that was linked with the library's path instead of its name.
TEST(PrivateCopyTest, KnowsTensorFlowByItsFileName) {
  ElfEditor editor("original_linked");
  const std::string name = "libtensorflow_cc.so.2";
  const std::string path = "/x/libtensorflow_cc.s";  // of the same length
  editor.bytes.replace(editor.bytes.find(name), name.size(), path);
  EXPECT_THAT(CopyOf(editor).dropped_libraries, IsEmpty());
  editor.bytes.replace(editor.bytes.find(path), path.size(), "/libtensorflow_cc.so.");
  EXPECT_THAT(CopyOf(editor).dropped_libraries, ElementsAre("/libtensorflow_cc.so."));
}

// Its record of versions, too, is then another's.
TEST(PrivateCopyTest, NamesALibraryThatIsNeededTwiceOnce) {
  ElfEditor editor("original_linked");
  const uint64_t tensorflow = editor.Dynamic(DT_NEEDED).d_un.d_val;
  editor.Dynamic(DT_RELACOUNT) = {DT_NEEDED, {tensorflow}};
  const PrivateCopy copy = CopyOf(editor);
  EXPECT_THAT(copy.dropped_libraries, ElementsAre("libtensorflow_cc.so.2"));
  EXPECT_THAT(Tables(copy.file).dynamic.NeededLibraries(), Not(Contains("libtensorflow_cc.so.2")));
}

// The inline functions of protobuf's that a binary has are its own where callbridge serves it
// others.
TEST(PrivateCopyTest, ProtobufsFunctionsAreLocalWhereProtobufIsServed) {
  const OldSymbol clear = {"_ZN3xla10ShapeProto5ClearEv", kGlobal};
  for (const bool is_served : {false, true}) {
    absl::StatusOr<ElfFile> file = ElfFile::Parse(ElfEditor("shape_proto_unoptimised").bytes);
    ASSERT_TRUE(file.ok()) << file.status();
    absl::StatusOr<PrivateCopy> copy =
        MakePrivateCopy(*std::move(file), absl::MakeSpan(is_served ? &clear : kSymbols, 1));
    ASSERT_TRUE(copy.ok()) << copy.status();
    size_t functions = 0;
    const Tables tables(copy->file);
    for (const DynamicSymbol& symbol : tables.symbols.symbols()) {
      if (symbol.entry.st_shndx == SHN_UNDEF || symbol.entry.st_shndx == SHN_ABS) continue;
      const bool is_protobufs = IsProtobufSymbol(symbol.name);
      functions += is_protobufs;
      if (absl::StrContains(symbol.name, "RegisterCustomCallTarget")) continue;
      EXPECT_EQ(ELF64_ST_BIND(symbol.entry.st_info) == STB_LOCAL,
                (is_protobufs && is_served) || symbol.name.empty())
          << symbol.name;
    }
    EXPECT_GT(functions, 0u);
  }
}

// They are this process's, and no places of the file.
TEST(PrivateCopyTest, WhatIsBoundNamesNoFunctionOfTheFile) {
  const PrivateCopy copy = CopyOf(ElfEditor("original_linked"));
  EXPECT_THAT(FunctionNames(copy.file).At(reinterpret_cast<uintptr_t>(kGlobal)), IsEmpty());
}

TEST(PrivateCopyTest, LeavesThreadLocalSymbolsAlone) {
  ElfEditor editor("original_unlinked");
  editor.Symbol(std::string(kSymbols[0].name)).st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
  EXPECT_EQ(Tables(CopyOf(editor).file).Symbol(kSymbols[0].name).st_shndx, SHN_UNDEF);
}

}  // namespace
}  // namespace callbridge
