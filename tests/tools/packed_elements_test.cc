#include "callbridge/tools/packed_elements.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using Bytes = std::vector<uint8_t>;

Array MakeArray(absl::string_view shape, const Bytes& bytes) {
  Array array = *MakeArrayOfZeros(*ParseShape(shape));
  EXPECT_EQ(array.memory.size(), bytes.size()) << shape;
  std::copy(bytes.begin(), bytes.end(), array.memory.data());
  return array;
}

Bytes BytesOf(const Array& array) {
  return Bytes(array.memory.data(), array.memory.data() + array.memory.size());
}

TEST(PackElements, PutsTheFirstIntoTheLowestBits) {
  const Array s4 = *PackElements(MakeArray("s4[5]", {0x1, 0xE, 0x7, 0x8, 0x5}));
  EXPECT_EQ(ShapeText(s4.shape), "s4[5]{0:E(4)}");
  EXPECT_EQ(BytesOf(s4), Bytes({0xE1, 0x87, 0x05}));
  EXPECT_EQ(BytesOf(*PackElements(MakeArray("u2[5]", {1, 2, 3, 0, 3}))), Bytes({0x39, 0x03}));
  EXPECT_EQ(BytesOf(*PackElements(MakeArray("u1[9]", {1, 0, 0, 0, 0, 0, 1, 1, 1}))),
            Bytes({0xC1, 0x01}));
  EXPECT_EQ(BytesOf(*PackElements(MakeArray("f4e2m1fn[]", {0xA}))), Bytes({0x0A}));
  EXPECT_EQ(BytesOf(*PackElements(MakeArray("s2[0]", {}))), Bytes());
}

TEST(PackElements, TakesTheLowBitsOnly) {
  EXPECT_EQ(BytesOf(*PackElements(MakeArray("s4[3]", {0xFF, 0xF8, 0x37}))), Bytes({0x8F, 0x07}));
}

TEST(UnpackElements, LeavesTheHighBitsZeroAndTheOrderAsItIs) {
  const Array array = *UnpackElements(MakeArray("s4[3,1]{0,1:E(4)}", {0x8F, 0xF7}));
  EXPECT_EQ(ShapeText(array.shape), "s4[3,1]{0,1}");
  EXPECT_EQ(BytesOf(array), Bytes({0xF, 0x8, 0x7}));
}

TEST(UnpackElements, IsTheInverse) {
  std::mt19937 random(0);
  for (const char* type : {"s1", "u1", "s2", "u2", "s4", "u4", "f4e2m1fn"}) {
    for (const int64_t count : {0, 1, 2, 3, 7, 8, 9, 1001}) {
      const PrimitiveType element_type = *ParsePrimitiveType(type);
      Bytes bytes(count);
      for (uint8_t& byte : bytes) byte = random() % (1u << BitWidth(element_type));
      const std::string shape = ShapeText(*Shape::MakeArray(element_type, {count}));
      absl::StatusOr<Array> packed = PackElements(MakeArray(shape, bytes));
      ASSERT_TRUE(packed.ok()) << shape;
      EXPECT_EQ(packed->memory.size(), (count * BitWidth(element_type) + 7) / 8) << shape;
      EXPECT_EQ(BytesOf(*UnpackElements(*std::move(packed))), bytes) << shape;
    }
  }
}

TEST(PackElements, KeepsWholeBytes) {
  for (const char* shape : {"pred[2]", "f8e8m0fnu[2]", "bf16[1]"}) {
    const Array array = *UnpackElements(*PackElements(MakeArray(shape, {0xAB, 0xCD})));
    EXPECT_EQ(ShapeText(array.shape), shape);
    EXPECT_EQ(BytesOf(array), Bytes({0xAB, 0xCD}));
  }
  EXPECT_TRUE(PackElements(Array{Shape::MakeToken(), {}})->shape.IsToken());
}

}  // namespace
}  // namespace callbridge
