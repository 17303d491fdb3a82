// One source of run ids in a process: no two runs have the same, whoever starts them.
#include <cstdint>
#include <set>
#include <string>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/callbridge_module.h"
#include "callbridge/handler_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

namespace ffi = xla::ffi;

ffi::Error TellRunId(ffi::RunId run, ffi::ResultBuffer<ffi::S64> id) {
  *id->typed_data() = run.run_id;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kTellRunId, TellRunId,
                       ffi::Ffi::Bind().Ctx<ffi::RunId>().Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "tell_run_id", "Host", kTellRunId);

class RunIds {
 public:
  void Add(int64_t id) { EXPECT_TRUE(ids_.insert(id).second) << "a second run has the id " << id; }

 private:
  std::set<int64_t> ids_;
};

int64_t Execute() {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = "tell_run_id";
  target.platform = "Host";
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  target.address = reinterpret_cast<void*>(kTellRunId);
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.result = "s64[]";
  int64_t id = 0;
  const callbridge_array result = {&id, sizeof(id)};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, nullptr, 0, &result, 1, nullptr)), "OK");
  return id;
}

constexpr char kModule[] =
    "HloModule m\n\nENTRY e {\n  ROOT id = s64[] custom-call(), "
    "custom_call_target=\"tell_run_id\", "
    "api_version=API_VERSION_TYPED_FFI\n}\n";

TEST(RunIdTest, IsEachRunsOwn) {
  RunIds ids;
  HandlerCall call(kTellRunId);
  int64_t id = 0;
  call.Ret(id);
  callbridge_module* module = nullptr;
  ASSERT_EQ(ErrorText(callbridge_module_read(kModule, sizeof(kModule) - 1, &module)), "OK");
  callbridge_program* program = nullptr;
  ASSERT_EQ(ErrorText(callbridge_program_compile(module, nullptr, 0, 1, &program)), "OK");
  for (int round = 0; round < 3; ++round) {
    const HandlerResult result = call.Run();
    ASSERT_TRUE(result.ok()) << result;
    ids.Add(id);
    ids.Add(Execute());
    const callbridge_array array = {&id, sizeof(id)};
    ASSERT_EQ(ErrorText(callbridge_program_execute(program, nullptr, 0, &array, 1)), "OK");
    ids.Add(id);
    ids.Add(callbridge_ffi_new_run_id());
  }
  callbridge_program_destroy(program);
  callbridge_module_destroy(module);
}

TEST(RunIdTest, IsTheCallersWhereThatSaysSo) {
  int64_t id = 0;
  HandlerCall call(kTellRunId);
  call.Ret(id).RunId(77);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(call.Run().ok());
    EXPECT_EQ(id, 77);
  }
  HandlerCall without(kTellRunId);
  EXPECT_THAT(without.Ret(id).ProvideNothing().Run().message(),
              testing::HasSubstr("run id is not available"));
}

}  // namespace
}  // namespace callbridge
