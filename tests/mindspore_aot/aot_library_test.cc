#include "callbridge/mindspore_aot/aot_library.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/mindspore_aot/aot_operators.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using testing::HasSubstr;

TEST(AotNameTest, IsSplitAtTheLastColon) {
  const auto name = ParseAotName("/a:b/add.so:Add");
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_EQ(name->path, "/a:b/add.so");
  EXPECT_EQ(name->function, "Add");
}

TEST(AotNameTest, WithoutAPathOrAFunctionIsAnError) {
  for (const char* text : {"", ":", "add.so", "add.so:", ":Add"}) {
    const auto name = ParseAotName(text);
    EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(name.status().message(), HasSubstr("PATH:FUNCTION")) << text;
  }
}

TEST(AotLibraryTest, FunctionsAreFound) {
  for (const char* strings : kStringAbis) {
    const auto add = Open(strings, "Add");
    ASSERT_TRUE(add.ok()) << add.status();
    EXPECT_EQ(add->path, LibraryOf(strings));
    EXPECT_EQ(add->name, "Add");
    EXPECT_NE(add->function, nullptr);
    EXPECT_EQ(add->init, nullptr);
    EXPECT_EQ(add->infer_shape, nullptr);
    EXPECT_EQ(add->has_old_string, std::string(strings) == "old");
    const auto reduce = Open(strings, "AddReduce");
    ASSERT_TRUE(reduce.ok()) << reduce.status();
    EXPECT_NE(reduce->init, nullptr);
    EXPECT_NE(reduce->infer_shape, nullptr);
  }
}

TEST(AotLibraryTest, WhatIsNotThereIsNamed) {
  const auto no_function = Open("old", "Nope");
  EXPECT_EQ(no_function.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(no_function.status().message(), HasSubstr("undefined symbol: Nope"));
  // A function of a library that it needs is none of its own.
  EXPECT_EQ(Open("old", "malloc").status().code(), absl::StatusCode::kNotFound);

  const auto no_file = OpenAotOperator({"/nowhere/missing.so", "Add"});
  EXPECT_EQ(no_file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(no_file.status().message(), HasSubstr("/nowhere/missing.so"));

  const auto no_source = OpenAotOperator({"/nowhere/add.cc", "Add"});
  EXPECT_EQ(no_source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(no_source.status().message(), HasSubstr("/nowhere/add.cc"));
}

TEST(AotLibraryTest, AFileThatIsNoLibraryIsAnError) {
  const std::string path = testing::TempDir() + "/aot_library_test.so";
  std::ofstream(path) << "no library";
  const auto opened = OpenAotOperator({path, "Add"});
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kInvalidArgument);
  std::filesystem::remove(path);
}

class AllowedFolderTest : public testing::Test {
 protected:
  AllowedFolderTest() {
    std::filesystem::create_directories(root_ + "/allowed/below");
    std::filesystem::create_directories(root_ + "/allowed_too");
    for (const char* file : {"/allowed/a.so", "/allowed/below/b.so", "/allowed_too/c.so"}) {
      std::ofstream(root_ + file) << "x";
    }
  }
  ~AllowedFolderTest() override {
    unsetenv(kAllowedFolderVariable);
    std::filesystem::remove_all(root_);
  }

  static absl::StatusCode Check(const std::string& path) { return CheckIsAllowed(path).code(); }

  const std::string root_ =
      std::filesystem::path(testing::TempDir() + "allowed_folder_test_" + std::to_string(getpid()))
          .lexically_normal();
};

TEST_F(AllowedFolderTest, EveryFileIsAllowedIfItIsNotSet) {
  EXPECT_EQ(Check(root_ + "/allowed/a.so"), absl::StatusCode::kOk);
  EXPECT_EQ(Check("/nowhere"), absl::StatusCode::kOk);
}

TEST_F(AllowedFolderTest, FilesInItAndBelowAreAllowed) {
  setenv(kAllowedFolderVariable, (root_ + "/allowed").c_str(), 1);
  EXPECT_EQ(Check(root_ + "/allowed/a.so"), absl::StatusCode::kOk);
  EXPECT_EQ(Check(root_ + "/allowed/below/b.so"), absl::StatusCode::kOk);
  EXPECT_EQ(Check(root_ + "/allowed/below/../a.so"), absl::StatusCode::kOk);
  EXPECT_EQ(Check(root_ + "/allowed_too/c.so"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Check(root_ + "/allowed/../allowed_too/c.so"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Check("/nowhere"), absl::StatusCode::kNotFound);
  setenv(kAllowedFolderVariable, (root_ + "/allowed/").c_str(), 1);
  EXPECT_EQ(Check(root_ + "/allowed/a.so"), absl::StatusCode::kOk);
  EXPECT_EQ(OpenAotOperator({root_ + "/allowed_too/c.so", "Add"}).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(AllowedFolderTest, LinksAreResolved) {
  std::filesystem::create_symlink(root_ + "/allowed_too/c.so", root_ + "/allowed/link.so");
  std::filesystem::create_symlink(root_ + "/allowed", root_ + "/way_in");
  setenv(kAllowedFolderVariable, (root_ + "/way_in").c_str(), 1);
  EXPECT_EQ(Check(root_ + "/allowed/a.so"), absl::StatusCode::kOk);
  EXPECT_EQ(Check(root_ + "/way_in/a.so"), absl::StatusCode::kOk);
  const absl::Status outside = CheckIsAllowed(root_ + "/allowed/link.so");
  EXPECT_EQ(outside.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(outside.message()),
              HasSubstr("the legal path for the file is " + root_ + "/allowed"));
  EXPECT_THAT(std::string(outside.message()),
              HasSubstr("but the file is " + root_ + "/allowed_too/c.so"));
}

TEST_F(AllowedFolderTest, WhatNamesNoFolderIsAnError) {
  for (const std::string& folder :
       {std::string(), std::string("/nowhere"), root_ + "/allowed/a.so"}) {
    setenv(kAllowedFolderVariable, folder.c_str(), 1);
    const absl::Status status = CheckIsAllowed(root_ + "/allowed/a.so");
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << folder;
    EXPECT_THAT(std::string(status.message()), HasSubstr("which is no folder")) << folder;
  }
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
