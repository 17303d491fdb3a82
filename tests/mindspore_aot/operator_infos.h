// What the tests of operator information's text share.
#ifndef CALLBRIDGE_TESTS_MINDSPORE_AOT_OPERATOR_INFOS_H_
#define CALLBRIDGE_TESTS_MINDSPORE_AOT_OPERATOR_INFOS_H_

#include <string>
#include <utility>

#include "callbridge/mindspore_aot/operator_info_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/refused.h"

namespace callbridge {
namespace mindspore_aot {

inline OperatorInfo Parsed(const std::string& json) {
  absl::StatusOr<OperatorInfo> info = ParseOperatorInfo(json);
  EXPECT_TRUE(info.ok()) << json << ": " << info.status();
  return info.ok() ? *std::move(info) : OperatorInfo();
}

// Why it is no operator information, without the words that each such error begins with.
inline std::string RefusedText(const std::string& json) {
  const std::string message = Refused(ParseOperatorInfo(json).status());
  EXPECT_THAT(message, testing::StartsWith("operator information: ")) << json;
  return message.substr(std::string("operator information: ").size());
}

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_MINDSPORE_AOT_OPERATOR_INFOS_H_
