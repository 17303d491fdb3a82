#include "callbridge/loader/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// As ld.so reads it.
TEST(OriginTextTest, WholeWordsOnly) {
  EXPECT_EQ(ReplaceOrigin("$ORIGIN", "/f"), "/f");
  EXPECT_EQ(ReplaceOrigin("$ORIGIN/../lib:${ORIGIN}/x:/y", "/f"), "/f/../lib:/f/x:/y");
  for (const char* other : {"", "/lib", "$ORIGINAL", "$ORIGIN_", "${ORIGIN", "$LIB", "ORIGIN"}) {
    EXPECT_FALSE(HasOrigin(other)) << other;
    EXPECT_EQ(ReplaceOrigin(other, "/f"), other);
  }
}

TEST(OriginTextTest, NothingToReplace) {
  const std::string bytes = BytesOf(OldBinary("original_linked"));
  absl::StatusOr<ElfFile> file = WithOrigin(*ElfFile::Parse(bytes), "/f");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->bytes(), bytes);
}

TEST(OriginTextTest, FolderThatLoadersMisread) {
  const std::string bytes = BytesOf(OldBinary("beside_runpath"));
  for (const char* folder : {"/a:b", "/$LIB", ""}) {
    absl::StatusOr<ElfFile> file = WithOrigin(*ElfFile::Parse(bytes), folder);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->bytes(), bytes);
  }
}

// ld.so replaces it in each of these.
TEST(OriginTextTest, InEveryEntryThatLoadersExpand) {
  for (Elf64_Sxword tag : {DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER, DT_SONAME}) {
    ElfEditor editor("beside_runpath");
    editor.Dynamic(DT_RUNPATH).d_tag = tag;
    absl::StatusOr<ElfFile> file = WithOrigin(*ElfFile::Parse(editor.bytes), "/folder");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->bytes() == editor.bytes, tag == DT_SONAME) << tag;
    if (tag == DT_SONAME) continue;
    absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(*file);
    ASSERT_TRUE(dynamic.ok()) << dynamic.status();
    EXPECT_EQ(*dynamic->String(*dynamic->Find(tag), "path"), "/folder") << tag;
  }
}

class OriginTest : public ::testing::TestWithParam<const char*> {
 protected:
  absl::StatusOr<int> Call(const TargetLibrary& library, const std::string& name) {
    absl::StatusOr<Target> target = library.Find(name, Platform::kHost);
    if (!target.ok()) return target.status();
    CallSite site;
    site.target_name = name;
    site.result = *ParseShape("s32[]");
    int out = 0;
    const HostArray results[] = {{&out, sizeof(out)}};
    absl::Status status = Execute(site, *target, {}, results);
    if (!status.ok()) return status;
    return out;
  }
};

TEST_P(OriginTest, FindsTheLibraryBeside) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library =
      TargetLibrary::Load(OldBinary(GetParam()));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(*Call(**library, "call_beside"), 143);
  EXPECT_EQ(*Call(**library, "call_beside"), 144);
  EXPECT_EQ(Call(**library, "throw_outside").status().message(),
            "CustomCall failed: the target threw std::runtime_error: thrown inside");
}

// Nothing but the end of the file is new, and the parts that are rewritten on purpose.
TEST_P(OriginTest, MovesNothing) {
  const std::string before = BytesOf(OldBinary(GetParam()));
  absl::StatusOr<ElfFile> file = WithOrigin(*ElfFile::Parse(before), "/folder");
  ASSERT_TRUE(file.ok()) << file.status();
  const ElfFile old = *ElfFile::Parse(before);
  ASSERT_EQ(file->segments().size(), old.segments().size() + 1);
  for (size_t i = 0; i < old.segments().size(); ++i) {
    if (old.segments()[i].p_type == PT_PHDR) continue;
    EXPECT_EQ(file->segments()[i].p_vaddr, old.segments()[i].p_vaddr);
    EXPECT_EQ(file->segments()[i].p_offset, old.segments()[i].p_offset);
  }
  EXPECT_THAT(file->bytes(), HasSubstr("/folder"));
}

INSTANTIATE_TEST_SUITE_P(All, OriginTest,
                         ::testing::Values("beside_runpath", "beside_rpath", "beside_needed",
                                           "beside_gold"),
                         [](const auto& info) { return std::string(info.param); });

// A path as people type it.
TEST(OriginLoadTest, RelativePath) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(OLD_BINARIES);
  absl::Status status = TargetLibrary::Load("beside_runpath.so").status();
  std::filesystem::current_path(before);
  EXPECT_EQ(status, absl::OkStatus());
}

// Copied away from what it needs, it says so.
TEST(OriginLoadTest, NothingBeside) {
  const std::string folder = ::testing::TempDir() + "/callbridge:origin";
  std::filesystem::create_directories(folder);
  const struct {
    const char* binary;
    const char* needs;
  } cases[] = {{"beside_runpath", "libbeside.so"},
               {"beside_rpath", "libbeside.so"},
               {"beside_needed", "libbeside_by_path.so"}};
  for (const auto& c : cases) {
    for (const std::string& copy : {folder + "/alone.so", ::testing::TempDir() + "/alone.so"}) {
      std::filesystem::copy_file(OldBinary(c.binary), copy,
                                 std::filesystem::copy_options::overwrite_existing);
      absl::Status status = TargetLibrary::Load(copy).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_THAT(std::string(status.message()),
                  ContainsRegex("not found: .*" + std::string(c.needs)));
      EXPECT_EQ(status.message().find("$ORIGIN is not searched") != absl::string_view::npos,
                copy.find(':') != std::string::npos)
          << c.binary << ": " << status;
      std::filesystem::remove(copy);
    }
  }
  std::filesystem::remove(folder);
}

}  // namespace
}  // namespace callbridge
