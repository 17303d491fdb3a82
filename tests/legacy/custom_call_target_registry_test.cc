// xla::CustomCallTargetRegistry as recompiled code has it.
#include "callbridge/legacy/custom_call_target_registry.h"

#include "gtest/gtest.h"

namespace {

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

}  // namespace
