// Each C function that libcallbridge_client.so exports, called with each of its pointers null.
#include "tests/c_api/null_pointers.h"

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace {

using callbridge::ErrorText;
using callbridge::null_pointers::Of;
using callbridge::null_pointers::Row;

constexpr char kModule[] =
    "HloModule m\n\nENTRY e {\n  x = s32[] parameter(0)\n  ROOT y = s32[] add(x, x)\n}\n";

// Arguments of which each is good. Lives as long as the process.
struct Valid {
  Valid() {
    EXPECT_EQ(ErrorText(callbridge_module_read(kModule, sizeof(kModule) - 1, &module)), "OK");
    EXPECT_EQ(ErrorText(callbridge_program_compile(module, nullptr, 0, 1, &program)), "OK");
    EXPECT_EQ(ErrorText(callbridge_library_of_process(&libraries[0])), "OK");
  }

  int32_t number = 0;
  callbridge_array array = {&number, sizeof(number)};
  callbridge_module* module = nullptr;
  callbridge_program* program = nullptr;
  callbridge_library* libraries[1] = {};
  // Never used: the functions check their other pointers first.
  callbridge_device* device = reinterpret_cast<callbridge_device*>(&number);
  // Where a function writes what it must not make here.
  callbridge_module* no_module = nullptr;
  callbridge_program* no_program = nullptr;
};

std::vector<Row> Rows() {
  static auto& v = *new Valid;
  return {
      Of(
          "callbridge_module_calls_left", &callbridge_module_calls_left, "module sink user?",
          v.module, [](void*, const char*, const char*, const char*) {}, &v),
      Of(
          "callbridge_module_custom_calls", &callbridge_module_custom_calls, "module sink user?",
          v.module, [](void*, const char*, size_t, int32_t) {}, &v),
      Of("callbridge_module_destroy", &callbridge_module_destroy, "module", nullptr),
      Of("callbridge_module_read", &callbridge_module_read, "bytes size module", kModule,
         sizeof(kModule) - 1, &v.no_module),
      Of("callbridge_module_upgrade", &callbridge_module_upgrade, "module upgraded", v.module,
         &v.no_module),
      Of(
          "callbridge_module_write", &callbridge_module_write, "module form sink user?", v.module,
          CALLBRIDGE_MODULE_HLO_TEXT, [](void*, const char*, size_t) {}, &v),
      Of("callbridge_program_compile", &callbridge_program_compile,
         "module libraries library_count threads program", v.module, v.libraries, 1, 1,
         &v.no_program),
      Of("callbridge_program_compile_on_device", &callbridge_program_compile_on_device,
         "module libraries library_count threads device synchronizes program", v.module,
         v.libraries, 1, 1, v.device, 0, &v.no_program),
      Of("callbridge_program_destroy", &callbridge_program_destroy, "program", nullptr),
      Of("callbridge_program_execute", &callbridge_program_execute,
         "program parameters parameter_count results result_count", v.program, &v.array, 1,
         &v.array, 1),
      Of("callbridge_program_parameter", &callbridge_program_parameter, "program index", v.program,
         0),
      Of("callbridge_program_parameter_count", &callbridge_program_parameter_count, "program",
         v.program),
      Of("callbridge_program_result", &callbridge_program_result, "program", v.program),
  };
}

class ClientNullPointersTest : public testing::TestWithParam<Row> {};

TEST_P(ClientNullPointersTest, AreRefusedByName) { GetParam().call_with_nulls(); }

INSTANTIATE_TEST_SUITE_P(Exported, ClientNullPointersTest, testing::ValuesIn(Rows()),
                         [](const auto& info) { return info.param.symbol; });

TEST(ClientNullPointersTableTest, EachExportedFunctionHasARow) {
  EXPECT_EQ(callbridge::null_pointers::Symbols(Rows()),
            callbridge::null_pointers::ExportedC(EXPORTED_SYMBOLS));
}

TEST(ClientArgumentsTest, NullsInListsAreNamed) {
  Valid v;
  callbridge_library* const libraries[] = {v.libraries[0], nullptr};
  EXPECT_EQ(ErrorText(callbridge_program_compile(v.module, libraries, 2, 1, &v.no_program)),
            "INVALID_ARGUMENT: libraries[1] is null");
  const callbridge_array nowhere = {nullptr, 4};
  EXPECT_EQ(ErrorText(callbridge_program_execute(v.program, &nowhere, 1, &v.array, 1)),
            "INVALID_ARGUMENT: parameters[0].data is null");
  EXPECT_EQ(ErrorText(callbridge_program_execute(v.program, &v.array, 1, &nowhere, 1)),
            "INVALID_ARGUMENT: results[0].data is null");
  EXPECT_THAT(ErrorText(callbridge_module_read("x", SIZE_MAX, &v.no_module)),
              testing::StartsWith("INVALID_ARGUMENT: size is"));
  EXPECT_EQ(ErrorText(callbridge_module_write(
                v.module, CALLBRIDGE_MODULE_HLO_TEXT, [](void*, const char*, size_t) { throw 42; },
                nullptr)),
            "INTERNAL: threw int");
  callbridge_program_destroy(v.program);
  callbridge_module_destroy(v.module);
  EXPECT_EQ(ErrorText(callbridge_library_close(v.libraries[0])), "OK");
}

}  // namespace
