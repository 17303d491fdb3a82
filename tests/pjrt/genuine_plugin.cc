// genuine_plugin PLUGIN [run]: registers targets of this program with a genuine plugin, a line for
// each; with `run` also runs programs that call them, which takes a device. The targets report what
// they see as errors, so that they need no memory of the device.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "callbridge/callbridge_pjrt.hpp"
#include "callbridge/register.h"
#include "examples/pjrt/pjrt.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

struct CUstream_st;

namespace {

namespace ffi = ::xla::ffi;
using callbridge::Attributes;
using callbridge::Library;
using callbridge::Result;
using callbridge::Site;
using callbridge::Target;

// ---- Targets

void Untyped(CUstream_st*, void**, const char* opaque, size_t opaque_len,
             XlaCustomCallStatus* status) {
  const std::string text = "untyped sees " + std::to_string(opaque_len) + " bytes, the last is " +
                           opaque[opaque_len - 1];
  XlaCustomCallStatusSetFailure(status, text.data(), text.size());
}
void OtherUntyped(CUstream_st*, void**, const char*, size_t, XlaCustomCallStatus*) {}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("untyped", Untyped, "CUDA");

int calls = 0;

// Writes its number of calls to the result, by the stream.
void Count(CUstream_st* stream, void** buffers, const char*, size_t, XlaCustomCallStatus* status) {
  using SetFunction = int(unsigned long long to, unsigned value, size_t count, CUstream_st* stream);
  static auto* const set =
      reinterpret_cast<SetFunction*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD32Async"));
  const auto to = reinterpret_cast<unsigned long long>(buffers[0]);
  const float number = static_cast<float>(++calls);
  unsigned bits;
  std::memcpy(&bits, &number, sizeof(bits));
  if (set(to, bits, 1, stream) != 0) XlaCustomCallStatusSetFailure(status, "cuMemsetD32Async", 16);
}

struct State {
  static ffi::TypeId id;
  int32_t number;
};
ffi::TypeId State::id = {};
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "pjrt_test.State", &State::id);

struct Data {
  static ffi::TypeId id;
  int number;
};
ffi::TypeId Data::id = {};
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "pjrt_test.Data", &Data::id);

ffi::Error Seen(const std::string& what) { return ffi::Error(ffi::ErrorCode::kAborted, what); }

using Bound = ffi::Ffi;
XLA_FFI_DEFINE_HANDLER(
    kInstantiate,
    [](int32_t number) -> ffi::ErrorOr<std::unique_ptr<State>> {
      return std::make_unique<State>(State{number});
    },
    Bound::BindInstantiate().Attr<int32_t>("number"));
XLA_FFI_DEFINE_HANDLER(
    kState,
    [](State* state, int32_t, ffi::RemainingArgs, ffi::RemainingRets) {
      return Seen("state is " + std::to_string(state->number));
    },
    Bound::Bind().Ctx<ffi::State<State>>().Attr<int32_t>("number").RemainingArgs().RemainingRets());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "state", "CUDA",
                         {kInstantiate, nullptr, nullptr, kState, nullptr});

// As it is, and with state, which takes a wrapper.
XLA_FFI_DEFINE_HANDLER(
    kData,
    [](Data* data, int32_t, ffi::RemainingArgs, ffi::RemainingRets) {
      return Seen("data is " + std::to_string(data->number));
    },
    Bound::Bind()
        .Ctx<ffi::UserData<Data>>()
        .Attr<int32_t>("number")
        .RemainingArgs()
        .RemainingRets());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "data", "CUDA", kData);
XLA_FFI_DEFINE_HANDLER(
    kBoth,
    [](State* state, Data* data, int32_t, ffi::RemainingArgs, ffi::RemainingRets) {
      return Seen("both are " + std::to_string(state->number + data->number));
    },
    Bound::Bind()
        .Ctx<ffi::State<State>>()
        .Ctx<ffi::UserData<Data>>()
        .Attr<int32_t>("number")
        .RemainingArgs()
        .RemainingRets());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "both", "CUDA",
                         {kInstantiate, nullptr, nullptr, kBoth, nullptr});

// How often graphs were launched, by the stand-in's count; 0 on a device.
size_t GraphLaunches() {
  using Calls = size_t(const char* function, const char* library);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto* const count = reinterpret_cast<Calls*>(dlsym(driver, "standin_calls"));
  return count != nullptr ? count("cuGraphLaunch", nullptr) : 0;
}

// ---- Registering

// The FFI extension. Up to jaxlib 0.6.2 it ends before `register_handler`.
struct FfiExtension {
  size_t struct_size;
  int32_t type;
  const FfiExtension* next;
  void* type_register;
  PJRT_Error* (*user_data_add)(void* args);
  void* register_handler;
};

const FfiExtension* FindFfi(const PJRT_Api* api) {
  const auto* extension = static_cast<const FfiExtension*>(api->extension_start);
  while (extension->type != 5) extension = extension->next;
  return extension;
}

// Returns the plugin with this extension alone, as one that is no GPU's has it.
const PJRT_Api* WithFfiAlone(const PJRT_Api* api) {
  const FfiExtension* const found = FindFfi(api);
  auto* const extension = new FfiExtension{};
  std::memcpy(extension, found, found->struct_size);
  extension->next = nullptr;
  auto* const copy = static_cast<PJRT_Api*>(operator new(api->struct_size));
  std::memcpy(static_cast<void*>(copy), api, api->struct_size);
  copy->extension_start = extension;
  return copy;
}

template <typename T>
std::string Text(const Result<T>& result) {
  return result ? std::to_string(*result) : result.error().ToString();
}

void Print(const char* what, const std::string& text) {
  std::printf("%s: %s\n", what, text.c_str());
  std::fflush(stdout);
}

// Returns by which api_version programs call the targets, and writes the id of the type Data.
int32_t Register(const PJRT_Api* api, int64_t* data_type) {
  const Library library = Library::OfProcess().value();
  const Result<int32_t> registered = RegisterWithPjrt(api, library);
  Print("library", Text(registered));
  Print("library again", Text(RegisterWithPjrt(api, library)));
  Print("library untyped", Text(RegisterWithPjrt(api, library, {"CUDA", 3})));
  Print("library typed", Text(RegisterWithPjrt(api, library, {"CUDA", 4})));
  Print("library for ROCM", Text(RegisterWithPjrt(api, library, {"ROCM"})));
  Target other = library.Find("untyped", "CUDA").value();
  other.address = reinterpret_cast<void*>(&OtherUntyped);
  Print("other", Text(RegisterWithPjrt(api, other)));
  Print("other untyped", Text(RegisterWithPjrt(api, other, {"", 3})));
  Target by_ffi = library.Find("untyped", "CUDA").value();
  by_ffi.name = "by_ffi";
  static const PJRT_Api* const ffi_alone = WithFfiAlone(api);
  Print("by FFI", Text(RegisterWithPjrt(ffi_alone, by_ffi)));
  other.platform = "Host";
  Print("on the host", Text(RegisterWithPjrt(api, other)));
  const Result<int64_t> type = callbridge::RegisterTypeWithPjrt(api, "pjrt_test.Data");
  Print("type", type ? "OK" : type.error().ToString());
  if (type) *data_type = *type;
  const Result<int64_t> new_type = callbridge::RegisterTypeWithPjrt(api, "pjrt_test.new");
  Print("new type", new_type ? "OK" : new_type.error().ToString());
  return registered ? *registered : 0;
}

// ---- Running

// Reads and destroys an error of the plugin; empty for none.
std::string Take(const PJRT_Api* api, PJRT_Error* error) {
  if (error == nullptr) return "";
  PJRT_Error_Args args = {sizeof(args), nullptr, error, nullptr, 0};
  api->PJRT_Error_Message(&args);
  std::string text(args.message, args.message_size);
  api->PJRT_Error_Destroy(&args);
  return text;
}

template <typename Args>
Args Make() {
  Args args = {};
  args.struct_size = sizeof(args);
  return args;
}

// The execute context with user data, by functions that pjrt.h does not have.
void* ContextWith(const PJRT_Api* api, int64_t type, void* data) {
  constexpr size_t kContextCreate = 824;  // its offset in the API table
  PJRT_Error* (*create)(PJRT_Object_Args*);
  std::memcpy(&create, reinterpret_cast<const char*>(api) + kContextCreate, sizeof(create));
  auto context = Make<PJRT_Object_Args>();
  Print("context", Take(api, create(&context)));
  const FfiExtension* const extension = FindFfi(api);
  struct {
    size_t struct_size;
    void* extension_start;
    void* context;
    int64_t type;
    void* data;
    void (*deleter)(void*);
  } add = {sizeof(add), nullptr, context.object, type, data, nullptr};
  Print("user data", Take(api, extension->user_data_add(&add)));
  return context.object;
}

std::string Escaped(const std::string& bytes) {
  std::string text = "\"";
  for (const char byte : bytes) {
    char escaped[4];
    std::snprintf(escaped, sizeof(escaped), "\\%02X", static_cast<unsigned char>(byte));
    text += escaped;
  }
  return text + "\"";
}

// Executes a program without operands. Returns its error, or its result.
std::string Execute(const PJRT_Api* api, PJRT_LoadedExecutable* executable, void* context) {
  PJRT_Buffer* results[] = {nullptr};
  PJRT_Buffer* const* const no_arguments[] = {nullptr};
  PJRT_Buffer** const result_lists[] = {results};
  auto options = Make<PJRT_ExecuteOptions>();
  options.later[2] = context;
  auto execute = Make<PJRT_LoadedExecutable_Execute_Args>();
  execute.executable = executable;
  execute.options = &options;
  execute.argument_lists = no_arguments;
  execute.num_devices = 1;
  execute.output_lists = result_lists;
  std::string text = Take(api, api->PJRT_LoadedExecutable_Execute(&execute));
  if (!text.empty()) return text;
  float value = 0;
  auto back = Make<PJRT_Buffer_ToHostBuffer_Args>();
  back.src = results[0];
  back.dst = &value;
  back.dst_size = sizeof(value);
  text = Take(api, api->PJRT_Buffer_ToHostBuffer(&back));
  if (text.empty() && back.event != nullptr) {
    auto await = Make<PJRT_Object_Args>();
    await.object = back.event;
    text = Take(api, api->PJRT_Event_Await(&await));
    Take(api, api->PJRT_Event_Destroy(&await));
  }
  auto destroy = Make<PJRT_Object_Args>();
  destroy.object = results[0];
  Take(api, api->PJRT_Buffer_Destroy(&destroy));
  return text.empty() ? std::to_string(static_cast<int>(value)) : text;
}

// Compiles a program that calls `target` and executes it `times`. Returns what Execute() returns,
// separated by spaces.
std::string Run(const PJRT_Api* api, PJRT_Client* client, const std::string& target,
                int32_t api_version, const std::string& config, void* context, int times = 1) {
  const std::string module =
      "module @test { func.func @main() -> tensor<1xf32> { %y = stablehlo.custom_call @" + target +
      "() {api_version = " + std::to_string(api_version) + " : i32, has_side_effect = true, " +
      "backend_config = " + config + "} : () -> tensor<1xf32>\n return %y : tensor<1xf32> } }";
  static const char kOptions[] = {0x1a, 4, 0x20, 1, 0x28, 1};
  const PJRT_Program program = {sizeof(program), nullptr, module.data(), module.size(), "mlir", 4};
  auto compile = Make<PJRT_Client_Compile_Args>();
  compile.client = client;
  compile.program = &program;
  compile.compile_options = kOptions;
  compile.compile_options_size = sizeof(kOptions);
  std::string text = Take(api, api->PJRT_Client_Compile(&compile));
  if (!text.empty()) return "compile: " + text;
  for (int i = 0; i < times; ++i) {
    text += (i == 0 ? "" : " ") + Execute(api, compile.executable, context);
  }
  auto destroy = Make<PJRT_Object_Args>();
  destroy.object = compile.executable;
  Take(api, api->PJRT_LoadedExecutable_Destroy(&destroy));
  return text;
}

// The backend_config of a typed target's call.
std::string TypedConfig(int32_t api_version, const Site& site) {
  if (api_version == 4) return "{number = 42 : i32}";
  return Escaped(EncodeSite(site).value());
}

int RunAll(const PJRT_Api* api, int32_t api_version, int64_t data_type) {
  auto create = Make<PJRT_Client_Create_Args>();
  const PJRT_NamedValue option = {sizeof(option), nullptr, "preallocate", 11, 4, 0, 1};
  create.create_options = &option;
  create.num_options = 1;
  const std::string failed = Take(api, api->PJRT_Client_Create(&create));
  if (!failed.empty()) {
    Print("client", failed);
    return 1;
  }
  Site site;
  site.result = "f32[1]";
  site.opaque = std::string("a\0b", 3);
  const std::string bytes = Escaped(EncodeSite(site).value());
  if (api_version == 4) {
    Print("run untyped by 4",
          Run(api, create.client, "untyped", 4, "{callbridge_site = " + bytes + "}", nullptr));
    Print("run by FFI",
          Run(api, create.client, "by_ffi", 4, "{callbridge_site = " + bytes + "}", nullptr));
  }
  Print("run untyped by 3", Run(api, create.client, "untyped", 3, bytes, nullptr));
  Print("run untyped by 3, plain", Run(api, create.client, "untyped", 3, "\"plain\"", nullptr));

  // The same function as a target that XLA may record, and as one that it may not.
  for (const char* name : {"recorded", "not_recorded"}) {
    Target count;
    count.name = name;
    count.platform = "CUDA";
    count.address = reinterpret_cast<void*>(&Count);
    count.command_buffer_compatible = std::string(name) == "recorded";
    Print(name, Text(RegisterWithPjrt(api, count)));
    const std::string config = api_version == 4 ? "{}" : "\"\"";
    calls = 0;
    const size_t before = GraphLaunches();
    const std::string results = Run(api, create.client, name, api_version, config, nullptr, 5);
    Print(("run " + std::string(name)).c_str(), results + ", calls " + std::to_string(calls) +
                                                    ", graphs " +
                                                    std::to_string(GraphLaunches() - before));
  }

  Attributes attributes = Attributes::Create().value();
  attributes.Set("number", int32_t{42}).value();
  Site typed;
  typed.result = "f32[1]";
  typed.attributes = &attributes;
  const std::string config = TypedConfig(api_version, typed);
  Print("run state", Run(api, create.client, "state", api_version, config, nullptr));
  if (data_type != 0) {
    Data data = {7};
    void* const context = ContextWith(api, data_type, &data);
    Print("run data", Run(api, create.client, "data", api_version, config, context));
    Print("run both", Run(api, create.client, "both", api_version, config, context));
  }
  auto destroy = Make<PJRT_Object_Args>();
  destroy.object = create.client;
  Take(api, api->PJRT_Client_Destroy(&destroy));
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): what a value() throws ends the test.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const get_api = plugin != nullptr ? dlsym(plugin, "GetPjrtApi") : nullptr;
  if (get_api == nullptr) {
    Print("dlopen", dlerror());
    return 1;
  }
  const PJRT_Api* const api = reinterpret_cast<const PJRT_Api* (*)()>(get_api)();
  auto initialize = Make<PJRT_Object_Args>();
  Print("initialize", Take(api, api->PJRT_Plugin_Initialize(&initialize)));
  int64_t data_type = 0;
  const int32_t api_version = Register(api, &data_type);
  return argc > 2 ? RunAll(api, api_version, data_type) : 0;
}
