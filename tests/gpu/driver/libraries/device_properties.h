// Where cudaDeviceProp has what cudaGetDeviceProperties() fills in. driver_types_test.cc compares
// it with the toolkit's.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_DEVICE_PROPERTIES_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_DEVICE_PROPERTIES_H_

#include <cstddef>

namespace standin {

// Offsets of cudaDeviceProp's members, by their names. `name` is its first.
struct DeviceProperties {
  size_t uuid, totalGlobalMem, sharedMemPerBlock, regsPerBlock, warpSize, maxThreadsPerBlock, major,
      minor, multiProcessorCount, pciBusID, l2CacheSize, maxThreadsPerMultiProcessor,
      sharedMemPerMultiprocessor, regsPerMultiprocessor, sharedMemPerBlockOptin;
  size_t size;  // of all
};

inline constexpr DeviceProperties kCuda12Properties = {256, 288, 296, 304, 308, 320, 360, 364,
                                                       388, 584, 616, 624, 640, 648, 696, 1032};
inline constexpr DeviceProperties kCuda13Properties = {256, 288, 296, 304, 308, 320, 360, 364,
                                                       384, 568, 596, 604, 624, 632, 672, 1008};

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_DEVICE_PROPERTIES_H_
