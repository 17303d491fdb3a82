// Kernels: their attributes, and their launches.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/memory.h"
#include "tests/gpu/driver/modules.h"
#include "tests/gpu/driver/operations.h"

namespace standin {
namespace {

constexpr int kMaxShared = 166912;
constexpr int kSharedWithoutAsking = 49152;

class DeviceMemory : public ptx::Memory {
 public:
  void* Translate(uint64_t address, size_t bytes) override {
    if (memory::IsDeviceAddress(address)) return memory::Alias(address, bytes);
    const std::optional<memory::HostMemory> host = memory::FindHostMemory(address);
    if (!host.has_value() || address + bytes > host->base + host->size) return nullptr;
    return reinterpret_cast<void*>(address);
  }
};

CUresult GetFunctionAttribute(int* value, int attribute, CUfunction function) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  const ptx::Kernel& kernel = *function->kernel;
  switch (attribute) {
    case 0:  // MAX_THREADS_PER_BLOCK
      *value = static_cast<int>(kernel.max_threads);
      return CUDA_SUCCESS;
    case 1:  // SHARED_SIZE_BYTES
      *value = static_cast<int>(kernel.static_shared_bytes);
      return CUDA_SUCCESS;
    case 3:  // LOCAL_SIZE_BYTES
      *value = static_cast<int>(kernel.local_bytes);
      return CUDA_SUCCESS;
    case 4:  // NUM_REGS
      *value = 32;
      return CUDA_SUCCESS;
    case 5:  // PTX_VERSION
    case 6:  // BINARY_VERSION
      *value = 80;
      return CUDA_SUCCESS;
    case 8:  // MAX_DYNAMIC_SHARED_SIZE_BYTES
      *value = std::max<int>(function->dynamic_shared,
                             kSharedWithoutAsking - static_cast<int>(kernel.static_shared_bytes));
      return CUDA_SUCCESS;
    default:
      *value = 0;
      return attribute >= 0 && attribute < 16 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult SetFunctionAttribute(CUfunction function, int attribute, int value) {
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == 8) {
    if (value < 0 || value > kMaxShared) return CUDA_ERROR_INVALID_VALUE;
    function->dynamic_shared = value;
  }
  return attribute >= 0 && attribute < 16 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

// Parameters come as an array of pointers, or as one block of bytes in `extra`.
CUresult MakeLaunch(CUfunction function, const unsigned grid[3], const unsigned block[3],
                    unsigned shared, void** parameters, void** extra, Launch* launch) {
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  const ptx::Kernel& kernel = *function->kernel;
  // XLA ends the process if a launch fails later.
  if (const absl::Status status = ptx::CheckKernel(kernel); !status.ok()) {
    ledger::Note("kernel " + kernel.name + " refused: " + std::string(status.message()));
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  if (threads == 0 || uint64_t{grid[0]} * grid[1] * grid[2] == 0 || grid[1] > 65535 ||
      grid[2] > 65535 || block[2] > 64 || threads > kernel.max_threads) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (shared >
      static_cast<unsigned>(std::max<int>(function->dynamic_shared, kSharedWithoutAsking))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  launch->function = function;
  std::copy_n(grid, 3, launch->grid);
  std::copy_n(block, 3, launch->block);
  launch->shared = shared;
  const char* bytes = nullptr;
  size_t size = 0;
  // CU_LAUNCH_PARAM_BUFFER_POINTER is 1, CU_LAUNCH_PARAM_BUFFER_SIZE 2, CU_LAUNCH_PARAM_END 0.
  for (void** at = extra; at != nullptr && *at != nullptr; at += 2) {
    if (reinterpret_cast<uint64_t>(*at) == 1) bytes = static_cast<const char*>(at[1]);
    if (reinterpret_cast<uint64_t>(*at) == 2) size = *static_cast<size_t*>(at[1]);
  }
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Parameter& parameter = kernel.parameters[i];
    if (bytes != nullptr) {
      if (parameter.offset + parameter.size > size) return CUDA_ERROR_INVALID_VALUE;
      launch->parameters.emplace_back(bytes + parameter.offset, parameter.size);
    } else if (parameters != nullptr && parameters[i] != nullptr) {
      launch->parameters.emplace_back(static_cast<const char*>(parameters[i]), parameter.size);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

CUresult RunLaunch(const Launch& launch, Context*) {
  std::vector<const void*> parameters;
  for (const std::string& parameter : launch.parameters) parameters.push_back(parameter.data());
  ptx::LaunchConfig config;
  config.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  config.block = {launch.block[0], launch.block[1], launch.block[2]};
  config.dynamic_shared_bytes = launch.shared;
  DeviceMemory memory;
  const absl::Status status =
      ptx::Launch(*launch.function->kernel, config, parameters.data(), memory);
  if (status.ok()) return CUDA_SUCCESS;
  ledger::Note("kernel " + launch.function->kernel->name +
               " failed: " + std::string(status.message()));
  switch (ptx::FaultOf(status)) {
    case ptx::Fault::kIllegalAddress:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case ptx::Fault::kMisalignedAddress:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case ptx::Fault::kTimeout:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case ptx::Fault::kNone:
    case ptx::Fault::kTrap:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

DRIVER_FUNCTION(cuKernelGetFunction, CUfunction* function, CUkernel kernel) {
  ENTER();
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  *function = kernel;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuKernelGetAttribute, int* value, int attribute, CUkernel kernel, CUdevice) {
  ENTER();
  return GetFunctionAttribute(value, attribute, kernel);
}

DRIVER_FUNCTION(cuKernelSetAttribute, int attribute, int value, CUkernel kernel, CUdevice) {
  ENTER();
  return SetFunctionAttribute(kernel, attribute, value);
}

DRIVER_FUNCTION(cuFuncGetAttribute, int* value, int attribute, CUfunction function) {
  ENTER();
  return GetFunctionAttribute(value, attribute, function);
}

DRIVER_FUNCTION(cuFuncSetAttribute, CUfunction function, int attribute, int value) {
  ENTER();
  return SetFunctionAttribute(function, attribute, value);
}

DRIVER_FUNCTION(cuFuncSetCacheConfig, CUfunction function, int) {
  ENTER();
  return Functions().Has(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

DRIVER_FUNCTION(cuFuncGetModule, CUmodule* module, CUfunction function) {
  ENTER();
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  *module = function->module;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuFuncGetName, const char** name, CUfunction function) {
  ENTER();
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  *name = function->kernel->name.c_str();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* count, CUfunction function,
                int block_size, size_t) {
  ENTER();
  if (count == nullptr || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  *count = std::max(1, std::min(32, 2048 / block_size));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuOccupancyMaxPotentialBlockSize, int* grid, int* block, CUfunction function, void*,
                size_t, int limit) {
  ENTER();
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Functions().Has(function)) return CUDA_ERROR_INVALID_HANDLE;
  const int most = static_cast<int>(function->kernel->max_threads);
  *block = limit > 0 ? std::min(limit, most) : most;
  *grid = 216;
  return CUDA_SUCCESS;
}

static CUresult LaunchKernel(CUstream handle, CUfunction function, const unsigned grid[3],
                             const unsigned block[3], unsigned shared, void** parameters,
                             void** extra) {
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  Launch launch;
  RETURN_IF_ERROR(MakeLaunch(function, grid, block, shared, parameters, extra, &launch));
  if (function->module->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  return Issue(handle, std::move(launch));
}

DRIVER_FUNCTION(cuLaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y,
                unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                unsigned shared, CUstream stream, void** parameters, void** extra) {
  ENTER();
  const unsigned grid[] = {grid_x, grid_y, grid_z};
  const unsigned block[] = {block_x, block_y, block_z};
  return LaunchKernel(stream, function, grid, block, shared, parameters, extra);
}

DRIVER_FUNCTION(cuLaunchKernelEx, const CUlaunchConfig* config, CUfunction function,
                void** parameters, void** extra) {
  ENTER();
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const unsigned grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const unsigned block[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  return LaunchKernel(config->hStream, function, grid, block, config->sharedMemBytes, parameters,
                      extra);
}

}  // namespace standin
