#include "callbridge/abi/packed_elements.h"

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using Bytes = std::vector<uint8_t>;

std::string Packed(absl::string_view shape) { return ShapeText(*PackedShape(*ParseShape(shape))); }

TEST(PackedShape, PacksElementsOfLessThanAByte) {
  EXPECT_EQ(Packed("s4[5]"), "s4[5]{0:E(4)}");
  EXPECT_EQ(Packed("u2[8,4]"), "u2[8,4]{1,0:E(2)}");
  EXPECT_EQ(Packed("s4[8,4]{0,1}"), "s4[8,4]{0,1:E(4)}");
  EXPECT_EQ(Packed("s1[]"), "s1[]{:E(1)}");
  EXPECT_EQ(Packed("(f32[2],(u1[3],token[]),())"), "(f32[2],(u1[3]{0:E(1)},token[]),())");
}

TEST(PackedShape, KeepsTheOthers) {
  for (const char* shape :
       {"f32[2]", "pred[8]", "f8e5m2[3]{0}", "s4[5]{0:E(4)}", "token[]", "()"}) {
    EXPECT_EQ(Packed(shape), shape);
  }
}

// Into memory that is not cleared; what is behind the packed bytes stays.
TEST(PackElements, WritesEachPackedByteWhole) {
  const Bytes elements = {0xF1, 2, 3, 1, 0xFE};
  Bytes packed(3, 0xFF);
  PackElements(elements.data(), 2, 5, packed.data());
  EXPECT_EQ(packed, (Bytes{0x79, 0x02, 0xFF}));
  PackElements(elements.data(), 4, 0, packed.data());
  EXPECT_EQ(packed, (Bytes{0x79, 0x02, 0xFF}));
}

TEST(UnpackElements, WritesOneByteAnElementAndNoMore) {
  const Bytes packed = {0xB1, 0xFF};
  Bytes elements(10, 0x77);
  UnpackElements(packed.data(), 1, 9, elements.data());
  EXPECT_EQ(elements, (Bytes{1, 0, 0, 0, 1, 1, 0, 1, 1, 0x77}));
}

}  // namespace
}  // namespace callbridge
