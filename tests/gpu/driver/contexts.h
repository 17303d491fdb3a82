// Devices and contexts.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_CONTEXTS_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_CONTEXTS_H_

#include <atomic>
#include <set>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/ledger.h"

namespace standin {

class Context {
 public:
  Context(int device, bool is_primary);

  // A kernel or copy that faulted: everything in this context fails with it from then on.
  // CUDA_SUCCESS if none did.
  CUresult Error() const { return error; }
  void Lose(CUresult by) { error = by; }

  const int device;
  const bool is_primary;
  const uint64_t id;
  std::atomic<CUresult> error{CUDA_SUCCESS};
  Stream* legacy_stream = nullptr;
  std::set<Context*> peers;  // that it has access to; guarded by the order of streams
};

Handles<Context>& Contexts();
int DeviceCount();
bool IsDevice(CUdevice device);

// The context on top of this thread's stack; null if there is none or it was destroyed.
Context* CurrentContext();
// The primary context of `device` as long as somebody retains it, else null.
Context* PrimaryContext(CUdevice device);

// Fails without a current context, or if that is lost.
CUresult CurrentContext(Context** context);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_CONTEXTS_H_
