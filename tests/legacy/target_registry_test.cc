#include "callbridge/legacy/target_registry.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

int first_function, second_function;
void* const kFirst = &first_function;
void* const kSecond = &second_function;

TEST(TargetRegistryTest, FindsByNameAndExactPlatform) {
  TargetRegistry registry;
  registry.Register({"f", "Host", kFirst});
  EXPECT_EQ(registry.Lookup("f", "Host"), kFirst);
  EXPECT_EQ(registry.Lookup("f", "host"), nullptr);
  EXPECT_EQ(registry.Lookup("f", "CUDA"), nullptr);
  EXPECT_EQ(registry.Lookup("g", "Host"), nullptr);
}

TEST(TargetRegistryTest, TheLastRegistrationOfANameWins) {
  TargetRegistry registry;
  registry.Register({"f", "Host", kFirst, ApiVersion::kOriginal});
  registry.Register({"f", "Host", kSecond, ApiVersion::kStatusReturning});
  EXPECT_EQ(registry.Lookup("f", "Host"), kSecond);
  ASSERT_EQ(registry.Targets().size(), 1u);
  EXPECT_EQ(registry.Targets()[0].api_version, ApiVersion::kStatusReturning);
}

TEST(TargetRegistryTest, ListsByNameThenPlatform) {
  TargetRegistry registry;
  registry.Register({"g", "Host", kFirst});
  registry.Register({"f", "Host", kFirst});
  registry.Register({"f", "CUDA", kFirst});
  std::vector<std::string> listed;
  for (const RegisteredTarget& target : registry.Targets()) {
    listed.push_back(target.name + " " + target.platform);
  }
  EXPECT_THAT(listed, ElementsAre("f CUDA", "f Host", "g Host"));
}

TEST(TargetRegistryTest, ForgetsOnlyWhatStillLeadsThere) {
  TargetRegistry registry;
  registry.Register({"f", "Host", kFirst});
  registry.Register({"f", "Host", kSecond});
  registry.Forget({"f", "Host", kFirst});
  EXPECT_EQ(registry.Lookup("f", "Host"), kSecond);
  registry.Forget({"f", "Host", kSecond});
  EXPECT_EQ(registry.Lookup("f", "Host"), nullptr);
  registry.Forget({"f", "Host", kSecond});
  EXPECT_THAT(registry.Targets(), IsEmpty());
}

TEST(RegistrationScopeTest, GathersWhatItsThreadRegisters) {
  TargetRegistry registry;
  RegistrationScope scope;
  registry.Register({"f", "Host", kFirst});
  std::thread([&] { registry.Register({"other thread", "Host", kFirst}); }).join();
  registry.Register({"f", "Host", kSecond});
  EXPECT_THAT(scope.targets(), ElementsAre(Field(&RegisteredTarget::address, kFirst),
                                           Field(&RegisteredTarget::address, kSecond)));
}

TEST(RegistrationScopeTest, TheInnermostOneGathers) {
  TargetRegistry registry;
  RegistrationScope outer;
  registry.Register({"before", "Host", kFirst});
  {
    RegistrationScope inner;
    registry.Register({"inside", "Host", kFirst});
    EXPECT_THAT(inner.targets(), ElementsAre(Field(&RegisteredTarget::name, "inside")));
  }
  registry.Register({"after", "Host", kFirst});
  EXPECT_THAT(outer.targets(), ElementsAre(Field(&RegisteredTarget::name, "before"),
                                           Field(&RegisteredTarget::name, "after")));
}

// Judged by the thread sanitizer.
TEST(TargetRegistryTest, SixteenThreadsAtOnce) {
  TargetRegistry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&registry, t] {
      const std::string name = "f" + std::to_string(t % 4);
      for (int i = 0; i < 200; ++i) {
        registry.Register({name, "Host", kFirst});
        EXPECT_EQ(registry.Lookup(name, "Host"), kFirst);
        EXPECT_LE(registry.Targets().size(), 4u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registry.Targets().size(), 4u);
}

}  // namespace
}  // namespace callbridge
