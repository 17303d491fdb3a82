#include "callbridge/abi/site_descriptor.h"

#include <random>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (int byte : bytes) out.push_back(static_cast<char>(byte));
  return out;
}

CallSite Site(TupleLayout tuple_layout, const std::vector<const char*>& operands,
              const char* result, std::string opaque = "") {
  CallSite site;
  site.tuple_layout = tuple_layout;
  for (const char* operand : operands) site.operands.push_back(ParseShape(operand).value());
  site.result = ParseShape(result).value();
  site.opaque = std::move(opaque);
  return site;
}

// The descriptor of what a descriptor's parts say.
std::string Encoded(const SiteDescriptor& descriptor, absl::string_view opaque) {
  CallSite site;
  site.tuple_layout = descriptor.tuple_layout;
  site.operands = descriptor.operands;
  site.result = descriptor.result;
  site.opaque = std::string(opaque);
  return EncodeSiteDescriptor(site);
}

std::string TreeError(absl::string_view tree) {
  const absl::Status status = DecodeSiteTree(tree).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

std::string SplitError(absl::string_view bytes) {
  const absl::Status status = SplitSiteDescriptor(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

// Exported programs hold these bytes: they never change for version 1.
TEST(SiteDescriptorTest, BytesAreFrozen) {
  const CallSite site = Site(TupleLayout::kFlat, {"f32[8,4]{0,1}", "(s32[],(),token[])"},
                             "(f64[3])", Bytes({'o', 0, 'p'}));
  EXPECT_EQ(EncodeSiteDescriptor(site),
            Bytes({0xCB, 0, 's', 'i', 't', 'e', 0,  1,               // magic
                   24,   0, 0,   0,                                  // size of the tree part
                   1,                                                // flat
                   2,    0, 0,   0,                                  // operands
                   11,                                               // f32
                   13,   3, 0,   0,   0,   4,   13, 0, 0, 0, 0, 17,  // (s32,(),token)
                   13,   1, 0,   0,   0,   12,                       // (f64)
                   'o',  0, 'p'}));
}

TEST(SiteDescriptorTest, AttributeName) {
  EXPECT_STREQ(kSiteDescriptorAttribute, "callbridge_site");
}

TEST(SiteDescriptorTest, DecodesToTreesWithoutDimensions) {
  const std::string bytes = EncodeSiteDescriptor(
      Site(TupleLayout::kFlat, {"f32[8,4]{0,1}", "(s32[7],(),token[])"}, "(f64[3])"));
  const absl::StatusOr<SiteDescriptor> site = DecodeSiteTree(SplitSiteDescriptor(bytes)->tree);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->tuple_layout, TupleLayout::kFlat);
  ASSERT_EQ(site->operands.size(), 2u);
  EXPECT_EQ(ShapeText(site->operands[0]), "f32[]");
  EXPECT_EQ(ShapeText(site->operands[1]), "(s32[],(),token[])");
  EXPECT_EQ(ShapeText(site->result), "(f64[])");
}

TEST(SiteDescriptorTest, OnlyTheOpaqueIsOutsideTheTree) {
  const CallSite a = Site(TupleLayout::kNested, {"f32[2]"}, "()", "one");
  const CallSite b = Site(TupleLayout::kNested, {"f32[3]{0}"}, "()", "two");
  const CallSite c = Site(TupleLayout::kFlat, {"f32[2]"}, "()", "one");
  const std::string a_bytes = EncodeSiteDescriptor(a);
  const std::string b_bytes = EncodeSiteDescriptor(b);
  const std::string c_bytes = EncodeSiteDescriptor(c);
  EXPECT_EQ(SplitSiteDescriptor(a_bytes)->tree, SplitSiteDescriptor(b_bytes)->tree);
  EXPECT_NE(SplitSiteDescriptor(a_bytes)->tree, SplitSiteDescriptor(c_bytes)->tree);
  EXPECT_EQ(SplitSiteDescriptor(a_bytes)->opaque, "one");
  EXPECT_EQ(SplitSiteDescriptor(b_bytes)->opaque, "two");
}

TEST(SiteDescriptorTest, OpaqueIsAnyBytes) {
  std::string opaque;
  for (int byte = 0; byte < 256; ++byte) opaque.push_back(static_cast<char>(byte));
  // A descriptor may be the opaque of another.
  for (const std::string& o :
       {std::string(), opaque,
        EncodeSiteDescriptor(Site(TupleLayout::kNested, {}, "()", opaque))}) {
    const std::string bytes = EncodeSiteDescriptor(Site(TupleLayout::kNested, {"f32[]"}, "()", o));
    const absl::StatusOr<SiteDescriptorParts> parts = SplitSiteDescriptor(bytes);
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_EQ(parts->opaque, o);
    EXPECT_EQ(parts->opaque.data() + parts->opaque.size(), bytes.data() + bytes.size());
    EXPECT_EQ(Encoded(*DecodeSiteTree(parts->tree), parts->opaque), bytes);
  }
}

TEST(SiteDescriptorTest, IsToldFromText) {
  auto is_descriptor = [](const std::string& bytes) {
    return IsSiteDescriptor(bytes.data(), bytes.size());
  };
  EXPECT_TRUE(is_descriptor(EncodeSiteDescriptor(CallSite())));
  EXPECT_FALSE(is_descriptor(""));
  EXPECT_FALSE(is_descriptor("site"));
  EXPECT_FALSE(is_descriptor(Bytes({0xCB, 0, 's', 'i', 't', 'e', 0})));
  EXPECT_FALSE(is_descriptor(Bytes({0xCB, 0, 's', 'i', 't', 'e', 0, 2})));
  EXPECT_FALSE(IsSiteDescriptor(nullptr, 0));
}

TEST(SiteDescriptorTest, SplitRefusesBrokenHeaders) {
  EXPECT_THAT(SplitError(""), HasSubstr("expected a site descriptor of version 1"));
  EXPECT_THAT(SplitError(R"({"key": 1})"), HasSubstr("expected a site descriptor of version 1"));
  const std::string bytes = EncodeSiteDescriptor(Site(TupleLayout::kNested, {"f32[]"}, "()", ""));
  for (size_t size = 0; size < bytes.size(); ++size) SplitError(bytes.substr(0, size));
  EXPECT_THAT(SplitError(bytes.substr(0, 11)), HasSubstr("header of 12 bytes, found 11"));
  EXPECT_THAT(SplitError(bytes.substr(0, bytes.size() - 1)),
              HasSubstr("tree of 11 bytes, found 10 bytes"));
  std::string huge = bytes;
  for (int i = 8; i < 12; ++i) huge[i] = '\xFF';
  EXPECT_THAT(SplitError(huge), HasSubstr("tree of 4294967295 bytes, found 11 bytes"));
}

TEST(SiteDescriptorTest, TreeErrorsSayWhatAndWhere) {
  const struct {
    std::string tree;
    const char* byte;
    const char* error;
  } kCases[] = {
      {Bytes({}), "byte 0 ", "expected a tuple layout, found the end"},
      {Bytes({2}), "byte 0 ", "expected a tuple layout, 0 (nested) or 1 (flat), found 2"},
      {Bytes({0}), "byte 1 ", "expected a count of operands (4 bytes), found the end after 0"},
      {Bytes({0, 1, 0, 0}), "byte 1 ", "found the end after 3"},
      {Bytes({0, 1, 0, 0, 0}), "byte 1 ", "expected at most 0 operands"},
      {Bytes({0, 0, 0, 0, 0}), "byte 5 ", "expected the type of a shape, found the end"},
      {Bytes({0, 1, 0, 0, 0, 11}), "byte 6 ", "expected the type of a shape, found the end"},
      {Bytes({0, 0, 0, 0, 0, 0}), "byte 5 ", "expected the number of a PrimitiveType, found 0"},
      {Bytes({0, 0, 0, 0, 0, 14}), "byte 5 ", "expected the number of a PrimitiveType, found 14"},
      {Bytes({0, 0, 0, 0, 0, 34}), "byte 5 ",
       "expected a type that an array can have, found buffer (34)"},
      {Bytes({0, 0, 0, 0, 0, 37}), "byte 5 ", "found 37"},
      {Bytes({0, 0, 0, 0, 0, 255}), "byte 5 ", "found 255"},
      {Bytes({0, 0, 0, 0, 0, 13, 0}), "byte 6 ", "expected a count of tuple elements (4 bytes)"},
      {Bytes({0, 0, 0, 0, 0, 13, 2, 0, 0, 0, 11}), "byte 6 ",
       "expected at most 1 tuple elements, as so many bytes follow the count, found 2"},
      {Bytes({0, 0, 0, 0, 0, 11, 11}), "byte 6 ", "expected the end, found 1 bytes more"},
      {Bytes({0, 255, 255, 255, 255, 11, 11}), "byte 1 ",
       "expected at most 2 operands, as so many bytes follow the count, found 4294967295"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(TreeError(c.tree), AllOf(HasSubstr(c.byte), HasSubstr(c.error)));
  }
}

TEST(SiteDescriptorTest, DepthIsLimited) {
  std::string tree = Bytes({0, 0, 0, 0, 0});
  for (int depth = 1; depth < Shape::kMaxTupleDepth; ++depth) tree += Bytes({13, 1, 0, 0, 0});
  const absl::StatusOr<SiteDescriptor> deepest = DecodeSiteTree(tree + Bytes({13, 0, 0, 0, 0}));
  ASSERT_TRUE(deepest.ok()) << deepest.status();
  EXPECT_EQ(deepest->result.TupleDepth(), Shape::kMaxTupleDepth);
  EXPECT_THAT(TreeError(tree + Bytes({13, 1, 0, 0, 0, 13, 0, 0, 0, 0})),
              HasSubstr("at most 128 deep"));
  while (tree.size() < (1 << 20)) tree += Bytes({13, 1, 0, 0, 0});
  EXPECT_THAT(TreeError(tree), HasSubstr("at most 128 deep"));
}

TEST(SiteDescriptorTest, CountsReserveNoMemory) {
  // 128 nested tuples, each of which claims as many elements as there are bytes behind it.
  std::string tree = Bytes({0, 0, 0, 0, 0});
  constexpr uint32_t kSize = 1 << 20;
  for (int depth = 0; depth < Shape::kMaxTupleDepth; ++depth) {
    const uint32_t count = kSize - static_cast<uint32_t>(tree.size()) - 5;
    tree += Bytes({13, static_cast<int>(count & 0xFF), static_cast<int>(count >> 8 & 0xFF),
                   static_cast<int>(count >> 16), 0});
  }
  tree.resize(kSize, '\0');
  EXPECT_THAT(TreeError(tree), HasSubstr("expected the number of a PrimitiveType, found 0"));
}

TEST(SiteDescriptorTest, WhateverDecodesIsEncodedAsItWas) {
  const std::string seeds[] = {
      EncodeSiteDescriptor(Site(TupleLayout::kNested, {}, "f32[]")),
      EncodeSiteDescriptor(Site(TupleLayout::kFlat, {"f32[]", "token[]"}, "()", "opaque")),
      EncodeSiteDescriptor(Site(TupleLayout::kNested,
                                {"(f32[32],(f32[64],f32[128]),f32[256])", "()", "((),(pred[]))"},
                                "((s32[]),(u8[]))", "{}")),
  };
  std::mt19937 random(20240602);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  int decoded = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string bytes = seeds[below(std::size(seeds))];
    for (size_t edits = 1 + below(2); edits > 0; --edits) {
      const size_t at = below(bytes.size());
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
    const absl::StatusOr<SiteDescriptorParts> parts = SplitSiteDescriptor(bytes);
    if (!parts.ok()) continue;
    const absl::StatusOr<SiteDescriptor> site = DecodeSiteTree(parts->tree);
    if (!site.ok()) continue;
    ++decoded;
    ASSERT_EQ(Encoded(*site, parts->opaque), bytes);
  }
  EXPECT_GT(decoded, 1000);
}

}  // namespace
}  // namespace callbridge
