#include "callbridge/loader/loaded_copy.h"

#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <string>

#include "callbridge/loader/files.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// First, since a test that has passed is not run again.
TEST(BindingSelfTestTest, PassesOnceItsObstacleIsGone) {
  rlimit usual;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none = {0, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status obstructed = BindingSelfTest();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_THAT(std::string(obstructed.message()), HasSubstr("Too many open files"));
  EXPECT_EQ(BindingSelfTest(), absl::OkStatus());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status again = BindingSelfTest();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(again, absl::OkStatus());
}

TEST(BindingSelfTestTest, PassesInEitherPlace) {
  absl::StatusOr<PrivateCopy> copy = MakeSelfTestCopy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  absl::StatusOr<FileDescriptor> file = WriteCodeFileInMemory(copy->file.bytes());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TestBinding(*copy, *std::move(file)), absl::OkStatus());
  file = WriteCodeFileInFolder(copy->file.bytes(), ::testing::TempDir());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TestBinding(*copy, *std::move(file)), absl::OkStatus());
}

// A copy whose symbol is bound elsewhere is what a loader that moves it would make.
TEST(BindingSelfTestTest, NoticesAMovedSymbol) {
  absl::StatusOr<PrivateCopy> copy = MakeSelfTestCopy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  std::string bytes = copy->file.bytes();
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += 8) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, &bytes[at], sizeof(symbol));
    if (symbol.st_shndx != SHN_ABS || symbol.st_name != 1) continue;
    symbol.st_value += 0x1000;
    std::memcpy(&bytes[at], &symbol, sizeof(symbol));
  }
  ASSERT_NE(bytes, copy->file.bytes());
  absl::StatusOr<FileDescriptor> file = WriteCodeFileInMemory(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::Status status = TestBinding(*copy, *std::move(file));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not bind as callbridge needs it"));
}

// Of the two pointers one is bound to what lies behind the symbol.
TEST(BindingSelfTestTest, NoticesAnAddendThatIsNotAdded) {
  absl::StatusOr<PrivateCopy> copy = MakeSelfTestCopy();
  ASSERT_TRUE(copy.ok()) << copy.status();
  std::string bytes = copy->file.bytes();
  for (size_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size(); at += 8) {
    Elf64_Rela relocation;
    std::memcpy(&relocation, &bytes[at], sizeof(relocation));
    if (relocation.r_info != ELF64_R_INFO(uint64_t{1}, kThisMachine.absolute)) continue;
    relocation.r_addend += 8;
    std::memcpy(&bytes[at], &relocation, sizeof(relocation));
  }
  ASSERT_NE(bytes, copy->file.bytes());
  absl::StatusOr<FileDescriptor> file = WriteCodeFileInMemory(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string(TestBinding(*copy, *std::move(file)).message()),
              HasSubstr("does not bind as callbridge needs it"));
}

TEST(BindingSelfTestTest, ErrorNamesTheAddresses) {
  const absl::Status status = CheckBoundAddress(0x1000, 0x2000);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("with the value 0x1000 was bound to 0x2000"),
                    HasSubstr(std::string("(glibc ") + gnu_get_libc_version() + ")")));
  EXPECT_EQ(CheckBoundAddress(0x1000, 0x1000), absl::OkStatus());
}

}  // namespace
}  // namespace callbridge
