// The C ABI for whole programs.
#include "callbridge/client/callbridge_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kText[] =
    "HloModule m\n\nENTRY e {\n  x = (s32[], f32[2,3]{0,1}) parameter(0)\n  y = s32[] "
    "parameter(1)\n  a = s32[] get-tuple-element(x), index=0\n  b = f32[2,3] "
    "get-tuple-element(x), index=1\n  s = s32[] add(a, y)\n  ROOT t = (s32[], f32[2,3]) tuple(s, "
    "b)\n}\n";

class ModuleTest : public testing::Test {
 protected:
  ModuleTest() { EXPECT_EQ(ErrorText(Read(kText, &module_)), "OK"); }
  ~ModuleTest() override { callbridge_module_destroy(module_); }

  static callbridge_error* Read(const std::string& bytes, callbridge_module** module) {
    return callbridge_module_read(bytes.data(), bytes.size(), module);
  }
  static std::string Written(const callbridge_module* module, int32_t form) {
    std::string bytes;
    const auto append = [](void* user, const char* more, size_t size) {
      static_cast<std::string*>(user)->append(more, size);
    };
    EXPECT_EQ(ErrorText(callbridge_module_write(module, form, append, &bytes)), "OK");
    return bytes;
  }

  callbridge_module* module_ = nullptr;
};

TEST_F(ModuleTest, EachFormIsReadAgain) {
  const std::string text = Written(module_, CALLBRIDGE_MODULE_HLO_TEXT);
  EXPECT_THAT(text, StartsWith("HloModule m"));
  const std::string proto = Written(module_, CALLBRIDGE_MODULE_HLO_PROTO);
  for (const std::string& bytes : {text, proto}) {
    callbridge_module* again = nullptr;
    ASSERT_EQ(ErrorText(Read(bytes, &again)), "OK");
    EXPECT_EQ(Written(again, CALLBRIDGE_MODULE_HLO_TEXT), text);
    callbridge_module_destroy(again);
  }
  callbridge_module* no_tuples = nullptr;
  ASSERT_EQ(
      ErrorText(Read("HloModule m\nENTRY e {\n  ROOT x = s32[] parameter(0)\n}\n", &no_tuples)),
      "OK");
  EXPECT_THAT(Written(no_tuples, CALLBRIDGE_MODULE_STABLEHLO_TEXT), StartsWith("module @m"));
  callbridge_module_destroy(no_tuples);
}

TEST_F(ModuleTest, OtherFormsAreRefused) {
  for (int32_t form : {-1, 3}) {
    EXPECT_THAT(ErrorText(callbridge_module_write(
                    module_, form, [](void*, const char*, size_t) { FAIL(); }, nullptr)),
                StartsWith("INVALID_ARGUMENT: form is " + std::to_string(form) +
                           ", and must be one of CALLBRIDGE_MODULE_HLO_PROTO (0)"));
  }
}

TEST_F(ModuleTest, ThreadsAreAtLeastOne) {
  callbridge_program* program = nullptr;
  for (int32_t threads : {0, -1}) {
    EXPECT_EQ(
        ErrorText(callbridge_program_compile(module_, nullptr, 0, threads, &program)),
        "INVALID_ARGUMENT: threads is " + std::to_string(threads) + ", and must be 1 or more");
  }
  EXPECT_EQ(program, nullptr);
}

TEST_F(ModuleTest, AProgramTellsItsShapesAndComputes) {
  callbridge_program* program = nullptr;
  ASSERT_EQ(ErrorText(callbridge_program_compile(module_, nullptr, 0, 1, &program)), "OK");
  ASSERT_EQ(callbridge_program_parameter_count(program), 2u);
  EXPECT_STREQ(callbridge_program_parameter(program, 0), "(s32[]{},f32[2,3]{0,1})");
  EXPECT_STREQ(callbridge_program_parameter(program, 1), "s32[]{}");
  EXPECT_EQ(callbridge_program_parameter(program, 2), nullptr);
  EXPECT_EQ(callbridge_program_parameter(program, SIZE_MAX), nullptr);
  EXPECT_THAT(callbridge_program_result(program), StartsWith("(s32[]{},f32[2,3]"));
  int32_t a = 5;
  float b[] = {1, 2, 3, 4, 5, 6};
  int32_t y = 7;
  int32_t sum = 0;
  float c[6] = {};
  const callbridge_array parameters[] = {{&a, 4}, {b, 24}, {&y, 4}};
  const callbridge_array results[] = {{&sum, 4}, {c, 24}};
  EXPECT_EQ(ErrorText(callbridge_program_execute(program, parameters, 3, results, 2)), "OK");
  EXPECT_EQ(sum, 12);
  EXPECT_EQ(ErrorText(callbridge_program_execute(program, parameters, 2, results, 2)),
            "INVALID_ARGUMENT: the module has 3 parameters (leaves of tuples counted), but there "
            "are 2 arrays");
  EXPECT_EQ(ErrorText(callbridge_program_execute(program, parameters, 3, results, 1)),
            "INVALID_ARGUMENT: the module has 2 results (leaves of tuples counted), but there are "
            "1 arrays");
  const callbridge_array short_one[] = {{&a, 4}, {b, 20}, {&y, 4}};
  EXPECT_EQ(ErrorText(callbridge_program_execute(program, short_one, 3, results, 2)),
            "INVALID_ARGUMENT: parameter 1 (leaves of tuples counted) is f32[2,3]{0,1}, which has "
            "24 bytes, but its array has 20");
  const callbridge_array long_one[] = {{&sum, 4}, {c, 28}};
  EXPECT_THAT(ErrorText(callbridge_program_execute(program, parameters, 3, long_one, 2)),
              HasSubstr("result 1 (leaves of tuples counted) is f32[2,3]"));
  callbridge_program_destroy(program);
}

TEST_F(ModuleTest, AnUpgradedModuleIsAnotherOne) {
  callbridge_module* old = nullptr;
  ASSERT_EQ(ErrorText(Read("HloModule m\nENTRY e {\n  ROOT x = s32[] custom-call(), "
                           "custom_call_target=\"t\"\n}\n",
                           &old)),
            "OK");
  const std::string before = Written(old, CALLBRIDGE_MODULE_HLO_TEXT);
  callbridge_module* upgraded = nullptr;
  ASSERT_EQ(ErrorText(callbridge_module_upgrade(old, &upgraded)), "OK");
  EXPECT_THAT(Written(upgraded, CALLBRIDGE_MODULE_HLO_TEXT), HasSubstr("API_VERSION_TYPED_FFI"));
  EXPECT_EQ(Written(old, CALLBRIDGE_MODULE_HLO_TEXT), before);
  callbridge_module_destroy(upgraded);
  callbridge_module_destroy(old);
}

TEST_F(ModuleTest, GivesEachCustomCall) {
  using Calls = std::vector<std::pair<std::string, int32_t>>;
  const auto append = [](void* user, const char* target, size_t size, int32_t api_version) {
    static_cast<Calls*>(user)->emplace_back(std::string(target, size), api_version);
  };
  Calls calls;
  ASSERT_EQ(ErrorText(callbridge_module_custom_calls(module_, append, &calls)), "OK");
  EXPECT_THAT(calls, testing::IsEmpty());
  callbridge_module* module = nullptr;
  ASSERT_EQ(ErrorText(Read(R"(HloModule m

inner {
  x = s32[] parameter(0)
  ROOT y = s32[] custom-call(x), custom_call_target="a \"b\", custom_call_target=c", api_version=API_VERSION_TYPED_FFI
}

ENTRY e {
  x = s32[] parameter(0)
  a = s32[] custom-call(x), custom_call_target="f", backend_config="custom_call_target=\"g\""
  b = s32[] call(a), to_apply=inner
  c = s32[] custom-call(b), custom_call_target="f", api_version=API_VERSION_STATUS_RETURNING_UNIFIED
  ROOT d = s32[] custom-call(c), custom_call_target="Sharding", sharding={replicated}
}
)",
                           &module)),
            "OK");
  ASSERT_EQ(ErrorText(callbridge_module_custom_calls(module, append, &calls)), "OK");
  EXPECT_EQ(calls,
            (Calls{{"a \"b\", custom_call_target=c", 4}, {"f", 1}, {"f", 3}, {"Sharding", 1}}));
  callbridge_module_destroy(module);
}

TEST_F(ModuleTest, SaysWhichCallsAnUpgradeLeavesAlone) {
  std::string told;
  const auto append = [](void* user, const char* instruction, const char* target,
                         const char* reason) {
    *static_cast<std::string*>(user) += std::string(instruction) + " " + target + ": " + reason;
  };
  ASSERT_EQ(ErrorText(callbridge_module_calls_left(module_, append, &told)), "OK");
  EXPECT_EQ(told, "");
  callbridge_module* module = nullptr;
  ASSERT_EQ(ErrorText(Read(R"(HloModule m
ENTRY e {
  x = s32[<=2] parameter(0)
  a = s32[] custom-call(x), custom_call_target="f"
  ROOT b = s32[] custom-call(a), custom_call_target="f"
}
)",
                           &module)),
            "OK");
  ASSERT_EQ(ErrorText(callbridge_module_calls_left(module, append, &told)), "OK");
  EXPECT_THAT(told, testing::StartsWith("a f: operand 0 is an array with dynamic dimensions, "));
  callbridge_module_destroy(module);
}

// The embedded runtime refuses what passes through, when it compiles.
TEST_F(ModuleTest, RefusesToRunWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"ROOT r = f32[2] sine(p)", "the embedded runtime has no instruction sine"},
      {"ROOT r = f32[2] abs(p), of_tomorrow={1}", "does not know the attribute of_tomorrow of abs"},
      {"ROOT r = f32[2] constant({...})", "expected a constant's elements, got none"},
      {"ROOT r = f32[2]{0:T(8)} abs(p)", "a tiled layout"},
  };
  for (const auto& [line, message] : cases) {
    const std::string text =
        std::string("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ") + line + "\n}\n";
    callbridge_module* module = nullptr;
    ASSERT_EQ(ErrorText(Read(text.c_str(), &module)), "OK") << line;
    callbridge_program* program = nullptr;
    EXPECT_THAT(ErrorText(callbridge_program_compile(module, nullptr, 0, 1, &program)),
                HasSubstr(message));
    callbridge_module_destroy(module);
  }
  callbridge_module* module = nullptr;
  ASSERT_EQ(ErrorText(Read("HloModule m, num_partitions=2\nENTRY e {\n  p = f32[] parameter(0)\n}",
                           &module)),
            "OK");
  callbridge_program* program = nullptr;
  EXPECT_THAT(ErrorText(callbridge_program_compile(module, nullptr, 0, 1, &program)),
              HasSubstr("the module is for several devices, num_partitions=2"));
  callbridge_module_destroy(module);
}

}  // namespace
}  // namespace callbridge
