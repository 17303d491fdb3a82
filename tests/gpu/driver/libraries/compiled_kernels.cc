// What the host code that nvcc writes calls in libcudart: kernels are registered when a library is
// loaded, and launched by the address of a host function. Each call goes to the driver, whose
// result numbers libcudart shares.
//
// Functions that compiled targets and examples import, no more.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/libraries/runtime.h"

namespace standin {
namespace {

struct Dim3 {
  unsigned x, y, z;
};

// __fatBinC_Wrapper_t of the toolkit's fatbinary_section.h.
struct FatBinaryWrapper {
  int magic;
  int version;
  const void* data;
  void* linked;
};

struct Binary {
  const void* image;
  std::map<CUcontext, CUmodule> modules;
};

struct Entry {
  Binary* binary;
  std::string name;
};

struct Registrations {
  std::mutex mutex;
  std::map<const void*, Entry> kernels;    // by the host function's address
  std::map<const void*, Entry> variables;  // by the host variable's
};

Registrations& All() {
  static Registrations& all = *new Registrations;
  return all;
}

struct CallConfiguration {
  Dim3 grid;
  Dim3 block;
  size_t shared_bytes;
  CUstream stream;
};

thread_local std::vector<CallConfiguration> configurations;
thread_local CUresult last_error = CUDA_SUCCESS;

}  // namespace

CUresult Keep(CUresult result) {
  if (result != CUDA_SUCCESS) {
    last_error = result;
  }
  return result;
}

}  // namespace standin

using namespace standin;  // NOLINT(google-build-using-namespace): the exported functions stand
                          // outside of it

extern "C" {
CUresult cuInit(unsigned flags);
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetDevice(CUdevice* device);
CUresult cuCtxSynchronize();
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device);
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUresult cuGetErrorName(CUresult error, const char** name);
CUresult cuGetErrorString(CUresult error, const char** text);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra);
CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t bytes);
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream);
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module,
                              const char* name);
CUresult cuModuleLoadData(CUmodule* module, const void* image);
CUresult cuStreamSynchronize(CUstream stream);
}

namespace standin {

CUresult PrimaryContext(int device, CUcontext* context) {
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, CUcontext>& retained = *new std::map<int, CUcontext>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = retained.find(device); found != retained.end()) {
    *context = found->second;
    return CUDA_SUCCESS;
  }
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS) {
    result = cuDevicePrimaryCtxRetain(context, device);
  }
  if (result == CUDA_SUCCESS) {
    retained[device] = *context;
  }
  return result;
}

CUresult CurrentContext(CUcontext* context) {
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS) {
    result = cuCtxGetCurrent(context);
  }
  if (result == CUDA_SUCCESS && *context == nullptr) {
    result = PrimaryContext(0, context);
    if (result == CUDA_SUCCESS) {
      result = cuCtxSetCurrent(*context);
    }
  }
  return result;
}

namespace {

CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

// The module of an entry in the current context, loaded at its first use.
CUresult ModuleOf(const std::map<const void*, Entry>& entries, const void* host, CUmodule* module,
                  const char** name) {
  CUcontext context = nullptr;
  if (const CUresult result = CurrentContext(&context); result != CUDA_SUCCESS) {
    return result;
  }
  const std::lock_guard<std::mutex> lock(All().mutex);
  const auto entry = entries.find(host);
  if (entry == entries.end()) {
    return CUDA_ERROR_NOT_FOUND;
  }
  *name = entry->second.name.c_str();
  CUmodule& loaded = entry->second.binary->modules[context];
  if (loaded == nullptr) {
    if (const CUresult result = cuModuleLoadData(&loaded, entry->second.binary->image);
        result != CUDA_SUCCESS) {
      loaded = nullptr;
      return result;
    }
  }
  *module = loaded;
  return CUDA_SUCCESS;
}

CUresult FunctionOf(const void* host, CUfunction* function) {
  CUmodule module = nullptr;
  const char* name = nullptr;
  const CUresult result = ModuleOf(All().kernels, host, &module, &name);
  return result != CUDA_SUCCESS ? result : cuModuleGetFunction(function, module, name);
}

}  // namespace
}  // namespace standin

RUNTIME_FUNCTION(void**, __cudaRegisterFatBinary, void* wrapper) {
  auto* binary = new Binary{static_cast<const FatBinaryWrapper*>(wrapper)->data, {}};
  return reinterpret_cast<void**>(binary);
}

RUNTIME_FUNCTION(void, __cudaRegisterFatBinaryEnd, void** /*binary*/) {}

RUNTIME_FUNCTION(char, __cudaInitModule, void** /*binary*/) { return 1; }

// At exit, when the driver may be gone: its modules stay loaded.
RUNTIME_FUNCTION(void, __cudaUnregisterFatBinary, void** handle) {
  auto* binary = reinterpret_cast<Binary*>(handle);
  const std::lock_guard<std::mutex> lock(All().mutex);
  for (auto* entries : {&All().kernels, &All().variables}) {
    for (auto entry = entries->begin(); entry != entries->end();) {
      entry = entry->second.binary == binary ? entries->erase(entry) : std::next(entry);
    }
  }
  delete binary;
}

RUNTIME_FUNCTION(void, __cudaRegisterFunction, void** handle, const char* host, char* /*device*/,
                 const char* name, int /*thread_limit*/, void* /*thread*/, void* /*block*/,
                 void* /*block_size*/, void* /*grid_size*/, int* /*warp_size*/) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  All().kernels[host] = {reinterpret_cast<Binary*>(handle), name};
}

RUNTIME_FUNCTION(void, __cudaRegisterVar, void** handle, char* host, char* /*device*/,
                 const char* name, int /*external*/, size_t /*bytes*/, int /*constant*/,
                 int /*global*/) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  All().variables[host] = {reinterpret_cast<Binary*>(handle), name};
}

RUNTIME_FUNCTION(unsigned, __cudaPushCallConfiguration, Dim3 grid, Dim3 block, size_t shared_bytes,
                 CUstream stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

RUNTIME_FUNCTION(CUresult, __cudaPopCallConfiguration, Dim3* grid, Dim3* block,
                 size_t* shared_bytes, void* stream) {
  if (configurations.empty()) {
    return Keep(CUDA_ERROR_INVALID_VALUE);
  }
  const CallConfiguration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<CUstream*>(stream) = top.stream;
  configurations.pop_back();
  return CUDA_SUCCESS;
}

RUNTIME_FUNCTION(CUresult, cudaLaunchKernel, const void* host, Dim3 grid, Dim3 block,
                 void** parameters, size_t shared_bytes, CUstream stream) {
  CUfunction function = nullptr;
  CUresult result = FunctionOf(host, &function);
  if (result == CUDA_SUCCESS) {
    result = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                            static_cast<unsigned>(shared_bytes), stream, parameters, nullptr);
  }
  return Keep(result);
}

// nvcc 13's: a kernel's handle is the address of its host function.
RUNTIME_FUNCTION(CUresult, __cudaGetKernel, const void** kernel, const void* host) {
  *kernel = host;
  return CUDA_SUCCESS;
}

RUNTIME_FUNCTION(CUresult, __cudaLaunchKernel, const void* kernel, Dim3 grid, Dim3 block,
                 void** parameters, size_t shared_bytes, CUstream stream) {
  return cudaLaunchKernel(kernel, grid, block, parameters, shared_bytes, stream);
}

RUNTIME_FUNCTION(CUresult, cudaGetFuncBySymbol, CUfunction* function, const void* host) {
  return Keep(FunctionOf(host, function));
}

RUNTIME_FUNCTION(CUresult, cudaFuncSetAttribute, const void* host, int attribute, int value) {
  CUfunction function = nullptr;
  const CUresult result = FunctionOf(host, &function);
  return Keep(result != CUDA_SUCCESS ? result : cuFuncSetAttribute(function, attribute, value));
}

RUNTIME_FUNCTION(CUresult, cudaGetSymbolAddress, void** address, const void* host) {
  CUmodule module = nullptr;
  const char* name = nullptr;
  CUresult result = ModuleOf(All().variables, host, &module, &name);
  if (result == CUDA_SUCCESS) {
    size_t bytes = 0;
    result = cuModuleGetGlobal_v2(reinterpret_cast<CUdeviceptr*>(address), &bytes, module, name);
  }
  return Keep(result);
}

RUNTIME_FUNCTION(CUresult, cudaGetLastError, void) {
  return std::exchange(last_error, CUDA_SUCCESS);
}

RUNTIME_FUNCTION(CUresult, cudaPeekAtLastError, void) { return last_error; }

RUNTIME_FUNCTION(const char*, cudaGetErrorName, CUresult error) {
  const char* name = nullptr;
  return cuGetErrorName(error, &name) == CUDA_SUCCESS ? name : "unrecognized error code";
}

RUNTIME_FUNCTION(const char*, cudaGetErrorString, CUresult error) {
  const char* text = nullptr;
  return cuGetErrorString(error, &text) == CUDA_SUCCESS ? text : "unrecognized error code";
}

RUNTIME_FUNCTION(CUresult, cudaGetDevice, int* device) {
  CUcontext context = nullptr;
  const CUresult result = CurrentContext(&context);
  return Keep(result != CUDA_SUCCESS ? result : cuCtxGetDevice(device));
}

RUNTIME_FUNCTION(CUresult, cudaSetDevice, int device) {
  CUcontext context = nullptr;
  const CUresult result = PrimaryContext(device, &context);
  return Keep(result != CUDA_SUCCESS ? result : cuCtxSetCurrent(context));
}

RUNTIME_FUNCTION(CUresult, cudaDeviceGetAttribute, int* value, int attribute, int device) {
  return Keep(cuDeviceGetAttribute(value, attribute, device));
}

RUNTIME_FUNCTION(CUresult, cudaMalloc, void** address, size_t bytes) {
  CUcontext context = nullptr;
  const CUresult result = CurrentContext(&context);
  return Keep(result != CUDA_SUCCESS
                  ? result
                  : cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(address), bytes));
}

RUNTIME_FUNCTION(CUresult, cudaFree, void* address) {
  return Keep(address == nullptr ? CUDA_SUCCESS : cuMemFree_v2(Address(address)));
}

// The driver finds out itself which addresses are the device's, whatever `kind` says.
RUNTIME_FUNCTION(CUresult, cudaMemcpy, void* to, const void* from, size_t bytes, int /*kind*/) {
  return Keep(cuMemcpy(Address(to), Address(from), bytes));
}

RUNTIME_FUNCTION(CUresult, cudaMemcpyAsync, void* to, const void* from, size_t bytes, int /*kind*/,
                 CUstream stream) {
  return Keep(cuMemcpyAsync(Address(to), Address(from), bytes, stream));
}

// Done when it returns, which libcudart does not promise: brainpylib's targets fill their results
// so, on the default stream, and then launch a kernel on XLA's stream, which does not wait for the
// default one.
RUNTIME_FUNCTION(CUresult, cudaMemset, void* address, int value, size_t bytes) {
  const CUresult result = cuMemsetD8_v2(Address(address), static_cast<unsigned char>(value), bytes);
  return Keep(result != CUDA_SUCCESS ? result : cuStreamSynchronize(nullptr));
}

RUNTIME_FUNCTION(CUresult, cudaMemsetAsync, void* address, int value, size_t bytes,
                 CUstream stream) {
  return Keep(cuMemsetD8Async(Address(address), static_cast<unsigned char>(value), bytes, stream));
}

RUNTIME_FUNCTION(CUresult, cudaStreamSynchronize, CUstream stream) {
  return Keep(cuStreamSynchronize(stream));
}

RUNTIME_FUNCTION(CUresult, cudaDeviceSynchronize, void) { return Keep(cuCtxSynchronize()); }
