// How programs find the driver's functions: cuGetProcAddress. What is exported but not written
// refuses by name.
#include <dlfcn.h>
#include <string.h>

#include <string>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"

namespace standin {
namespace {

// The name behind a name that cuGetProcAddress is asked for, from the version of CUDA that made it
// so. Of several rows the last that is not too new. All names that are not here are exported as
// they are asked for.
struct Row {
  const char* name;
  const char* exported;
  int since;
};
constexpr Row kRows[] = {
    {"cuCtxCreate", "cuCtxCreate_v2", 3020},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuCtxDestroy", "cuCtxDestroy_v2", 4000},
    {"cuCtxGetDevice", "cuCtxGetDevice", 2000},
    {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
    {"cuCtxPopCurrent", "cuCtxPopCurrent_v2", 4000},
    {"cuCtxPushCurrent", "cuCtxPushCurrent_v2", 4000},
    {"cuDeviceGetUuid", "cuDeviceGetUuid", 9020},
    {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040},
    {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", 11000},
    {"cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2", 11000},
    {"cuDevicePrimaryCtxSetFlags", "cuDevicePrimaryCtxSetFlags_v2", 11000},
    {"cuDeviceTotalMem", "cuDeviceTotalMem_v2", 3020},
    {"cuEventDestroy", "cuEventDestroy_v2", 4000},
    {"cuEventElapsedTime", "cuEventElapsedTime", 2000},
    {"cuEventElapsedTime", "cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress", "cuGetProcAddress", 11030},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuGraphAddDependencies", "cuGraphAddDependencies", 10000},
    {"cuGraphAddDependencies", "cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddNode", "cuGraphAddNode", 12020},
    {"cuGraphAddNode", "cuGraphAddNode_v2", 12030},
    {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate", "cuGraphExecUpdate", 10020},
    {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000},
    {"cuGraphGetEdges", "cuGraphGetEdges", 10000},
    {"cuGraphGetEdges", "cuGraphGetEdges_v2", 12030},
    {"cuGraphInstantiate", "cuGraphInstantiate_v2", 11000},
    {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000},
    {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies", 10000},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 12030},
    {"cuMemAlloc", "cuMemAlloc_v2", 3020},
    {"cuMemAllocHost", "cuMemAllocHost_v2", 3020},
    {"cuMemAllocPitch", "cuMemAllocPitch_v2", 3020},
    {"cuMemFree", "cuMemFree_v2", 3020},
    {"cuMemGetAddressRange", "cuMemGetAddressRange_v2", 3020},
    {"cuMemGetInfo", "cuMemGetInfo_v2", 3020},
    {"cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2", 3020},
    {"cuMemHostRegister", "cuMemHostRegister_v2", 6050},
    {"cuMemcpy2D", "cuMemcpy2D_v2", 3020},
    {"cuMemcpy2DAsync", "cuMemcpy2DAsync_v2", 3020},
    {"cuMemcpy3D", "cuMemcpy3D_v2", 3020},
    {"cuMemcpy3DAsync", "cuMemcpy3DAsync_v2", 3020},
    {"cuMemcpyDtoD", "cuMemcpyDtoD_v2", 3020},
    {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", 3020},
    {"cuMemcpyDtoH", "cuMemcpyDtoH_v2", 3020},
    {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", 3020},
    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2", 3020},
    {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", 3020},
    {"cuMemsetD16", "cuMemsetD16_v2", 3020},
    {"cuMemsetD32", "cuMemsetD32_v2", 3020},
    {"cuMemsetD8", "cuMemsetD8_v2", 3020},
    {"cuModuleGetGlobal", "cuModuleGetGlobal_v2", 3020},
    {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010},
    {"cuStreamDestroy", "cuStreamDestroy_v2", 4000},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies", 11030},
    {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2", 12030},
};

void* Exported(const std::string& name) {
  static void* const library = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&Exported), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return dlsym(library, name.c_str());
}

CUresult Look(const char* symbol, void** function, int version, uint64_t flags,
              CUdriverProcAddressQueryResult* result) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  std::string name = symbol;
  bool has_rows = false;
  bool has_one_for_version = false;
  for (const Row& row : kRows) {
    if (strcmp(row.name, symbol) != 0) continue;
    has_rows = true;
    if (row.since > version) continue;
    has_one_for_version = true;
    name = row.exported;
  }
  const bool too_old = has_rows && !has_one_for_version;
  if (!EnvironmentLists("CALLBRIDGE_STANDIN_LACKS", symbol) && !too_old) {
    if ((flags & kPerThreadDefaultStreamFlag) != 0) {
      *function = Exported(name + "_ptsz");
      if (*function == nullptr) *function = Exported(name + "_ptds");
    }
    if (*function == nullptr) *function = Exported(name);
  }
  if (result != nullptr) {
    *result = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : too_old            ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                   : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  if (*function == nullptr) ledger::Note(std::string("unknown function asked for: ") + symbol);
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

struct ErrorName {
  CUresult error;
  const char* name;
};
#define NAMED(error) \
  { error, #error }
constexpr ErrorName kErrorNames[] = {
    NAMED(CUDA_SUCCESS),
    NAMED(CUDA_ERROR_INVALID_VALUE),
    NAMED(CUDA_ERROR_OUT_OF_MEMORY),
    NAMED(CUDA_ERROR_NOT_INITIALIZED),
    NAMED(CUDA_ERROR_NO_DEVICE),
    NAMED(CUDA_ERROR_INVALID_DEVICE),
    NAMED(CUDA_ERROR_INVALID_IMAGE),
    NAMED(CUDA_ERROR_INVALID_CONTEXT),
    NAMED(CUDA_ERROR_NO_BINARY_FOR_GPU),
    NAMED(CUDA_ERROR_UNSUPPORTED_LIMIT),
    NAMED(CUDA_ERROR_INVALID_PTX),
    NAMED(CUDA_ERROR_INVALID_HANDLE),
    NAMED(CUDA_ERROR_ILLEGAL_STATE),
    NAMED(CUDA_ERROR_NOT_FOUND),
    NAMED(CUDA_ERROR_NOT_READY),
    NAMED(CUDA_ERROR_ILLEGAL_ADDRESS),
    NAMED(CUDA_ERROR_LAUNCH_TIMEOUT),
    NAMED(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    NAMED(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    NAMED(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
    NAMED(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    NAMED(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    NAMED(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    NAMED(CUDA_ERROR_MISALIGNED_ADDRESS),
    NAMED(CUDA_ERROR_LAUNCH_FAILED),
    NAMED(CUDA_ERROR_NOT_PERMITTED),
    NAMED(CUDA_ERROR_NOT_SUPPORTED),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_MERGE),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
    NAMED(CUDA_ERROR_CAPTURED_EVENT),
    NAMED(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
    NAMED(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
    NAMED(CUDA_ERROR_UNKNOWN),
};
#undef NAMED

CUresult NameOf(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  for (const ErrorName& named : kErrorNames) {
    if (named.error == error) *text = named.name;
  }
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

DRIVER_FUNCTION(cuGetProcAddress, const char* symbol, void** function, int version,
                uint64_t flags) {
  ENTER_BEFORE_INIT();
  return Look(symbol, function, version, flags, nullptr);
}

DRIVER_FUNCTION(cuGetProcAddress_v2, const char* symbol, void** function, int version,
                uint64_t flags, CUdriverProcAddressQueryResult* result) {
  ENTER_BEFORE_INIT();
  return Look(symbol, function, version, flags, result);
}

DRIVER_FUNCTION(cuGetErrorName, CUresult error, const char** text) {
  ENTER_BEFORE_INIT();
  return NameOf(error, text);
}

// The name again: programs must not depend on the words.
DRIVER_FUNCTION(cuGetErrorString, CUresult error, const char** text) {
  ENTER_BEFORE_INIT();
  return NameOf(error, text);
}

}  // namespace standin
