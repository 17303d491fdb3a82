#include "callbridge/pjrt/registration.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/typed_ffi/binding/ffi.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/pjrt/fake_plugin.h"

namespace callbridge::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- Targets

void Untyped(void*, void**, const char*, size_t) {}
void OtherUntyped(void*, void**, const char*, size_t) {}

Target UntypedTarget(const std::string& name, Platform platform = Platform::kCuda) {
  Target target;
  target.name = name;
  target.platform = platform;
  target.api_version = ApiVersion::kOriginal;
  target.address = reinterpret_cast<void*>(&Untyped);
  return target;
}

// As XLA's headers have it: adapts to any runtime.
XLA_FFI_DEFINE_HANDLER(
    kAdapts, [] { return ::xla::ffi::Error::Success(); }, ::xla::ffi::Ffi::Bind());

XLA_FFI_DEFINE_HANDLER(kReportsTraits, [] { return ::xla::ffi::Error::Success(); },
                       ::xla::ffi::Ffi::Bind(), {::xla::ffi::Traits::kCmdBufferCompatible});

// Written by hand: says nothing of its headers but the version, of which it has `kMinor`.
template <int kMinor>
XLA_FFI_Error* ByHand(XLA_FFI_CallFrame* frame) {
  for (auto* extension = frame->extension_start; extension != nullptr;
       extension = extension->next) {
    if (extension->type != XLA_FFI_Extension_Metadata) continue;
    auto& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
    metadata.api_version.major_version = 0;
    metadata.api_version.minor_version = kMinor;
  }
  return nullptr;
}

XLA_FFI_Error* SaysNothing(XLA_FFI_CallFrame*) { return nullptr; }

Target TypedTarget(const std::string& name, XLA_FFI_Handler* execute = kAdapts) {
  Target target;
  target.name = name;
  target.platform = Platform::kCuda;
  target.api_version = ApiVersion::kTypedFfi;
  target.address = reinterpret_cast<void*>(execute);
  return target;
}

void* Address(XLA_FFI_Handler* handler) { return reinterpret_cast<void*>(handler); }

Plugin Open(const FakePlugin& fake) { return *Plugin::Open(&fake.api); }

// Chooses, prepares and registers.
std::string RegisterText(const FakePlugin& fake, const Target& target,
                         ApiVersion prefer = ApiVersion::kUnspecified) {
  const Plugin plugin = Open(fake);
  const absl::StatusOr<ApiVersion> version = ChooseApiVersion(plugin, prefer);
  if (!version.ok()) return version.status().ToString();
  const absl::StatusOr<Registration> made = Prepare(plugin, target, *version);
  if (!made.ok()) return made.status().ToString();
  return Register(plugin, *made).ToString();
}

// ---- The path

TEST(PjrtRegistrationTest, TypedFfiIsTheFastest) {
  FakePlugin fake;
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kUnspecified).value(), ApiVersion::kTypedFfi);
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kStatusReturningUnified).value(),
            ApiVersion::kStatusReturningUnified);
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kOriginal).status().ToString(),
            "INVALID_ARGUMENT: prefer is 1, but must be 3 (untyped), 4 (typed FFI) or 0 (the "
            "fastest)");
}

TEST(PjrtRegistrationTest, PluginsWithoutStagesGetVersionThree) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 54;
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kUnspecified).value(), ApiVersion::kTypedFfi);
  fake.has_old_layout = true;
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kUnspecified).value(),
            ApiVersion::kStatusReturningUnified);
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kTypedFfi).status().ToString(),
            "UNIMPLEMENTED: the plugin (PJRT API 0.54) does not take all stages of typed handlers; "
            "plugins do since jaxlib 0.4.34");
}

TEST(PjrtRegistrationTest, PluginsForHandlersAloneServeNoUntypedCalls) {
  FakePlugin fake;
  fake.RemoveGpu();
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kUnspecified).value(), ApiVersion::kTypedFfi);
  EXPECT_EQ(ChooseApiVersion(Open(fake), ApiVersion::kStatusReturningUnified).status().ToString(),
            "UNIMPLEMENTED: the plugin has no extension for GPU custom calls, and registers typed "
            "handlers alone");
}

// ---- What is registered

TEST(PjrtRegistrationTest, UntypedTargetsByTheirEntryPoints) {
  FakePlugin fake;
  const Target target = UntypedTarget("untyped_by_entry_points");
  const EntryPoints points = *GetEntryPoints(target);
  EXPECT_EQ(RegisterText(fake, target), "OK");
  EXPECT_EQ(RegisterText(fake, target, ApiVersion::kStatusReturningUnified), "OK");
  ASSERT_EQ(fake.registered.size(), 2u);
  EXPECT_EQ(fake.registered[0].name, "untyped_by_entry_points");
  EXPECT_EQ(fake.registered[0].api_version, PJRT_Gpu_Typed);
  EXPECT_THAT(fake.registered[0].functions,
              ElementsAre(nullptr, nullptr, nullptr, Address(points.typed)));
  EXPECT_EQ(fake.registered[1].api_version, PJRT_Gpu_Untyped);
  EXPECT_THAT(fake.registered[1].functions, ElementsAre(nullptr, nullptr, nullptr, points.untyped));
}

TEST(PjrtRegistrationTest, HandlersThatRunThereAsTheyAre) {
  FakePlugin fake;
  Target target = TypedTarget("handler_as_it_is");
  target.stages.instantiate = kAdapts;
  EXPECT_EQ(RegisterText(fake, target), "OK");
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_THAT(fake.registered[0].functions,
              ElementsAre(Address(kAdapts), nullptr, nullptr, Address(kAdapts)));
}

TEST(PjrtRegistrationTest, TypedTargetsByVersionThree) {
  FakePlugin fake;
  const Target target = TypedTarget("typed_by_version_three");
  EXPECT_EQ(RegisterText(fake, target, ApiVersion::kStatusReturningUnified), "OK");
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.registered[0].api_version, PJRT_Gpu_Untyped);
  EXPECT_EQ(fake.registered[0].functions[3], GetEntryPoints(target)->untyped);
}

TEST(PjrtRegistrationTest, WithoutTheGpuExtensionForTheTargetsPlatform) {
  FakePlugin fake;
  fake.RemoveGpu();
  EXPECT_EQ(RegisterText(fake, UntypedTarget("for_its_platform", Platform::kHost)), "OK");
  EXPECT_EQ(RegisterText(fake, UntypedTarget("for_its_platform", Platform::kRocm)), "OK");
  ASSERT_EQ(fake.registered.size(), 2u);
  EXPECT_EQ(fake.registered[0].platform, "Host");
  EXPECT_EQ(fake.registered[1].platform, "ROCM");
}

// ---- What is refused

TEST(PjrtRegistrationTest, TargetsOfTheHostAreNotForGpus) {
  FakePlugin fake;
  EXPECT_EQ(RegisterText(fake, UntypedTarget("host_on_gpu", Platform::kHost)),
            "INVALID_ARGUMENT: custom call \"host_on_gpu\": the target is for Host, but the plugin "
            "runs programs on a GPU");
  EXPECT_EQ(RegisterText(fake, UntypedTarget("rocm_on_gpu", Platform::kRocm)), "OK");
  EXPECT_EQ(fake.registered.size(), 1u);
}

TEST(PjrtRegistrationTest, NamesAndAddressesAreNeeded) {
  FakePlugin fake;
  EXPECT_EQ(RegisterText(fake, UntypedTarget("")),
            "INVALID_ARGUMENT: custom call \"\": the name is empty");
  EXPECT_EQ(RegisterText(fake, TypedTarget("null_handler", nullptr)),
            "INVALID_ARGUMENT: custom call \"null_handler\": the address is null");
  Target target = UntypedTarget("null_function");
  target.address = nullptr;
  EXPECT_THAT(RegisterText(fake, target), HasSubstr("null address"));
  EXPECT_THAT(RegisterText(fake, target, ApiVersion::kStatusReturningUnified),
              HasSubstr("null address"));
  EXPECT_TRUE(fake.registered.empty());
}

// Plugins before jaxlib 0.12 report success for a handler of another version, whose calls then
// fail. A handler that says its version gets a wrapper where the plugin's XLA is of another one.
TEST(PjrtRegistrationTest, VersionsAreCheckedWhereThePluginKeepsSilent) {
  FakePlugin fake;
  const struct {
    XLA_FFI_Handler* handler;
    int minor;
    bool has_wrapper;
  } cases[] = {{&ByHand<1>, 58, true},  {&ByHand<2>, 58, true},   {&ByHand<2>, 70, true},
               {&ByHand<2>, 85, false}, {&ByHand<3>, 85, true},   {&ByHand<3>, 112, false},
               {&ByHand<5>, 112, true}, {&ByHand<5>, 116, false}, {kAdapts, 85, false}};
  int number = 0;
  for (const auto& one : cases) {
    SCOPED_TRACE(number);
    fake.api.pjrt_api_version.minor_version = one.minor;
    ASSERT_EQ(RegisterText(fake, TypedTarget("versions" + std::to_string(number++), one.handler)),
              "OK");
    EXPECT_EQ(fake.registered.back().functions[3] != reinterpret_cast<void*>(one.handler),
              one.has_wrapper);
  }
  for (const int minor : {58, 70, 85, 112}) {
    fake.api.pjrt_api_version.minor_version = minor;
    EXPECT_THAT(RegisterText(fake, TypedTarget("unknown version", &ByHand<99>)),
                StartsWith("UNIMPLEMENTED: custom call \"unknown version\": the handler was built "
                           "with headers of XLA FFI 0.99; callbridge knows those up to 0."));
    EXPECT_THAT(RegisterText(fake, TypedTarget("no version", &SaysNothing)),
                StartsWith("INVALID_ARGUMENT: custom call \"no version\""));
  }
}

TEST(PjrtRegistrationTest, TheHandlerForInstantiateIsCheckedToo) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 85;
  Target target = TypedTarget("instantiate_version", &ByHand<1>);
  target.stages.instantiate = &ByHand<9>;
  EXPECT_THAT(RegisterText(fake, target), HasSubstr("built with headers of XLA FFI 0.9;"));
  target.stages.instantiate = &SaysNothing;
  EXPECT_THAT(RegisterText(fake, target), StartsWith("INVALID_ARGUMENT"));
  fake.api.pjrt_api_version.minor_version = 70;  // whose XLA does not ask it
  EXPECT_EQ(RegisterText(fake, target), "OK");
}

// ---- Traits

// What the handler reports to a runtime of the newest row.
XLA_FFI_Handler_Traits TraitsOf(void* handler) {
  return host::QueryMetadata(typed_ffi::kNewestVersion, reinterpret_cast<XLA_FFI_Handler*>(handler))
      ->traits;
}

TEST(PjrtRegistrationTest, TraitsAreReportedByTheHandlers) {
  FakePlugin fake;
  int number = 0;
  for (Target target : {UntypedTarget(""), TypedTarget(""), TypedTarget("", &ByHand<1>)}) {
    for (const XLA_FFI_Handler_Traits traits : {0, 1}) {
      target.name = "traits" + std::to_string(number++);
      target.traits = traits;
      ASSERT_EQ(RegisterText(fake, target), "OK");
      EXPECT_EQ(TraitsOf(fake.registered.back().functions[3]), traits) << target.name;
    }
  }
  Target target = TypedTarget("traits_of_another_version", &ByHand<9>);
  target.traits = 1;
  fake.api.pjrt_api_version.minor_version = 85;
  EXPECT_THAT(RegisterText(fake, target), HasSubstr("built with headers of XLA FFI 0.9;"));
}

TEST(PjrtRegistrationTest, TraitsComeWithTheRegistration) {
  FakePlugin fake;
  int number = 0;
  // Those that the target has, and those that its handler reports by itself.
  for (Target target : {UntypedTarget(""), TypedTarget(""), TypedTarget("", kReportsTraits)}) {
    for (const XLA_FFI_Handler_Traits traits : {0, 1}) {
      target.name = "traits_registered" + std::to_string(number++);
      target.traits = traits;
      ASSERT_EQ(RegisterText(fake, target), "OK");
      const bool reports = target.address == reinterpret_cast<void*>(kReportsTraits);
      EXPECT_EQ(fake.registered.back().traits, reports ? 1 : traits) << target.name;
    }
  }
}

// ---- Names that are registered

TEST(PjrtRegistrationTest, ANameKeepsItsTarget) {
  FakePlugin fake;
  for (const ApiVersion path : {ApiVersion::kTypedFfi, ApiVersion::kStatusReturningUnified}) {
    Target target = UntypedTarget("keeps_its_target");
    EXPECT_EQ(RegisterText(fake, target, path), "OK");
    EXPECT_EQ(RegisterText(fake, target, path), "OK") << "the same once more";
    const size_t before = fake.registered.size();
    target.address = reinterpret_cast<void*>(&OtherUntyped);
    EXPECT_EQ(RegisterText(fake, target, path),
              "ALREADY_EXISTS: custom call \"keeps_its_target\": the plugin has another target of "
              "that name, which callbridge registered, and keeps one for each name until the "
              "process ends; use another name");
    EXPECT_EQ(fake.registered.size(), before) << "XLA would end the process";
  }
}

// A GPU plugin registers both under the name of its own platform.
TEST(PjrtRegistrationTest, ANameOfAGpuPluginIsThatOfEachPlatform) {
  FakePlugin fake;
  EXPECT_EQ(RegisterText(fake, UntypedTarget("of_each_platform", Platform::kCuda)), "OK");
  EXPECT_THAT(RegisterText(fake, UntypedTarget("of_each_platform", Platform::kRocm)),
              StartsWith("ALREADY_EXISTS"));
  EXPECT_EQ(fake.registered.size(), 1u);
}

TEST(PjrtRegistrationTest, OneStageMoreIsAnotherTarget) {
  FakePlugin fake;
  Target target = TypedTarget("one_stage_more");
  EXPECT_EQ(RegisterText(fake, target), "OK");
  target.stages.prepare = kAdapts;
  EXPECT_THAT(RegisterText(fake, target), StartsWith("ALREADY_EXISTS"));
}

TEST(PjrtRegistrationTest, ARefusedNameIsFree) {
  FakePlugin fake;
  fake.refuses = 6;
  Target target = UntypedTarget("refused");
  EXPECT_EQ(RegisterText(fake, target),
            "ALREADY_EXISTS: custom call \"refused\": the plugin refuses it: not today");
  EXPECT_EQ(fake.errors, 0);
  fake.refuses = 0;
  target.address = reinterpret_cast<void*>(&OtherUntyped);
  EXPECT_EQ(RegisterText(fake, target), "OK");
  fake.refuses = 6;
  EXPECT_THAT(RegisterText(fake, target), HasSubstr("not today"));
  fake.refuses = 0;
  target.address = reinterpret_cast<void*>(&Untyped);
  EXPECT_THAT(RegisterText(fake, target), HasSubstr("another target of that name"))
      << "registered before, whatever the plugin says of the second time";
}

TEST(PjrtRegistrationTest, ThreadsRegisterAtOnce) {
  FakePlugin fake;
  std::vector<std::thread> threads;
  std::atomic<int> registered{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&fake, &registered, i] {
      Target target = UntypedTarget("of_threads");
      if (i % 2 == 1) target.address = reinterpret_cast<void*>(&OtherUntyped);
      for (int round = 0; round < 20; ++round) registered += RegisterText(fake, target) == "OK";
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(RegisterText(fake, UntypedTarget("own" + std::to_string(i * 20 + round))), "OK");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registered, 80) << "one of both targets";
  EXPECT_EQ(fake.registered.size(), 80u + 160u);
}

// ---- Types

TEST(PjrtRegistrationTest, TypesThatNobodyKnows) {
  FakePlugin fake;
  XLA_FFI_TypeId id = {0};
  EXPECT_TRUE(RegisterType(Open(fake), "pjrt.unknown", id, nullptr).ok());
  EXPECT_TRUE(host::TypeRegistry::Issued(id)) << "an id that no other plugin assigns";
  EXPECT_EQ(host::TypeRegistry::OfProcess().FindId("pjrt.unknown").type_id, id.type_id);
  EXPECT_EQ(fake.types["pjrt.unknown"], id.type_id);
  XLA_FFI_TypeId again = {0};
  EXPECT_TRUE(RegisterType(Open(fake), "pjrt.unknown", again, nullptr).ok());
  EXPECT_EQ(again.type_id, id.type_id);
  XLA_FFI_TypeId other = {123};
  EXPECT_THAT(RegisterType(Open(fake), "pjrt.unknown", other, nullptr).ToString(),
              StartsWith("ALREADY_EXISTS: Type name pjrt.unknown already registered"));
  EXPECT_EQ(other.type_id, 123);
}

TEST(PjrtRegistrationTest, TypesOfPluginsThatAssignTheirIds) {
  FakePlugin fake;
  fake.api.pjrt_api_version.minor_version = 58;
  XLA_FFI_TypeId id = {0};
  EXPECT_TRUE(RegisterType(Open(fake), "pjrt.assigned", id, nullptr).ok());
  EXPECT_EQ(id.type_id, 7);
  EXPECT_EQ(host::TypeRegistry::OfProcess().FindId("pjrt.assigned").type_id, 7);
  XLA_FFI_TypeId again = {0};
  EXPECT_THAT(RegisterType(Open(fake), "pjrt.assigned", again, nullptr).ToString(),
              StartsWith("UNIMPLEMENTED: type \"pjrt.assigned\": the plugin"));
}

TEST(PjrtRegistrationTest, ATypeThatThePluginRefuses) {
  FakePlugin fake;
  fake.types["pjrt.others"] = 5;
  XLA_FFI_TypeId id = {0};
  EXPECT_EQ(RegisterType(Open(fake), "pjrt.others", id, nullptr).ToString(),
            "INTERNAL: type \"pjrt.others\": Type name pjrt.others already registered");
  EXPECT_EQ(id.type_id, 0);
  EXPECT_EQ(fake.errors, 0);
}

TEST(PjrtRegistrationTest, TypesThatCallbridgeKnows) {
  FakePlugin fake;
  XLA_FFI_TypeId own = {0};
  ASSERT_TRUE(host::TypeRegistry::OfProcess().Register("pjrt.known", own, nullptr).ok());
  XLA_FFI_TypeId id = {0};
  EXPECT_TRUE(RegisterType(Open(fake), "pjrt.known", id, nullptr).ok());
  EXPECT_EQ(id.type_id, own.type_id);
  EXPECT_EQ(fake.types["pjrt.known"], own.type_id);
}

TEST(PjrtRegistrationTest, TypesNeedNames) {
  FakePlugin fake;
  XLA_FFI_TypeId id = {0};
  EXPECT_THAT(RegisterType(Open(fake), "", id, nullptr).ToString(), HasSubstr("needs a name"));
  EXPECT_EQ(id.type_id, 0);
}

}  // namespace
}  // namespace callbridge::pjrt
