#include "callbridge/tools/guarded_main.h"

#include <pthread.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

// The exit status, and what is printed to stderr.
template <typename Run>
std::pair<int, std::string> Guarded(Run run) {
  ::testing::internal::CaptureStderr();
  const int status = GuardedMain(run);
  return {status, ::testing::internal::GetCapturedStderr()};
}

using Ended = std::pair<int, std::string>;

TEST(GuardedMain, ReturnsWhatIsReturned) {
  EXPECT_EQ(Guarded([] { return 2; }), Ended(2, ""));
  EXPECT_EQ(Guarded([]() -> int { return kSuccess; }), Ended(0, ""));
}

TEST(GuardedMain, SaysWhatIsThrown) {
  EXPECT_EQ(Guarded([]() -> int { throw std::bad_alloc(); }),
            Ended(1, "callbridge: RESOURCE_EXHAUSTED: out of memory\n"));
  EXPECT_EQ(Guarded([]() -> int { throw std::runtime_error("no way"); }),
            Ended(1, "callbridge: INTERNAL: no way\n"));
}

TEST(GuardedMainDeathTest, TheEndOfTheThreadIsNoSuccess) {
  EXPECT_DEATH(GuardedMain([]() -> int { pthread_exit(nullptr); }), "ended its thread");
}

TEST(GuardedMain, FilesThatGrowTooLargeAreErrors) {
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(Guarded([] { return std::raise(SIGXFSZ); }), Ended(0, ""));
}

TEST(ExitStatus, IsOneLine) {
  const auto failure = [] { return Failure(absl::NotFoundError("a\nb\x7f\x1f\xc3\xa4 ~")); };
  EXPECT_EQ(Guarded(failure), Ended(1, "callbridge: NOT_FOUND: a\\nb\\x7f\\x1f\xc3\xa4 ~\n"));
  EXPECT_EQ(Guarded([] { return UsageError("a\tb"); }), Ended(2, "callbridge: a\\tb\n"));
}

TEST(ExitStatus, OfACompilersLines) {
  const auto failure = [] {
    return FailureInLines(absl::InvalidArgumentError("a.cc: g++ failed\nb\x7f\n\nc\n"));
  };
  EXPECT_EQ(Guarded(failure),
            Ended(1, "callbridge: INVALID_ARGUMENT: a.cc: g++ failed\n  b\\x7f\n  \n  c\n"));
}

}  // namespace
}  // namespace callbridge
