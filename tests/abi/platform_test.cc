#include "callbridge/abi/platform.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

TEST(PlatformTest, NamesAreXlas) {
  EXPECT_EQ(PlatformName(Platform::kHost), "Host");
  EXPECT_EQ(PlatformName(Platform::kCuda), "CUDA");
  EXPECT_EQ(PlatformName(Platform::kRocm), "ROCM");
  EXPECT_EQ(PlatformName(static_cast<Platform>(3)), "unknown");
}

TEST(PlatformTest, ParsesInAnyCase) {
  const struct {
    absl::string_view name;
    Platform platform;
  } kCases[] = {
      {"Host", Platform::kHost}, {"host", Platform::kHost}, {"HOST", Platform::kHost},
      {"cpu", Platform::kHost},  {"CPU", Platform::kHost},  {"CUDA", Platform::kCuda},
      {"cuda", Platform::kCuda}, {"ROCM", Platform::kRocm}, {"Rocm", Platform::kRocm},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Platform> platform = ParsePlatform(c.name);
    ASSERT_TRUE(platform.ok()) << platform.status();
    EXPECT_EQ(*platform, c.platform) << c.name;
  }
}

TEST(PlatformTest, GpuIsTheOneThatTheRuntimeHas) {
  EXPECT_EQ(*ParsePlatform("gpu"), Platform::kCuda);
  EXPECT_EQ(*ParsePlatform("GPU", Platform::kRocm), Platform::kRocm);
  EXPECT_EQ(*ParsePlatform("cuda", Platform::kRocm), Platform::kCuda);
}

TEST(PlatformTest, RefusesOtherNamesAndListsIts) {
  for (absl::string_view name : {"", "tpu", "Host ", "cud"}) {
    const absl::Status status = ParsePlatform(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    for (const char* expected : {"Host", "cpu", "CUDA", "ROCM", "gpu"}) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(expected));
    }
  }
  EXPECT_THAT(std::string(ParsePlatform("tpu").status().message()), HasSubstr("\"tpu\""));
}

TEST(PlatformTest, IsGpu) {
  EXPECT_FALSE(IsGpu(Platform::kHost));
  EXPECT_TRUE(IsGpu(Platform::kCuda));
  EXPECT_TRUE(IsGpu(Platform::kRocm));
}

}  // namespace
}  // namespace callbridge
