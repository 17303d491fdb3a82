#include "callbridge/tools/array.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

TEST(MakeArrayOfZeros, IsZeroWhereOtherBytesWere) {
  for (int i = 0; i < 20; ++i) {
    absl::StatusOr<Array> array = MakeArrayOfZeros(*ParseShape("u8[3000]"));
    ASSERT_TRUE(array.ok()) << array.status();
    ASSERT_EQ(array->memory.size(), 3000);
    const std::string bytes(array->memory.data(), array->memory.size());
    ASSERT_EQ(bytes, std::string(3000, '\0'));
    std::memset(array->memory.data(), 0xAB, array->memory.size());
  }
}

TEST(MakeArrayOfZeros, HasAsManyBytesAsTheShape) {
  EXPECT_EQ(MakeArrayOfZeros(*ParseShape("f32[2,3]"))->memory.size(), 24);
  EXPECT_EQ(MakeArrayOfZeros(*ParseShape("s4[5]{0:E(4)}"))->memory.size(), 3);
  EXPECT_EQ(MakeArrayOfZeros(Shape::MakeToken())->memory.data(), nullptr);
}

TEST(ElementBytes, AreThoseOfAnElementThatIsNotPacked) {
  EXPECT_EQ(ElementBytes(PrimitiveType::kU1), 1);
  EXPECT_EQ(ElementBytes(PrimitiveType::kS4), 1);
  EXPECT_EQ(ElementBytes(PrimitiveType::kPred), 1);
  EXPECT_EQ(ElementBytes(PrimitiveType::kBf16), 2);
  EXPECT_EQ(ElementBytes(PrimitiveType::kC128), 16);
}

// The layout of each case has its elements, 1 to 6, in this order in memory.
TEST(ToRowMajor, OrdersTheElements) {
  struct Case {
    const char* shape;
    std::vector<uint8_t> memory;
  };
  const Case cases[] = {
      {"u8[2,3]", {1, 2, 3, 4, 5, 6}},          {"u8[2,3]{1,0}", {1, 2, 3, 4, 5, 6}},
      {"u8[2,3]{0,1}", {1, 4, 2, 5, 3, 6}},     {"u8[2,1,3]{0,1,2}", {1, 4, 2, 5, 3, 6}},
      {"u8[2,1,3]{1,2,0}", {1, 2, 3, 4, 5, 6}}, {"u8[6]{0}", {1, 2, 3, 4, 5, 6}},
      {"u8[3,2]{0,1}", {1, 3, 5, 2, 4, 6}},     {"u8[1,2,3]{1,0,2}", {1, 4, 2, 5, 3, 6}},
  };
  for (const Case& test : cases) {
    Array array = *MakeArrayOfZeros(*ParseShape(test.shape));
    ASSERT_EQ(array.memory.size(), test.memory.size());
    std::memcpy(array.memory.data(), test.memory.data(), test.memory.size());
    const absl::StatusOr<Array> ordered = ToRowMajor(std::move(array));
    ASSERT_TRUE(ordered.ok()) << ordered.status();
    EXPECT_FALSE(ordered->shape.layout().has_value()) << test.shape;
    EXPECT_EQ(std::string(ordered->memory.data(), ordered->memory.size()), "\1\2\3\4\5\6")
        << test.shape;
  }
  EXPECT_TRUE(ToRowMajor({Shape::MakeToken(), {}})->shape.IsToken());
}

}  // namespace
}  // namespace callbridge
