#include "callbridge/abi/attributes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace callbridge {
namespace {

using Kind = Attributes::Value::Kind;

const Attributes::Value& Only(const Attributes& attributes) {
  EXPECT_EQ(attributes.values().size(), 1u);
  return attributes.values().begin()->second;
}

// Site descriptors hold these numbers.
static_assert(static_cast<int>(Kind::kArray) == 0 && static_cast<int>(Kind::kDictionary) == 1);
static_assert(static_cast<int>(Kind::kScalar) == 2 && static_cast<int>(Kind::kString) == 3);

TEST(AttributesTest, ElementsTakeWholeBytes) {
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kU1), 1u);
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kS4), 1u);
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kPred), 1u);
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kBf16), 2u);
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kF32), 4u);
  EXPECT_EQ(AttributeElementBytes(PrimitiveType::kC128), 16u);
}

TEST(AttributesTest, EverythingIsCopied) {
  Attributes attributes;
  int32_t numbers[] = {1, 2, 3};
  attributes.SetArray("a", PrimitiveType::kS32, numbers, 2);
  numbers[0] = 9;
  const Attributes::Value& array = Only(attributes);
  EXPECT_EQ(array.kind, Kind::kArray);
  EXPECT_EQ(array.type, PrimitiveType::kS32);
  EXPECT_EQ(array.size, 2u);
  EXPECT_EQ(array.bytes, std::string("\1\0\0\0\2\0\0\0", 8));

  Attributes scalars;
  scalars.SetScalar("s", PrimitiveType::kS32, numbers + 1);
  EXPECT_EQ(Only(scalars).kind, Kind::kScalar);
  EXPECT_EQ(Only(scalars).type, PrimitiveType::kS32);
  EXPECT_EQ(Only(scalars).bytes, std::string("\2\0\0\0", 4));

  Attributes strings;
  strings.SetString("s", std::string("a\0b", 3));
  EXPECT_EQ(Only(strings).kind, Kind::kString);
  EXPECT_EQ(Only(strings).bytes, std::string("a\0b", 3));

  Attributes nested;
  nested.SetDictionary("d", std::move(strings));
  EXPECT_EQ(Only(nested).kind, Kind::kDictionary);
  EXPECT_EQ(Only(*Only(nested).dictionary).bytes, std::string("a\0b", 3));
}

TEST(AttributesTest, EmptyArraysNeedNoData) {
  Attributes attributes;
  attributes.SetArray("a", PrimitiveType::kF64, nullptr, 0);
  EXPECT_EQ(Only(attributes).size, 0u);
  EXPECT_EQ(Only(attributes).bytes, "");
  const char nibbles[] = {1, 2, 3};
  attributes.SetArray("a", PrimitiveType::kU4, nibbles, 3);
  EXPECT_EQ(Only(attributes).bytes, "\1\2\3");
}

TEST(AttributesTest, ANameThatIsSetAgainGetsTheNewValue) {
  Attributes attributes;
  const int32_t one = 1;
  attributes.SetScalar("a", PrimitiveType::kS32, &one)
      .SetArray("a", PrimitiveType::kS32, &one, 1)
      .SetDictionary("a", {})
      .SetString("a", "text");
  EXPECT_EQ(Only(attributes).kind, Kind::kString);
  EXPECT_EQ(Only(attributes).bytes, "text");
  EXPECT_EQ(Only(attributes).dictionary, nullptr);
  attributes.SetString("B", "").SetString("", "");
  std::string names;
  for (const auto& [name, value] : attributes.values()) names += name + ";";
  EXPECT_EQ(names, ";B;a;") << "as XLA sorts them, by bytes";
}

}  // namespace
}  // namespace callbridge
