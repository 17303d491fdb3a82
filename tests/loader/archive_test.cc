#include "callbridge/loader/archive.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Header(const std::string& name, size_t size) {
  return absl::StrFormat("%-16s%-12d%-6d%-6d%-8d%-10d`\n", name, 0, 0, 0, 644, size);
}

std::vector<std::string> Names(const std::string& archive) {
  absl::StatusOr<std::vector<std::string>> names = ThinMembers(archive);
  EXPECT_TRUE(names.ok()) << names.status();
  return names.ok() ? *names : std::vector<std::string>();
}

TEST(ArchiveTest, MembersOfAThinArchive) {
  const std::string long_names = "folder/of/a/long/name.o/\n../up.o/\n";
  const std::string archive =
      absl::StrCat("!<thin>\n", Header("/", 4), "abcd", Header("//", long_names.size()), long_names,
                   long_names.size() % 2 == 1 ? "\n" : "", Header("short.o/", 1000),
                   Header("/0", 1 << 30), Header("/25", 7), Header("/0", 1 << 30));
  EXPECT_THAT(Names(archive), ElementsAre("short.o", "folder/of/a/long/name.o", "../up.o"));
  EXPECT_TRUE(IsThinArchive(archive));
  EXPECT_FALSE(IsArchive(archive));
}

// A member begins at an even offset: a newline fills up what is before it.
TEST(ArchiveTest, MembersOfOddSizes) {
  std::vector<std::string> visited;
  VisitMembers(absl::StrCat("!<arch>\n", Header("a.o/", 3), "abc\n", Header("b.o/", 1), "\n\n",
                            Header("c.o/", 2), "cc", Header("d.o/", 1), "d"),
               [&](absl::string_view contents) { visited.emplace_back(contents); });
  EXPECT_THAT(visited, ElementsAre("abc", "\n", "cc", "d"));
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("//", 7), "name.o/\n", Header("/0", 5))),
              IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("//", 9), "names.o/\n\n", Header("/0", 5))),
              ElementsAre("names.o"));
}

// As of archives of more than 4 GiB.
TEST(ArchiveTest, AThinArchiveMayHaveTheOtherKindOfIndex) {
  EXPECT_THAT(
      Names(absl::StrCat("!<thin>\n", Header("/SYM64/", 4), "abcd", Header("short.o/", 1000))),
      ElementsAre("short.o"));
}

TEST(ArchiveTest, EndsAtABadHeader) {
  const std::string good = absl::StrCat(Header("a.o/", 1), "a\n");
  std::string no_magic = Header("b.o/", 0);
  no_magic[58] = '!';
  std::string no_size = Header("b.o/", 0);
  no_size[48] = 'x';
  const std::string truncated = absl::StrCat(Header("b.o/", 3), "bb");
  for (const std::string& bad : {no_magic, no_size, truncated, Header("b.o/", 0).substr(0, 59)}) {
    std::vector<std::string> visited;
    VisitMembers(absl::StrCat("!<arch>\n", good, bad, good),
                 [&](absl::string_view contents) { visited.emplace_back(contents); });
    if (bad == truncated) {  // swallows the beginning of the next one
      EXPECT_EQ(visited.size(), 2u);
      continue;
    }
    EXPECT_THAT(visited, ElementsAre("a")) << bad;
  }
  std::vector<std::string> visited;
  VisitMembers(absl::StrCat("!<arch>\n", good, truncated),
               [&](absl::string_view contents) { visited.emplace_back(contents); });
  EXPECT_THAT(visited, ElementsAre("a"));
  VisitMembers(good, [](absl::string_view) { ADD_FAILURE() << "no archive"; });
}

TEST(ArchiveTest, DamagedThinArchives) {
  EXPECT_THAT(Names("!<thin>\n"), IsEmpty());
  EXPECT_THAT(Names("!<thin>\nnothing"), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("/0", 1))), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("//", 2), "ab", Header("/7", 1))), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("//", 1000), "ab")), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("//", 2), "ab", Header("/0", 1))), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("/", 1000), "ab", Header("b.o/", 1))),
              IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("a.o/", 1), Header("/0", 1))),
              ElementsAre("a.o"));
  EXPECT_THAT(Names(absl::StrCat("!<arch>\n", Header("a.o/", 1))), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("/99999999999999", 1))), IsEmpty());
  EXPECT_THAT(Names(absl::StrCat("!<thin>\n", Header("", 1))), IsEmpty());
}

// What `ar rcT outer.a inner.a` writes.
TEST(ArchiveTest, NestedArchivesAreRefused) {
  const absl::Status status =
      ThinMembers(absl::StrCat("!<thin>\n", Header("//", 10), "inner.a/\n\n", Header("/0:68", 9)))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("inner.a"));
}

}  // namespace
}  // namespace callbridge
