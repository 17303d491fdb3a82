// Runs an old GPU custom call on a PJRT plugin, in C: opens the plugin and the old library,
// registers the library's targets with the plugin, compiles a StableHLO module that calls one of
// them, and runs it. Compile and run it by hand:
//
//   cc -std=c99 run_on_plugin.c $(pkg-config --cflags --libs callbridge) -ldl -o run_on_plugin
//   ./run_on_plugin .../jax_plugins/xla_cuda13/xla_cuda_plugin.so rotate.so
//
// rotate.so is rotate.cc, which says how to build it.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_pjrt.h"
#include "pjrt.h"

enum { kBool = 4, kF32 = 11, kSize = 8, kShift = 3 };

static const PJRT_Api* api;

// Prints and frees an error of callbridge. Returns whether there was one.
static int Failed(const char* what, callbridge_error* error) {
  if (error == NULL) return 0;
  printf("%s: %s: %s\n", what, callbridge_error_code_name(error->code), error->message);
  callbridge_error_destroy(error);
  return 1;
}

// Same, for an error of the plugin.
static int PluginFailed(const char* what, PJRT_Error* error) {
  if (error == NULL) return 0;
  PJRT_Error_Args args = {sizeof(args), NULL, error, NULL, 0};
  api->PJRT_Error_Message(&args);
  printf("%s: %.*s\n", what, (int)args.message_size, args.message);
  args.struct_size = offsetof(PJRT_Error_Args, message);
  api->PJRT_Error_Destroy(&args);
  return 1;
}

// Calls a function of the plugin that takes one object.
static int Failing(const char* what, PJRT_Error* (*function)(PJRT_Object_Args*), void* object) {
  PJRT_Object_Args args = {sizeof(args), NULL, object, {NULL}};
  return PluginFailed(what, function(&args));
}

// Waits for an event, which may be null, and destroys it.
static int WaitFailed(const char* what, PJRT_Event* event) {
  if (event == NULL) return 0;
  const int failed = Failing(what, api->PJRT_Event_Await, event);
  return Failing(what, api->PJRT_Event_Destroy, event) || failed;
}

// Writes the module that calls `rotate` to `text`. `site` goes into it with each byte as \XX.
static void WriteModule(char* text, size_t text_size, int api_version, const char* site,
                        size_t site_size) {
  char escaped[1024] = "";
  for (size_t i = 0; i < site_size && i < sizeof(escaped) / 3 - 1; ++i) {
    snprintf(escaped + 3 * i, 4, "\\%02X", (unsigned)(unsigned char)site[i]);
  }
  // A typed call has attributes, an untyped one has an opaque.
  const char* const config =
      api_version == 4 ? "backend_config = {callbridge_site = \"%s\"}" : "backend_config = \"%s\"";
  char attribute[1200];
  snprintf(attribute, sizeof(attribute), config, escaped);
  snprintf(text, text_size,
           "module @example {\n"
           "  func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
           "    %%y = stablehlo.custom_call @rotate(%%x) {api_version = %d : i32, %s}\n"
           "        : (tensor<%dxf32>) -> tensor<%dxf32>\n"
           "    return %%y : tensor<%dxf32>\n"
           "  }\n"
           "}\n",
           kSize, kSize, api_version, attribute, kSize, kSize, kSize);
}

// Compiles the module and runs it on the client's first device.
static int CompileAndRun(PJRT_Client* client, const char* module) {
  // 6. Compile. The options are an xla.CompileOptionsProto: field 3, executable_build_options, of 4
  //    bytes, in which field 4, num_replicas, is 1, and field 5, num_partitions, is 1.
  static const char options[] = {0x1a, 4, 0x20, 1, 0x28, 1};
  const PJRT_Program program = {sizeof(program), NULL, module, strlen(module), "mlir", 4};
  PJRT_Client_Compile_Args compile = {0};
  compile.struct_size = sizeof(compile);
  compile.client = client;
  compile.program = &program;
  compile.compile_options = options;
  compile.compile_options_size = sizeof(options);
  if (PluginFailed("compile", api->PJRT_Client_Compile(&compile))) return 1;

  // 7. Copy the operand to the device.
  PJRT_Client_AddressableDevices_Args devices = {0};
  devices.struct_size = sizeof(devices);
  devices.client = client;
  if (PluginFailed("devices", api->PJRT_Client_AddressableDevices(&devices))) return 1;
  float data[kSize];
  for (int i = 0; i < kSize; ++i) data[i] = (float)i;
  const int64_t dims[] = {kSize};
  PJRT_Client_BufferFromHostBuffer_Args copy = {0};
  copy.struct_size = sizeof(copy);
  copy.client = client;
  copy.data = data;
  copy.type = kF32;
  copy.dims = dims;
  copy.num_dims = 1;
  copy.device = devices.devices[0];
  if (PluginFailed("copy", api->PJRT_Client_BufferFromHostBuffer(&copy)) ||
      WaitFailed("copy", copy.done_with_host_buffer)) {
    return 1;
  }

  // 8. Execute on one device: one list of arguments, one list of results.
  PJRT_Buffer* arguments[] = {copy.buffer};
  PJRT_Buffer* results[] = {NULL};
  PJRT_Buffer* const* const argument_lists[] = {arguments};
  PJRT_Buffer** const result_lists[] = {results};
  PJRT_ExecuteOptions execute_options = {0};
  execute_options.struct_size = sizeof(execute_options);
  PJRT_LoadedExecutable_Execute_Args execute = {0};
  execute.struct_size = sizeof(execute);
  execute.executable = compile.executable;
  execute.options = &execute_options;
  execute.argument_lists = argument_lists;
  execute.num_devices = 1;
  execute.num_args = 1;
  execute.output_lists = result_lists;
  if (PluginFailed("execute", api->PJRT_LoadedExecutable_Execute(&execute))) return 1;

  // 9. Copy the result back, and wait for it. An error of the target comes here.
  PJRT_Buffer_ToHostBuffer_Args back = {0};
  back.struct_size = sizeof(back);
  back.src = results[0];
  back.dst = data;
  back.dst_size = sizeof(data);
  if (PluginFailed("result", api->PJRT_Buffer_ToHostBuffer(&back)) ||
      WaitFailed("result", back.event)) {
    return 1;
  }
  printf("rotated:");
  for (int i = 0; i < kSize; ++i) printf(" %g", data[i]);
  printf("\n");

  // 10. Destroy what was made.
  return Failing("destroy", api->PJRT_Buffer_Destroy, results[0]) ||
         Failing("destroy", api->PJRT_Buffer_Destroy, copy.buffer) ||
         Failing("destroy", api->PJRT_LoadedExecutable_Destroy, compile.executable);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    printf("usage: %s PLUGIN LIBRARY\n", argv[0]);
    return 2;
  }
  // 1. Open the plugin.
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const get_api = plugin != NULL ? dlsym(plugin, "GetPjrtApi") : NULL;
  if (get_api == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  const PJRT_Api* (*GetPjrtApi)(void);
  memcpy(&GetPjrtApi, &get_api, sizeof(get_api));
  api = GetPjrtApi();
  if (Failing("initialize", api->PJRT_Plugin_Initialize, NULL)) return 1;

  // 2. Open the old library, and register its targets with the plugin. `api_version` is how
  // programs
  //    call them.
  callbridge_library* library = NULL;
  size_t count = 0;
  int32_t api_version = 0;
  if (Failed("load", callbridge_library_load(argv[2], &library)) ||
      Failed("register",
             callbridge_pjrt_register_library(api, library, NULL, &count, &api_version))) {
    return 1;
  }
  printf("registered: %zu, api_version %d\n", count, api_version);

  // 3. Encode the call, since it has an opaque.
  const int32_t rotation[] = {kSize, kShift};
  const char* const operands[] = {"f32[8]"};
  callbridge_site site = {0};
  site.struct_size = sizeof(site);
  site.operands = operands;
  site.operand_count = 1;
  site.result = "f32[8]";
  site.opaque = (const char*)rotation;
  site.opaque_size = sizeof(rotation);
  char* bytes = NULL;
  size_t bytes_size = 0;
  if (Failed("encode", callbridge_site_encode(&site, &bytes, &bytes_size))) return 1;

  // 4. Write the program.
  char module[2048];
  WriteModule(module, sizeof(module), api_version, bytes, bytes_size);
  callbridge_bytes_free(bytes);

  // 5. Start the plugin's client, which does not take all of the device's memory at once.
  const PJRT_NamedValue option = {sizeof(option), NULL, "preallocate", 11, kBool, 0, 1};
  PJRT_Client_Create_Args create = {0};
  create.struct_size = sizeof(create);
  create.create_options = &option;
  create.num_options = 1;
  if (PluginFailed("client", api->PJRT_Client_Create(&create))) return 1;

  const int failed = CompileAndRun(create.client, module);
  return Failing("destroy", api->PJRT_Client_Destroy, create.client) || failed;
}
