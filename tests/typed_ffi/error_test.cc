// Error, Expected, ErrorOr and Span. Compiled with XLA's genuine headers too, GENUINE, less what
// only callbridge's can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;

TEST(ErrorTest, SuccessAndFailure) {
  EXPECT_TRUE(Error().success());
  EXPECT_FALSE(Error::Success().failure());
  EXPECT_EQ(Error::Success().errc(), ErrorCode::kOk);
  EXPECT_EQ(Error::Success().message(), "");
  const Error error(ErrorCode::kAborted, "a message of more than fifteen characters");
  EXPECT_TRUE(error.failure());
  EXPECT_EQ(error.errc(), ErrorCode::kAborted);
  EXPECT_EQ(error.message(), "a message of more than fifteen characters");
  EXPECT_EQ(Error(XLA_FFI_Error_Code_NOT_FOUND, "c").errc(), ErrorCode::kNotFound);
  EXPECT_EQ(Error::Internal("i").errc(), ErrorCode::kInternal);
  EXPECT_EQ(Error::InvalidArgument("i").errc(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Error(ErrorCode::kOk, "kept").message(), "kept");
  EXPECT_EQ(Error(ErrorCode::kInternal, {}).message(), "");
}

TEST(ErrorTest, CopiesAndMoves) {
  Error error = Error::Internal("a message of more than fifteen characters");
  Error copy = error;
  Error moved = std::move(error);
  EXPECT_EQ(copy.message(), moved.message());
  copy = Error::Success();
  EXPECT_TRUE(copy.success());
  EXPECT_EQ(copy.message(), "");
  copy = moved;
  EXPECT_EQ(copy.message(), "a message of more than fifteen characters");
  copy = *&copy;
  EXPECT_EQ(copy.message(), "a message of more than fifteen characters");
  std::vector<Error> many(3, moved);
  many.resize(50);
  EXPECT_EQ(many[2].message(), moved.message());
}

ErrorOr<int> Half(int n) {
  if (n % 2 != 0) return Unexpected(Error::InvalidArgument("odd"));
  return n / 2;
}
ErrorOr<int> Failing() { return Error::Internal("always"); }
ErrorOr<std::unique_ptr<int>> Owning() { return std::make_unique<int>(3); }

TEST(ErrorOrTest, ValueOrError) {
  ErrorOr<int> four = Half(8);
  EXPECT_TRUE(four);
  EXPECT_TRUE(four.has_value());
  EXPECT_FALSE(four.has_error());
  EXPECT_EQ(*four, 4);
  *four = 5;
  EXPECT_EQ(four.value(), 5);
  const ErrorOr<int> odd = Half(7);
  EXPECT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().message(), "odd");
  EXPECT_EQ(Failing().error().errc(), ErrorCode::kInternal);
  four = odd;
  EXPECT_EQ(four.error().message(), "odd");
  four = Half(2);
  EXPECT_EQ(*four, 1);
}

TEST(ErrorOrTest, MovableValues) {
  ErrorOr<std::unique_ptr<int>> owner = Owning();
  EXPECT_EQ(**owner, 3);
  std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 3);
  ErrorOr<std::string> text = std::string("a string of more than fifteen characters");
  EXPECT_EQ(text->size(), 40u);
  std::vector<ErrorOr<std::unique_ptr<int>>> many;
  for (int i = 0; i < 10; ++i) many.push_back(Owning());
  EXPECT_EQ(**many[0], 3);
  static_assert(!std::is_copy_constructible_v<ErrorOr<std::unique_ptr<int>>>);
  static_assert(std::is_copy_constructible_v<ErrorOr<std::string>>);
}

TEST(ExpectedTest, AnyErrorType) {
  constexpr Expected<int, char> kFour = 4;
  static_assert(kFour.has_value() && *kFour == 4);
  const Expected<int, std::string> failed = Unexpected("why");
  EXPECT_EQ(failed.error(), "why");
  EXPECT_THROW((void)failed.value(), std::bad_variant_access);
  EXPECT_THROW((void)(Expected<int, std::string>(1).error()), std::bad_variant_access);
}

TEST(SpanTest, LooksAtElements) {
  const std::vector<int> v = {1, 2, 3, 4};
  const Span<const int> span(v);
  EXPECT_EQ(span.size(), 4u);
  EXPECT_EQ(span.front() + span.back() + span[1], 7);
  EXPECT_THAT(std::vector<int>(span.begin(), span.end()), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(span.first(2).back(), 2);
  EXPECT_EQ(span.last(1).front(), 4);
  EXPECT_TRUE(span == Span<const int>(v.data(), 4));
  EXPECT_FALSE(span == span.first(3));
  EXPECT_EQ(Span<int>().size(), 0u);
}

#ifndef GENUINE

TEST(ErrorTest, AnotherErrorsMessage) {  // as the documentation of 2024 has it
  const ErrorOr<int> arg = Half(7);
  EXPECT_EQ(Error(ErrorCode::kInternal, arg.error()).message(), "odd");
  EXPECT_EQ(Error(ErrorCode::kInternal, arg.error()).errc(), ErrorCode::kInternal);
  EXPECT_EQ(Error(ErrorCode::kInternal, Half(3).error()).message(), "odd");
}

TEST(ErrorOrTest, ThrowsWhatItHolds) {
  try {
    (void)Half(7).value();
    FAIL() << "nothing was thrown";
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "an error instead of a value: odd");
  }
}

#endif  // GENUINE

}  // namespace
