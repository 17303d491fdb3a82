// The names that programs compiled with --default-stream per-thread link to: the null stream is the
// thread's.
#include "tests/gpu/driver/entry.h"

namespace standin {

static CUstream PerThread(CUstream stream) { return stream == nullptr ? kPerThreadStream : stream; }

#define PER_THREAD(name, parameters, arguments) \
  extern "C" CUresult name parameters;          \
  DRIVER_FUNCTION(name##_ptsz, UNPACK parameters) { return name arguments; }
#define UNPACK(...) __VA_ARGS__

PER_THREAD(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, size_t size, CUstream stream),
           (to, from, size, PerThread(stream)))
PER_THREAD(cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, PerThread(stream)))
PER_THREAD(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, PerThread(stream)))
PER_THREAD(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, PerThread(stream)))
PER_THREAD(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
           (to, value, count, PerThread(stream)))
PER_THREAD(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream),
           (to, value, count, PerThread(stream)))
PER_THREAD(cuMemAllocAsync, (CUdeviceptr * address, size_t size, CUstream stream),
           (address, size, PerThread(stream)))
PER_THREAD(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, PerThread(stream)))
PER_THREAD(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* data),
           (PerThread(stream), function, data))
PER_THREAD(cuStreamSynchronize, (CUstream stream), (PerThread(stream)))
PER_THREAD(cuStreamQuery, (CUstream stream), (PerThread(stream)))
PER_THREAD(cuStreamGetCtx, (CUstream stream, CUcontext* context), (PerThread(stream), context))
PER_THREAD(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus* status),
           (PerThread(stream), status))
PER_THREAD(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
           (PerThread(stream), event, flags))
PER_THREAD(cuEventRecord, (CUevent event, CUstream stream), (event, PerThread(stream)))
PER_THREAD(cuLaunchKernel,
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
            void** parameters, void** extra),
           (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, PerThread(stream),
            parameters, extra))
PER_THREAD(cuGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, PerThread(stream)))

}  // namespace standin
