#include "tests/gpu/driver/contexts.h"

#include <mutex>
#include <vector>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/streams.h"

namespace standin {
namespace {

std::atomic<uint64_t> next_context_id{1};
thread_local std::vector<Context*> stack;

struct Primary {
  std::mutex mutex;
  Context* contexts[64] = {};
  int references[64] = {};
  unsigned flags[64] = {};
};

Primary& Primaries() {
  static Primary& primaries = *new Primary;
  return primaries;
}

void Destroy(Context* context) {
  SynchronizeContext(context);
  Contexts().Remove(context);
}

}  // namespace

Context::Context(int device, bool is_primary)
    : device(device),
      is_primary(is_primary),
      id(next_context_id++),
      legacy_stream(MakeLegacyStream(this)) {}

Handles<Context>& Contexts() {
  static Handles<Context>& contexts = *new Handles<Context>("context");
  return contexts;
}

Context* CurrentContext() {
  return stack.empty() || !Contexts().Has(stack.back()) ? nullptr : stack.back();
}

CUresult CurrentContext(Context** context) {
  if (stack.empty() || stack.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!Contexts().Has(stack.back())) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *context = stack.back();
  return (*context)->Error();
}

Context* PrimaryContext(CUdevice device) {
  Primary& primaries = Primaries();
  const std::lock_guard<std::mutex> lock(primaries.mutex);
  return primaries.contexts[device];
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRetain, CUcontext* context, CUdevice device) {
  ENTER();
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  Primary& primaries = Primaries();
  const std::lock_guard<std::mutex> lock(primaries.mutex);
  Context*& primary = primaries.contexts[device];
  if (primary == nullptr) primary = Contexts().Add(new Context(device, true));
  ++primaries.references[device];
  *context = primary;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRelease_v2, CUdevice device) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  Primary& primaries = Primaries();
  const std::lock_guard<std::mutex> lock(primaries.mutex);
  if (primaries.references[device] == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primaries.references[device] == 0) {
    Destroy(primaries.contexts[device]);
    primaries.contexts[device] = nullptr;
  }
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRelease, CUdevice device) {
  ENTER();
  return cuDevicePrimaryCtxRelease_v2(device);
}

DRIVER_FUNCTION(cuDevicePrimaryCtxReset_v2, CUdevice device) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  Primary& primaries = Primaries();
  const std::lock_guard<std::mutex> lock(primaries.mutex);
  if (primaries.contexts[device] == nullptr) return CUDA_SUCCESS;
  Destroy(primaries.contexts[device]);
  primaries.contexts[device] = nullptr;
  primaries.references[device] = 0;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  Primaries().flags[device] = flags;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxGetState, CUdevice device, unsigned* flags, int* active) {
  ENTER();
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (flags != nullptr) *flags = Primaries().flags[device];
  if (active != nullptr) *active = PrimaryContext(device) != nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}

static CUresult CreateContext(CUcontext* context, CUdevice device) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = Contexts().Add(new Context(device, false));
  stack.push_back(*context);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxCreate_v2, CUcontext* context, unsigned, CUdevice device) {
  ENTER();
  return CreateContext(context, device);
}

DRIVER_FUNCTION(cuCtxCreate_v3, CUcontext* context, void*, int, unsigned, CUdevice device) {
  ENTER();
  return CreateContext(context, device);
}

DRIVER_FUNCTION(cuCtxCreate_v4, CUcontext* context, void*, unsigned, CUdevice device) {
  ENTER();
  return CreateContext(context, device);
}

DRIVER_FUNCTION(cuCtxDestroy_v2, CUcontext context) {
  ENTER();
  if (!Contexts().Has(context) || context->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
  Destroy(context);
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxPushCurrent_v2, CUcontext context) {
  ENTER();
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  stack.push_back(context);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxPopCurrent_v2, CUcontext* context) {
  ENTER();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxSetCurrent, CUcontext context) {
  ENTER();
  if (context != nullptr && !Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetCurrent, CUcontext* context) {
  ENTER();
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetDevice, CUdevice* device) {
  ENTER();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetDevice_v2, CUdevice* device, CUcontext context) {
  ENTER();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (context == nullptr) context = CurrentContext();
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetId, CUcontext context, uint64_t* id) {
  ENTER();
  if (context == nullptr) context = CurrentContext();
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts().Has(context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *id = context->id;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetApiVersion, CUcontext context, unsigned* version) {
  ENTER();
  if (context != nullptr && !Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetFlags, unsigned* flags) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  *flags = Primaries().flags[context->device];
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxSynchronize) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  RETURN_IF_ERROR(RefuseWhileCapturing(context));
  return SynchronizeContext(context);
}

DRIVER_FUNCTION(cuCtxGetStreamPriorityRange, int* least, int* greatest) {
  ENTER();
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxGetLimit, size_t* value, int limit) {
  ENTER();
  if (limit < 0 || limit > 6) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = 1024;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxSetLimit, int limit, size_t) {
  ENTER();
  return limit < 0 || limit > 6 ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxSetCacheConfig, int) {
  ENTER();
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuCtxEnablePeerAccess, CUcontext peer, unsigned) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  if (!Contexts().Has(peer) || peer == context) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard<std::recursive_mutex> lock(OrderOfStreams());
  return context->peers.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

DRIVER_FUNCTION(cuCtxDisablePeerAccess, CUcontext peer) {
  ENTER();
  Context* context;
  RETURN_IF_ERROR(CurrentContext(&context));
  const std::lock_guard<std::recursive_mutex> lock(OrderOfStreams());
  return context->peers.erase(peer) > 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

}  // namespace standin
