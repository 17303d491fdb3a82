// Modules and libraries of PTX, and their variables. Machine code is refused.
#include "tests/gpu/driver/modules.h"

#include <string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tests/gpu/driver/contexts.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/memory.h"
#include "tests/gpu/driver/streams.h"

namespace standin {

namespace {

Handles<Module>& Modules() {
  static Handles<Module>& modules = *new Handles<Module>("module");
  return modules;
}

// What a fat binary that nvcc or ptxas wrote starts with, and an ELF file, and what a C structure
// that holds the former does.
bool IsMachineCode(const void* image) {
  static constexpr uint32_t kFatBinary = 0xBA55ED50;
  static constexpr uint32_t kFatBinaryWrapper = 0x466243B1;
  uint32_t magic;
  memcpy(&magic, image, sizeof(magic));
  return magic == kFatBinary || magic == kFatBinaryWrapper ||
         memcmp(image,
                "\x7f"
                "ELF",
                4) == 0;
}

CUresult Load(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  if (IsMachineCode(image)) {
    ledger::Note("module refused: it is machine code, and the stand-in interprets PTX text alone");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  absl::StatusOr<std::unique_ptr<ptx::Module>> parsed = ptx::Parse(static_cast<const char*>(image));
  if (!parsed.ok()) {
    ledger::Note("module refused: " + std::string(parsed.status().message()));
    return CUDA_ERROR_INVALID_PTX;
  }
  ptx::Module& ptx = **parsed;
  for (ptx::Global& global : ptx.globals()) {
    CUdeviceptr address;
    RETURN_IF_ERROR(memory::Allocate(std::max<size_t>(global.size, 1), memory::Kind::kPlain,
                                     context->device, context, nullptr, &address));
    ledger::GiveBack("device memory", address);  // the module's
    global.address = address;
  }
  for (size_t i = 0; i < ptx.globals().size(); ++i) {
    const std::string bytes = ptx.InitialBytes(i);
    memcpy(memory::Alias(ptx.globals()[i].address, bytes.size()), bytes.data(), bytes.size());
  }
  *module = Modules().Add(new Module{context, std::move(*parsed), {}});
  return CUDA_SUCCESS;
}

CUresult Unload(CUmodule module) {
  if (!Modules().Remove(module)) return CUDA_ERROR_INVALID_HANDLE;
  SynchronizeContext(module->context);
  for (const ptx::Global& global : module->ptx->globals()) memory::Free(global.address);
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  for (const auto& [kernel, function] : module->functions) Functions().Remove(function);
  return CUDA_SUCCESS;
}

CUresult GetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Modules().Has(module)) return CUDA_ERROR_INVALID_HANDLE;
  const ptx::Kernel* kernel = module->ptx->FindKernel(name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  Function*& found = module->functions[kernel];
  if (found == nullptr) found = Functions().Add(new Function{module, kernel});
  *function = found;
  return CUDA_SUCCESS;
}

CUresult GetGlobal(CUdeviceptr* address, size_t* size, CUmodule module, const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Modules().Has(module)) return CUDA_ERROR_INVALID_HANDLE;
  for (const ptx::Global& global : module->ptx->globals()) {
    if (global.name != name) continue;
    if (address != nullptr) *address = global.address;
    if (size != nullptr) *size = global.size;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

}  // namespace

Handles<Function>& Functions() {
  static Handles<Function>& functions = *new Handles<Function>(nullptr);
  return functions;
}

DRIVER_FUNCTION(cuModuleLoadData, CUmodule* module, const void* image) {
  ENTER();
  return Load(module, image);
}

DRIVER_FUNCTION(cuModuleLoadDataEx, CUmodule* module, const void* image, unsigned, void*, void*) {
  ENTER();
  return Load(module, image);
}

DRIVER_FUNCTION(cuModuleLoadFatBinary, CUmodule* module, const void* image) {
  ENTER();
  return Load(module, image);
}

DRIVER_FUNCTION(cuModuleUnload, CUmodule module) {
  ENTER();
  return Unload(module);
}

DRIVER_FUNCTION(cuModuleGetFunction, CUfunction* function, CUmodule module, const char* name) {
  ENTER();
  return GetFunction(function, module, name);
}

DRIVER_FUNCTION(cuModuleGetGlobal_v2, CUdeviceptr* address, size_t* size, CUmodule module,
                const char* name) {
  ENTER();
  return GetGlobal(address, size, module, name);
}

DRIVER_FUNCTION(cuModuleGetLoadingMode, int* mode) {
  ENTER_BEFORE_INIT();
  *mode = 1;  // CU_MODULE_EAGER_LOADING
  return CUDA_SUCCESS;
}

// A library is a module of the context that is current when it is loaded.
DRIVER_FUNCTION(cuLibraryLoadData, CUlibrary* library, const void* code, void*, void*, unsigned,
                void*, void*, unsigned) {
  ENTER();
  return Load(library, code);
}

DRIVER_FUNCTION(cuLibraryUnload, CUlibrary library) {
  ENTER();
  return Unload(library);
}

DRIVER_FUNCTION(cuLibraryGetKernel, CUkernel* kernel, CUlibrary library, const char* name) {
  ENTER();
  return GetFunction(kernel, library, name);
}

DRIVER_FUNCTION(cuLibraryGetModule, CUmodule* module, CUlibrary library) {
  ENTER();
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Modules().Has(library)) return CUDA_ERROR_INVALID_HANDLE;
  *module = library;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuLibraryGetGlobal, CUdeviceptr* address, size_t* size, CUlibrary library,
                const char* name) {
  ENTER();
  return GetGlobal(address, size, library, name);
}

}  // namespace standin
