#include "callbridge/mindspore_aot/aot_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "aot_operators.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;

class AotFileTest : public testing::Test {
 protected:
  AotFileTest() {
    fs::create_directories(root_ / "a");
    setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
    fs::copy_file(LibraryOf("old"), library_);
  }
  ~AotFileTest() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(root_);
  }

  std::shared_ptr<TargetLibrary> Open(const std::string& path) const {
    const auto opened = OpenAotFile(path);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? opened->library : nullptr;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("aot file " + std::to_string(getpid()));
  const fs::path library_ = root_ / "a.so";
};

TEST_F(AotFileTest, AFileIsOpenedOnceAsLongAsItIsUsed) {
  fs::create_symlink(library_, root_ / "link.so");
  fs::create_hard_link(library_, root_ / "hard.so");
  fs::create_symlink(root_, root_ / "a/folder");
  const std::shared_ptr<TargetLibrary> first = Open(library_);
  for (const char* spelling : {"link.so", "hard.so", "a/../a.so", "a/folder/a.so", "./a.so"}) {
    EXPECT_EQ(Open(root_ / spelling), first) << spelling;
  }
  fs::copy_file(library_, root_ / "copy.so");
  EXPECT_NE(Open(root_ / "copy.so"), first);
}

TEST_F(AotFileTest, WhatNothingUsesIsOpenedAnew) {
  std::weak_ptr<TargetLibrary> first = Open(library_);
  EXPECT_TRUE(first.expired());
  EXPECT_NE(Open(library_), nullptr);
}

TEST_F(AotFileTest, TheStringsAreThoseOfTheLibrary) {
  EXPECT_TRUE(OpenAotFile(LibraryOf("old"))->has_old_string);
  const auto opened = OpenAotFile(LibraryOf("new"));
  EXPECT_FALSE(opened->has_old_string);
  EXPECT_FALSE(OpenAotFile(LibraryOf("new"))->has_old_string);  // of the file that is open
}

TEST_F(AotFileTest, AFileThatWasWrittenToIsAnotherOne) {
  const std::shared_ptr<TargetLibrary> first = Open(library_);
  fs::copy_file(LibraryOf("new"), library_, fs::copy_options::overwrite_existing);
  const std::shared_ptr<TargetLibrary> second = Open(library_);
  EXPECT_NE(second, first);
  EXPECT_EQ(Open(library_), second);
  fs::copy_file(LibraryOf("old"), library_, fs::copy_options::overwrite_existing);
  EXPECT_EQ(Open(library_), first);
  // The same content in another file of that name.
  fs::copy_file(library_, root_ / "a/new.so");
  fs::rename(root_ / "a/new.so", library_);
  EXPECT_EQ(Open(library_), first);
}

// The number of bytes that this process has read so far.
size_t BytesRead() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  size_t count = 0;
  counts >> name >> count;
  EXPECT_EQ(name, "rchar:");
  return count;
}

TEST_F(AotFileTest, AnUntouchedFileIsNotReadAgain) {
  const size_t size = fs::file_size(library_);
  const std::shared_ptr<TargetLibrary> first = Open(library_);
  size_t before = BytesRead();
  EXPECT_EQ(Open(library_), first);
  EXPECT_GE(BytesRead() - before, size);  // it may have been written to in the same tick
  sleep(4);                               // longer than a file system's clock may stand still
  EXPECT_EQ(Open(library_), first);
  before = BytesRead();
  EXPECT_EQ(Open(library_), first);
  EXPECT_LT(BytesRead() - before, size);
  std::ofstream(library_, std::ios::app | std::ios::binary) << '\0';
  EXPECT_NE(Open(library_), first);
}

TEST_F(AotFileTest, ThreadsOpenItOnce) {
  std::vector<std::shared_ptr<TargetLibrary>> opened(4);
  std::vector<std::thread> threads;
  for (std::shared_ptr<TargetLibrary>& library : opened) {
    threads.emplace_back([&] { library = Open(library_); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::shared_ptr<TargetLibrary>& library : opened) EXPECT_EQ(library, opened[0]);
}

TEST_F(AotFileTest, WhatIsNoLibraryIsAnError) {
  EXPECT_EQ(OpenAotFile(root_ / "missing.so").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(OpenAotFile(root_).status().code(), absl::StatusCode::kInvalidArgument);
  std::ofstream(library_) << "text";
  EXPECT_EQ(OpenAotFile(library_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
