// One old source, built in every way in which people built theirs: {linked to libtensorflow_cc, to
// it and libtensorflow_framework, to neither} x {new, old string ABI} x {no status functions,
// imported ones, a private copy of them}.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/private_copy.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Values;

using Way = std::tuple<const char*, const char*, const char*>;  // linked to, strings, status

std::string NameOf(const Way& way) {
  return std::string("every_way_") + std::get<0>(way) + "_" + std::get<1>(way) + "_" +
         std::get<2>(way);
}

class EveryWayTest : public ::testing::TestWithParam<Way> {
 protected:
  bool HasStatus() const { return std::string(std::get<2>(GetParam())) != "none"; }

  // What the target makes of two numbers: its result, or the failure as text.
  std::string Call(const TargetLibrary& library, const std::string& name, int a, int b) {
    absl::StatusOr<Target> target = library.Find(name, Platform::kHost);
    if (!target.ok()) return target.status().ToString();
    CallSite site;
    site.target_name = name;
    site.operands = {*ParseShape("s32[]"), *ParseShape("s32[]")};
    site.result = *ParseShape("s32[]");
    int out = -1;
    const HostArray operands[] = {{&a, sizeof(a)}, {&b, sizeof(b)}};
    const HostArray results[] = {{&out, sizeof(out)}};
    absl::Status status = Execute(site, *target, operands, results);
    return status.ok() ? std::to_string(out) : status.ToString();
  }
};

// The test's ground: the binaries are what their names say.
TEST_P(EveryWayTest, IsBuiltAsItSays) {
  const auto& [linked, strings, status] = GetParam();
  const std::string bytes = BytesOf(OldBinary(NameOf(GetParam())));
  const bool has_old_strings = std::string(strings) == "old";
  EXPECT_EQ(bytes.find("8RegisterERKSsPvS2_") != std::string::npos, has_old_strings);
  EXPECT_EQ(bytes.find("8RegisterERKNSt7__cxx1112basic_string") != std::string::npos,
            !has_old_strings);
  absl::StatusOr<ElfFile> file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  absl::StatusOr<PrivateCopy> copy = MakePrivateCopy(*std::move(file), OldSymbols());
  ASSERT_TRUE(copy.ok()) << copy.status();
  if (std::string(linked) == "unlinked") {
    EXPECT_THAT(copy->dropped_libraries, IsEmpty());
  } else if (std::string(linked) == "cc") {
    EXPECT_THAT(copy->dropped_libraries, ElementsAre("libtensorflow_cc.so.2"));
  } else {
    EXPECT_THAT(
        copy->dropped_libraries,
        ::testing::UnorderedElementsAre("libtensorflow_cc.so.2", "libtensorflow_framework.so.2"));
  }
  if (std::string(status) == "private") {
    ElfEditor editor(NameOf(GetParam()));
    EXPECT_NE(editor.Symbol("XlaCustomCallStatusSetFailure").st_shndx, SHN_UNDEF);
  } else if (std::string(status) == "imported") {
    ElfEditor editor(NameOf(GetParam()));
    EXPECT_EQ(editor.Symbol("XlaCustomCallStatusSetFailure").st_shndx, SHN_UNDEF);
  } else {
    EXPECT_THAT(bytes, Not(HasSubstr("XlaCustomCallStatusSetFailure")));
  }
}

TEST_P(EveryWayTest, LoadsAndRuns) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library =
      TargetLibrary::Load(OldBinary(NameOf(GetParam())));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->targets().size(), HasStatus() ? 4u : 2u);
  EXPECT_EQ(Call(**library, "add", 20, 22), "42");
  EXPECT_EQ(Call(**library, "a_name_that_no_string_holds_without_allocation", 0, 0), "1");
  if (!HasStatus()) return;
  EXPECT_EQ(Call(**library, "divide", 84, 2), "42");
  EXPECT_EQ(Call(**library, "divide", 1234567890, 0),
            "INTERNAL: CustomCall failed: division of 1234567890");
  EXPECT_EQ(Call(**library, "fail_then_succeed", 0, 0), "7");
}

INSTANTIATE_TEST_SUITE_P(All, EveryWayTest,
                         Combine(Values("cc", "framework", "unlinked"), Values("new", "old"),
                                 Values("none", "imported", "private")),
                         [](const auto& info) { return NameOf(info.param).substr(10); });

}  // namespace
}  // namespace callbridge
