// The text by which CALLBRIDGE_EXPORT declares shapes: what is read of it, and what is refused.
#include <algorithm>
#include <iterator>
#include <utility>

#include "callbridge/abi/primitive_type.h"
#include "callbridge/export.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using exports::CallTextReader;
using exports::DeclaredCall;
using exports::kAnySize;
using exports::TextError;

DeclaredCall<64> Read(const char* text) { return CallTextReader<64>(text).Read(); }

TEST(CallTextTest, WhatIsWrongIsSaid) {
  const std::pair<const char*, TextError> kTexts[] = {
      {"->()", TextError::kNone},
      {" ( f32 [ 2 , ? ] , ( ) ) , token [ ] -> ( pred [ ] ) ", TextError::kNone},
      {"f32[]->f32[0]", TextError::kNone},
      {"f32[922337203685477580]->f32[]", TextError::kNone},
      {"f32[922337203685477580]->f32[922337203685477581000]", TextError::kBadDimension},
      {"", TextError::kUnknownType},
      {"->", TextError::kUnknownType},
      {"f32[] -> ", TextError::kUnknownType},
      {"f3[] -> f32[]", TextError::kUnknownType},
      {"f322[] -> f32[]", TextError::kUnknownType},
      {"F32[] -> f32[]", TextError::kUnknownType},
      {"tuple[] -> f32[]", TextError::kUnknownType},
      {", f32[] -> f32[]", TextError::kUnknownType},
      {"f32[], -> f32[]", TextError::kUnknownType},
      {"f32 -> f32[]", TextError::kNoDimensions},
      {"f32(2) -> f32[]", TextError::kNoDimensions},
      {"f32[-1] -> f32[]", TextError::kBadDimension},
      {"f32[1,] -> f32[]", TextError::kBadDimension},
      {"f32[,1] -> f32[]", TextError::kBadDimension},
      {"f32[1 2] -> f32[]", TextError::kBadDimension},
      {"f32[1 -> f32[]", TextError::kBadDimension},
      {"f32[? -> f32[]", TextError::kBadDimension},
      {"f32[:] -> f32[]", TextError::kBadDimension},
      {"f32[/] -> f32[]", TextError::kBadDimension},
      {"(f32[] f32[]) -> f32[]", TextError::kUnclosedTuple},
      {"(f32[], f32[]", TextError::kUnclosedTuple},
      {"(", TextError::kUnclosedTuple},
      {"(f32[],) -> f32[]", TextError::kUnknownType},
      {"f32[] f32[] -> f32[]", TextError::kNoArrow},
      {"f32[] - > f32[]", TextError::kNoArrow},
      {"f32[] -", TextError::kNoArrow},
      {"f32[] => f32[]", TextError::kNoArrow},
      {"f32[] -> f32[], f32[]", TextError::kTrailingText},
      {"f32[] -> f32[])", TextError::kTrailingText},
      {"f32[] -> f32[] -> f32[]", TextError::kTrailingText},
  };
  for (const auto& [text, error] : kTexts) EXPECT_EQ(Read(text).error, error) << '"' << text << '"';
}

TEST(CallTextTest, NodesAreInPreorder) {
  const auto call = Read("(f32[2,?],()), token[], s8[7] -> (pred[])");
  ASSERT_EQ(call.error, TextError::kNone);
  EXPECT_EQ(call.operand_count, 3);
  EXPECT_EQ(call.operand_nodes, 5);
  ASSERT_EQ(call.node_count, 7);
  const int kTypes[] = {13, XLA_FFI_DataType_F32, 13, XLA_FFI_DataType_TOKEN, XLA_FFI_DataType_S8,
                        13, XLA_FFI_DataType_PRED};
  const int kCounts[] = {2, 2, 0, 0, 1, 1, 0};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(call.nodes[i].type, kTypes[i]) << i;
    EXPECT_EQ(call.nodes[i].count, kCounts[i]) << i;
  }
  ASSERT_EQ(call.dim_count, 3);
  EXPECT_EQ(call.nodes[1].first_dim, 0);
  EXPECT_EQ(call.nodes[4].first_dim, 2);
  EXPECT_EQ(call.dims[0], 2);
  EXPECT_EQ(call.dims[1], kAnySize);
  EXPECT_EQ(call.dims[2], 7);
  EXPECT_TRUE(call.any_size);
  EXPECT_FALSE(Read("f32[2] -> f32[3]").any_size);
  EXPECT_TRUE(Read("f32[2] -> f32[?]").any_size);
}

TEST(CallTextTest, KnowsEveryType) {
  for (int number = 0; number < 256; ++number) {
    if (!IsPrimitiveType(number)) continue;
    const auto type = static_cast<PrimitiveType>(number);
    const bool is_leaf = IsArrayElement(type) || type == PrimitiveType::kToken;
    const bool is_known =
        std::any_of(std::begin(exports::kNamedTypes), std::end(exports::kNamedTypes),
                    [&](const exports::NamedType& named) {
                      return named.number == number && named.name == PrimitiveTypeName(type);
                    });
    EXPECT_EQ(is_known, is_leaf) << PrimitiveTypeName(type);
  }
}

}  // namespace
}  // namespace callbridge
