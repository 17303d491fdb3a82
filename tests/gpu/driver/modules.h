// Modules of PTX, and their kernels.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_MODULES_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_MODULES_H_

#include <atomic>
#include <map>
#include <memory>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/ptx/module.h"

namespace standin {

class Function {
 public:
  Module* module;
  const ptx::Kernel* kernel;
  std::atomic<int> dynamic_shared{0};  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
};

class Module {
 public:
  Context* context;
  std::unique_ptr<ptx::Module> ptx;
  std::map<const ptx::Kernel*, Function*> functions;  // guarded by OrderOfStreams()
};

Handles<Function>& Functions();

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_MODULES_H_
