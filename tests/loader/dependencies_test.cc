#include "callbridge/loader/dependencies.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/machine.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// The library of this process that has that symbol.
std::string LibraryOf(const char* symbol) {
  Dl_info found = {};
  if (dladdr(dlsym(RTLD_DEFAULT, symbol), &found) == 0) throw std::runtime_error(symbol);
  return found.dli_fname;
}

TEST(NeededLibrariesTest, ReadsLoadersAnswer) {
  const std::string loader = kThisMachine.loader_path;
  const LoaderAnswer answer = ParseLoaderAnswer(
      "/x.so: /lib/libc.so.6: version `GLIBC_2.99' not found (required by /x.so)\n"
      "\tlinux-vdso.so.1 (0x00007ffd)\n"
      "\tlibtensorflow_cc.so.2 => not found\n"
      "\tlibm (1).so => /lib/libm (1).so (0x00007f04c0720000)\n"
      "\t/opt/lib.so (0x00007f04c0720000)\n"
      "\t" +
          loader + " (0x00007f04c0b30000)\n",
      "/x.so");
  ASSERT_EQ(answer.libraries.size(), 4);
  EXPECT_EQ(answer.libraries[0].name, "libtensorflow_cc.so.2");
  EXPECT_EQ(answer.libraries[0].path, "");
  EXPECT_EQ(answer.libraries[1].name, "libm (1).so");
  EXPECT_EQ(answer.libraries[1].path, "/lib/libm (1).so");
  EXPECT_EQ(answer.libraries[2].name, "/opt/lib.so");
  EXPECT_EQ(answer.libraries[2].path, "/opt/lib.so");
  EXPECT_EQ(answer.libraries[3].name, loader.substr(loader.rfind('/') + 1));
  EXPECT_EQ(answer.libraries[3].path, loader);
  EXPECT_THAT(answer.missing_versions,
              ElementsAre("/lib/libc.so.6: version `GLIBC_2.99' not found (required by /x.so)"));
  EXPECT_THAT(ParseLoaderAnswer("\tstatically linked\n", "/x.so").libraries, IsEmpty());
}

TEST(NeededLibrariesTest, AsksTheLoader) {
  absl::StatusOr<LoaderAnswer> answer = AskLoader(OldBinary("original_linked"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->libraries.front().name, "libtensorflow_cc.so.2");
  EXPECT_EQ(answer->libraries.front().path, "");
  const absl::Status missing = AskLoader("/nowhere.so").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(missing.message()),
              AllOf(StartsWith("ld.so says: "), HasSubstr("/nowhere.so")));
}

std::vector<std::string> Describe(const LoaderAnswer& answer) {
  std::vector<std::string> lines = answer.missing_versions;
  for (const NeededLibrary& library : answer.libraries) {
    lines.push_back(library.name + " => " + library.path);
  }
  return lines;
}

// They are for the programs of whoever set them.
TEST(NeededLibrariesTest, VariablesOfTheLoadersDoNotMatter) {
  const std::vector<std::string> expected = Describe(*AskLoader(OldBinary("original_linked")));
  const std::string preloaded = OldBinary("libbeside");
  const std::pair<const char*, const char*> variables[] = {{"LD_PRELOAD", preloaded.c_str()},
                                                           {"LD_AUDIT", preloaded.c_str()},
                                                           {"LD_DEBUG", "all"},
                                                           {"LD_WARN", "1"},
                                                           {"LD_BIND_NOW", "1"},
                                                           {"LD_VERBOSE", "1"}};
  for (const auto& [name, value] : variables) {
    setenv(name, value, 1);
    absl::StatusOr<LoaderAnswer> answer = AskLoader(OldBinary("original_linked"));
    unsetenv(name);
    ASSERT_TRUE(answer.ok()) << name << ": " << answer.status();
    EXPECT_EQ(Describe(*answer), expected) << name;
  }
}

// How ld.so ended is not known then; what it said is.
TEST(NeededLibrariesTest, AnswersWhereSigchldIsIgnored) {
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  const absl::StatusOr<LoaderAnswer> answer = AskLoader(OldBinary("original_linked"));
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->libraries.front().name, "libtensorflow_cc.so.2");
}

TEST(NeededLibrariesTest, ARelativePathIsNotSearched) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(OLD_BINARIES);
  const absl::StatusOr<LoaderAnswer> answer = AskLoader("original_linked.so");
  std::filesystem::current_path(before);
  EXPECT_TRUE(answer.ok()) << answer.status();
}

// An answer that ended early is none.
TEST(NeededLibrariesTest, FilesThatCrashTheLoader) {
  ElfEditor damaged("original_linked");
  damaged.Dynamic(DT_STRTAB).d_un.d_ptr = 1ULL << 60;
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/crashes_the_loader_", getpid(), ".so");
  std::ofstream(path, std::ios::binary) << damaged.bytes;
  EXPECT_EQ(AskLoader(path).status().message(), "ld.so ended by SIGSEGV");
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  const absl::Status unknown = AskLoader(path).status();
  std::signal(SIGCHLD, before);
  EXPECT_EQ(unknown, absl::FailedPreconditionError("ld.so says: "))
      << "and how it ended is not known";
  std::filesystem::remove(path);
}

std::vector<std::pair<std::string, Provider>> Unresolved(
    const absl::flat_hash_map<std::string, bool>& undefined,
    const std::vector<std::string>& paths = {}) {
  std::vector<std::pair<std::string, Provider>> found;
  for (const UnresolvedSymbol& each : FindUnresolved(undefined, paths)) {
    found.emplace_back(each.symbol, each.provider);
  }
  return found;
}

TEST(UnresolvedSymbolsTest, AreSortedAndNameWhoHasThem) {
  EXPECT_THAT(Unresolved({{"_Py_NoneStruct", false},
                          {"PyErr_Occurred", false},
                          {"py_mine", false},
                          {"_py", false},
                          {"P", false},
                          {"XlaCustomCallStatusSetFailure", false}}),
              ElementsAre(Pair("P", Provider::kNone), Pair("PyErr_Occurred", Provider::kPython),
                          Pair("XlaCustomCallStatusSetFailure", Provider::kCallbridge),
                          Pair("_Py_NoneStruct", Provider::kPython), Pair("_py", Provider::kNone),
                          Pair("py_mine", Provider::kNone)));
}

TEST(UnresolvedSymbolsTest, WhatIsWeakMayStayUndefinedUnlessItIsServed) {
  EXPECT_THAT(
      Unresolved(
          {{"PyErr_Occurred", true}, {"nobodys", true}, {"XlaCustomCallStatusSetFailure", true}}),
      ElementsAre(Pair("XlaCustomCallStatusSetFailure", Provider::kCallbridge)));
}

TEST(UnresolvedSymbolsTest, WhatALibraryExportsIsResolved) {
  const std::string libm = LibraryOf("cosf");
  EXPECT_THAT(Unresolved({{"cosf", false}, {"nobodys", false}}, {"/dev/null", libm}),
              ElementsAre(Pair("nobodys", Provider::kNone)));
  EXPECT_THAT(Unresolved({{"cosf", false}}, {libm, "/no/such/library"}), IsEmpty());
  EXPECT_THAT(Unresolved({{"cosf", false}}, {"/no/such/library"}),
              ElementsAre(Pair("cosf", Provider::kNone)));
}

MissingParts MissingIn(const std::string& path) {
  absl::StatusOr<MissingParts> missing = FindMissingParts(path);
  if (!missing.ok()) throw std::runtime_error(missing.status().ToString());
  return *std::move(missing);
}

TEST(MissingPartsTest, NothingIsMissing) {
  const MissingParts missing = MissingIn(LibraryOf("_ZSt9terminatev"));
  EXPECT_THAT(missing.libraries, IsEmpty());
  EXPECT_THAT(missing.symbols, IsEmpty());
  EXPECT_EQ(DescribeMissingParts(missing), "");
}

// The file itself, not callbridge's copy: it lacks the registry, too.
TEST(MissingPartsTest, ListsAllSymbolsButWeakOnes) {
  const MissingParts missing = MissingIn(OldBinary("missing_symbols"));
  EXPECT_THAT(missing.libraries, IsEmpty());
  EXPECT_THAT(missing.symbols, Contains("_ZN4lost5Model3RunEPKfi"));
  EXPECT_THAT(missing.symbols, Contains("_ZN4lost7versionE"));
  EXPECT_THAT(missing.symbols, Contains("function_of_a_lost_library"));
  EXPECT_THAT(missing.symbols, Contains("_ZN3xla24CustomCallTargetRegistry6GlobalEv"));
  EXPECT_THAT(missing.symbols, Not(Contains("optional_function")));
}

// Without the library, which of the symbols are its is not known.
TEST(MissingPartsTest, ListsLibrariesAlone) {
  const MissingParts missing = MissingIn(OldBinary("original_linked"));
  EXPECT_THAT(missing.libraries, ::testing::ElementsAre("libtensorflow_cc.so.2"));
  EXPECT_THAT(missing.symbols, IsEmpty());
}

TEST(MissingPartsTest, Descriptions) {
  EXPECT_EQ(DescribeMissingParts({{}, {"_Z1fi", "g"}}), "undefined symbols: f(int), g");
  EXPECT_EQ(DescribeMissingParts({{}, {"g"}}), "undefined symbol: g");
  EXPECT_THAT(DescribeMissingParts({{"liba.so", "libb.so"}, {}}),
              HasSubstr("libraries that are not found: liba.so, libb.so (add"));
  EXPECT_EQ(DescribeMissingParts({{}, {}}), "");
  MissingParts many;
  for (int i = 0; i < 100; ++i) many.symbols.push_back("f" + std::to_string(i));
  EXPECT_THAT(DescribeMissingParts(many), ::testing::EndsWith(", f99"));
  many.symbols.push_back("f100");
  EXPECT_THAT(DescribeMissingParts(many), ::testing::EndsWith(", f99 and 1 more"));
}

// ld.so's trace knows nothing of what this process has opened.
TEST(MissingPartsTest, WhatIsLoadedIsNotMissing) {
  const std::string alone = ::testing::TempDir() + "/missing_parts_alone.so";
  std::filesystem::copy_file(OldBinary("beside_runpath"), alone,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(MissingIn(alone).libraries, ::testing::ElementsAre("libbeside.so"));
  void* beside = dlopen(OldBinary("libbeside").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(beside, nullptr) << dlerror();
  EXPECT_THAT(MissingIn(alone).libraries, IsEmpty());
  dlclose(beside);
  EXPECT_THAT(MissingIn(alone).libraries, ::testing::ElementsAre("libbeside.so"));
  std::filesystem::remove(alone);
}

}  // namespace
}  // namespace callbridge
