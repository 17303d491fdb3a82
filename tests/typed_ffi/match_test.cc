// Match and Verify. Compiled with XLA's genuine headers too, GENUINE.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

class MatchTest : public ::testing::Test {
 protected:
  XLA_FFI_Buffer Frame(XLA_FFI_DataType dtype, std::vector<int64_t>& dims) {
    return {XLA_FFI_Buffer_STRUCT_SIZE,        nullptr,    dtype, nullptr,
            static_cast<int64_t>(dims.size()), dims.data()};
  }

  std::vector<int64_t> dims = {3, 4};
  XLA_FFI_Buffer frame = Frame(XLA_FFI_DataType_F32, dims);
  AnyBuffer buffer{&frame};
};

TEST_F(MatchTest, VerifiesDTypeAndRank) {
  EXPECT_TRUE(Verify("b", buffer, match::Buffer()).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer<F32>()).success());
  EXPECT_TRUE((Verify("b", buffer, match::Buffer<F32, 2>()).success()));
  EXPECT_TRUE((Verify("b", buffer, match::Buffer().WithDType<S8, F32>()).success()));
  EXPECT_TRUE((Verify("b", buffer, match::Buffer<F32>().WithRank<1, 2>()).success()));
  const Error error = Verify("operand", buffer, match::Buffer<S32>());
  EXPECT_EQ(error.errc(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message(),
              HasSubstr("Buffer 'operand' failed to match a buffer with dtype S32"));
  EXPECT_THAT(error.message(), HasSubstr("expected dtype S32 but got F32"));
  EXPECT_THAT((Verify("b", buffer, match::Buffer<F32, 3>()).message()),
              HasSubstr("expected rank 3 but got 2"));
  EXPECT_TRUE((Verify("b", buffer, match::Buffer().WithDType<S8, U8>()).failure()));
  EXPECT_TRUE((Verify("b", buffer, match::Buffer().WithRank<0, 1>()).failure()));
}

TEST_F(MatchTest, VerifiesDimensions) {
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims(3, 4)).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims(match::Dim(), int64_t{4})).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDim(1, 4)).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDim<0>(3)).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims()).failure());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims(3, 4, 5)).failure());
  EXPECT_THAT(Verify("b", buffer, match::Buffer().WithDims(3, 5)).message(),
              HasSubstr("expected dimension 1 to be 5 but got 4"));
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDim(2, 4)).failure());
}

TEST_F(MatchTest, StoresDimensions) {
  int64_t rows = 0, columns = 0;
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims(&rows, &columns)).success());
  EXPECT_EQ(rows, 3);
  EXPECT_EQ(columns, 4);
  // Only where all matches, and equal where it is the same place.
  rows = -1;
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithDims(&rows, 5)).failure());
  EXPECT_THAT(Verify("b", buffer, match::Buffer().WithDims(&rows, &rows)).message(),
              HasSubstr("expected dimension 1 to be 3 but got 4"));
  EXPECT_EQ(rows, -1);
  std::vector<int64_t> square = {6, 6};
  XLA_FFI_Buffer square_frame = Frame(XLA_FFI_DataType_F32, square);
  EXPECT_TRUE(
      Verify("b", AnyBuffer(&square_frame), match::Buffer().WithDims(&rows, &rows)).success());
  EXPECT_EQ(rows, 6);
}

TEST_F(MatchTest, LikeAnother) {
  std::vector<int64_t> same = {3, 4}, other = {4, 3};
  XLA_FFI_Buffer same_frame = Frame(XLA_FFI_DataType_S32, same);
  XLA_FFI_Buffer other_frame = Frame(XLA_FFI_DataType_F32, other);
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithShapeOf(AnyBuffer(&same_frame))).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().Like(AnyBuffer(&same_frame))).failure());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().WithShapeOf(AnyBuffer(&other_frame))).failure());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().Like(buffer)).success());
  // What is said later replaces what was said before.
  EXPECT_TRUE(
      Verify("b", buffer, match::Buffer().Like(AnyBuffer(&same_frame)).WithDType<F32>()).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer<S32>().Like(buffer)).success());
}

TEST_F(MatchTest, GivesTheTypeThatIsKnown) {
  auto matched = Match("b", buffer, match::Buffer<F32>().WithDims(3, match::Dim()));
  static_assert(std::is_same_v<decltype(matched), ErrorOr<BufferR2<F32>>>);
  ASSERT_TRUE(matched.has_value());
  EXPECT_EQ(matched->dimensions()[1], 4);
  auto again = Match("b", *matched, match::Buffer().WithDim(0, 9));
  static_assert(std::is_same_v<decltype(again), ErrorOr<BufferR2<F32>>>);
  EXPECT_EQ(again.error().errc(), ErrorCode::kInvalidArgument);
  auto result = Match("r", Result<AnyBuffer>(buffer), match::Buffer<F32, 2>());
  static_assert(std::is_same_v<decltype(result), ErrorOr<Result<BufferR2<F32>>>>);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ((**result).element_count(), 12u);
  EXPECT_TRUE((Match("r", Result<AnyBuffer>(buffer), match::Buffer<F64, 2>()).has_error()));
}

TEST_F(MatchTest, ManyDimensions) {
  std::vector<int64_t> many(12, 2);
  many[11] = 7;
  XLA_FFI_Buffer many_frame = Frame(XLA_FFI_DataType_U8, many);
  int64_t last = 0;
  auto pattern = match::Buffer<U8>().WithDim(3, 2).WithDim(11, &last);
  EXPECT_TRUE(Verify("b", AnyBuffer(&many_frame), pattern).success());
  EXPECT_EQ(last, 7);
  EXPECT_TRUE(Verify("b", buffer, pattern).failure());
}

// Each dimension is kept in its own place, on both sides of what a pattern holds without
// allocating.
TEST_F(MatchTest, EveryDimensionOfManyCounts) {
  for (size_t rank : {7, 8, 9, 10, 17}) {
    std::vector<int64_t> many;
    for (size_t i = 0; i < rank; ++i) many.push_back(static_cast<int64_t>(i) + 2);
    std::vector<int64_t> same = many;
    XLA_FFI_Buffer many_frame = Frame(XLA_FFI_DataType_U8, many);
    XLA_FFI_Buffer same_frame = Frame(XLA_FFI_DataType_U8, same);
    const auto pattern = match::Buffer().WithShapeOf(AnyBuffer(&many_frame));
    EXPECT_TRUE(Verify("b", AnyBuffer(&same_frame), pattern).success()) << rank;
    for (size_t i = 0; i < rank; ++i) {
      same[i] += 100;
      const Error error = Verify("b", AnyBuffer(&same_frame), pattern);
      EXPECT_THAT(error.message(),
                  HasSubstr("dimension " + std::to_string(i) + " to be " + std::to_string(many[i]) +
                            " but got " + std::to_string(same[i])));
      same[i] = many[i];
      int64_t stored = 0;
      EXPECT_TRUE(Verify("b", AnyBuffer(&many_frame), pattern.WithDim(i, &stored)).success());
      EXPECT_EQ(stored, many[i]) << rank;
    }
  }
}

TEST_F(MatchTest, FewerDimensionsReplaceMore) {
  std::vector<int64_t> many(11, 2);
  XLA_FFI_Buffer many_frame = Frame(XLA_FFI_DataType_U8, many);
  const auto replaced = match::Buffer().WithDim(9, 5).WithDim(3, 5).WithDims(2, 2);
  const auto pattern = replaced.WithDim(10, 2).template WithRank<11>();
  EXPECT_TRUE(Verify("b", AnyBuffer(&many_frame), pattern).success());
}

// XLA's own words: with -DGENUINE its headers say the same.
TEST_F(MatchTest, DescribesWhatIsWanted) {
  int64_t any = 0;
  EXPECT_EQ(match::Buffer().Describe(), "a buffer");
  EXPECT_EQ(match::Buffer<F32>().Describe(), "a buffer with dtype F32");
  EXPECT_EQ((match::Buffer().WithRank<3>().Describe()), "a buffer with rank 3");
  EXPECT_EQ(match::Buffer().WithDim(1, 4).Describe(),
            "a buffer with dimensions [any dimension, 4]");
  EXPECT_EQ(match::Buffer().WithDim(1, 4).WithDim(0, 3).Describe(),
            "a buffer with dimensions [3, 4]");
  EXPECT_EQ(match::Buffer().WithDim(1, 4).WithDim(1, 5).Describe(),
            "a buffer with dimensions [any dimension, 5]");
  EXPECT_EQ((match::Buffer().WithDType<F32, F64>().WithRank<1, 2, 3>().Describe()),
            "a buffer with dtype in [F32, F64] with rank in [1, 2, 3]");
  EXPECT_EQ(
      match::Buffer<S8>().WithDims(uint8_t{255}, &any, match::Dim(int16_t{-1})).Describe(),
      "a buffer with dtype S8 with rank 3 with dimensions [255, any dimension (captured), -1]");
  EXPECT_EQ(match::Buffer().WithDim(0, 9).Like(buffer).Describe(),
            "a buffer with dtype F32 with rank 2 with dimensions [3, 4]");
}

TEST_F(MatchTest, TellsWhatDidNotMatch) {
  const std::string begin = "Buffer 'b' failed to match a buffer with ";
  EXPECT_EQ((Verify("b", buffer, match::Buffer().WithDType<S8, U8>()).message()),
            begin + "dtype in [S8, U8]: expected dtype to be one of [S8, U8] but got F32");
  EXPECT_EQ((Verify("b", buffer, match::Buffer().WithRank<0, 1>()).message()),
            begin + "rank in [0, 1]: expected rank to be one of [0, 1] but got 2");
  EXPECT_EQ(Verify("b", buffer, match::Buffer().WithDim(2, 4)).message(),
            begin +
                "dimensions [any dimension, any dimension, 4]: expected dimension 2 but "
                "buffer rank is 2");
  EXPECT_EQ(Verify("b", buffer, match::Buffer().WithDims(3)).message(),
            begin + "rank 1 with dimensions [3]: expected rank 1 but got 2");
  EXPECT_EQ(Verify("b", buffer, match::Buffer().WithDims(3, 4, 5)).message(),
            begin + "rank 3 with dimensions [3, 4, 5]: expected rank 3 but got 2");
  EXPECT_EQ(Verify("b", buffer, match::Buffer().Like(buffer).WithDim(1, 5)).message(),
            begin +
                "dtype F32 with rank 2 with dimensions [3, 5]: expected dimension 1 to be 5 "
                "but got 4");
}

TEST_F(MatchTest, AMismatchIsTheErrorOfMatch) {
  const std::string begin = "Buffer 'm' failed to match a buffer with ";
  EXPECT_EQ((Match("m", buffer, match::Buffer<F64, 2>()).error().message()),
            begin + "dtype F64 with rank 2: expected dtype F64 but got F32");
  EXPECT_EQ((Match("m", Result<AnyBuffer>(buffer), match::Buffer<F32, 1>()).error().message()),
            begin + "dtype F32 with rank 1: expected rank 1 but got 2");
}

#ifndef GENUINE

TEST_F(MatchTest, TellsAllThatIsWrong) {
  EXPECT_EQ(
      Verify("b", buffer, match::Buffer<S32>().WithDims(1, 2)).message(),
      "Buffer 'b' failed to match a buffer with dtype S32 with rank 2 with dimensions [1, 2]: "
      "expected dtype S32 but got F32; expected dimension 0 to be 1 but got 3; expected "
      "dimension 1 to be 2 but got 4");
  // More than XLA says, which stops at the first.
  frame.dtype = static_cast<XLA_FFI_DataType>(77);
  EXPECT_EQ(
      Verify("b", buffer, match::Buffer<F32>().WithDim(2, 4)).message(),
      "Buffer 'b' failed to match a buffer with dtype F32 with dimensions [any dimension, any "
      "dimension, 4]: expected dtype F32 but got 77; expected dimension 2 but buffer rank is 2");
  frame.dtype = XLA_FFI_DataType_F32;
  EXPECT_TRUE(Verify("r", Result<AnyBuffer>(buffer), match::Buffer<F32>()).success());
  EXPECT_TRUE(Verify("r", Result<AnyBuffer>(buffer), match::Buffer<F64>()).failure());
}

// Of the buffer that it is to be like, what is not said again stays.
TEST_F(MatchTest, WhatIsSaidLaterReplacesOnlyThat) {
  std::vector<int64_t> same = {3, 4}, more = {3, 4, 5};
  XLA_FFI_Buffer s32_frame = Frame(XLA_FFI_DataType_S32, same),
                 more_frame = Frame(XLA_FFI_DataType_F32, more);
  const AnyBuffer s32(&s32_frame), larger(&more_frame);
  EXPECT_TRUE(Verify("b", larger, match::Buffer().WithShapeOf(buffer)).failure());
  EXPECT_TRUE(Verify("b", larger, match::Buffer().Like(buffer).WithDType<F32>()).failure());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().Like(s32).WithDims(3, 4)).failure());
  EXPECT_TRUE(Verify("b", s32, match::Buffer().Like(s32).WithDims(3, 4)).success());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().Like(s32).WithDim(0, 3)).failure());
  EXPECT_TRUE((Verify("b", buffer, match::Buffer().Like(s32).WithRank<2>()).failure()));
  EXPECT_TRUE((Verify("b", larger, match::Buffer().Like(buffer).WithRank<2, 3>()).success()));
  EXPECT_TRUE(Verify("b", buffer, match::Buffer<S8>().WithShapeOf(s32)).failure());
  EXPECT_TRUE(Verify("b", buffer, match::Buffer().Like(Result<AnyBuffer>(buffer))).success());
  EXPECT_TRUE(Verify("b", s32, match::Buffer().Like(Result<AnyBuffer>(buffer))).failure());
}

TEST(DimPatternTest, IsOneOfThree) {
  int64_t place = 0;
  EXPECT_EQ(match::Dim().size(), std::nullopt);
  EXPECT_EQ(match::Dim().capture(), nullptr);
  EXPECT_EQ(match::Dim(7).size(), 7);
  EXPECT_EQ(match::Dim(7).capture(), nullptr);
  EXPECT_EQ(match::Dim(&place).size(), std::nullopt);
  EXPECT_EQ(match::Dim(&place).capture(), &place);
}

#endif  // GENUINE

}  // namespace
