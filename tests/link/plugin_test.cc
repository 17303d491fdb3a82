// A plugin that is linked to libcallbridge.so, registers targets and handlers there when somebody
// opens it, and is closed again: what is listed can be called all the same.
#include <dlfcn.h>

#include <cstdint>
#include <map>
#include <string>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

std::map<std::string, callbridge_target> Targets(const callbridge_library* library) {
  std::map<std::string, callbridge_target> targets;
  for (size_t i = 0; i < callbridge_library_target_count(library); ++i) {
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    EXPECT_EQ(ErrorText(callbridge_library_target(library, i, &target)), "OK");
    targets[target.name + std::string(target.instantiate != nullptr ? " with state" : "")] = target;
  }
  return targets;
}

TEST(PluginTest, WhatItRegisteredOutlivesItsClosing) {
  void* plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  ASSERT_EQ(dlclose(plugin), 0);
  EXPECT_NE(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it was unloaded";

  callbridge_library* process = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&process)), "OK");
  const auto targets = Targets(process);
  ASSERT_TRUE(targets.count("only_untyped"));
  ASSERT_TRUE(targets.count("count with state"));
  float out = 0;
  const callbridge_array result = {&out, 4};
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.result = "f32[]";
  callbridge_target untyped = targets.at("only_untyped");
  untyped.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;  // extern "C"
  EXPECT_EQ(ErrorText(callbridge_execute(&untyped, &site, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_EQ(out, 3);

  callbridge_ffi_attributes* attributes = nullptr;
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes)), "OK");
  const int32_t start = 7;
  constexpr int32_t kS32 = 4;
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_set_scalar(attributes, "start", kS32, &start)),
            "OK");
  int32_t count = 0;
  const callbridge_array counted = {&count, 4};
  site.result = "s32[]";
  site.attributes = attributes;
  EXPECT_EQ(ErrorText(callbridge_execute(&targets.at("count with state"), &site, nullptr, 0,
                                         &counted, 1, nullptr)),
            "OK");
  EXPECT_EQ(count, 7);
  callbridge_ffi_attributes_destroy(attributes);
  EXPECT_EQ(ErrorText(callbridge_library_close(process)), "OK");
}

// In processes of their own, too: nothing but this process says where libcallbridge.so.0 is.
TEST(PluginTest, IsAskedAlthoughItHasNoSearchPath) {
  ASSERT_NE(dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  callbridge_ffi_handlers handlers = {};
  handlers.struct_size = sizeof(handlers);
  ASSERT_EQ(ErrorText(callbridge_ffi_find_handlers("count", "Host", &handlers)), "OK");
  for (callbridge_ffi_handler* handler : {handlers.instantiate, handlers.execute}) {
    int32_t verdict = -1;
    char* evidence = nullptr;
    ASSERT_EQ(
        ErrorText(callbridge_probe_typed(reinterpret_cast<void*>(handler), &verdict, &evidence)),
        "OK");
    EXPECT_EQ(verdict, CALLBRIDGE_PROBE_TYPED) << evidence;
    callbridge_bytes_free(evidence);
  }
}

TEST(PluginTest, FunctionsOfTheProgramAreAskedInAFork) {
  int32_t verdict = -1;
  char* evidence = nullptr;
  ASSERT_EQ(
      ErrorText(callbridge_probe_typed(reinterpret_cast<void*>(&Targets), &verdict, &evidence)),
      "OK");
  EXPECT_NE(verdict, CALLBRIDGE_PROBE_TYPED);
  const std::string begin =
      "it is the program's own, which cannot be opened twice; in a fork of this process: ";
  EXPECT_EQ(std::string(evidence).substr(0, begin.size()), begin);
  callbridge_bytes_free(evidence);
}

TEST(PluginTest, IsIsolatedAlthoughItHasNoSearchPath) {
  callbridge_library* library = nullptr;
  EXPECT_EQ(ErrorText(callbridge_library_load_isolated(ABORTING_PLUGIN, &library)),
            "INTERNAL: " ABORTING_PLUGIN
            ": a constructor ends the process that loads it: in isolation it ended by SIGABRT");
}

}  // namespace
}  // namespace callbridge
