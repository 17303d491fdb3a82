// callbridge_device.h: CUDA devices for calls of GPU targets without XLA, a part of callbridge's
// stable C ABI.
//
// A call whose callbridge_execution_context has a device runs there: with the device's primary
// context current on the calling thread, on its stream, with its memory. CUDA's driver,
// libcuda.so.1, is opened by the first callbridge_device_open; nothing needs the CUDA toolkit.
//
// The rules of callbridge.h hold here too. Besides, any function may return UNAVAILABLE if the
// driver does not run; RESOURCE_EXHAUSTED if the device's memory runs out; FAILED_PRECONDITION in a
// process that was forked from one that had used CUDA; INTERNAL for other errors of the driver. The
// message names the driver's function and CUDA's error, and says if the context is lost; then every
// later call on the device fails, and the process must be restarted.
//
// C99 or C++; standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_DEVICE_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"

#ifdef __cplusplus
extern "C" {
#endif

// A device with a stream of its own. Keeps the device's primary context alive.
typedef struct callbridge_device callbridge_device;

// Opens the CUDA device `ordinal` of those that this process sees (CUDA_VISIBLE_DEVICES), from 0.
// The caller closes `*device`. Each call makes a new stream, on which nothing of others is
// enqueued. Returns UNAVAILABLE, which says what was looked for, if the driver is missing, too old
// or lacks a function, or if there is no such device.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_open(int32_t ordinal,
                                                             callbridge_device** device);

// Waits for the device's stream, destroys it and closes the device; null is ignored. Its memory
// must have been freed, and no run may use it.
CALLBRIDGE_EXPORTED void callbridge_device_close(callbridge_device* device);

// Returns the CUstream on which calls and copies are enqueued.
CALLBRIDGE_EXPORTED void* callbridge_device_stream(const callbridge_device* device);

// Waits for all that is enqueued on the device's stream, and returns the error of any of it.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_synchronize(
    const callbridge_device* device);

// Waits for a CUstream of anyone's in the device's primary context; null is the default stream.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_synchronize_stream(
    const callbridge_device* device, void* stream);

// Returns INVALID_ARGUMENT if a CUstream is another device's, or of another context than the
// device's primary one. The default streams pass; nothing is waited for.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_check_stream(
    const callbridge_device* device, void* stream);

// Allocates `size` bytes, aligned to 256, for work that is enqueued on the device's stream after
// this; `*data` is never null. The caller frees it with callbridge_device_free.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_allocate(const callbridge_device* device,
                                                                 size_t size, void** data);

// Frees memory when all that is enqueued on the device's stream is done with it; null is ignored.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_free(const callbridge_device* device,
                                                             void* data);

// Enqueues a copy of `size` bytes to the device; `from`, on the host, may be reused at once.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_copy_in(const callbridge_device* device,
                                                                void* to, const void* from,
                                                                size_t size);

// Copies `size` bytes from the device to the host, after all that is enqueued on the device's
// stream, and waits for it.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_copy_out(const callbridge_device* device,
                                                                 void* to, const void* from,
                                                                 size_t size);

// Enqueues a copy of `size` bytes from memory of the device to memory of the device.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_copy(const callbridge_device* device,
                                                             void* to, const void* from,
                                                             size_t size);

// Returns INVALID_ARGUMENT if the device cannot use the memory at `data`: the host's, unless it is
// pinned, or another device's. Null passes.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_device_check_pointer(
    const callbridge_device* device, const void* data);

// Same as callbridge_call_execute, but on arrays in host memory: copies them to the device of
// `context`, which must have one, and the results back, and waits. A null array of 0 bytes, as for
// a token, is a null pointer for the target; other sizes must be those of the leaves, and are not
// checked.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_execute_with_copies(
    const callbridge_call* call, const callbridge_array* operands, size_t operand_count,
    const callbridge_array* results, size_t result_count,
    const callbridge_execution_context* context);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_DEVICE_H_
