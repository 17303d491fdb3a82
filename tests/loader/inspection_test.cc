#include "callbridge/loader/inspection.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Inspection Inspected(const std::string& path) {
  absl::StatusOr<Inspection> inspection = Inspect(path);
  EXPECT_TRUE(inspection.ok()) << inspection.status();
  return inspection.ok() ? *std::move(inspection) : Inspection();
}

// "name: ABI", less the name's parameters.
std::vector<std::string> Functions(const Inspection& inspection) {
  std::vector<std::string> texts;
  for (const auto& [key, function] : inspection.symbols.functions) {
    const absl::string_view name = function.name;
    texts.push_back(absl::StrCat(name.substr(0, name.rfind('(')), ": ", AbiText(function)));
  }
  return texts;
}

std::vector<std::string> Unresolved(const Inspection& inspection) {
  std::vector<std::string> texts;
  for (const UnresolvedSymbol& symbol : inspection.unresolved) {
    texts.push_back(absl::StrCat(symbol.name, ": ", ProviderName(symbol.provider)));
  }
  return texts;
}

// A file of that content, deleted with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    const int descriptor = mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "/inspected-XXXXXX";
};

constexpr char kRegister[] =
    "xla::CustomCallTargetRegistry::Register(std::string const&, void*, std::string const&)";

TEST(InspectionTest, NamesFunctionsAndTheirAbis) {
  const Inspection inspection = Inspected(OldBinary("original_linked"));
  EXPECT_EQ(inspection.kind, FileKind::kSharedLibrary);
  EXPECT_THAT(
      Functions(inspection),
      UnorderedElementsAre("do_custom_call: original on Host", "static_function: original on Host",
                           "(anonymous namespace)::unnamed_function: original on Host",
                           "(anonymous namespace)::first: original on Host",
                           "(anonymous namespace)::second: original on Host",
                           "gpu_function: original on CUDA and ROCM"));
  EXPECT_THAT(Functions(Inspected(OldBinary("status_unlinked"))),
              UnorderedElementsAre("square_root_floor: status_returning on Host",
                                   "opaque_size: status_returning_unified on Host",
                                   "either: status_returning_unified on Host, or "
                                   "status_returning on CUDA and ROCM"));
}

TEST(InspectionTest, TellsWhatIsExported) {
  for (const auto& [key, function] : Inspected(OldBinary("original_linked")).symbols.functions) {
    EXPECT_EQ(function.is_exported, function.symbol == "_Z14do_custom_callPvPPKv" ||
                                        function.symbol == "_Z12gpu_functionP11CUstream_stPPvPKcm")
        << function.symbol;
  }
}

// By the symbol's binding and visibility; a version is no part of its name.
TEST(InspectionTest, TellsWhoSeesASymbol) {
  struct {
    unsigned char binding;
    unsigned char visibility;
    bool is_exported;
  } cases[] = {{STB_GLOBAL, STV_DEFAULT, true},   {STB_WEAK, STV_DEFAULT, true},
               {STB_GLOBAL, STV_PROTECTED, true}, {STB_GLOBAL, STV_HIDDEN, false},
               {STB_GLOBAL, STV_INTERNAL, false}, {STB_LOCAL, STV_DEFAULT, false}};
  for (const auto& c : cases) {
    ElfEditor editor("original_linked");
    Elf64_Sym& symbol = editor.Symbol("_Z14do_custom_callPvPPKv");
    symbol.st_info = ELF64_ST_INFO(c.binding, STT_FUNC);
    symbol.st_other = c.visibility;
    editor.header().e_shoff = editor.header().e_shnum = editor.header().e_shstrndx = 0;
    const TemporaryFile file(editor.bytes);
    const Inspection inspection = Inspected(file.path());
    size_t seen = 0;
    for (const auto& [key, function] : inspection.symbols.functions) {
      if (function.symbol != "_Z14do_custom_callPvPPKv") continue;
      ++seen;
      EXPECT_EQ(function.is_exported, c.is_exported) << +c.binding << " " << +c.visibility;
    }
    EXPECT_EQ(seen, 1u);
  }
}

TEST(InspectionTest, ListsWhatIsNeededOnceAndInOrder) {
  const Inspection inspection = Inspected(OldBinary("original_linked"));
  ElfEditor editor("original_linked");
  const absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  std::vector<std::string> expected;
  for (absl::string_view name : DynamicSection::Parse(*file)->NeededLibraries()) {
    expected.emplace_back(name);
  }
  EXPECT_EQ(inspection.needed, expected);
}

// A local symbol is for its own library.
TEST(UnresolvedSymbolsTest, LibrariesHaveWhatTheyExport) {
  const absl::flat_hash_map<std::string, bool> undefined = {{"c_function", false}, {"gone", true}};
  for (const unsigned char binding : {STB_GLOBAL, STB_WEAK, STB_LOCAL}) {
    ElfEditor editor("original_linked");
    editor.Symbol("c_function").st_info = ELF64_ST_INFO(binding, STT_FUNC);
    const TemporaryFile file(editor.bytes);
    EXPECT_EQ(FindUnresolved(undefined, {"/nowhere.so", file.path()}).empty(),
              binding != STB_LOCAL);
  }
}

TEST(InspectionTest, KindsHaveNames) {
  EXPECT_EQ(FileKindName(FileKind::kSharedLibrary), "shared library");
  EXPECT_EQ(FileKindName(FileKind::kProgram), "program");
  EXPECT_EQ(FileKindName(FileKind::kObjectFile), "object file");
  EXPECT_EQ(FileKindName(FileKind::kArchive), "archive of object files");
  EXPECT_EQ(ProviderName(Provider::kCallbridge), "callbridge");
  EXPECT_EQ(ProviderName(Provider::kPython), "python");
  EXPECT_EQ(ProviderName(Provider::kNone), "none");
  EXPECT_EQ(PlaceName(Place::kImported), "imported");
  EXPECT_EQ(PlaceName(Place::kPrivateCopy), "a private copy");
  EXPECT_EQ(PlaceName(Place::kExported), "exported");
}

TEST(InspectionTest, KnowsPrograms) {
  EXPECT_EQ(Inspected("/proc/self/exe").kind, FileKind::kProgram) << "wherever it is loaded";
  ElfEditor fixed("original_linked");
  fixed.header().e_type = ET_EXEC;
  const TemporaryFile file(fixed.bytes);
  EXPECT_EQ(Inspected(file.path()).kind, FileKind::kProgram);
  ElfEditor core("original_linked");
  core.header().e_type = ET_CORE;
  const TemporaryFile dump(core.bytes);
  EXPECT_THAT(std::string(Inspect(dump.path()).status().message()), HasSubstr("is a core dump"));
}

// Of bytes alone it is not known which library has what.
TEST(InspectionTest, BytesAreInspectedWithoutTheLoader) {
  const auto read = [](const std::string&) -> absl::StatusOr<std::string> {
    return absl::NotFoundError("nothing is read");
  };
  absl::StatusOr<Inspection> inspection =
      InspectBytes(BytesOf(OldBinary("original_linked")), "/x.so", read);
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_EQ(inspection->path, "/x.so");
  EXPECT_THAT(inspection->loader.libraries, IsEmpty());
  EXPECT_THAT(Unresolved(*inspection), Contains("memcpy: none"));
  EXPECT_THAT(Unresolved(*inspection),
              Contains("xla::CustomCallTargetRegistry::Global(): callbridge"));
  inspection = InspectBytes(BytesOf(OldBinary("shape_proto_unlinked")), "/x.so", read);
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_TRUE(inspection->protobuf.is_used());
}

TEST(InspectionTest, NamesWhatIsNeededAndWhoHasIt) {
  const Inspection linked = Inspected(OldBinary("original_linked"));
  EXPECT_EQ(linked.needed.front(), "libtensorflow_cc.so.2");
  EXPECT_TRUE(IsReplaced(linked, "libtensorflow_cc.so.2"));
  EXPECT_FALSE(IsReplaced(linked, "libc.so.6"));
  EXPECT_THAT(Unresolved(linked), ElementsAre("xla::CustomCallTargetRegistry::Global(): callbridge",
                                              absl::StrCat(kRegister, ": callbridge")));
  EXPECT_THAT(linked.symbols.registry, Contains(Pair(kRegister, Place::kImported)));
  EXPECT_EQ(linked.string_abi, StringAbi::kNew);

  const Inspection missing = Inspected(OldBinary("missing_symbol"));
  EXPECT_THAT(Unresolved(missing), Contains("function_of_a_lost_library: none"));
  EXPECT_EQ(Judge(missing).outcome, Outcome::kDoesNotLoad);
  EXPECT_EQ(Judge(missing).text, "callbridge cannot load it: 1 symbol that it needs is not found");

  // Weak references may stay open.
  EXPECT_THAT(Unresolved(Inspected(OldBinary("weak_status"))),
              ElementsAre("XlaCustomCallStatusSetFailure: callbridge",
                          "xla::CustomCallTargetRegistry::Global(): callbridge",
                          absl::StrCat(kRegister, ": callbridge")));
  EXPECT_THAT(Inspected(OldBinary("weak_status")).symbols.status,
              ElementsAre(Pair("XlaCustomCallStatusSetFailure", Place::kImported)));
}

TEST(InspectionTest, SaysWhatToTypeNext) {
  const std::string path = OldBinary("original_linked");
  const Verdict verdict = Judge(Inspected(path));
  EXPECT_EQ(verdict.outcome, Outcome::kLoads);
  ASSERT_EQ(verdict.next.size(), 2);
  EXPECT_THAT(verdict.next[0], HasSubstr(absl::StrCat("callbridge run ", path)));
  EXPECT_THAT(verdict.next[1], HasSubstr(absl::StrCat("callbridge.jax.load('", path, "')")));
}

TEST(InspectionTest, SeesExportsWithoutSections) {
  ElfEditor editor("original_linked");
  editor.header().e_shoff = 0;
  editor.header().e_shnum = 0;
  editor.header().e_shstrndx = 0;
  const TemporaryFile file(editor.bytes);
  const Inspection inspection = Inspected(file.path());
  EXPECT_FALSE(inspection.symbols.has_static_symbols);
  EXPECT_EQ(inspection.refusal, "");
  EXPECT_THAT(Functions(inspection),
              UnorderedElementsAre("do_custom_call: original on Host",
                                   "gpu_function: original on CUDA and ROCM"));
}

// ld.so would follow the same tables.
TEST(InspectionTest, SaysWhyADamagedFileIsRefused) {
  ElfEditor editor("original_linked");
  editor.Dynamic(DT_STRSZ).d_un.d_val = uint64_t{1} << 40;
  const TemporaryFile file(editor.bytes);
  const Inspection inspection = Inspected(file.path());
  EXPECT_THAT(inspection.refusal, HasSubstr("DT_STRTAB"));
  EXPECT_THAT(inspection.loader.libraries, IsEmpty());
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kDoesNotLoad);
  EXPECT_THAT(Functions(inspection), Contains("do_custom_call: original on Host"));
}

TEST(InspectionTest, RefusesWhatIsNoBinary) {
  const TemporaryFile text("#!/bin/sh\n");
  EXPECT_EQ(Inspect(text.path()).status().message(),
            "is text: it begins with \"#!/bin/sh\\n\"; a shared library (.so) is needed");
  EXPECT_THAT(std::string(Inspect("/dev").status().message()), HasSubstr("is a directory"));
  EXPECT_EQ(Inspect("/nowhere").status().code(), absl::StatusCode::kNotFound);
  ElfEditor editor("original_linked");
  editor.header().e_machine = EM_RISCV;
  const TemporaryFile unknown_machine(editor.bytes);
  EXPECT_EQ(Inspect(unknown_machine.path()).status().message(),
            "was built for 64-bit little-endian RISC-V; callbridge reads 64-bit little-endian code "
            "for x86-64 and aarch64");
}

TEST(InspectionTest, ReadsAllOfAFileForAnotherMachineButWhereItsLibrariesAre) {
  const Inspection inspection = Inspected(OldBinary("other_machine"));
  ASSERT_NE(inspection.machine, nullptr);
  EXPECT_TRUE(IsForeign(inspection));
  EXPECT_FALSE(IsForeign(Inspected(OldBinary("original_linked"))));
  EXPECT_EQ(inspection.refusal, "");
  EXPECT_THAT(inspection.loader.libraries, IsEmpty());
  EXPECT_THAT(Functions(inspection), Contains("divide: status_returning on Host"));
  // cos() may be in any library of that machine.
  for (const UnresolvedSymbol& symbol : inspection.unresolved) {
    EXPECT_EQ(symbol.provider, Provider::kCallbridge) << symbol.name;
  }
  EXPECT_EQ(inspection.unresolved.size(), 3);
  const Verdict verdict = Judge(inspection);
  EXPECT_EQ(verdict.outcome, Outcome::kDoesNotLoad);
  const std::string other = inspection.machine->name;
  EXPECT_EQ(verdict.text,
            absl::StrCat("callbridge cannot load it: it is for ", other, ", and this machine is ",
                         kThisMachine.name, "; load it on ", other));
}

TEST(InspectionTest, ReadsTheTablesOfAFileForAnotherMachine) {
  ElfEditor editor("other_machine");
  editor.Table<Elf64_Rela>(DT_RELA).r_offset = uint64_t{1} << 40;
  editor.Dynamic(DT_RELACOUNT).d_tag = DT_DEBUG;
  const TemporaryFile damaged(editor.bytes);
  EXPECT_THAT(Inspected(damaged.path()).refusal, HasSubstr("where no writable segment is"));
}

TEST(InspectionTest, ObjectFilesForAnotherMachineAreLinkedThere) {
  const Inspection inspection = Inspected(std::string(OLD_BINARIES) + "/other_machine.o");
  EXPECT_EQ(inspection.kind, FileKind::kObjectFile);
  EXPECT_EQ(
      Judge(inspection).text,
      absl::StrCat("it must be linked into a shared library first, on ", inspection.machine->name));
}

// An object file without sections.
std::string EmptyObject(Elf64_Half machine) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(header);
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

TEST(InspectionTest, AnArchiveIsForTheMachineOfItsFirstObject) {
  Elf64_Ehdr ours;
  std::memcpy(&ours, BytesOf(OldBinary("original_linked")).data(), sizeof(ours));
  const Elf64_Half other = ours.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  const auto archive = [](const std::vector<std::string>& members) {
    std::string bytes = "!<arch>\n";
    for (const std::string& member : members) {
      absl::StrAppend(
          &bytes,
          absl::StrFormat("%-16s%-12d%-6d%-6d%-8d%-10d`\n", "a.o/", 0, 0, 0, 644, member.size()),
          member);
    }
    return Inspected(TemporaryFile(bytes).path());
  };
  EXPECT_TRUE(IsForeign(archive({EmptyObject(other), EmptyObject(ours.e_machine)})));
  EXPECT_FALSE(IsForeign(archive({EmptyObject(ours.e_machine), EmptyObject(other)})));
  EXPECT_TRUE(IsForeign(archive({"text", EmptyObject(other)})));
  EXPECT_FALSE(IsForeign(archive({})));
}

TEST(InspectionTest, SurvivesTruncationAnywhere) {
  const std::string whole = BytesOf(OldBinary("status_linked"));
  for (size_t size = 0; size < whole.size(); size += 1 + size / 8) {
    const TemporaryFile file(whole.substr(0, size));
    absl::StatusOr<Inspection> inspection = Inspect(file.path());
    if (inspection.ok()) Judge(*inspection);
  }
}

TEST(InspectionTest, SurvivesFlippedBytes) {
  const std::string whole = BytesOf(OldBinary("status_linked"));
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof(header));
  std::vector<size_t> places;
  for (size_t i = 0; i < 0x400; i += 5) places.push_back(i);
  for (size_t i = header.e_shoff; i < whole.size(); i += 7) places.push_back(i);
  for (size_t place : places) {
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 0xFF);
    const TemporaryFile file(flipped);
    absl::StatusOr<Inspection> inspection = Inspect(file.path());
    if (inspection.ok()) Judge(*inspection);
  }
}

}  // namespace
}  // namespace callbridge
