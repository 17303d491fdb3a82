#include "callbridge/loader/elf_sections.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/inspection.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Entry(uint16_t kind, uint32_t architecture, uint64_t size) {
  std::string entry;
  Append<uint16_t>(entry, kind);
  Append<uint16_t>(entry, 0x0101);
  Append<uint32_t>(entry, 64);
  Append<uint64_t>(entry, size);
  entry.resize(28);
  Append<uint32_t>(entry, architecture);
  entry.resize(64 + size);
  return entry;
}

std::string FatBinary(const std::string& entries) {
  std::string bytes;
  Append<uint32_t>(bytes, 0xBA55ED50);
  Append<uint16_t>(bytes, 1);
  Append<uint16_t>(bytes, 16);
  Append<uint64_t>(bytes, entries.size());
  return bytes + entries;
}

TEST(GpuCodeTest, NamesArchitectures) {
  const std::string first = FatBinary(Entry(2, 90, 128) + Entry(1, 90, 8));
  const std::string second = FatBinary(Entry(2, 50, 16));
  EXPECT_THAT(FatBinaryArchitectures(first), ElementsAre("compute_90", "sm_90"));
  EXPECT_THAT(FatBinaryArchitectures(first + std::string(8, '\0') + second),
              ElementsAre("compute_90", "sm_50", "sm_90"));
  EXPECT_THAT(FatBinaryArchitectures(""), IsEmpty());
}

TEST(GpuCodeTest, StopsWhereItIsDamaged) {
  const std::string whole = FatBinary(Entry(2, 90, 128) + Entry(1, 80, 8));
  constexpr size_t kFirst = 16 + 32;  // the header, and what an entry begins with
  constexpr size_t kSecond = 16 + 64 + 128 + 32;
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::set<std::string> names = FatBinaryArchitectures(whole.substr(0, size));
    EXPECT_EQ(names.count("sm_90"), size >= kFirst) << size;
    EXPECT_EQ(names.count("compute_80"), size >= kSecond) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0xFF);
    FatBinaryArchitectures(flipped);
  }
}

// What newer tools may write.
TEST(GpuCodeTest, PassesOverWhatItDoesNotKnow) {
  EXPECT_THAT(FatBinaryArchitectures(FatBinary(Entry(4, 70, 24) + Entry(2, 80, 0))),
              ElementsAre("sm_80"));
  std::string longer = FatBinary(Entry(2, 80, 8));
  longer.insert(16, 8, '\0');
  longer[6] = 24;  // the header's size
  EXPECT_THAT(FatBinaryArchitectures(longer + FatBinary(Entry(2, 90, 8))),
              ElementsAre("sm_80", "sm_90"));
}

TEST(GpuCodeTest, HeadersThatAreTooSmallOrTooLargeAreNone) {
  const std::string good = FatBinary(Entry(2, 90, 8));
  for (char size : {'\0', '\x0f', '\x70'}) {
    std::string bad = FatBinary("");
    bad[6] = size;
    if (size == '\x70') {  // more than there is
      EXPECT_THAT(FatBinaryArchitectures(bad), IsEmpty());
    } else {
      EXPECT_THAT(FatBinaryArchitectures(bad + good), ElementsAre("sm_90"));
    }
  }
  std::string no_header = Entry(2, 80, 8);
  no_header[4] = 31;
  EXPECT_THAT(FatBinaryArchitectures(FatBinary(no_header + Entry(2, 90, 8))), ElementsAre("sm_80"));
}

TEST(GpuCodeTest, IsFoundByTheSectionsNames) {
  std::string folder = ::testing::TempDir() + "/gpu-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string code = FatBinary(Entry(2, 90, 8));
  std::ofstream(folder + "/code", std::ios::binary) << code;
  struct {
    const char* sections;
    bool has_hip;
    size_t architectures;
  } cases[] = {{"--add-section .nv_fatbin=code", false, 1},
               {"--add-section .nv_fatbin_other=code", false, 0},
               {"--add-section .hip_fatbin=code", true, 0},
               {"--add-section .hipFatBinSegment=code", false, 0},
               {"--add-section .hip_fatbin.one=code --add-section .nv_fatbin=code", true, 1},
               {"", false, 0}};
  for (const auto& c : cases) {
    const std::string command = absl::StrCat("cd ", folder, " && objcopy ", c.sections, " ",
                                             OLD_BINARIES, "/original_unlinked.so made.so");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    absl::StatusOr<Inspection> inspection = Inspect(folder + "/made.so");
    ASSERT_TRUE(inspection.ok()) << inspection.status();
    EXPECT_EQ(inspection->has_hip_code, c.has_hip) << c.sections;
    EXPECT_EQ(inspection->gpu_architectures.size(), c.architectures) << c.sections;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace callbridge
