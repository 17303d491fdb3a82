#include "callbridge/pjrt/plugin.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/pjrt/fake_plugin.h"

namespace callbridge::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string OpenText(const PJRT_Api* api) {
  const absl::StatusOr<Plugin> plugin = Plugin::Open(api);
  return plugin.ok() ? "OK" : plugin.status().ToString();
}

XLA_FFI_Error* Handler(XLA_FFI_CallFrame*) { return nullptr; }
void Function() {}

// ---- The table and the chain

TEST(PluginTest, FindsTheExtensions) {
  FakePlugin fake;
  const absl::StatusOr<Plugin> plugin = Plugin::Open(&fake.api);
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  EXPECT_TRUE(plugin->is_gpu());
  EXPECT_EQ(plugin->version_text(), "0.116");
  EXPECT_EQ(plugin->registrar(), reinterpret_cast<const void*>(fake.gpu.custom_call));
  fake.RemoveGpu();
  const absl::StatusOr<Plugin> other = Plugin::Open(&fake.api);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FALSE(other->is_gpu());
  EXPECT_EQ(other->registrar(), reinterpret_cast<const void*>(fake.ffi.register_handler));
}

TEST(PluginTest, RefusesATableThatIsTooSmall) {
  FakePlugin fake;
  fake.api.struct_size = 63;
  EXPECT_EQ(OpenText(&fake.api),
            "INVALID_ARGUMENT: PJRT_Api.struct_size is 63, but must be at least 64: pass what "
            "GetPjrtApi() returns");
  fake.api.struct_size = 64;
  EXPECT_EQ(OpenText(&fake.api), "OK");
  fake.api.pjrt_api_version.struct_size = 16;
  EXPECT_EQ(OpenText(&fake.api),
            "INVALID_ARGUMENT: PJRT_Api.pjrt_api_version.struct_size is 16, but must be at least "
            "24");
}

TEST(PluginTest, RefusesAnUnalignedTable) {
  FakePlugin fake;
  alignas(8) char memory[sizeof(PJRT_Api) + 1];
  std::memcpy(memory + 1, &fake.api, sizeof(fake.api));
  EXPECT_THAT(OpenText(reinterpret_cast<const PJRT_Api*>(memory + 1)),
              HasSubstr("which is not a multiple of 8"));
}

TEST(PluginTest, RefusesOtherVersions) {
  FakePlugin fake;
  struct {
    int major, minor;
  } const unknown[] = {{1, 0}, {1, 116}, {-1, 116}, {0, 53}, {0, -1}};
  for (const auto& version : unknown) {
    fake.api.pjrt_api_version.major_version = version.major;
    fake.api.pjrt_api_version.minor_version = version.minor;
    EXPECT_EQ(OpenText(&fake.api),
              "UNIMPLEMENTED: the plugin has the PJRT API " + std::to_string(version.major) + "." +
                  std::to_string(version.minor) +
                  ", but callbridge knows the API from 0.54 (jaxlib 0.4.30) on, up to the next "
                  "major version");
  }
  for (const int minor : {54, 55, 90, 116, 117, 100000}) {
    fake.api.pjrt_api_version = {24, nullptr, 0, minor};
    EXPECT_EQ(OpenText(&fake.api), "OK") << minor;
  }
}

TEST(PluginTest, NeedsTheFunctionsForErrors) {
  const std::string refused =
      "INVALID_ARGUMENT: the PJRT_Api lacks PJRT_Error_Destroy, PJRT_Error_Message or "
      "PJRT_Error_GetCode";
  for (int i = 0; i < 3; ++i) {
    FakePlugin fake;
    if (i == 0) fake.api.PJRT_Error_Destroy = nullptr;
    if (i == 1) fake.api.PJRT_Error_Message = nullptr;
    if (i == 2) fake.api.PJRT_Error_GetCode = nullptr;
    EXPECT_EQ(OpenText(&fake.api), refused) << i;
  }
}

TEST(PluginTest, RefusesAChainWithACycle) {
  FakePlugin fake;
  fake.gpu.base.next = &fake.other;
  const std::string refused =
      "INVALID_ARGUMENT: the plugin's chain of extensions has a cycle: it has more than 1000";
  EXPECT_EQ(OpenText(&fake.api), refused);
  fake.other.next = &fake.other;
  EXPECT_EQ(OpenText(&fake.api), refused);
}

TEST(PluginTest, RefusesExtensionsThatAreTooSmall) {
  for (const size_t size : {size_t{0}, size_t{8}, size_t{23}}) {
    FakePlugin fake;
    fake.ffi.base.struct_size = size;
    EXPECT_EQ(OpenText(&fake.api), "INVALID_ARGUMENT: the plugin's extension 1 has struct_size " +
                                       std::to_string(size) + ", but must have at least 24");
  }
}

TEST(PluginTest, RefusesUnalignedExtensions) {
  FakePlugin fake;
  alignas(8) char memory[64] = {};
  fake.gpu.base.next = reinterpret_cast<PJRT_Extension_Base*>(memory + 4);
  EXPECT_THAT(OpenText(&fake.api), HasSubstr("the plugin's extension 3 is at 0x"));
  EXPECT_THAT(OpenText(&fake.api), HasSubstr("which is not a multiple of 8"));
}

constexpr char kLacksBoth[] =
    "UNIMPLEMENTED: the plugin (PJRT API 0.116) registers no custom calls: it has neither the "
    "extension for GPU custom calls (type 0), which XLA's GPU plugins have since jaxlib 0.4.30, "
    "nor register_handler in an FFI extension (type 5), which plugins have since jaxlib 0.7.2";

TEST(PluginTest, NeedsAnExtensionThatRegisters) {
  FakePlugin fake;
  fake.api.extension_start = nullptr;
  EXPECT_EQ(OpenText(&fake.api), kLacksBoth);
  fake.api.extension_start = &fake.other;
  fake.RemoveGpu();
  fake.ffi.base.struct_size = 47;  // as of older plugins, which end at 40
  EXPECT_EQ(OpenText(&fake.api), kLacksBoth);
  fake.ffi.base.struct_size = 48;
  EXPECT_EQ(OpenText(&fake.api), "OK");
  fake.ffi.register_handler = nullptr;
  EXPECT_EQ(OpenText(&fake.api), kLacksBoth);
}

TEST(PluginTest, AnExtensionThatEndsBeforeItsFunctionLacksIt) {
  FakePlugin fake;
  fake.ffi.base.struct_size = 40;
  fake.gpu.base.struct_size = 31;
  EXPECT_EQ(OpenText(&fake.api), kLacksBoth);
  fake.gpu.base.struct_size = 33;  // that of jaxlib 0.12
  EXPECT_EQ(OpenText(&fake.api), "OK");
  fake.gpu.custom_call = nullptr;
  EXPECT_EQ(OpenText(&fake.api), kLacksBoth);
}

TEST(PluginTest, TheFirstExtensionOfATypeCounts) {
  FakePlugin fake;
  PJRT_Gpu_Custom_Call second = {{32, PJRT_Extension_Type_Gpu_Custom_Call, nullptr}, nullptr};
  fake.gpu.base.next = &second.base;
  const absl::StatusOr<Plugin> plugin = Plugin::Open(&fake.api);
  ASSERT_TRUE(plugin.ok());
  EXPECT_EQ(plugin->registrar(), reinterpret_cast<const void*>(fake.gpu.custom_call));
}

// ---- Registering

Plugin Open(const FakePlugin& fake) { return *Plugin::Open(&fake.api); }

TEST(PluginTest, RegistersFunctions) {
  FakePlugin fake;
  auto* const function = reinterpret_cast<void*>(&Function);
  EXPECT_TRUE(Open(fake).RegisterFunction("f", function).ok());
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.registered[0].name, "f");
  EXPECT_EQ(fake.registered[0].api_version, PJRT_Gpu_Untyped);
  EXPECT_THAT(fake.registered[0].functions, ElementsAre(nullptr, nullptr, nullptr, function));
  EXPECT_EQ(fake.questions, 0);
}

TEST(PluginTest, RegistersHandlersOfAllStagesButRecord) {
  FakePlugin fake;
  const XLA_FFI_Handler_Bundle all = {&Handler, &Handler, &Handler, &Handler, &Handler};
  auto* const handler = reinterpret_cast<void*>(&Handler);
  EXPECT_TRUE(Open(fake).RegisterHandlers("h", "CUDA", all, 0).ok());
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.registered[0].api_version, PJRT_Gpu_Typed);
  EXPECT_THAT(fake.registered[0].functions, ElementsAre(handler, handler, handler, handler));
}

// jaxlib 0.4.30 and 0.4.34 state the same version and differ in the layout.
TEST(PluginTest, GivesTraitsWhereTheExtensionReadsThem) {
  FakePlugin fake;
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.execute = &Handler;
  const auto registered = [&](XLA_FFI_Handler_Traits traits) {
    const Plugin plugin = *Plugin::Open(&fake.api);
    EXPECT_TRUE(plugin.RegisterHandlers("h", "CUDA", handlers, traits).ok());
    return fake.registered.back();
  };
  EXPECT_TRUE(Plugin::Open(&fake.api)->takes_traits());
  EXPECT_EQ(registered(1).traits, 1u);
  EXPECT_EQ(registered(0).traits, 0u);
  EXPECT_TRUE(
      Plugin::Open(&fake.api)->RegisterFunction("f", reinterpret_cast<void*>(&Function)).ok());
  EXPECT_EQ(fake.registered.back().traits, 0u);
  // Version 3 may read none.
  fake.gpu.custom_call_handles_traits = false;
  EXPECT_FALSE(Plugin::Open(&fake.api)->takes_traits());
  EXPECT_EQ(registered(1).traits, 0u);
  // Version 2: what lies behind the extension is not its field.
  fake.gpu.custom_call_handles_traits = true;
  fake.RemoveTraits();
  EXPECT_FALSE(Plugin::Open(&fake.api)->takes_traits());
  EXPECT_EQ(registered(1).traits, 0u);
  fake.RemoveGpu();
  EXPECT_TRUE(Plugin::Open(&fake.api)->takes_traits());
  EXPECT_EQ(registered(1).traits, 1u);
}

TEST(PluginTest, AsksForTheLayoutWhereTheVersionDoesNotTell) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 54;
  const XLA_FFI_Handler_Bundle execute = {nullptr, nullptr, nullptr, &Handler, nullptr};
  auto* const function = reinterpret_cast<void*>(&Function);

  EXPECT_EQ(Open(fake).TakesHandlers().value(), true);
  EXPECT_TRUE(Open(fake).RegisterFunction("f", function).ok());
  EXPECT_TRUE(Open(fake).RegisterHandlers("h", "CUDA", execute, 0).ok());
  EXPECT_EQ(fake.questions, 3);
  ASSERT_EQ(fake.registered.size(), 2u);
  EXPECT_THAT(fake.registered[0].functions, ElementsAre(nullptr, nullptr, nullptr, function));

  fake.registered.clear();
  fake.has_old_layout = true;
  EXPECT_EQ(Open(fake).TakesHandlers().value(), false);
  EXPECT_TRUE(Open(fake).RegisterFunction("f", function).ok());
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_THAT(fake.registered[0].functions, ElementsAre(function));
  EXPECT_EQ(Open(fake).RegisterHandlers("h", "CUDA", execute, 0).ToString(),
            "UNIMPLEMENTED: the plugin (PJRT API 0.54) takes typed handlers without their other "
            "stages; plugins take these since jaxlib 0.4.34");
  EXPECT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.errors, 0);
}

TEST(PluginTest, AnAnswerThatTellsNoLayoutIsAnError) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 54;
  fake.gpu.custom_call = [](void*) -> PJRT_Error* { return nullptr; };
  EXPECT_EQ(Open(fake).TakesHandlers().status().ToString(),
            "INTERNAL: the plugin (PJRT API 0.54) should refuse api_version -1, but answers OK");
  EXPECT_EQ(Open(fake).RegisterFunction("f", nullptr).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Open(fake).RegisterHandlers("f", "CUDA", {}, 0).code(), absl::StatusCode::kInternal);
}

TEST(PluginTest, WithoutTheGpuExtensionTakesHandlersToExecute) {
  FakePlugin fake;
  fake.RemoveGpu();
  XLA_FFI_Handler_Bundle handlers = {nullptr, nullptr, nullptr, &Handler, &Handler};
  EXPECT_TRUE(Open(fake).RegisterHandlers("h", "Host", handlers, 0).ok());
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.registered[0].platform, "Host");
  EXPECT_THAT(fake.registered[0].functions, ElementsAre(reinterpret_cast<void*>(&Handler)));
  handlers.prepare = &Handler;
  EXPECT_EQ(Open(fake).RegisterHandlers("h", "Host", handlers, 0).ToString(),
            "UNIMPLEMENTED: the plugin has no extension for GPU custom calls, and its FFI "
            "extension takes a handler for the stage EXECUTE alone, but the target has others");
  EXPECT_EQ(Open(fake).RegisterFunction("f", nullptr).ToString(),
            "UNIMPLEMENTED: the plugin has no extension for GPU custom calls, and registers typed "
            "handlers alone");
}

// ---- Errors

TEST(PluginTest, ReadsAndDestroysErrors) {
  FakePlugin fake;
  const Plugin plugin = Open(fake);
  for (int32_t code = 1; code <= 16; ++code) {
    fake.refuses = code;
    const absl::Status refused = plugin.RegisterFunction("f", nullptr);
    EXPECT_EQ(static_cast<int>(refused.code()), code);
    EXPECT_EQ(refused.message(), "not today");
  }
  for (const int32_t code : {-1, 17, 1 << 30}) {
    fake.refuses = code;
    EXPECT_EQ(plugin.RegisterFunction("f", nullptr).raw_code(), 2) << code;
  }
  auto* const get_code = fake.api.PJRT_Error_GetCode;
  fake.api.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args*) -> PJRT_Error* { return nullptr; };
  EXPECT_EQ(plugin.RegisterFunction("f", nullptr).ToString(), "UNKNOWN: not today")
      << "0 is no code of an error";
  fake.api.PJRT_Error_GetCode = get_code;
  fake.refuses = 3;
  fake.code_fails = true;
  EXPECT_EQ(plugin.RegisterFunction("f", nullptr).ToString(), "UNKNOWN: not today");
  EXPECT_EQ(fake.errors, 0) << "errors that were not destroyed";
}

TEST(PluginTest, AnErrorMayHaveNoMessage) {
  FakePlugin fake;
  fake.refuses = 3;
  fake.api.PJRT_Error_Message = [](PJRT_Error_Message_Args*) {};
  EXPECT_EQ(Open(fake).RegisterFunction("f", nullptr).ToString(), "INVALID_ARGUMENT: ");
}

// ---- Types

TEST(PluginTest, RegistersTypes) {
  FakePlugin fake;
  int64_t id = 0;
  EXPECT_TRUE(Open(fake).RegisterType("t", &id, nullptr).ok());
  EXPECT_EQ(id, 7);
  id = 99;
  EXPECT_TRUE(Open(fake).RegisterType("u", &id, nullptr).ok());
  EXPECT_EQ(id, 99);
  EXPECT_EQ(fake.types["u"], 99);
  id = 0;
  EXPECT_EQ(Open(fake).RegisterType("t", &id, nullptr).ToString(),
            "INTERNAL: Type name t already registered");
  EXPECT_EQ(id, 0);
  EXPECT_EQ(fake.errors, 0);
}

TEST(PluginTest, APluginThatAssignsIdsTakesNone) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 58;
  int64_t id = 99;
  EXPECT_EQ(Open(fake).RegisterType("t", &id, nullptr).ToString(),
            "UNIMPLEMENTED: the plugin (PJRT API 0.58) assigns ids itself, but the type has the id "
            "99; plugins take an id since jaxlib 0.6");
  EXPECT_EQ(id, 99);
  EXPECT_TRUE(fake.types.empty());
  id = 0;
  EXPECT_TRUE(Open(fake).RegisterType("t", &id, nullptr).ok());
  EXPECT_EQ(id, 7);
}

TEST(PluginTest, TypesNeedTheFfiExtension) {
  FakePlugin fake;
  fake.other.next = &fake.gpu.base;
  int64_t id = 0;
  EXPECT_EQ(Open(fake).RegisterType("t", &id, nullptr).ToString(),
            "UNIMPLEMENTED: the plugin (PJRT API 0.116) has no FFI extension (type 5), so it has "
            "no types");
}

}  // namespace
}  // namespace callbridge::pjrt
