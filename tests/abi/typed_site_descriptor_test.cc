#include "callbridge/abi/typed_site_descriptor.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kMagicSize = 8;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (int byte : bytes) out.push_back(static_cast<char>(byte));
  return out;
}

std::string U64(uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

CallSite Site(const std::vector<const char*>& operands, const char* result,
              Attributes attributes = {}) {
  CallSite site;
  for (const char* operand : operands) site.operands.push_back(ParseShape(operand).value());
  site.result = ParseShape(result).value();
  site.attributes = std::move(attributes);
  return site;
}

// Of every kind.
Attributes AllKinds() {
  const int16_t minus_two = -2;
  const bool yes = true;
  const double numbers[] = {0.5, -3};
  Attributes inner;
  inner.SetScalar("flag", PrimitiveType::kPred, &yes).SetDictionary("empty", {});
  Attributes attributes;
  attributes.SetScalar("s", PrimitiveType::kS16, &minus_two)
      .SetArray("a", PrimitiveType::kF64, numbers, 2)
      .SetArray("none", PrimitiveType::kC128, nullptr, 0)
      .SetString("t", std::string("x\0y", 3))
      .SetDictionary("d", inner);
  return attributes;
}

std::string Encoded(const CallSite& site) { return EncodeTypedSiteDescriptor(site).value(); }

std::string Error(const std::string& bytes) {
  const absl::Status status = DecodeTypedSiteDescriptor(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

const std::string kMagic = Bytes({0xCB, 0, 's', 'i', 't', 'e', 0, 2});
const std::string kScratchMagic = Bytes({0xCB, 0, 's', 'i', 't', 'e', 0, 3});

// Exported programs hold these bytes: they never change for version 2.
TEST(TypedSiteDescriptorTest, BytesAreFrozen) {
  const int16_t minus_two = -2;
  const uint8_t bytes[] = {7, 8};
  Attributes inner;
  inner.SetString("", "");
  Attributes attributes;
  attributes.SetScalar("s", PrimitiveType::kS16, &minus_two)
      .SetArray("ar", PrimitiveType::kU4, bytes, 2)
      .SetString("t", "\xFF")
      .SetDictionary("d", inner);
  EXPECT_EQ(Encoded(Site({"f32[8,4]{0,1}", "(s32[],(),token[])"}, "(f64[3])", attributes)),
            kMagic +                                                       //
                U64(3) +                                                   // operands
                Bytes({11}) + U64(2) + U64(8) + U64(4) +                   // f32[8,4]
                Bytes({4}) + U64(0) + Bytes({17}) +                        // s32[], token
                U64(1) + Bytes({12}) + U64(1) + U64(3) +                   // f64[3]
                U64(4) +                                                   // attributes
                U64(2) + "ar" + Bytes({0, 22}) + U64(2) + Bytes({7, 8}) +  // u4 array
                U64(1) + "d" + Bytes({1}) + U64(1) +                       // dictionary of one:
                U64(0) + Bytes({3}) + U64(0) +                             // "" = ""
                U64(1) + "s" + Bytes({2, 3, 0xFE, 0xFF}) +                 // s16 scalar
                U64(1) + "t" + Bytes({3}) + U64(1) + Bytes({0xFF}));       // string
}

TEST(TypedSiteDescriptorTest, DecodesToLeavesAndAttributes) {
  const absl::StatusOr<CallSite> site = DecodeTypedSiteDescriptor(
      Encoded(Site({"f32[8,4]{0,1}", "(s32[7,0],(),token[])"}, "(f64[3],(u8[]))", AllKinds())));
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->api_version, ApiVersion::kTypedFfi);
  std::vector<std::string> operands;
  for (const Shape& operand : site->operands) operands.push_back(ShapeText(operand));
  EXPECT_THAT(operands, ElementsAre("f32[8,4]", "s32[7,0]", "token[]"));
  EXPECT_EQ(ShapeText(site->result), "(f64[3],u8[])");
  const auto& values = site->attributes.values();
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values.at("s").type, PrimitiveType::kS16);
  EXPECT_EQ(values.at("s").bytes, Bytes({0xFE, 0xFF}));
  EXPECT_EQ(values.at("a").type, PrimitiveType::kF64);
  EXPECT_EQ(values.at("a").size, 2u);
  EXPECT_EQ(values.at("a").bytes.size(), 16u);
  EXPECT_EQ(values.at("none").type, PrimitiveType::kC128);
  EXPECT_EQ(values.at("none").size, 0u);
  EXPECT_EQ(values.at("t").bytes, std::string("x\0y", 3));
  const auto& inner = values.at("d").dictionary->values();
  EXPECT_EQ(inner.at("flag").bytes, Bytes({1}));
  EXPECT_TRUE(inner.at("empty").dictionary->values().empty());
}

// Version 3. Exported programs hold these bytes too.
TEST(TypedSiteDescriptorTest, BytesWithScratchMemoryAreFrozen) {
  CallSite site = Site({"f32[8]"}, "()");
  site.scratch_bytes = 0x1234;
  const std::string bytes = Encoded(site);
  EXPECT_EQ(bytes, kScratchMagic + U64(0x1234) +                 //
                       U64(1) + Bytes({11}) + U64(1) + U64(8) +  // f32[8]
                       U64(0) + U64(0));
  site.scratch_bytes = 0;
  EXPECT_EQ(bytes.substr(16), Encoded(site).substr(8)) << "the rest is that of version 2";
  const absl::StatusOr<CallSite> decoded = DecodeTypedSiteDescriptor(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->scratch_bytes, 0x1234U);
  EXPECT_EQ(decoded->operands.size(), 1U);
  EXPECT_EQ(decoded->result.LeafCount(), 0) << "the memory is no leaf";
  EXPECT_EQ(Encoded(*decoded), bytes);
  EXPECT_EQ(DecodeTypedSiteDescriptor(Encoded(site))->scratch_bytes, 0U);
}

TEST(TypedSiteDescriptorTest, ScratchMemoryHasASizeThatAnArrayCanHave) {
  const std::string rest = U64(0) + U64(0) + U64(0);
  for (uint64_t size : {uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0}}) {
    EXPECT_THAT(Error(kScratchMagic + U64(size) + rest),
                AllOf(HasSubstr("byte 0 "),
                      HasSubstr(absl::StrCat("expected the size of scratch memory, 1 to 2^63 - 1, "
                                             "found ",
                                             size))));
  }
  EXPECT_TRUE(DecodeTypedSiteDescriptor(kScratchMagic + U64((uint64_t{1} << 63) - 1) + rest).ok());
  const std::string good = kScratchMagic + U64(1) + rest;
  for (size_t size = 0; size < good.size(); ++size) Error(good.substr(0, size));
  EXPECT_THAT(Error(kScratchMagic), HasSubstr("expected the size of scratch memory (8 bytes)"));
}

// One that knows version 2 alone, as callbridge did, takes no bytes of version 3 for its own.
TEST(TypedSiteDescriptorTest, ReadersOfVersionTwoRefuseScratchMemory) {
  CallSite site = Site({}, "()");
  site.scratch_bytes = 1;
  EXPECT_NE(Encoded(site).substr(0, 8), kMagic);
  EXPECT_EQ(Encoded(site).substr(0, 7), kMagic.substr(0, 7));
}

TEST(TypedSiteDescriptorTest, IsToldFromOthers) {
  EXPECT_TRUE(IsTypedSiteDescriptor(Encoded(Site({}, "()"))));
  const std::string untyped = EncodeSiteDescriptor(Site({}, "()"));
  EXPECT_FALSE(IsTypedSiteDescriptor(untyped));
  EXPECT_FALSE(IsTypedSiteDescriptor(kMagic.substr(0, 7)));
  EXPECT_THAT(Error(untyped), HasSubstr("expected a site descriptor of version 2"));
  EXPECT_THAT(Error(""), HasSubstr("expected a site descriptor of version 2"));
}

TEST(TypedSiteDescriptorTest, AnOpaqueIsRefused) {
  CallSite site = Site({}, "()");
  site.opaque = "opaque";
  EXPECT_EQ(EncodeTypedSiteDescriptor(site).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TypedSiteDescriptorTest, ErrorsSayWhatAndWhere) {
  const std::string no_leaves = U64(0) + U64(0);
  const auto attribute = [&](const std::string& value) {
    return no_leaves + U64(1) + U64(1) + "n" + value + std::string(8, '\0');
  };
  const struct {
    std::string content;
    const char* byte;
    const char* error;
  } kCases[] = {
      {"", "byte 0 ", "expected a count of operands (8 bytes), found the end after 0"},
      {U64(2) + "x", "byte 0 ",
       "expected at most 1 operands, as so many bytes follow the count, found 2"},
      {U64(1) + Bytes({0}), "byte 8 ", "expected the number of a PrimitiveType, found 0"},
      {U64(1) + Bytes({13}), "byte 8 ", "expected a leaf, found a tuple"},
      {U64(1) + Bytes({11}), "byte 9 ", "expected a count of dimensions (8 bytes)"},
      {U64(1) + Bytes({11}) + U64(2) + U64(1), "byte 9 ",
       "expected at most 1 dimensions, as 8 bytes follow the count, found 2"},
      {U64(1) + Bytes({11}) + U64(1) + U64(~uint64_t{0}), "byte 8 ", "expected an array, found"},
      {U64(1) + Bytes({11}) + U64(2) + U64(1LL << 40) + U64(1LL << 40), "byte 8 ",
       "expected an array, found"},
      {U64(0), "byte 8 ", "expected a count of results"},
      {no_leaves, "byte 16 ", "expected a count of attributes"},
      {no_leaves + U64(~uint64_t{0}), "byte 16 ", "expected at most 0 attributes"},
      {no_leaves + U64(1) + U64(9) + "n", "byte 24 ", "expected at most 1 bytes of a name"},
      {no_leaves + U64(1) + U64(1) + "n", "byte 33 ",
       "expected the kind of an attribute, found the end"},
      {attribute(Bytes({4})), "byte 33 ", "expected the kind of an attribute, 0 to 3, found 4"},
      {attribute(Bytes({0, 17})), "byte 34 ", "expected the type of an element, found token"},
      {attribute(Bytes({2, 18})), "byte 35 ", "expected a scalar (16 bytes), found the end"},
      {attribute(Bytes({0, 12}) + U64(2)), "byte 35 ",
       "expected at most 1 elements, as 8 bytes follow the count, found 2"},
      {attribute(Bytes({0, 12}) + U64(~uint64_t{0})), "byte 35 ", "expected at most 1 elements"},
      {attribute(Bytes({3}) + U64(9)), "byte 34 ", "expected at most 8 bytes of a string"},
      {attribute(Bytes({3}) + U64(7)), "byte 49 ", "expected the end, found 1 bytes more"},
      {no_leaves + U64(2) + U64(1) + "b" + Bytes({3}) + U64(0) + U64(1) + "a" + Bytes({3}) + U64(0),
       "byte 42 ", "expected names that differ, in ascending order, found \"a\" behind \"b\""},
      {no_leaves + U64(2) + U64(1) + "a" + Bytes({3}) + U64(0) + U64(1) + "a" + Bytes({3}) + U64(0),
       "byte 42 ", "expected names that differ"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(Error(kMagic + c.content), AllOf(HasSubstr(c.byte), HasSubstr(c.error)));
  }
}

TEST(TypedSiteDescriptorTest, DepthIsLimitedBothWays) {
  Attributes attributes;
  for (int depth = 1; depth < kMaxDictionaryDepth; ++depth) {
    Attributes outer;
    outer.SetDictionary("d", std::move(attributes));
    attributes = std::move(outer);
  }
  EXPECT_TRUE(DecodeTypedSiteDescriptor(Encoded(Site({}, "()", attributes))).ok());
  Attributes deeper;
  deeper.SetDictionary("d", attributes);
  EXPECT_THAT(EncodeTypedSiteDescriptor(Site({}, "()", deeper)).status().message(),
              HasSubstr("nested more than 64 deep"));
  std::string bytes = kMagic + U64(0) + U64(0);
  while (bytes.size() < (1 << 20)) bytes += U64(1) + U64(1) + "d" + Bytes({1});
  EXPECT_THAT(Error(bytes),
              AllOf(HasSubstr("byte 1168 "), HasSubstr("nested at most 64 deep, found one more")));
}

TEST(TypedSiteDescriptorTest, EveryTruncationIsAnError) {
  const std::string bytes = Encoded(Site({"f32[2]", "token[]"}, "(s32[],pred[0])", AllKinds()));
  for (size_t size = 0; size < bytes.size(); ++size) Error(bytes.substr(0, size));
  EXPECT_THAT(Error(bytes + "x"), HasSubstr("expected the end, found 1 bytes more"));
}

TEST(TypedSiteDescriptorTest, WhateverDecodesIsEncodedAsItWas) {
  const std::string seeds[] = {
      Encoded(Site({}, "f32[]")),
      Encoded(Site({"f32[4]", "token[]"}, "()", AllKinds())),
      Encoded(Site({"(f32[2,3],(u8[0]))"}, "((s32[]),(c64[1]))", AllKinds())),
  };
  std::mt19937 random(20240602);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int decoded = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string bytes = seeds[below(std::size(seeds))];
    for (size_t edits = 1 + below(2); edits > 0; --edits) {
      const size_t at = kMagicSize + below(bytes.size() - kMagicSize);
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 1:
          bytes[at] = static_cast<char>(below(20));
          break;
        case 2:
          bytes.erase(at, 1);
          break;
        case 3:
          bytes.insert(at, 1, static_cast<char>(below(20)));
          break;
      }
    }
    const absl::StatusOr<CallSite> site = DecodeTypedSiteDescriptor(bytes);
    if (!site.ok()) continue;
    ++decoded;
    ASSERT_EQ(Encoded(*site), bytes);
  }
  EXPECT_GT(decoded, 1000);
}

}  // namespace
}  // namespace callbridge
