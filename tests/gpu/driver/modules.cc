// Modules of PTX and their kernels.
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/operations.h"

namespace standin {

CUresult MakeLaunch(CUfunction, const unsigned*, const unsigned*, unsigned, void**, void**,
                    Launch*) {
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult RunLaunch(const Launch&, Context*) { return CUDA_ERROR_LAUNCH_FAILED; }

static CUresult Refuse(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  ledger::Note("module refused: the stand-in has no interpreter of PTX yet");
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

DRIVER_FUNCTION(cuModuleLoadData, CUmodule* module, const void* image) {
  ENTER();
  return Refuse(module, image);
}

DRIVER_FUNCTION(cuModuleLoadDataEx, CUmodule* module, const void* image, unsigned, void*, void*) {
  ENTER();
  return Refuse(module, image);
}

DRIVER_FUNCTION(cuModuleLoadFatBinary, CUmodule* module, const void* image) {
  ENTER();
  return Refuse(module, image);
}

}  // namespace standin
