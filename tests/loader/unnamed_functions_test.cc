#include "callbridge/loader/unnamed_functions.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/loader/elf_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A stripped library of two pages: code and its unwind table, then data. Nothing else tells of its
// functions, which are at kFirst, kSecond and kThird.
constexpr uint64_t kPage = 0x10000;  // the largest of any machine
constexpr uint64_t kUnwindTable = 0x200;
constexpr uint64_t kEntries = kUnwindTable + 12;
constexpr uint64_t kCode = 0x400;
constexpr uint64_t kFirst = 0x500;
constexpr uint64_t kSecond = 0x510;
constexpr uint64_t kThird = 0x520;
constexpr uint64_t kData = kPage;

class Stripped {
 public:
  explicit Stripped(uint16_t machine = EM_X86_64) : bytes_(2 * kPage, '\0') {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof(header);
    header.e_ehsize = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 3;
    Put(0, header);
    const std::vector<uint64_t> functions = {kFirst, kSecond, kThird};
    Segment(0, {PT_LOAD, PF_R | PF_X, 0, 0, 0, kPage, kPage, kPage});
    Segment(1, {PT_LOAD, PF_R | PF_W, kData, kData, kData, kPage, kPage, kPage});
    const uint64_t size = kEntries - kUnwindTable + 8 * functions.size();
    Segment(2, {PT_GNU_EH_FRAME, PF_R, kUnwindTable, kUnwindTable, kUnwindTable, size, size, 4});
    // Version 1; pcrel sdata4, udata4, datarel sdata4.
    Put(kUnwindTable, uint32_t{0x3b031b01});
    Put(kUnwindTable + 8, static_cast<uint32_t>(functions.size()));
    for (size_t i = 0; i < functions.size(); ++i) {
      Put(kEntries + 8 * i, static_cast<int32_t>(functions[i] - kUnwindTable));
    }
  }

  template <typename T>
  Stripped& Put(uint64_t offset, const T& value) {
    std::memcpy(&bytes_.at(offset), &value, sizeof(value));
    return *this;
  }
  Stripped& Segment(int i, const Elf64_Phdr& segment) {
    return Put(sizeof(Elf64_Ehdr) + i * sizeof(segment), segment);
  }
  // lea FUNCTION(%rip), %rsi
  Stripped& Lea(uint64_t at, uint64_t function) {
    Put(at, uint8_t{0x48}).Put(at + 1, uint8_t{0x8d}).Put(at + 2, uint8_t{0x35});
    return Put(at + 3, static_cast<int32_t>(function - (at + 7)));
  }

  std::vector<uint64_t> Found() const {
    const absl::StatusOr<ElfFile> file = ElfFile::ParseForeign(bytes_);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? AddressTakenFunctions(*file) : std::vector<uint64_t>{};
  }

 private:
  std::string bytes_;
};

TEST(UnnamedFunctionsTest, AreThoseThatCodeOrDataTake) {
  EXPECT_THAT(Stripped().Found(), IsEmpty());
  EXPECT_THAT(Stripped().Lea(kCode, kSecond).Found(), ElementsAre(kSecond));
  EXPECT_THAT(Stripped().Lea(kCode + 1, kThird).Put(kData + 8, kFirst).Found(),
              ElementsAre(kFirst, kThird));
  // Twice is once; what is no beginning of a function is none.
  EXPECT_THAT(Stripped().Lea(kCode, kFirst).Put(kData, kFirst).Found(), ElementsAre(kFirst));
  EXPECT_THAT(Stripped().Lea(kCode, kFirst + 1).Put(kData, kSecond + 4).Found(), IsEmpty());
  // The compiler aligns pointers.
  EXPECT_THAT(Stripped().Put(kData + 4, kFirst).Found(), IsEmpty());
}

TEST(UnnamedFunctionsTest, LastBytesOfASegmentAreRead) {
  EXPECT_THAT(Stripped().Lea(kPage - 7, kFirst).Found(), ElementsAre(kFirst));
  EXPECT_THAT(Stripped().Put(2 * kPage - 8, kFirst).Found(), ElementsAre(kFirst));
  // A `lea` that would go on after the code.
  EXPECT_THAT(Stripped().Put(kPage - 3, uint16_t{0x8d48}).Put(kPage - 1, uint8_t{0x35}).Found(),
              IsEmpty());
}

TEST(UnnamedFunctionsTest, AnotherMachinesAreTakenByData) {
  EXPECT_THAT(Stripped(EM_AARCH64).Put(kData, kSecond).Found(), ElementsAre(kSecond));
}

TEST(UnnamedFunctionsTest, NoneWithoutAnUnwindTable) {
  Stripped without;
  without.Lea(kCode, kFirst).Segment(2, {PT_NULL, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(without.Found(), IsEmpty());
}

TEST(UnnamedFunctionsTest, NoneByATableThatIsDamaged) {
  const auto with = [] { return Stripped().Lea(kCode, kFirst); };
  EXPECT_THAT(with().Found(), ElementsAre(kFirst));
  // Of another version or encoding.
  for (uint64_t at = 0; at < 4; ++at) {
    EXPECT_THAT(with().Put(kUnwindTable + at, uint8_t{0xff}).Found(), IsEmpty()) << at;
  }
  // More entries than the segment that it is in has room for.
  EXPECT_THAT(with().Put(kUnwindTable + 8, uint32_t{0xffffffff}).Found(), IsEmpty());
  EXPECT_THAT(with().Put(kUnwindTable + 8, uint32_t{0}).Found(), IsEmpty());
  // Outside of what is mapped, and cut off in its header.
  for (const uint64_t at : {4 * kPage, 2 * kPage - 11, UINT64_MAX - 4}) {
    EXPECT_THAT(with().Segment(2, {PT_GNU_EH_FRAME, PF_R, 0, at, at, 12, 12, 4}).Found(), IsEmpty())
        << at;
  }
}

}  // namespace
}  // namespace callbridge
