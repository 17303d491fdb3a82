#include "callbridge/status_returning/status_storage.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "tests/status_returning/private_copies.h"

namespace callbridge {
namespace {

// The functions that callbridge exports.
StatusFunctions ExportedFunctions() {
  return {"exported",
          [](void* status) {
            XlaCustomCallStatusSetSuccess(static_cast<XlaCustomCallStatus*>(status));
          },
          [](void* status, const char* message, size_t message_len) {
            XlaCustomCallStatusSetFailure(static_cast<XlaCustomCallStatus*>(status), message,
                                          message_len);
          }};
}

class StatusStorageTest : public ::testing::TestWithParam<StatusFunctions> {
 protected:
  void Succeed(StatusStorage& status) { GetParam().set_success(status.get()); }
  void Fail(StatusStorage& status, const std::string& message) {
    GetParam().set_failure(status.get(), message.data(), message.size());
  }
  static absl::Status Failure(const std::string& message) {
    return absl::InternalError("CustomCall failed: " + message);
  }
};

// Around the sizes at which strings change their ways, and those whose bytes look like other
// layouts' flags.
const size_t kLengths[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 257, 65537, 1 << 20};

TEST_P(StatusStorageTest, SuccessByDefault) {
  StatusStorage status;
  EXPECT_TRUE(status.ToStatus().ok());
  Succeed(status);
  EXPECT_TRUE(status.ToStatus().ok());
}

TEST_P(StatusStorageTest, FailuresOfAllLengths) {
  for (size_t length : kLengths) {
    for (char c : {'m', '\1', '\xff'}) {
      StatusStorage status;
      const std::string message(length, c);
      Fail(status, message);
      EXPECT_EQ(status.ToStatus(), Failure(message)) << length;
    }
  }
}

TEST_P(StatusStorageTest, SuccessAfterFailure) {
  for (size_t length : kLengths) {
    for (char c : {'m', '\1'}) {
      StatusStorage status;
      Fail(status, std::string(length, c));
      Succeed(status);
      EXPECT_TRUE(status.ToStatus().ok()) << length;
      Succeed(status);
      EXPECT_TRUE(status.ToStatus().ok()) << length;
    }
  }
}

TEST_P(StatusStorageTest, FailureAfterSuccess) {
  for (size_t first : kLengths) {
    for (size_t second : kLengths) {
      StatusStorage status;
      Succeed(status);
      Fail(status, std::string(first, 'a'));
      Succeed(status);
      Fail(status, std::string(second, 'b'));
      EXPECT_EQ(status.ToStatus(), Failure(std::string(second, 'b'))) << first << ", " << second;
    }
  }
}

TEST_P(StatusStorageTest, TheLastFailureCounts) {
  StatusStorage status;
  Fail(status, "first, and longer than the string's own buffer");
  Fail(status, "second");
  EXPECT_EQ(status.ToStatus(), Failure("second"));
}

TEST_P(StatusStorageTest, TheMessageEndsAtItsFirstNul) {
  StatusStorage status;
  Fail(status, std::string("cut\0here", 8));
  EXPECT_EQ(status.ToStatus(), Failure("cut"));
}

TEST_P(StatusStorageTest, TheMessageNeedsNoNul) {
  StatusStorage status;
  const char message[] = {'r', 'a', 'w'};
  GetParam().set_failure(status.get(), message, sizeof(message));
  EXPECT_EQ(status.ToStatus(), Failure("raw"));
}

TEST(CustomCallStatusTest, NullsAreAnEmptyMessageOrIgnored) {
  XlaCustomCallStatusSetSuccess(nullptr);
  XlaCustomCallStatusSetFailure(nullptr, "message", 7);
  StatusStorage status;
  XlaCustomCallStatusSetFailure(status.get(), nullptr, 7);
  EXPECT_EQ(status.ToStatus(), absl::InternalError("CustomCall failed: "));
  XlaCustomCallStatusSetFailure(status.get(), "", 0);
  EXPECT_EQ(status.ToStatus(), absl::InternalError("CustomCall failed: "));
  XlaCustomCallStatusSetFailure(status.get(), "message", 4);
  EXPECT_EQ(status.ToStatus(), absl::InternalError("CustomCall failed: mess"));
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, StatusStorageTest,
                         ::testing::Values(ExportedFunctions(), OptionalCopy(), OldStringCopy(),
                                           AbslOptionalCopy()),
                         [](const auto& info) {
                           std::string name = info.param.layout;
                           name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
                           return name;
                         });

}  // namespace
}  // namespace callbridge
