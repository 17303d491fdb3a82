// A PJRT plugin that the test makes: an API table, its extensions, and what was registered by them.
#ifndef CALLBRIDGE_TESTS_PJRT_FAKE_PLUGIN_H_
#define CALLBRIDGE_TESTS_PJRT_FAKE_PLUGIN_H_

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callbridge/pjrt/pjrt_c_api.h"

// The fake's, which only the fake sees inside.
struct PJRT_Error {
  int32_t code;
  std::string message;
};

namespace callbridge::pjrt {

// What came to a plugin.
struct FakeRegistration {
  std::string name;
  std::string platform;  // empty: the plugin's own
  int32_t api_version = PJRT_Gpu_Typed;
  std::vector<void*> functions;
  uint32_t traits = 0;  // that came with it
};

// Plugins have functions without a parameter of their own, so that the plugin in use is a static
// one: one FakePlugin at a time.
class FakePlugin {
 public:
  // The newest of jaxlib's plugins, as a GPU's.
  FakePlugin() {
    Now() = this;
    api.struct_size = 1144;
    api.extension_start = &other;
    api.pjrt_api_version = {sizeof(PJRT_Api_Version), nullptr, 0, 116};
    api.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* args) {
      --Now()->errors;
      delete args->error;
    };
    api.PJRT_Error_Message = [](PJRT_Error_Message_Args* args) {
      args->message = args->error->message.data();
      args->message_size = args->error->message.size();
    };
    api.PJRT_Error_GetCode = &GetCode;
    other = {sizeof(other), 20, &ffi.base};
    ffi.base = {sizeof(ffi), PJRT_Extension_Type_FFI, &gpu.base};
    ffi.type_register = &RegisterType;
    ffi.register_handler = &RegisterHandler;
    gpu.base = {33, PJRT_Extension_Type_Gpu_Custom_Call, nullptr};
    gpu.custom_call = &CustomCall;
    gpu.custom_call_handles_traits = true;
  }
  ~FakePlugin() { Now() = nullptr; }
  FakePlugin(const FakePlugin&) = delete;
  FakePlugin& operator=(const FakePlugin&) = delete;

  void RemoveGpu() { ffi.base.next = nullptr; }
  // As before version 3 of the extension; what lies behind it is not read.
  void RemoveTraits() { gpu.base.struct_size = 32; }

  PJRT_Api api = {};
  PJRT_Extension_Base other = {};
  PJRT_FFI_Extension ffi = {};
  PJRT_Gpu_Custom_Call gpu = {};

  bool has_old_layout = false;  // that of jaxlib 0.4.30
  bool code_fails = false;      // PJRT_Error_GetCode returns an error itself
  int32_t refuses = 0;          // code of the error for all registrations; 0: none
  std::atomic<int> errors{0};   // that were made and not destroyed
  std::atomic<int> questions{0};
  std::vector<FakeRegistration> registered;
  std::map<std::string, int64_t> types;
  std::mutex mutex;

 private:
  static FakePlugin*& Now() {
    static FakePlugin* now = nullptr;
    return now;
  }

  static PJRT_Error* GetCode(PJRT_Error_GetCode_Args* args) {
    if (Now()->code_fails) return Make(13, "no code");
    args->code = args->error->code;
    return nullptr;
  }

  static PJRT_Error* Make(int32_t code, const std::string& message) {
    ++Now()->errors;
    return new PJRT_Error{code, message};
  }

  static PJRT_Error* Add(const FakeRegistration& registration) {
    FakePlugin& plugin = *Now();
    if (plugin.refuses != 0) return Make(plugin.refuses, "not today");
    const std::lock_guard<std::mutex> locked(plugin.mutex);
    plugin.registered.push_back(registration);
    return nullptr;
  }

  static PJRT_Error* CustomCall(void* untyped) {
    using OldArgs = PJRT_Gpu_Register_Custom_Call_Args_0_4_30;
    FakePlugin& plugin = *Now();
    const auto& old_args = *static_cast<const OldArgs*>(untyped);
    const bool is_version_3 = plugin.gpu.base.struct_size > 32;
    const size_t expected = plugin.has_old_layout ? sizeof(OldArgs) : is_version_3 ? 68 : 64;
    if (old_args.struct_size < expected) {
      ++plugin.questions;
      return Make(3, "Unexpected PJRT_Gpu_Register_Custom_Call_Args size");
    }
    if (old_args.api_version != 0 && old_args.api_version != 1) {
      ++plugin.questions;
      return Make(12, "API version not supported for PJRT GPU plugin");
    }
    FakeRegistration made;
    made.name = std::string(old_args.function_name, old_args.function_name_size);
    made.api_version = old_args.api_version;
    if (plugin.has_old_layout) {
      made.functions = {old_args.custom_call_function};
    } else {
      const auto& args = *static_cast<const PJRT_Gpu_Register_Custom_Call_Args*>(untyped);
      made.functions = {args.handler_instantiate, args.handler_prepare, args.handler_initialize,
                        args.handler_execute};
      if (is_version_3) made.traits = args.traits;
    }
    return Add(made);
  }

  static PJRT_Error* RegisterHandler(PJRT_FFI_Register_Handler_Args* args) {
    if (args->struct_size < 52) return Make(3, "Unexpected PJRT_FFI_Register_Handler_Args size");
    FakeRegistration made;
    made.name = std::string(args->target_name, args->target_name_size);
    made.platform = std::string(args->platform_name, args->platform_name_size);
    made.functions = {args->handler};
    made.traits = static_cast<uint32_t>(args->traits);
    return Add(made);
  }

  static PJRT_Error* RegisterType(PJRT_FFI_Type_Register_Args* args) {
    FakePlugin& plugin = *Now();
    const std::string name(args->type_name, args->type_name_size);
    const auto known = plugin.types.find(name);
    if (known != plugin.types.end() && known->second != args->type_id) {
      return Make(13, "Type name " + name + " already registered");
    }
    if (args->type_id == 0) {
      args->type_id = static_cast<int64_t>(plugin.types.size()) + 7;
    }
    plugin.types[name] = args->type_id;
    return nullptr;
  }
};

}  // namespace callbridge::pjrt

#endif  // CALLBRIDGE_TESTS_PJRT_FAKE_PLUGIN_H_
