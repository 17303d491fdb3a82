// Functions of libcudart that PyTorch imports and the stand-in does not have: each says so once and
// fails. Without them, ld.so would end the process.
#include <atomic>
#include <cstdio>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/libraries/runtime.h"

namespace standin {

static CUresult Refuse(const char* function, std::atomic<bool>& is_said) {
  if (!is_said.exchange(true)) {
    fprintf(stderr, "stand-in for libcudart: unknown function called: %s\n", function);
  }
  return Keep(CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace standin

#define REFUSED(name)                         \
  RUNTIME_FUNCTION(standin::CUresult, name) { \
    static std::atomic<bool> is_said{false};  \
    return standin::Refuse(#name, is_said);   \
  }
REFUSED(cudaDeviceGetDefaultMemPool)
REFUSED(cudaDeviceGetGraphMemAttribute)
REFUSED(cudaDeviceSetGraphMemAttribute)
REFUSED(cudaFuncGetAttributes)
REFUSED(cudaGraphAddNode)
REFUSED(cudaGraphConditionalHandleCreate)
REFUSED(cudaGraphDebugDotPrint)
REFUSED(cudaGraphDestroy)
REFUSED(cudaGraphExecDestroy)
REFUSED(cudaGraphGetNodes)
REFUSED(cudaGraphInstantiate)
REFUSED(cudaGraphInstantiateWithFlags)
REFUSED(cudaGraphLaunch)
REFUSED(cudaGraphNodeGetDependencies)
REFUSED(cudaGraphRetainUserObject)
REFUSED(cudaHostGetDevicePointer)
REFUSED(cudaIpcCloseMemHandle)
REFUSED(cudaIpcGetEventHandle)
REFUSED(cudaIpcGetMemHandle)
REFUSED(cudaIpcOpenEventHandle)
REFUSED(cudaIpcOpenMemHandle)
REFUSED(cudaKernelSetAttributeForDevice)
REFUSED(cudaLaunchCooperativeKernel)
REFUSED(cudaLaunchKernelExC)
REFUSED(cudaLibraryGetGlobal)
REFUSED(cudaLibraryGetKernel)
REFUSED(cudaLibraryGetKernelCount)
REFUSED(cudaLibraryGetManaged)
REFUSED(cudaLibraryGetUnifiedFunction)
REFUSED(cudaLibraryLoadData)
REFUSED(cudaLibraryLoadFromFile)
REFUSED(cudaLibraryUnload)
REFUSED(cudaMallocManaged)
REFUSED(cudaMemPoolGetAttribute)
REFUSED(cudaMemPoolSetAccess)
REFUSED(cudaMemPoolSetAttribute)
REFUSED(cudaMemPoolTrimTo)
REFUSED(cudaMemcpy2DAsync)
REFUSED(cudaMemcpyToSymbol)
REFUSED(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
REFUSED(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
REFUSED(cudaProfilerStart)
REFUSED(cudaProfilerStop)
REFUSED(cudaStreamBeginCapture)
REFUSED(cudaStreamBeginCaptureToGraph)
REFUSED(cudaStreamEndCapture)
REFUSED(cudaStreamUpdateCaptureDependencies)
REFUSED(cudaUserObjectCreate)
REFUSED(cudaUserObjectRelease)
