#include "tests/gpu/ptx/device.h"

#include <dlfcn.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace interpreted {
namespace {

// Calls a function of the driver by its name in the library.
template <typename... Arguments>
absl::Status Call(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return absl::UnavailableError(dlerror());
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  if (function == nullptr) return absl::UnimplementedError(name);
  const int error = function(arguments...);
  return error == 0 ? absl::OkStatus()
                    : absl::InternalError(absl::StrCat(name, ": CUDA error ", error));
}

// The primary context of the first device, for as long as the process lives.
absl::Status Start() {
  static const absl::Status started = [] {
    void* context = nullptr;
    absl::Status status = Call("cuInit", 0u);
    if (status.ok()) status = Call("cuDevicePrimaryCtxRetain", &context, 0);
    if (status.ok()) status = Call("cuCtxSetCurrent", context);
    return status;
  }();
  return started;
}

}  // namespace

bool OnDevice() {
  const char* gpu = getenv("CALLBRIDGE_GPU");
  return gpu != nullptr && std::string(gpu) == "device";
}

absl::Status RunOnDevice(
    const std::string& text, const std::string& kernel, const standin::ptx::LaunchConfig& config,
    const std::vector<uint64_t>& in, std::vector<uint64_t>* out,
    const std::function<std::vector<uint64_t>(uint64_t in, uint64_t out)>& parameters) {
  absl::Status status = Start();
  const auto call = [&](const char* name, auto... arguments) {
    if (status.ok()) status = Call(name, arguments...);
  };
  void* module = nullptr;
  void* function = nullptr;
  uint64_t device_in = 0, device_out = 0;
  call("cuModuleLoadData", &module, static_cast<const void*>(text.c_str()));
  call("cuModuleGetFunction", &function, module, kernel.c_str());
  call("cuMemAlloc_v2", &device_in, in.size() * 8);
  call("cuMemAlloc_v2", &device_out, out->size() * 8);
  call("cuMemcpyHtoD_v2", device_in, static_cast<const void*>(in.data()), in.size() * 8);
  call("cuMemcpyHtoD_v2", device_out, static_cast<const void*>(out->data()), out->size() * 8);
  std::vector<uint64_t> values = parameters(device_in, device_out);
  std::vector<void*> pointers;
  for (uint64_t& value : values) pointers.push_back(&value);
  call("cuLaunchKernel", function, config.grid.x, config.grid.y, config.grid.z, config.block.x,
       config.block.y, config.block.z, static_cast<unsigned>(config.dynamic_shared_bytes),
       static_cast<void*>(nullptr), pointers.data(), static_cast<void**>(nullptr));
  call("cuMemcpyDtoH_v2", static_cast<void*>(out->data()), device_out, out->size() * 8);
  if (device_in != 0) call("cuMemFree_v2", device_in);
  if (device_out != 0) call("cuMemFree_v2", device_out);
  if (module != nullptr) call("cuModuleUnload", module);
  return status;
}

}  // namespace interpreted
