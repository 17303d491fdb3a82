#include "callbridge/status_returning/status_storage.h"

#include <string>

#include "gtest/gtest.h"

namespace callbridge {
namespace {

std::string Fail(XlaCustomCallStatus& status, const std::string& message) {
  XlaCustomCallStatusSetFailure(&status, message.data(), message.size());
  absl::Status result = ToStatus(status);
  EXPECT_EQ(result.code(), absl::StatusCode::kInternal);
  return std::string(result.message());
}

TEST(StatusStorageTest, SuccessByDefault) {
  XlaCustomCallStatus status;
  EXPECT_TRUE(ToStatus(status).ok());
  XlaCustomCallStatusSetSuccess(&status);
  EXPECT_TRUE(ToStatus(status).ok());
}

TEST(StatusStorageTest, FailureHasXlasWordsAndTheMessage) {
  XlaCustomCallStatus status;
  EXPECT_EQ(Fail(status, "bad condition"), "CustomCall failed: bad condition");
}

TEST(StatusStorageTest, MessagesOfAllLengths) {
  for (size_t length : {0u, 1u, 15u, 16u, 257u, 1u << 20}) {
    XlaCustomCallStatus status;
    const std::string message(length, 'm');
    EXPECT_EQ(Fail(status, message), "CustomCall failed: " + message);
  }
}

TEST(StatusStorageTest, TheMessageEndsAtItsFirstNul) {
  XlaCustomCallStatus status;
  EXPECT_EQ(Fail(status, std::string("cut\0here", 8)), "CustomCall failed: cut");
}

TEST(StatusStorageTest, TheMessageNeedsNoNul) {
  XlaCustomCallStatus status;
  const char message[] = {'r', 'a', 'w'};
  XlaCustomCallStatusSetFailure(&status, message, sizeof(message));
  EXPECT_EQ(ToStatus(status).message(), "CustomCall failed: raw");
}

TEST(StatusStorageTest, TheLastWordCounts) {
  XlaCustomCallStatus status;
  Fail(status, "first");
  XlaCustomCallStatusSetSuccess(&status);
  EXPECT_TRUE(ToStatus(status).ok());
  Fail(status, "a message that is too long for the string's own buffer");
  EXPECT_EQ(Fail(status, "second"), "CustomCall failed: second");
}

}  // namespace
}  // namespace callbridge
