#include "callbridge/loader/probe_server.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "callbridge/loader/typed_probe.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kLimit = absl::Seconds(20);

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
// A helper with more than one thread opens the file for each function. The thread sanitizer starts
// one in the helper, and qemu one in each program.
bool HelpersServe() {
#if __has_feature(thread_sanitizer)
  return false;
#else
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) == 1;
#endif
}

// Each test has a file of its own, so that no server of another test serves it.
class ProbeServerTest : public testing::Test {
 protected:
  void SetUp() override {
    serves_ = HelpersServe();
    setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, /*overwrite=*/1);
    char name[] = "/tmp/probe_server_test.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    path_ = folder_ / "probed_opening.so";
    std::filesystem::copy_file(OldBinary("probed_opening"), path_);
    setenv("CALLBRIDGE_TEST_OPENED", (folder_ / "opened").c_str(), /*overwrite=*/1);
  }
  void TearDown() override {
    unsetenv("CALLBRIDGE_TEST_OPENED");
    unsetenv("CALLBRIDGE_TEST_THREAD");
    std::filesystem::remove_all(folder_);
  }

  static uint64_t AddressOf(const std::string& function) {
    return ElfEditor("probed_opening").Symbol(function).st_value;
  }
  absl::StatusOr<ChildOutcome> Run(const std::string& function,
                                   absl::Duration limit = kLimit) const {
    return RunProbe(PROBE_PROGRAM, path_, AddressOf(function), limit);
  }
  TypedAnswer Ask(const std::string& function) const {
    return ProbeTyped(path_, AddressOf(function));
  }
  // The processes that opened the file.
  std::vector<std::string> Openings() const {
    std::ifstream file(folder_ / "opened");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  // The processes that have opened it and are still there: the helper, its server and its forks.
  std::vector<pid_t> Helpers() const {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline");
      bool opens = false;
      for (std::string word; std::getline(file, word, '\0');) opens = opens || word == path_;
      if (opens) found.push_back(std::atoi(entry.path().filename().c_str()));
    }
    return found;
  }
  void AwaitNoHelpers() const {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (!Helpers().empty() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
    EXPECT_THAT(Helpers(), IsEmpty());
  }

  bool serves_ = true;
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(ProbeServerTest, OpensAFileOnceForManyFunctions) {
  for (int i = 0; i < (serves_ ? 20 : 2); ++i) {
    EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
    EXPECT_EQ(Ask("returns").verdict, TypedVerdict::kUnverified);
    EXPECT_EQ(Ask("aborts").evidence, "asked for its metadata, it ended by SIGABRT");
  }
  // More only where this machine was so slow that the server thought that no more would come.
  EXPECT_LE(Openings().size(), serves_ ? 5 : 6);
}

TEST_F(ProbeServerTest, NoFunctionSeesWhatAnotherDid) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Ask("returns").verdict, TypedVerdict::kUnverified);
    EXPECT_EQ(Ask("counts").evidence, "answers the metadata query: XLA FFI 0.1");
  }
}

TEST_F(ProbeServerTest, TheOutcomeIsThatOfAProcessForOneFunction) {
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<ChildOutcome> counts = Run("counts");
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->output,
              "opened\ntyped metadata 0.1 - - answers the metadata query: XLA FFI 0.1\n");
    EXPECT_EQ(WhatWentWrong(*counts, kLimit), "");
    const absl::StatusOr<ChildOutcome> aborts = Run("aborts");
    ASSERT_TRUE(aborts.ok()) << aborts.status();
    EXPECT_EQ(aborts->output, "opened\n");
    EXPECT_EQ(aborts->signal, SIGABRT);
  }
}

TEST_F(ProbeServerTest, AnAddressWithoutCodeIsRefusedAtAnyTime) {
  const std::string refused =
      absl::StrCat("its file cannot be opened: ", path_.native(), ": has no code at that address");
  EXPECT_EQ(ProbeTyped(path_, 0).evidence, refused);
  EXPECT_THAT(Openings(), IsEmpty());
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  for (uint64_t address : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 40}) {
    EXPECT_EQ(ProbeTyped(path_, address).verdict, TypedVerdict::kUnverified);
    EXPECT_EQ(ProbeTyped(path_, address).evidence, refused);
  }
}

TEST_F(ProbeServerTest, EndsWhenItIsIdle) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  AwaitNoHelpers();
  EXPECT_THAT(Openings(), SizeIs(1));
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  EXPECT_THAT(Openings(), SizeIs(2));
}

TEST_F(ProbeServerTest, EndsWhenAnotherFileIsAsked) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  ProbeTyped(OldBinary("probed"), ElfEditor("probed").Symbol("returns").st_value);
  AwaitNoHelpers();
}

// So that nothing that waits for this process's children has to do with it.
TEST_F(ProbeServerTest, IsNoChildOfThisProcess) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  for (pid_t process : Helpers()) {
    EXPECT_EQ(waitpid(process, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
}

TEST_F(ProbeServerTest, IsReplacedIfItWasKilled) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  for (pid_t process : Helpers()) kill(process, SIGKILL);
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
}

TEST_F(ProbeServerTest, FunctionsThatKillOtherProcesses) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Ask("kills_group").evidence, "asked for its metadata, it ended by SIGKILL");
    if (serves_) {  // else its parent is this process
      const TypedAnswer answer = Ask("kills_parent");
      EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified);
      EXPECT_EQ(answer.evidence, absl::StrCat(PROBE_PROGRAM, " ended before the function did"));
    }
    EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  }
}

TEST_F(ProbeServerTest, ALimitEndsIt) {
  ASSERT_TRUE(Run("counts").ok());
  const absl::StatusOr<ChildOutcome> outcome = Run("sleeps", absl::Milliseconds(100));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(outcome->timed_out);
  // What it opened first may have taken as long.
  EXPECT_THAT(outcome->output, testing::AnyOf("opened\n", ""));
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
}

void Handle(int) {}

TEST_F(ProbeServerTest, AnInterruptEndsIt) {
  struct sigaction before;
  struct sigaction handler = {};
  handler.sa_handler = Handle;
  sigaction(SIGINT, &handler, &before);
  ASSERT_TRUE(Run("counts").ok());
  const uint64_t sleeps = AddressOf("sleeps");  // under qemu reading it takes longer than the pause
  const pthread_t self = pthread_self();
  std::thread sender([=] {
    absl::SleepFor(absl::Milliseconds(200));
    pthread_kill(self, SIGINT);
  });
  const absl::Status status = RunProbe(PROBE_PROGRAM, path_, sleeps, kLimit).status();
  sender.join();
  sigaction(SIGINT, &before, nullptr);
  EXPECT_EQ(status, absl::CancelledError(
                        absl::StrCat(PROBE_PROGRAM, " was killed, because a SIGINT came")));
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
}

TEST_F(ProbeServerTest, AnotherFileAtThePathIsOpened) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  std::filesystem::copy_file(OldBinary("original_linked"), folder_ / "other");
  std::filesystem::rename(folder_ / "other", path_);
  EXPECT_EQ(ProbeTyped(path_, ElfEditor("original_linked").Symbol("c_function").st_value).verdict,
            TypedVerdict::kNotTyped);
  std::filesystem::remove(path_);
  EXPECT_THAT(Ask("counts").evidence,
              HasSubstr("its file cannot be opened: " + path_.native() + ": "));
  std::filesystem::copy_file(OldBinary("probed_opening"), path_);
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
}

// It has the same number and the same size.
TEST_F(ProbeServerTest, AFileThatIsWrittenAnewInItsPlaceIsOpened) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  ElfEditor editor("probed_opening");
  const Elf64_Sym counts = editor.Symbol("counts");
  const Elf64_Sym returns = editor.Symbol("returns");
  ASSERT_LE(returns.st_size, counts.st_size);
  const std::string code = editor.bytes.substr(editor.Offset(returns.st_value), returns.st_size);
  editor.bytes.replace(editor.Offset(counts.st_value), code.size(), code);
  std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out) << editor.bytes;
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kUnverified);
}

TEST_F(ProbeServerTest, ThreadsMayAsk) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(Ask("counts").evidence, "answers the metadata query: XLA FFI 0.1");
        EXPECT_EQ(Ask("aborts").verdict, TypedVerdict::kNotTyped);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// It must not take answers that are not its own.
TEST_F(ProbeServerTest, AForkHasServersOfItsOwn) {
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  const pid_t child = fork();
  if (child == 0) {
    bool right = true;
    for (int i = 0; i < 5; ++i) right = right && Ask("aborts").verdict == TypedVerdict::kNotTyped;
    std::_Exit(right ? 0 : 1);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// A fork has none of its threads, so each function gets a process that opens the file.
TEST_F(ProbeServerTest, AFileThatStartsAThreadIsOpenedEachTime) {
  setenv("CALLBRIDGE_TEST_THREAD", "1", /*overwrite=*/1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Ask("counts").evidence, "answers the metadata query: XLA FFI 0.1");
    EXPECT_EQ(Ask("aborts").evidence, "asked for its metadata, it ended by SIGABRT");
  }
  EXPECT_THAT(Openings(), SizeIs(6));
}

// Without the status of its children.
TEST_F(ProbeServerTest, SigchldMayBeIgnored) {
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(Ask("counts").verdict, TypedVerdict::kTyped);
  EXPECT_EQ(Ask("aborts").evidence, "asked for its metadata, it ended by SIGABRT");
  std::signal(SIGCHLD, before);
}

TEST_F(ProbeServerTest, FindsLibrariesBesideTheFile) {
  for (const char* name : {"beside_runpath", "beside_rpath", "beside_needed"}) {
    const std::filesystem::path path = std::filesystem::relative(OldBinary(name));
    const uint64_t address = ElfEditor(name).Symbol("_Z13throw_outsidePvPPKv").st_value;
    const TypedAnswer answer = ProbeTyped(path, address);
    EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped) << name;
    EXPECT_EQ(answer.evidence, "threw std::runtime_error: thrown inside") << name;
  }
}

TEST_F(ProbeServerTest, AProgramThatCannotBeStarted) {
  EXPECT_EQ(RunProbe("/nowhere/callbridge-probe", path_, 0, kLimit).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace callbridge
