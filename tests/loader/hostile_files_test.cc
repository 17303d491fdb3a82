// Files that are no library, and libraries that no linker would make, through TargetLibrary::Load:
// each is an error that names the file, soon.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/private_copy.h"
#include "callbridge/loader/symbol_table.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"
#include "tests/processor_time.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using ::testing::StartsWith;

class HostileFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/callbridge-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/old.so";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  void ExpectRefused(absl::StatusCode code, const std::string& message) const {
    const auto start = std::chrono::steady_clock::now();
    absl::Status status = TargetLibrary::Load(path_).status();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    EXPECT_THAT(Refused(status, code), StartsWith(path_ + ": " + message));
  }

  std::string folder_;
  std::string path_;
};

TEST_F(HostileFilesTest, NoRegularFiles) {
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is a directory");
  ASSERT_EQ(rmdir(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is a FIFO");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  std::filesystem::create_symlink(path_, path_);
  ExpectRefused(absl::StatusCode::kNotFound, "cannot be opened: Too many levels of symbolic");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  std::filesystem::create_symlink("/dev/zero", path_);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is a device");
}

TEST_F(HostileFilesTest, UnreadableFile) {
  Write(BytesOf(OldBinary("original_linked")));
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  // Root reads everything, so as root the test is somebody else meanwhile.
  constexpr uid_t kNobody = 65534;
  const uid_t user = geteuid();
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  if (user == 0) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  ExpectRefused(absl::StatusCode::kPermissionDenied, "cannot be opened: Permission denied");
  ASSERT_EQ(seteuid(user), 0);
}

TEST_F(HostileFilesTest, OtherFiles) {
  Write("");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is empty");
  Write("#!/usr/bin/python3\nprint()\n");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is text");
  Write("GROUP ( libfoo.so.1 AS_NEEDED ( libbar.so ) )\n");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is text");
  Write("!<arch>\nold.o/          0           0     0     644     8         `\n");
  ExpectRefused(absl::StatusCode::kInvalidArgument, "is a static archive");
}

TEST_F(HostileFilesTest, OtherElfFiles) {
  const std::pair<std::function<void(Elf64_Ehdr&)>, const char*> edits[] = {
      {[](Elf64_Ehdr& e) { e.e_type = ET_CORE; }, "is a core dump"},
      {[](Elf64_Ehdr& e) { e.e_type = ET_REL; }, "is an object file"},
      {[](Elf64_Ehdr& e) { e.e_type = ET_EXEC; }, "is an executable"},
      {[](Elf64_Ehdr& e) { e.e_ident[EI_CLASS] = ELFCLASS32; }, "was built for 32-bit"},
      {[](Elf64_Ehdr& e) { e.e_ident[EI_CLASS] = ELFCLASSNONE; }, "was built for"},
      {[](Elf64_Ehdr& e) { e.e_ident[EI_DATA] = ELFDATA2MSB; }, "was built for 64-bit big-endian"},
      {[](Elf64_Ehdr& e) { e.e_machine = EM_RISCV; }, "was built for 64-bit little-endian RISC-V"},
  };
  for (const auto& [edit, message] : edits) {
    ElfEditor editor("original_linked");
    edit(editor.header());
    Write(editor.bytes);
    ExpectRefused(absl::StatusCode::kInvalidArgument, message);
  }
}

// Sections are for linkers and debuggers: they may overlap, lie outside, lead in circles or be
// missing, and the library still runs, with fewer names at most.
TEST_F(HostileFilesTest, SectionsThatLie) {
  const std::function<void(Elf64_Shdr&)> edits[] = {
      [](Elf64_Shdr& s) { s.sh_offset = 0; },
      [](Elf64_Shdr& s) { s.sh_offset = UINT64_MAX - 8; },
      [](Elf64_Shdr& s) { s.sh_size = UINT64_MAX; },
      [](Elf64_Shdr& s) { s.sh_size = uint64_t{1} << 40; },
      [](Elf64_Shdr& s) { s.sh_entsize = 0; },
      [](Elf64_Shdr& s) { s.sh_entsize = 1; },
      [](Elf64_Shdr& s) { s.sh_type = SHT_SYMTAB; },
      [](Elf64_Shdr& s) { s.sh_type = SHT_STRTAB; },
      [](Elf64_Shdr& s) { s.sh_name = UINT32_MAX; },
      [](Elf64_Shdr& s) { s.sh_flags |= SHF_COMPRESSED; },
  };
  for (size_t edit = 0; edit < std::size(edits); ++edit) {
    ElfEditor editor("original_linked");
    const Elf64_Ehdr header = editor.header();
    for (int i = 0; i < header.e_shnum; ++i) {
      auto& section = editor.At<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
      edits[edit](section);
      section.sh_link = static_cast<Elf64_Word>(i);  // each section names itself by itself
    }
    editor.header().e_shstrndx = static_cast<Elf64_Half>(edit);
    Write(editor.bytes);
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path_);
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_EQ((*library)->targets().size(), 8u);
  }
}

// A library of callbridge's own making: DT_HASH, symbols and strings as given.
std::string LibraryWith(uint32_t symbol_count, const std::string& name) {
  struct Headers {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    Elf64_Dyn dynamic[6];
  };
  Headers headers = {};
  std::string strings = std::string(1, '\0') + name + '\0';
  std::vector<Elf64_Sym> symbols(symbol_count);
  for (uint32_t i = 1; i < symbol_count; ++i) {
    symbols[i].st_name = 1;
    symbols[i].st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
  }
  // One bucket whose chain passes through all symbols.
  std::vector<uint32_t> hash = {1, symbol_count, symbol_count - 1, 0};
  for (uint32_t i = 1; i < symbol_count; ++i) hash.push_back(i - 1);

  const uint64_t symbols_at = sizeof(Headers);
  const uint64_t hash_at = symbols_at + symbols.size() * sizeof(Elf64_Sym);
  const uint64_t strings_at = hash_at + hash.size() * sizeof(uint32_t);
  const uint64_t size = strings_at + strings.size();
  std::memcpy(headers.header.e_ident, ELFMAG, SELFMAG);
  headers.header.e_ident[EI_CLASS] = ELFCLASS64;
  headers.header.e_ident[EI_DATA] = ELFDATA2LSB;
  headers.header.e_ident[EI_VERSION] = EV_CURRENT;
  headers.header.e_type = ET_DYN;
  headers.header.e_machine = kThisMachine.elf_number;
  headers.header.e_version = EV_CURRENT;
  headers.header.e_phoff = offsetof(Headers, segments);
  headers.header.e_phentsize = sizeof(Elf64_Phdr);
  headers.header.e_phnum = 2;
  headers.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, size, size, 4096};
  headers.segments[1] = {PT_DYNAMIC,
                         PF_R | PF_W,
                         offsetof(Headers, dynamic),
                         offsetof(Headers, dynamic),
                         offsetof(Headers, dynamic),
                         sizeof(headers.dynamic),
                         sizeof(headers.dynamic),
                         8};
  const Elf64_Dyn dynamic[] = {
      {DT_HASH, {hash_at}},      {DT_SYMTAB, {symbols_at}},    {DT_SYMENT, {sizeof(Elf64_Sym)}},
      {DT_STRTAB, {strings_at}}, {DT_STRSZ, {strings.size()}}, {DT_NULL, {0}},
  };
  std::memcpy(headers.dynamic, dynamic, sizeof(dynamic));
  std::string bytes(reinterpret_cast<const char*>(&headers), sizeof(headers));
  bytes.append(reinterpret_cast<const char*>(symbols.data()), symbols.size() * sizeof(Elf64_Sym));
  bytes.append(reinterpret_cast<const char*>(hash.data()), hash.size() * sizeof(uint32_t));
  return bytes + strings;
}

// Each symbol and each name is what honest libraries have; together they ask for 800 GB of reading,
// unless a name that many symbols share is measured once.
TEST_F(HostileFilesTest, ManySymbolsWithLongNames) {
  for (const std::string& name : {std::string("short"), std::string(8 << 20, 'x')}) {
    Write(LibraryWith(100'000, name));
    const auto start = ProcessorTime();
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path_);
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_TRUE((*library)->targets().empty());
    EXPECT_THAT(std::string((*library)->Find("x", Platform::kHost).status().message()),
                ::testing::EndsWith("for platform Host; registered are: nothing"));
    EXPECT_LT(ProcessorTime() - start, std::chrono::seconds(3));
  }
}

}  // namespace
}  // namespace callbridge
