// Two devices, as the driver describes them.
#include <string.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/memory.h"

namespace standin {
namespace {

// CUdevice_attribute and what an A100 says; all others are 0.
const std::map<int, int>& Attributes() {
  static const std::map<int, int>& attributes = *new std::map<int, int>{
      {1, 1024},         // MAX_THREADS_PER_BLOCK
      {2, 1024},         // MAX_BLOCK_DIM_X
      {3, 1024},         // MAX_BLOCK_DIM_Y
      {4, 64},           // MAX_BLOCK_DIM_Z
      {5, 2147483647},   // MAX_GRID_DIM_X
      {6, 65535},        // MAX_GRID_DIM_Y
      {7, 65535},        // MAX_GRID_DIM_Z
      {8, 49152},        // MAX_SHARED_MEMORY_PER_BLOCK
      {9, 65536},        // TOTAL_CONSTANT_MEMORY
      {10, 32},          // WARP_SIZE
      {11, 2147483647},  // MAX_PITCH
      {12, 65536},       // MAX_REGISTERS_PER_BLOCK
      {13, 1410000},     // CLOCK_RATE
      {14, 512},         // TEXTURE_ALIGNMENT
      {15, 1},           // GPU_OVERLAP
      {16, 108},         // MULTIPROCESSOR_COUNT
      {19, 1},           // CAN_MAP_HOST_MEMORY
      {31, 1},           // CONCURRENT_KERNELS
      {36, 1215000},     // MEMORY_CLOCK_RATE
      {37, 5120},        // GLOBAL_MEMORY_BUS_WIDTH
      {38, 41943040},    // L2_CACHE_SIZE
      {39, 2048},        // MAX_THREADS_PER_MULTIPROCESSOR
      {40, 3},           // ASYNC_ENGINE_COUNT
      {41, 1},           // UNIFIED_ADDRESSING
      {75, 8},           // COMPUTE_CAPABILITY_MAJOR
      {76, 0},           // COMPUTE_CAPABILITY_MINOR
      {78, 1},           // STREAM_PRIORITIES_SUPPORTED
      {81, 167936},      // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 65536},       // MAX_REGISTERS_PER_MULTIPROCESSOR
      {97, 166912},      // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      {99, 1},           // HOST_REGISTER_SUPPORTED
      {102, 1},          // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
      {106, 32},         // MAX_BLOCKS_PER_MULTIPROCESSOR
      {111, 1024},       // RESERVED_SHARED_MEMORY_PER_BLOCK
      {115, 1},          // MEMORY_POOLS_SUPPORTED
  };
  return attributes;
}

}  // namespace

int DeviceCount() {
  static const int count = static_cast<int>(NumberFromEnvironment("CALLBRIDGE_STANDIN_DEVICES", 2));
  return count;
}

bool IsDevice(CUdevice device) { return device >= 0 && device < DeviceCount(); }

DRIVER_FUNCTION(cuInit, unsigned flags) {
  ENTER_BEFORE_INIT();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (DeviceCount() == 0) return CUDA_ERROR_NO_DEVICE;
  SetInitialized();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDriverGetVersion, int* version) {
  ENTER_BEFORE_INIT();
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = static_cast<int>(NumberFromEnvironment("CALLBRIDGE_STANDIN_VERSION", 12090));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetCount, int* count) {
  ENTER();
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = DeviceCount();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGet, CUdevice* device, int ordinal) {
  ENTER();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetName, char* name, int size, CUdevice device) {
  ENTER();
  if (name == nullptr || size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(name, size, "Stand-in for a GPU");
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetAttribute, int* value, int attribute, CUdevice device) {
  ENTER();
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == 33) {  // PCI_BUS_ID
    *value = device + 1;
    return CUDA_SUCCESS;
  }
  const auto found = Attributes().find(attribute);
  *value = found == Attributes().end() ? 0 : found->second;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceComputeCapability, int* major, int* minor, CUdevice device) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *major = 8;
  *minor = 0;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceTotalMem_v2, size_t* bytes, CUdevice device) {
  ENTER();
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = memory::Total();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetUuid, CUuuid* uuid, CUdevice device) {
  ENTER();
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  memcpy(uuid->bytes, "stand-in device", 16);
  uuid->bytes[15] = static_cast<char>(device + 1);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetUuid_v2, CUuuid* uuid, CUdevice device) {
  ENTER();
  return cuDeviceGetUuid(uuid, device);
}

DRIVER_FUNCTION(cuDeviceGetPCIBusId, char* text, int size, CUdevice device) {
  ENTER();
  if (text == nullptr || size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(text, size, "0000:%02X:00.0", device + 1);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetByPCIBusId, CUdevice* device, const char* text) {
  ENTER();
  unsigned domain = 0, bus = 0;
  if (device == nullptr || text == nullptr || sscanf(text, "%x:%x", &domain, &bus) != 2) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!IsDevice(static_cast<int>(bus) - 1)) return CUDA_ERROR_INVALID_DEVICE;
  *device = static_cast<int>(bus) - 1;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceCanAccessPeer, int* can, CUdevice device, CUdevice peer) {
  ENTER();
  if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device) || !IsDevice(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDeviceGetP2PAttribute, int* value, int, CUdevice device, CUdevice peer) {
  ENTER();
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device) || !IsDevice(peer) || device == peer) return CUDA_ERROR_INVALID_DEVICE;
  *value = 1;
  return CUDA_SUCCESS;
}

}  // namespace standin
