// What the stand-in for libcuda.so.1 has beyond the driver API: test targets and tests find these
// functions by dlsym, and do without them on a real driver.
//
// Environment variables of the stand-in:
//   CALLBRIDGE_STANDIN_VERSION    what cuDriverGetVersion returns; 12090 if unset.
//   CALLBRIDGE_STANDIN_DEVICES    number of devices; 2 if unset. 0: cuInit returns
//   CUDA_ERROR_NO_DEVICE. CALLBRIDGE_STANDIN_MEMORY     bytes of memory that each device has; 8 GiB
//   if unset. CALLBRIDGE_STANDIN_DELAY_US   each asynchronous operation starts so many microseconds
//   late, so that a program that leaves
//                                 out a synchronisation reads what was there before.
//   CALLBRIDGE_STANDIN_FAIL       LIBRARY:FUNCTION:NTH:RESULT[,...]: the NTH call (from 1) of
//   FUNCTION by LIBRARY (a file name,
//                                 "*" for any) returns RESULT, a number; FUNCTION is the exported
//                                 name, e.g. cuMemAlloc_v2.
//   CALLBRIDGE_STANDIN_LACKS      FUNCTION[,...]: names that cuGetProcAddress does not find.
//   CALLBRIDGE_STANDIN_LEDGER     a file to which the ledger is appended at exit: what was not
//   freed, double frees, functions
//                                 that were asked for or called and are not there. Double frees and
//                                 such functions go to stderr if it is unset.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_STANDIN_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_STANDIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns where the host may read and write `size` bytes of device memory at `address`; null if not
// all of it is device memory. Synchronises with nothing.
void* standin_host_address(uint64_t address, size_t size);

// While held, asynchronous operations do not start. Streams continue when as many releases as holds
// were called.
void standin_hold_streams(void);
void standin_release_streams(void);

// Returns how often `function` was called by the library of this file name, by all libraries if it
// is null.
size_t standin_calls(const char* function, const char* library);

#ifdef __cplusplus
}
#endif

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_STANDIN_H_
