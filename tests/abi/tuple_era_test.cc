#include "callbridge/abi/tuple_era.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Site descriptors hold these numbers.
static_assert(static_cast<int>(TupleEra::kClassic) == 0);
static_assert(static_cast<int>(TupleEra::kFlat) == 1);

TEST(TupleEraTest, ParsesItsNames) {
  EXPECT_EQ(TupleEraName(TupleEra::kClassic), "classic");
  EXPECT_EQ(TupleEraName(TupleEra::kFlat), "flat");
  EXPECT_EQ(*ParseTupleEra("classic"), TupleEra::kClassic);
  EXPECT_EQ(*ParseTupleEra("flat"), TupleEra::kFlat);
}

TEST(TupleEraTest, RefusesOtherNamesAndListsIts) {
  for (absl::string_view name : {"", "Classic", "nested"}) {
    const absl::Status status = ParseTupleEra(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("classic"), HasSubstr("flat")));
  }
}

}  // namespace
}  // namespace callbridge
