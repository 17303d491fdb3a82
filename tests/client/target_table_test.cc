#include "callbridge/client/target_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/legacy/registry_functions.h"
#include "tests/refused.h"

namespace callbridge::client {
namespace {

using testing::HasSubstr;
using testing::Not;

int functions[2];

void Register(const std::string& name, const std::string& platform, void* address) {
  callbridge_register_target(name.data(), name.size(), address, platform.data(), platform.size(),
                             CALLBRIDGE_API_VERSION_ORIGINAL);
}

TEST(TargetTableTest, AnEmptyOneSaysSo) {
  EXPECT_EQ(Refused(TargetTable().Find("f", "CPU", false).status(), absl::StatusCode::kNotFound),
            "no target \"f\" is registered for Host; nothing is registered. Register it with "
            "XLA_REGISTER_CUSTOM_CALL_TARGET, or load its library");
}

TEST(TargetTableTest, PlatformsAreComparedWithoutCaseAndCpuIsHost) {
  Register("on cpu", "cpu", &functions[0]);
  Register("on HOST", "HOST", &functions[0]);
  Register("on cuda", "cuda", &functions[1]);
  const absl::StatusOr<TargetTable> table = TargetTable::OfProcess();
  ASSERT_TRUE(table.ok()) << table.status();
  for (const char* name : {"on cpu", "on HOST"}) {
    for (const char* platform : {"Host", "host", "CPU", "cpu"}) {
      const absl::StatusOr<callbridge_target> target = table->Find(name, platform, false);
      ASSERT_TRUE(target.ok()) << target.status();
      EXPECT_EQ(target->address, &functions[0]);
      EXPECT_STREQ(target->name, name);
      EXPECT_STREQ(target->platform, "Host");
      EXPECT_EQ(target->api_version, CALLBRIDGE_API_VERSION_ORIGINAL);
    }
  }
  EXPECT_EQ(table->Find("on cuda", "CUDA", false)->address, &functions[1]);
  EXPECT_THAT(Refused(table->Find("on cuda", "Host", false).status(), absl::StatusCode::kNotFound),
              testing::AllOf(HasSubstr("no target \"on cuda\" is registered for Host; registered "
                                       "are "),
                             HasSubstr("\"on cuda\" for CUDA. Register it"),
                             testing::EndsWith(", or load its library")));
  EXPECT_THAT(Refused(table->Find("on cdua", "CUDA", false).status(), absl::StatusCode::kNotFound),
              testing::EndsWith(", or load its library; did you mean on cuda?"));
}

TEST(TargetTableTest, WhatIsAddedLaterGoesBeforeWhatIsThere) {
  Register("replaced", "Host", &functions[0]);
  TargetTable table = *TargetTable::OfProcess();
  Register("replaced", "Host", &functions[1]);
  EXPECT_EQ(table.Find("replaced", "Host", false)->address, &functions[0]);
  callbridge_library* process = nullptr;
  ASSERT_EQ(callbridge_library_of_process(&process), nullptr);
  EXPECT_TRUE(table.Add(process).ok());
  EXPECT_EQ(table.Find("replaced", "Host", false)->address, &functions[1]);
  EXPECT_EQ(callbridge_library_close(process), nullptr);
}

// A module may ask for any of them, and a process may have thousands.
TEST(TargetTableTest, OfManyTargetsTwentyAreShown) {
  const auto message = [] {
    return Refused(TargetTable::OfProcess()->Find("missing", "Host", true).status(),
                   absl::StatusCode::kNotFound);
  };
  // Before what other tests have registered.
  for (int i = 10; i < 30; ++i) Register(absl::StrCat("many ", i), "Host", &functions[0]);
  callbridge_library* process = nullptr;
  ASSERT_EQ(callbridge_library_of_process(&process), nullptr);
  const size_t others = callbridge_library_target_count(process) - 20;
  EXPECT_EQ(callbridge_library_close(process), nullptr);
  if (others == 0) {
    EXPECT_THAT(message(), HasSubstr("\"many 29\" for Host. Register"));
  }
  Register("one more", "Host", &functions[0]);
  EXPECT_THAT(message(),
              HasSubstr(absl::StrCat("\"many 29\" for Host, and ", others + 1, " more. Register")));
  EXPECT_THAT(message(), Not(HasSubstr("one more")));
}

}  // namespace
}  // namespace callbridge::client
