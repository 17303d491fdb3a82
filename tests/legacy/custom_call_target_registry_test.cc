// xla::CustomCallTargetRegistry as recompiled code has it.
#include "callbridge/legacy/custom_call_target_registry.h"

#include <string>
#include <unordered_map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(CustomCallTargetRegistryTest, TargetsAreByNameThenPlatform) {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  int b = 0, a_on_host = 0, a_on_cuda = 0;
  registry->Register("b", &b, "Host");
  registry->RegisterWithVersion("a", &a_on_host, "Host", 2);
  registry->Register("a", &a_on_cuda, "CUDA");

  const auto targets = registry->Targets();
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[0].symbol, "a");
  EXPECT_EQ(targets[0].platform, "CUDA");
  EXPECT_EQ(targets[0].address, &a_on_cuda);
  EXPECT_EQ(targets[0].api_version, 0);
  EXPECT_EQ(targets[1].platform, "Host");
  EXPECT_EQ(targets[1].api_version, 2);
  EXPECT_EQ(targets[2].symbol, "b");
}

TEST(CustomCallTargetRegistryTest, SymbolsOfOnePlatform) {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  int on_host = 0, on_both = 0;
  registry->Register("on_host", &on_host, "Here");
  registry->Register("on_both", &on_both, "Here");
  registry->Register("on_both", &on_both, "There");
  // The type is XLA's.
  const std::unordered_map<std::string, void*> here = registry->registered_symbols("Here");
  EXPECT_THAT(here, UnorderedElementsAre(Pair("on_host", &on_host), Pair("on_both", &on_both)));
  EXPECT_THAT(registry->registered_symbols("There"),
              UnorderedElementsAre(Pair("on_both", &on_both)));
  // Platforms are compared exactly.
  EXPECT_THAT(registry->registered_symbols("here"), IsEmpty());
  registry->Register("on_host", &on_both, "Here");
  EXPECT_EQ(registry->registered_symbols("Here").at("on_host"), &on_both);
}

TEST(CustomCallTargetRegistryTest, VersionsThatAreNoneAreUnknown) {
  int function = 0;
  const std::string name = "versions";
  const int kCases[][2] = {{-1, 0}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 0}, {1 << 30, 0}};
  for (const auto& [said, kept] : kCases) {
    callbridge_register_target(name.data(), name.size(), &function, "Host", 4, said);
    for (const auto& target : xla::CustomCallTargetRegistry::Global()->Targets()) {
      if (target.symbol == name) {
        EXPECT_EQ(target.api_version, kept) << said;
      }
    }
  }
}

TEST(CustomCallTargetRegistryTest, NullsAndUnterminatedNames) {
  int function = 0;
  auto* registry = xla::CustomCallTargetRegistry::Global();
  const size_t before = registry->Targets().size();
  callbridge_register_target(nullptr, 1, &function, "Host", 4, 1);
  callbridge_register_target("null", 4, &function, nullptr, 4, 1);
  callbridge_visit_targets(nullptr, nullptr);
  EXPECT_EQ(registry->Targets().size(), before);
  callbridge_register_target("name and more", 4, &function, "Host and more", 4, 1);
  EXPECT_EQ(registry->Lookup("name", "Host"), &function);
  EXPECT_EQ(callbridge_lookup_target("namely", 4, "Hosts", 4), &function);
  EXPECT_EQ(callbridge_lookup_target(nullptr, 4, "Hosts", 4), nullptr);
  EXPECT_EQ(callbridge_lookup_target("namely", 4, nullptr, 4), nullptr);
  EXPECT_EQ(registry->Lookup("name", "CUDA"), nullptr);
  EXPECT_EQ(registry->Lookup("name and more", "Host"), nullptr);
  // An address is kept as it is, null too.
  callbridge_register_target("name", 4, nullptr, "Host", 4, 1);
  EXPECT_EQ(registry->Lookup("name", "Host"), nullptr);
  EXPECT_EQ(registry->Targets().size(), before + 1);
}

}  // namespace
