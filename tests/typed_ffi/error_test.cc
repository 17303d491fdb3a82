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

// What lives in an Expected, value or error, ends once and moves as it should.
struct Counted {
  explicit Counted(int n) : number(n) { ++alive; }
  Counted(const Counted& other) : number(other.number) { ++alive; }
  Counted(Counted&& other) noexcept : number(other.number) {
    other.number = -1;
    ++alive;
  }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
  int number;
  static inline int alive = 0;
};

TEST(ExpectedTest, EndsWhatItHolds) {
  {
    using Value = Expected<Counted, std::string>;
    using Failure = Expected<std::string, Counted>;
    Value value = Counted(1);
    const Value copy = value;
    Failure failure = Unexpected<Counted>(Counted(2));
    const Failure failure_copy = failure;
    EXPECT_EQ(Counted::alive, 4);
    EXPECT_EQ(copy->number, 1);
    EXPECT_EQ(failure_copy.error().number, 2);
    const Value moved = std::move(value);
    EXPECT_EQ(moved->number, 1);
    const Failure failure_moved = std::move(failure);
    EXPECT_EQ(failure_moved.error().number, 2);
    value = Value(Unexpected<std::string>("none"));
    EXPECT_EQ(value.error(), "none");
    value = copy;
    EXPECT_EQ(value->number, 1);
    failure = Failure(std::string("a value of more than fifteen characters"));
    EXPECT_EQ(failure->size(), 39u);
    failure = failure_copy;
    EXPECT_EQ(failure.error().number, 2);
    EXPECT_EQ(Counted::alive, 6);
    EXPECT_EQ((*std::move(value)).number, 1);
    EXPECT_EQ(std::move(failure).error().number, 2);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(SpanTest, IsComparedByElements) {
  const std::vector<int> a = {1, 2, 3}, same = {1, 2, 3}, other = {1, 2, 4};
  EXPECT_TRUE(Span<const int>(a) == Span<const int>(same));
  EXPECT_FALSE(Span<const int>(a) == Span<const int>(other));
  EXPECT_EQ(Span<const int>(a).last(2).front(), 2);
  EXPECT_EQ(Span<const int>(a).last(2).size(), 2u);
  EXPECT_EQ(Span<const int>(a).first(2).size(), 2u);
}

#ifndef GENUINE

TEST(SpanTest, MayBeEmpty) {
  const std::vector<int> none, one = {1};
  EXPECT_TRUE(Span<const int>().empty());
  EXPECT_TRUE(Span<const int>(none).empty());
  EXPECT_FALSE(Span<const int>(one).empty());
  EXPECT_EQ(Span<const int>(one).data(), one.data());
  EXPECT_TRUE(Span<const int>(one) != Span<const int>(none));
  EXPECT_FALSE(Span<const int>(one) != Span<const int>(one));
}

TEST(ErrorTest, AssignedToItself) {
  Error error = Error::Internal("a message of more than fifteen characters");
  Error& same = error;
  error = std::move(same);
  EXPECT_EQ(error.message(), "a message of more than fifteen characters");
  ErrorOr<std::string> value = std::string("a value of more than fifteen characters");
  ErrorOr<std::string>& same_value = value;
  value = std::move(same_value);
  EXPECT_EQ(*value, "a value of more than fifteen characters");
}

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

template <typename Ask>
std::string Thrown(Ask ask) {
  try {
    ask();
  } catch (const BadExpectedAccess& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(ExpectedTest, ThrowsWhatItsErrorSays) {
  struct Silent {};
  const Expected<int, std::string> text = Unexpected("why");
  const Expected<int, int> number = Unexpected<int>(3);
  const Expected<int, Silent> silent = Unexpected<Silent>(Silent());
  EXPECT_EQ(Thrown([&] { (void)*text; }), "an error instead of a value: why");
  EXPECT_EQ(Thrown([&] { (void)*number; }),
            "an error instead of a value: of a type without a message");
  EXPECT_EQ(Thrown([&] { (void)silent.operator->(); }),
            "an error instead of a value: of a type without a message");
  Expected<int, int> value = 4;
  EXPECT_EQ(Thrown([&] { (void)value.error(); }), "a value instead of an error");
  EXPECT_EQ(Thrown([&] { (void)std::as_const(value).error(); }), "a value instead of an error");
  EXPECT_EQ(Thrown([&] { (void)std::move(value).error(); }), "a value instead of an error");
  EXPECT_EQ(Thrown([&] { (void)value.value(); }), "nothing was thrown");
  static_assert(!std::is_copy_assignable_v<Expected<std::unique_ptr<int>, int>>);
  static_assert(!std::is_copy_constructible_v<Expected<int, std::unique_ptr<int>>>);
  static_assert(std::is_move_assignable_v<Expected<std::unique_ptr<int>, int>>);
}

#endif  // GENUINE

}  // namespace
