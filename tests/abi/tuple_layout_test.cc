#include "callbridge/abi/tuple_layout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Site descriptors hold these numbers.
static_assert(static_cast<int>(TupleLayout::kNested) == 0);
static_assert(static_cast<int>(TupleLayout::kFlat) == 1);

TEST(TupleEraTest, ParsesItsNames) {
  EXPECT_EQ(TupleLayoutName(TupleLayout::kNested), "nested");
  EXPECT_EQ(TupleLayoutName(TupleLayout::kFlat), "flat");
  EXPECT_EQ(*ParseTupleLayout("nested"), TupleLayout::kNested);
  EXPECT_EQ(*ParseTupleLayout("flat"), TupleLayout::kFlat);
}

TEST(TupleEraTest, RefusesOtherNamesAndListsIts) {
  for (absl::string_view name : {"", "Nested", "classic"}) {
    const absl::Status status = ParseTupleLayout(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("nested"), HasSubstr("flat")));
  }
}

}  // namespace
}  // namespace callbridge
