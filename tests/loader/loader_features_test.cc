// What ld.so, the C++ runtime and debuggers do for a library, they do for its private copy,
// wherever that is held.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <thread>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::shared_ptr<TargetLibrary> LoadOrDie(const std::string& name) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(OldBinary(name));
  if (!library.ok()) throw std::runtime_error(library.status().ToString());
  return *std::move(library);
}

// The number that the target returns, or its failure.
std::string Call(const TargetLibrary& library, const std::string& name) {
  absl::StatusOr<Target> target = library.Find(name, Platform::kHost);
  if (!target.ok()) return target.status().ToString();
  CallSite site;
  site.target_name = name;
  site.result = *ParseShape("s32[]");
  int out = -1;
  const HostArray results[] = {{&out, sizeof(out)}};
  absl::Status status = Execute(site, *target, {}, results);
  return status.ok() ? std::to_string(out) : status.ToString();
}

TEST(LoaderFeaturesTest, IndirectFunctions) {
  EXPECT_EQ(Call(*LoadOrDie("loader_features"), "call_indirect"), "12");
}

TEST(LoaderFeaturesTest, ThreadLocals) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("loader_features");
  EXPECT_EQ(Call(*library, "sum_thread_locals"), "111");
  EXPECT_EQ(Call(*library, "sum_thread_locals"), "222");
  std::thread([&] { EXPECT_EQ(Call(*library, "sum_thread_locals"), "111"); }).join();
}

TEST(LoaderFeaturesTest, Exceptions) {
  EXPECT_EQ(Call(*LoadOrDie("loader_features"), "throw_twice"),
            "INTERNAL: CustomCall failed: the target threw Error: across, after inside");
}

// The whole process has one of a unique symbol, so a library that has one stays in memory.
TEST(LoaderFeaturesTest, UniqueSymbols) {
  std::shared_ptr<TargetLibrary> first = LoadOrDie("loader_features");
  const int before = std::stoi(Call(*first, "count_unique"));
  std::shared_ptr<TargetLibrary> second = LoadOrDie("loader_features");
  EXPECT_EQ(Call(*second, "count_unique"), std::to_string(before + 1));
  first.reset();
  EXPECT_EQ(Call(*second, "count_unique"), std::to_string(before + 2));
}

// dladdr() names the function and a file from which debuggers can read all the rest.
TEST(LoaderFeaturesTest, DebuggersFindSymbolsAndLines) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("loader_features");
  void* function = library->Find("call_indirect", Platform::kHost)->address;
  Dl_info info;
  ASSERT_NE(dladdr(function, &info), 0);
  EXPECT_STREQ(info.dli_sname, "_Z13call_indirectPvPPKv");
  EXPECT_THAT(info.dli_fname, StartsWith("/proc/" + std::to_string(getpid()) + "/fd/"));
  char command[256];
  std::snprintf(command, sizeof(command), "addr2line -Cfe %s %#zx", info.dli_fname,
                static_cast<char*>(function) - static_cast<char*>(info.dli_fbase));
  FILE* addr2line = popen(command, "r");
  ASSERT_NE(addr2line, nullptr);
  char text[512] = {};
  static_cast<void>(fread(text, 1, sizeof(text) - 1, addr2line));
  EXPECT_EQ(pclose(addr2line), 0);
  EXPECT_THAT(text, AllOf(StartsWith("call_indirect(void*, void const**)\n"),
                          HasSubstr("loader_features.cc:")));
}

// Whoever follows links to debug files needs its notes and sections: they are as they were.
TEST(LoaderFeaturesTest, SectionsAndBuildIdStay) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("loader_features");
  void* function = library->Find("call_indirect", Platform::kHost)->address;
  Dl_info info;
  ASSERT_NE(dladdr(function, &info), 0);
  const std::string before = BytesOf(OldBinary("loader_features"));
  const std::string after = BytesOf(info.dli_fname);
  Elf64_Ehdr header;
  std::memcpy(&header, before.data(), sizeof(header));
  EXPECT_EQ(after.substr(0, sizeof(header)), before.substr(0, sizeof(header)));
  const size_t sections = header.e_shnum * sizeof(Elf64_Shdr);
  EXPECT_EQ(after.substr(header.e_shoff, sections), before.substr(header.e_shoff, sections));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, &before[header.e_phoff + i * sizeof(segment)], sizeof(segment));
    if (segment.p_type != PT_NOTE) continue;
    EXPECT_EQ(after.substr(segment.p_offset, segment.p_filesz),
              before.substr(segment.p_offset, segment.p_filesz));
  }
}

// As a sandbox may: memfd_create() fails from here on, in this process.
void ForbidMemoryFiles() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw std::runtime_error("seccomp");
  }
}

TEST(LoaderFeaturesDeathTest, AFileInAFolderDoesAsWell) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ForbidMemoryFiles();
        unsetenv("TMPDIR");
        std::string results;
        for (const char* name :
             {"loader_features", "original_linked", "status_unlinked", "beside_runpath"}) {
          std::shared_ptr<TargetLibrary> library = LoadOrDie(name);
          Dl_info info;
          if (dladdr(library->targets()[0].registered.address, &info) == 0) continue;
          char target[64] = {};
          static_cast<void>(readlink(info.dli_fname, target, sizeof(target) - 1));
          results += std::string(target).find("/tmp/callbridge-") == 0 ? "in /tmp, " : target;
        }
        std::shared_ptr<TargetLibrary> library = LoadOrDie("loader_features");
        results += Call(*library, "call_indirect") + ", " + Call(*library, "throw_twice");
        std::fprintf(stderr, "%s\n", results.c_str());
        _exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^in /tmp, in /tmp, in /tmp, in /tmp, 12, INTERNAL: CustomCall failed: the target threw");
}

}  // namespace
}  // namespace callbridge
