// libnvidia-ml.so.1: newer plugins count the devices by it. nvmlDeviceGetGpuFabricInfoV stays away:
// jax 0.6.2 ends the process where it exists and fails.
#include <cstdio>
#include <cstring>

#define NVML_FUNCTION(name, ...) \
  extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)

extern "C" int cuInit(unsigned flags);
extern "C" int cuDeviceGetCount(int* count);
extern "C" int cuDriverGetVersion(int* version);

namespace {
constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
char devices[64];
}  // namespace

NVML_FUNCTION(nvmlInit_v2) {
  return cuInit(0) == 0 ? kSuccess : 9;
}  // NVML_ERROR_DRIVER_NOT_LOADED
NVML_FUNCTION(nvmlInit) { return nvmlInit_v2(); }
NVML_FUNCTION(nvmlShutdown) { return kSuccess; }
NVML_FUNCTION(nvmlDeviceGetCount_v2, unsigned* count) {
  int number = 0;
  if (cuDeviceGetCount(&number) != 0) return kInvalidArgument;
  *count = static_cast<unsigned>(number);
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetHandleByIndex_v2, unsigned index, void** device) {
  unsigned count = 0;
  if (nvmlDeviceGetCount_v2(&count) != kSuccess || index >= count) return kInvalidArgument;
  *device = &devices[index];
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetHandleByPciBusId_v2, const char* text, void** device) {
  unsigned domain = 0, bus = 0;
  if (sscanf(text, "%x:%x", &domain, &bus) != 2 || bus == 0) return kInvalidArgument;
  return nvmlDeviceGetHandleByIndex_v2(bus - 1, device);
}
NVML_FUNCTION(nvmlDeviceGetIndex, void* device, unsigned* index) {
  *index = static_cast<unsigned>(static_cast<char*>(device) - devices);
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetName, void*, char* name, unsigned size) {
  snprintf(name, size, "Stand-in for a GPU");
  return kSuccess;
}
NVML_FUNCTION(nvmlSystemGetDriverVersion, char* text, unsigned size) {
  snprintf(text, size, "580.0");
  return kSuccess;
}
NVML_FUNCTION(nvmlSystemGetCudaDriverVersion_v2, int* version) {
  return cuDriverGetVersion(version);
}
NVML_FUNCTION(nvmlSystemGetCudaDriverVersion, int* version) { return cuDriverGetVersion(version); }
NVML_FUNCTION(nvmlDeviceGetNvLinkState, void*, unsigned, unsigned*) { return kNotSupported; }
NVML_FUNCTION(nvmlDeviceGetNvLinkCapability, void*, unsigned, int, unsigned*) {
  return kNotSupported;
}
NVML_FUNCTION(nvmlDeviceGetCurrPcieLinkGeneration, void*, unsigned* generation) {
  *generation = 4;
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetCurrPcieLinkWidth, void*, unsigned* width) {
  *width = 16;
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetMaxPcieLinkGeneration, void* device, unsigned* generation) {
  return nvmlDeviceGetCurrPcieLinkGeneration(device, generation);
}
NVML_FUNCTION(nvmlDeviceGetMaxPcieLinkWidth, void* device, unsigned* width) {
  return nvmlDeviceGetCurrPcieLinkWidth(device, width);
}
NVML_FUNCTION(nvmlDeviceGetPcieLinkMaxSpeed, void*, unsigned* megabytes) {
  *megabytes = 16000;
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetPcieSpeed, void*, unsigned* megabytes) {
  *megabytes = 16000;
  return kSuccess;
}
NVML_FUNCTION(nvmlDeviceGetP2PStatus, void*, void*, int, int* status) {
  *status = 0;
  return kSuccess;
}
extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int) {
  return "an error of the stand-in for NVML";
}
