// Whatever a file holds, to check and rewrite it must neither crash nor run for ever. Nothing of it
// is loaded here. Worth most under the sanitizers.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>

#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/private_copy.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

// Whether it was accepted. What is accepted must, rewritten, be accepted again. `function` is an
// address whose names are looked up.
bool Check(const std::string& bytes, uint64_t function) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(bytes);
  if (!file.ok()) return false;
  FunctionNames(*file).At(function);
  absl::StatusOr<PrivateCopy> copy = MakePrivateCopy(*std::move(file), OldSymbols());
  if (!copy.ok()) return false;
  FunctionNames(copy->file).At(function);
  absl::StatusOr<ElfFile> again = ElfFile::Parse(copy->file.bytes());
  EXPECT_TRUE(again.ok()) << again.status();
  if (again.ok()) {
    absl::Status status = MakePrivateCopy(*std::move(again), OldSymbols()).status();
    EXPECT_TRUE(status.ok()) << status;
  }
  return true;
}

class HostileBytesTest : public ::testing::TestWithParam<const char*> {
 protected:
  ElfEditor editor_{GetParam()};
  const uint64_t function_ = editor_.Symbol("c_function").st_value;
};

TEST_P(HostileBytesTest, TruncatedAnywhere) {
  std::set<size_t> sizes;
  for (size_t size = 0; size < editor_.bytes.size(); size += 97) sizes.insert(size);
  const Elf64_Ehdr header = editor_.header();
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto& segment = editor_.At<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    sizes.insert({segment.p_offset, segment.p_offset + segment.p_filesz});
  }
  for (int i = 0; i < header.e_shnum; ++i) {
    const auto& section = editor_.At<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    sizes.insert({section.sh_offset, section.sh_offset + section.sh_size});
  }
  const Elf64_Phdr& last = editor_.Segment(PT_LOAD, 3);
  for (size_t size : sizes) {
    for (size_t cut : {size, size - 1, size + 1}) {
      if (cut >= editor_.bytes.size()) continue;
      const bool is_whole = cut >= last.p_offset + last.p_filesz;  // but for the sections
      EXPECT_EQ(Check(editor_.bytes.substr(0, cut), function_), is_whole) << cut;
    }
  }
}

// Each word that ld.so or libelf interprets, set to values that tend to break things.
TEST_P(HostileBytesTest, ExtremeValuesInTheTables) {
  const Elf64_Phdr dynamic = editor_.Segment(PT_DYNAMIC);
  const Elf64_Ehdr header = editor_.header();
  const std::pair<uint64_t, uint64_t> ranges[] = {
      {0, sizeof(Elf64_Ehdr) + header.e_phnum * sizeof(Elf64_Phdr)},
      {dynamic.p_offset, dynamic.p_offset + dynamic.p_filesz},
      {header.e_shoff, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr)},
  };
  for (const auto& [begin, end] : ranges) {
    for (uint64_t at = begin; at + sizeof(uint64_t) <= end; at += sizeof(uint32_t)) {
      for (uint64_t value : {uint64_t{0}, uint64_t{1}, editor_.bytes.size(), uint64_t{INT64_MAX},
                             uint64_t{INT64_MAX} + 1, UINT64_MAX - 7, UINT64_MAX}) {
        std::string bytes = editor_.bytes;
        std::memcpy(&bytes[at], &value, sizeof(value));
        Check(bytes, function_);
      }
    }
  }
}

TEST_P(HostileBytesTest, FlippedBytes) {
  std::mt19937 random(20230713);
  // The tables lie in the first segment and around the dynamic section.
  const Elf64_Phdr dynamic = editor_.Segment(PT_DYNAMIC);
  const std::pair<size_t, size_t> ranges[] = {
      {0, editor_.Segment(PT_LOAD).p_filesz},
      {dynamic.p_offset, dynamic.p_offset + dynamic.p_filesz},
      {0, editor_.bytes.size()},
  };
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto& [begin, end] = ranges[i % 3];
    std::uniform_int_distribution<size_t> place(begin, end - 1);
    std::string bytes = editor_.bytes;
    for (size_t flips = 1 + random() % 4; flips > 0; --flips) {
      bytes[place(random)] = static_cast<char>(random());
    }
    if (Check(bytes, function_)) ++accepted;
  }
  // Most of the bytes are names and code.
  EXPECT_GT(accepted, 600);
  EXPECT_LT(accepted, 5400);
}

INSTANTIATE_TEST_SUITE_P(All, HostileBytesTest,
                         ::testing::Values("original_linked", "original_sysv_hash",
                                           "original_relr"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace callbridge
