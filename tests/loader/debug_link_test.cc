#include "callbridge/loader/debug_link.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/target_library.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A folder with old.so, whose debug information is in a file of its own.
class DebugLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "debug_link_XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::copy_file(OLD_BINARIES "/original_linked.so", Library());
    Run(absl::StrCat("objcopy --only-keep-debug ", Library(), " ", folder_, "/old.debug"));
    Run(absl::StrCat("objcopy --strip-debug --add-gnu-debuglink=", folder_, "/old.debug ",
                     Library()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void Run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0); }
  std::string Library() const { return folder_ + "/old.so"; }
  ElfFile File() const { return *ElfFile::Parse(ReadFile(Library())); }

  std::string folder_;
};

TEST_F(DebugLinkTest, LeadsFromTheLoadedCopyToTheFileBesideTheOriginal) {
  auto library = TargetLibrary::Load(Library());
  ASSERT_TRUE(library.ok()) << library.status();
  Dl_info copy;
  ASSERT_NE(dladdr((*library)->targets()[0].registered.address, &copy), 0);

  // A debugger reads the link's name behind the folder in which it sees the library.
  const std::string link = absl::StrCat("../../..", folder_, "/old.debug");
  EXPECT_NE(ReadFile(copy.dli_fname).find(link + '\0'), std::string::npos);
  const std::string seen_in = std::filesystem::path(copy.dli_fname).parent_path().native();
  EXPECT_EQ(access(absl::StrCat(seen_in, "/", link).c_str(), R_OK), 0);
}

// A name of any length, padded to four bytes, and the debug file's checksum behind it.
TEST_F(DebugLinkTest, TheSectionHoldsTheNewNameAndTheChecksum) {
  for (const char* name : {"a.d", "ab.d", "abc.d", "abcd.d", "abcde.d"}) {
    std::filesystem::rename(folder_ + "/old.debug", folder_ + "/" + name);
    Run(absl::StrCat("objcopy --remove-section=.gnu_debuglink --add-gnu-debuglink=", folder_, "/",
                     name, " ", Library()));
    const auto section = [&](const std::string& library) {
      Run(absl::StrCat("objcopy --dump-section .gnu_debuglink=", folder_, "/section ", library,
                       " /dev/null"));
      return ReadFile(folder_ + "/section");
    };
    const std::string before = section(Library());
    absl::StatusOr<ElfFile> file = WithDebugLink(File(), folder_);
    ASSERT_TRUE(file.ok()) << file.status();
    std::ofstream(folder_ + "/new.so", std::ios::binary) << file->bytes();
    std::string expected = absl::StrCat("../../..", folder_, "/", name, std::string(1, '\0'));
    while (expected.size() % 4 != 0) expected += '\0';
    EXPECT_EQ(section(folder_ + "/new.so"), expected + before.substr(before.size() - 4)) << name;
    std::filesystem::rename(folder_ + "/" + name, folder_ + "/old.debug");
  }
}

// Of two, the one that lies beside the library; a folder of that name is none.
TEST_F(DebugLinkTest, LooksBesideFirst) {
  std::filesystem::create_directory(folder_ + "/.debug");
  std::filesystem::copy_file(folder_ + "/old.debug", folder_ + "/.debug/old.debug");
  EXPECT_NE(WithDebugLink(File(), folder_)->bytes().find(absl::StrCat(folder_, "/old.debug")),
            std::string::npos);
  std::filesystem::remove(folder_ + "/old.debug");
  std::filesystem::create_directory(folder_ + "/old.debug");
  EXPECT_NE(
      WithDebugLink(File(), folder_)->bytes().find(absl::StrCat(folder_, "/.debug/old.debug")),
      std::string::npos);
}

TEST_F(DebugLinkTest, LooksInTheFolderDebugToo) {
  std::filesystem::create_directory(folder_ + "/.debug");
  std::filesystem::rename(folder_ + "/old.debug", folder_ + "/.debug/old.debug");
  absl::StatusOr<ElfFile> file = WithDebugLink(File(), folder_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_NE(file->bytes().find(absl::StrCat("../../..", folder_, "/.debug/old.debug")),
            std::string::npos);
}

TEST_F(DebugLinkTest, IsLeftAsItIsWithoutTheFile) {
  std::filesystem::remove(folder_ + "/old.debug");
  EXPECT_EQ(WithDebugLink(File(), folder_)->bytes(), File().bytes());
}

TEST_F(DebugLinkTest, IsLeftAsItIsWhereTheLinkIsAPath) {
  std::string bytes = ReadFile(Library());
  const size_t name = bytes.find(std::string("old.debug\0", 10));
  ASSERT_NE(name, std::string::npos);
  bytes.replace(name, 4, "sub/");
  std::filesystem::create_directory(folder_ + "/sub");
  std::filesystem::rename(folder_ + "/old.debug", folder_ + "/sub/debug");
  EXPECT_EQ(WithDebugLink(*ElfFile::Parse(bytes), folder_)->bytes(), bytes);
}

TEST_F(DebugLinkTest, IsLeftAsItIsWithoutALink) {
  const std::string bytes = ReadFile(OLD_BINARIES "/original_linked.so");
  EXPECT_EQ(WithDebugLink(*ElfFile::Parse(bytes), folder_)->bytes(), bytes);
}

TEST_F(DebugLinkTest, SurvivesDamagedSections) {
  const std::string good = ReadFile(Library());
  const auto header = File().Read<Elf64_Ehdr>(0);
  // Every byte of the section headers, and those of the ELF header that lead to them.
  for (size_t i = 40; i < good.size(); i = i == 63 ? header.e_shoff : i + 1) {
    for (char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = good;
      bytes[i] = value;
      absl::StatusOr<ElfFile> file = ElfFile::Parse(std::move(bytes));
      if (!file.ok()) continue;
      EXPECT_TRUE(WithDebugLink(*std::move(file), folder_).ok()) << i;
    }
  }
}

}  // namespace
}  // namespace callbridge
