#include "callbridge/loader/loaded_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "callbridge/loader/files.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

namespace fs = std::filesystem;

class LoadedFileTest : public testing::Test {
 protected:
  LoadedFileTest() {
    fs::create_directories(root_ / "a");
    fs::copy_file(OldBinary("probed"), library_);
    fs::current_path(root_);
  }
  ~LoadedFileTest() override {
    if (handle_ != nullptr) dlclose(handle_);
    fs::current_path(folder_);
    fs::remove_all(root_);
  }

  // Loads the library by that name.
  const link_map& Load(const std::string& name) {
    handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << dlerror();
    link_map* map = nullptr;
    dlinfo(handle_, RTLD_DI_LINKMAP, &map);
    return *map;
  }

  const fs::path root_ = fs::canonical(testing::TempDir()) / ("loaded" + std::to_string(getpid()));
  const fs::path library_ = root_ / "a.so";

 private:
  const fs::path folder_ = fs::current_path();
  void* handle_ = nullptr;
};

TEST_F(LoadedFileTest, ARelativeNameStaysTheFileInAnotherFolder) {
  const link_map& map = Load("./a.so");
  fs::copy_file(library_, root_ / "a/a.so");
  fs::current_path(root_ / "a");
  EXPECT_EQ(LoadedFilePath(map), library_.native());
}

TEST_F(LoadedFileTest, ALinkStays) {
  fs::create_symlink(library_, root_ / "a/link.so");
  EXPECT_EQ(LoadedFilePath(Load(root_ / "a/link.so")), (root_ / "a/link.so").native());
}

TEST_F(LoadedFileTest, AFileThatWasRenamedIsFound) {
  const link_map& map = Load(library_);
  fs::rename(library_, root_ / "b.so");
  EXPECT_EQ(LoadedFilePath(map), (root_ / "b.so").native());
  fs::copy_file(root_ / "b.so", library_);  // another file by now
  EXPECT_EQ(LoadedFilePath(map), (root_ / "b.so").native());
}

TEST_F(LoadedFileTest, AFileThatWasReplacedOrRemovedIsNotThere) {
  const link_map& map = Load(library_);
  fs::copy_file(library_, root_ / "b.so");
  fs::rename(root_ / "b.so", library_);
  EXPECT_EQ(LoadedFilePath(map), std::nullopt);
  fs::remove(library_);
  EXPECT_EQ(LoadedFilePath(map), std::nullopt);
}

TEST_F(LoadedFileTest, AFileWithoutANameIsFoundAsLongAsItIsOpen) {
  FileDescriptor file = *WriteCodeFile(*ReadRegularFile(library_));
  const std::string name =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.number());
  const link_map& map = Load(name);
  EXPECT_EQ(LoadedFilePath(map), name);
  file = FileDescriptor(-1);
  EXPECT_EQ(LoadedFilePath(map), std::nullopt);
}

TEST_F(LoadedFileTest, TheProgramIsItself) {
  link_map* map = nullptr;
  void* program = dlopen(nullptr, RTLD_LAZY);
  dlinfo(program, RTLD_DI_LINKMAP, &map);
  const std::optional<std::string> path = LoadedFilePath(*map);
  ASSERT_TRUE(path.has_value());
  EXPECT_TRUE(IsSameFile(*path, "/proc/self/exe"));
}

TEST_F(LoadedFileTest, FilesAreTheSameByTheirRealPathOrNumber) {
  const FileState state = *FileState::Of(library_);
  fs::create_symlink(library_, "link.so");
  fs::create_hard_link(library_, "hard.so");
  fs::copy_file(library_, "copy.so");
  for (const char* same : {"a.so", "link.so", "hard.so", "a/../a.so"}) {
    EXPECT_TRUE(FileState::Of(same)->IsSameFileAs(state)) << same;
    EXPECT_TRUE(IsSameFile(same, library_)) << same;
  }
  EXPECT_FALSE(FileState::Of("copy.so")->IsSameFileAs(state));
  EXPECT_FALSE(IsSameFile("copy.so", library_));
  EXPECT_FALSE(IsSameFile("missing.so", library_));
  EXPECT_FALSE(FileState::Of("missing.so").has_value());
  fs::rename("copy.so", library_);
  EXPECT_TRUE(FileState::Of(library_)->IsSameFileAs(state));  // by its path
}

TEST_F(LoadedFileTest, WhatIsWrittenShows) {
  const FileState state = *FileState::Of(library_);
  EXPECT_TRUE(FileState::Of(library_)->IsAsIn(state));
  EXPECT_FALSE(FileState::Of(library_)->IsSurelyAsIn(state));  // it is new
  const fs::file_time_type time = fs::last_write_time(library_);
  usleep(20000);  // more than a tick
  std::ofstream(library_, std::ios::in | std::ios::binary) << '\x7f';
  fs::last_write_time(library_, time);
  EXPECT_FALSE(FileState::Of(library_)->IsAsIn(state));
  const FileState old = *FileState::Of("/proc/self/exe");
  EXPECT_TRUE(FileState::Of("/proc/self/exe")->IsAsIn(old));
}

}  // namespace
}  // namespace callbridge
