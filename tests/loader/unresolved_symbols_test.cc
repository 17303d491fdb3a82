#include "callbridge/loader/unresolved_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<std::string, Provider>> Unresolved(
    const absl::flat_hash_map<std::string, bool>& undefined,
    const std::vector<std::string>& paths = {}) {
  std::vector<std::pair<std::string, Provider>> found;
  for (const UnresolvedSymbol& each : FindUnresolved(undefined, paths)) {
    found.emplace_back(each.symbol, each.provider);
  }
  return found;
}

TEST(UnresolvedSymbolsTest, AreSortedAndNameWhoHasThem) {
  EXPECT_THAT(Unresolved({{"_Py_NoneStruct", false},
                          {"PyErr_Occurred", false},
                          {"py_mine", false},
                          {"_py", false},
                          {"P", false},
                          {"XlaCustomCallStatusSetFailure", false}}),
              ElementsAre(Pair("P", Provider::kNobody), Pair("PyErr_Occurred", Provider::kPython),
                          Pair("XlaCustomCallStatusSetFailure", Provider::kCallbridge),
                          Pair("_Py_NoneStruct", Provider::kPython), Pair("_py", Provider::kNobody),
                          Pair("py_mine", Provider::kNobody)));
}

TEST(UnresolvedSymbolsTest, WhatIsWeakMayStayUndefinedUnlessItIsServed) {
  EXPECT_THAT(
      Unresolved(
          {{"PyErr_Occurred", true}, {"nobodys", true}, {"XlaCustomCallStatusSetFailure", true}}),
      ElementsAre(Pair("XlaCustomCallStatusSetFailure", Provider::kCallbridge)));
}

TEST(UnresolvedSymbolsTest, WhatALibraryExportsIsResolved) {
  const std::string libm = "/lib/x86_64-linux-gnu/libm.so.6";
  EXPECT_THAT(Unresolved({{"cosf", false}, {"nobodys", false}}, {"/dev/null", libm}),
              ElementsAre(Pair("nobodys", Provider::kNobody)));
  EXPECT_THAT(Unresolved({{"cosf", false}}, {libm, "/no/such/library"}), IsEmpty());
  EXPECT_THAT(Unresolved({{"cosf", false}}, {"/no/such/library"}),
              ElementsAre(Pair("cosf", Provider::kNobody)));
}

}  // namespace
}  // namespace callbridge
