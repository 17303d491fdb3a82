#include "callbridge/loader/string_abi.h"

#include "gtest/gtest.h"

namespace callbridge {
namespace {

StringAbi Of(std::initializer_list<const char*> symbols) {
  absl::flat_hash_map<std::string, bool> undefined;
  for (const char* symbol : symbols) undefined.emplace(symbol, false);
  return StringAbiOf(undefined);
}

TEST(StringAbiTest, TellsByImportedNames) {
  const char* new_one =
      "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  const char* old_one = "_ZNSt13runtime_errorC1ERKSs";
  EXPECT_EQ(Of({}), StringAbi::kNotSeen);
  EXPECT_EQ(Of({"malloc", "_ZdlPv", "_Z13ProcessSsClassv", "Ss"}), StringAbi::kNotSeen);
  EXPECT_EQ(Of({"malloc", new_one}), StringAbi::kNew);
  EXPECT_EQ(Of({"malloc", old_one}), StringAbi::kOld);
  EXPECT_EQ(Of({"_ZNSs6appendEPKcm"}), StringAbi::kOld);
  EXPECT_EQ(Of({"_ZNSsC1EPKcRKSaIcE"}), StringAbi::kOld);  // shown as std::basic_string<...>
  EXPECT_EQ(Of({new_one, old_one}), StringAbi::kBoth);
}

TEST(StringAbiTest, HasNames) {
  EXPECT_EQ(StringAbiName(StringAbi::kNotSeen), "not_seen");
  EXPECT_EQ(StringAbiName(StringAbi::kNew), "new");
  EXPECT_EQ(StringAbiName(StringAbi::kOld), "old");
  EXPECT_EQ(StringAbiName(StringAbi::kBoth), "both");
}

}  // namespace
}  // namespace callbridge
