// A program, or a library of it, that has tests/targets/every_way.cc linked into it as an old
// object file: its registrations have run, and the C API finds and calls its targets.
#include <map>
#include <string>

#include "callbridge/callbridge.h"
#include "callbridge/legacy/registry_functions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

std::string Text(callbridge_error* error) {
  if (error == nullptr) return "OK";
  std::string text = std::string(callbridge_error_code_name(error->code)) + ": " + error->message;
  callbridge_error_destroy(error);
  return text;
}

class LinkedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Text(callbridge_library_of_process(&process_)), "OK");
    for (size_t i = 0; i < callbridge_library_target_count(process_); ++i) {
      callbridge_target target = {};
      target.struct_size = sizeof(target);
      ASSERT_EQ(Text(callbridge_library_target(process_, i, &target)), "OK");
      targets_[target.name] = target;
    }
  }
  void TearDown() override { callbridge_library_close(process_); }

  // Calls (s32[], s32[]) -> s32[].
  std::string Call(const std::string& name, int a, int b, int* out) {
    const char* const kOperands[] = {"s32[]", "s32[]"};
    callbridge_site site = {};
    site.struct_size = sizeof(site);
    site.operands = kOperands;
    site.operand_count = 2;
    site.result = "s32[]";
    const callbridge_array operands[] = {{&a, sizeof(a)}, {&b, sizeof(b)}};
    const callbridge_array result = {out, sizeof(*out)};
    return Text(callbridge_execute(&targets_[name], &site, operands, 2, &result, 1, nullptr));
  }

  callbridge_library* process_ = nullptr;
  std::map<std::string, callbridge_target> targets_;
};

TEST_F(LinkedTest, WhatWasLinkedIsRegistered) {
  std::map<std::string, int32_t> versions;
  for (const auto& entry : targets_) versions[entry.first] = entry.second.api_version;
  const std::map<std::string, int32_t> kExpected = {
      {"a_name_that_no_string_holds_without_allocation", CALLBRIDGE_API_VERSION_ORIGINAL},
      {"add", CALLBRIDGE_API_VERSION_ORIGINAL},
      {"divide", CALLBRIDGE_API_VERSION_STATUS_RETURNING},
      {"fail_then_succeed", CALLBRIDGE_API_VERSION_STATUS_RETURNING}};
  EXPECT_EQ(versions, kExpected);
  EXPECT_EQ(callbridge_lookup_target("add", 3, "Host", 4), targets_["add"].address);
}

TEST_F(LinkedTest, EvidenceIsReadOffTheSymbols) {
  EXPECT_STREQ(targets_["add"].evidence, "symbol add(void*, void const**)");
  EXPECT_NE(targets_["add"].api_version_is_proved, 0);
}

TEST_F(LinkedTest, TargetsAreCalled) {
  int out = 0;
  EXPECT_EQ(Call("add", 2, 3, &out), "OK");
  EXPECT_EQ(out, 5);
  EXPECT_EQ(Call("divide", 14, 7, &out), "OK");
  EXPECT_EQ(out, 2);
  EXPECT_EQ(Call("fail_then_succeed", 0, 0, &out), "OK");
  EXPECT_EQ(out, 7);
  EXPECT_EQ(Call("divide", 1, 0, &out), "INTERNAL: CustomCall failed: division of 1");
}

TEST_F(LinkedTest, OldCodeLooksUpWhatItRegistered) {
  int out = 0;
  EXPECT_EQ(Call("a_name_that_no_string_holds_without_allocation", 0, 0, &out), "OK");
  EXPECT_EQ(out, 1);
}

TEST_F(LinkedTest, EntryPointsAreThere) {
  callbridge_entry_points entry_points = {};
  entry_points.struct_size = sizeof(entry_points);
  EXPECT_EQ(Text(callbridge_target_entry_points(&targets_["divide"], &entry_points)), "OK");
  EXPECT_NE(entry_points.untyped, nullptr);
  EXPECT_NE(entry_points.typed, nullptr);
}

TEST_F(LinkedTest, AnIndexThatIsTooLargeIsRefused) {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  EXPECT_THAT(Text(callbridge_library_target(process_, 4, &target)),
              HasSubstr("OUT_OF_RANGE: target index 4 is out of range: the process has 4"));
}

}  // namespace
