#include "callbridge/abi/nearest_name.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace callbridge {
namespace {

const std::vector<std::string>& Commands() {
  static const auto& commands = *new std::vector<std::string>{"run",  "inspect", "audit",  "layout",
                                                              "show", "upgrade", "migrate"};
  return commands;
}

TEST(NearestNameTest, TyposAndBeginnings) {
  const struct {
    const char* given;
    const char* meant;
  } kCases[] = {
      {"rum", "run"},
      {"rnu", "run"},
      {"ru", "run"},
      {"Run", "run"},
      {"isnpect", "inspect"},
      {"inspct", "inspect"},
      {"insp", "inspect"},
      {"layuot", "layout"},
      {"up", "upgrade"},
      {"upgarde", "upgrade"},
      {"migrations", "migrate"},
      {"shwo", "show"},
  };
  for (const auto& [given, meant] : kCases) EXPECT_EQ(NearestName(given, Commands()), meant);
}

TEST(NearestNameTest, NothingForNamesThatAreUnlike) {
  for (const char* given : {"", "x", "r", "frobnicate", "help", "version"}) {
    EXPECT_EQ(NearestName(given, Commands()), "") << given;
  }
  EXPECT_EQ(NearestName("run", {}), "");
  EXPECT_EQ(NearestName("run", {""}), "");
}

TEST(NearestNameTest, TheMostAlikeAndOfThoseTheFirst) {
  EXPECT_EQ(NearestName("scale", {"scalar", "scales", "rescale"}), "scales");
  EXPECT_EQ(NearestName("ab", {"abc", "abd"}), "abc");
}

TEST(NearestNameTest, LongNamesTakeLittleTime) {
  const std::string common(1 << 20, 'a');
  EXPECT_EQ(NearestName(common + "b", {common + "c"}), common + "c");
}

TEST(DidYouMeanTest, IsTheEndOfAnError) {
  EXPECT_EQ(DidYouMean("inspekt", Commands()), "; did you mean inspect?");
  EXPECT_EQ(DidYouMean("frobnicate", Commands()), "");
}

}  // namespace
}  // namespace callbridge
