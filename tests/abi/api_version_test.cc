#include "callbridge/abi/api_version.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr ApiVersion kAll[] = {ApiVersion::kUnspecified, ApiVersion::kOriginal,
                               ApiVersion::kStatusReturning, ApiVersion::kStatusReturningUnified,
                               ApiVersion::kTypedFfi};

// xla.CustomCallApiVersion; compiled programs hold these numbers.
static_assert(static_cast<int>(ApiVersion::kUnspecified) == 0);
static_assert(static_cast<int>(ApiVersion::kOriginal) == 1);
static_assert(static_cast<int>(ApiVersion::kStatusReturning) == 2);
static_assert(static_cast<int>(ApiVersion::kStatusReturningUnified) == 3);
static_assert(static_cast<int>(ApiVersion::kTypedFfi) == 4);

TEST(ApiVersionTest, HasNames) {
  EXPECT_EQ(ApiVersionName(ApiVersion::kUnspecified), "unspecified");
  EXPECT_EQ(ApiVersionName(ApiVersion::kOriginal), "original");
  EXPECT_EQ(ApiVersionName(ApiVersion::kStatusReturning), "status_returning");
  EXPECT_EQ(ApiVersionName(ApiVersion::kStatusReturningUnified), "status_returning_unified");
  EXPECT_EQ(ApiVersionName(ApiVersion::kTypedFfi), "typed_ffi");
  EXPECT_EQ(ApiVersionName(static_cast<ApiVersion>(5)), "unknown");
}

TEST(ApiVersionTest, ParsesItsNames) {
  for (ApiVersion version : kAll) {
    const absl::StatusOr<ApiVersion> parsed = ParseApiVersion(ApiVersionName(version));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, version);
  }
}

TEST(ApiVersionTest, RefusesOtherNamesAndListsIts) {
  for (absl::string_view name : {"", "Original", "typed_ffi ", "unknown", "5"}) {
    const absl::Status status = ParseApiVersion(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    for (ApiVersion version : kAll) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(ApiVersionName(version))));
    }
  }
  EXPECT_THAT(std::string(ParseApiVersion("bad\n").status().message()), HasSubstr("\"bad\\n\""));
}

}  // namespace
}  // namespace callbridge
