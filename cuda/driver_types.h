// The types and values of CUDA's driver API that callbridge uses, declared without cuda.h, so that
// no build needs the toolkit. tests/cuda/driver_types_test.cc compares them with cuda.h.
//
// Frozen: libcuda.so.1 never changes them.
#ifndef CALLBRIDGE_CUDA_DRIVER_TYPES_H_
#define CALLBRIDGE_CUDA_DRIVER_TYPES_H_

struct CUctx_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUstream_st;

namespace callbridge {
namespace cuda {

using Result = int;                        // CUresult
using DeviceHandle = int;                  // CUdevice: the device's index in this process
using DevicePointer = unsigned long long;  // CUdeviceptr
using ContextHandle = CUctx_st*;           // CUcontext
using StreamHandle = CUstream_st*;         // CUstream; null is the legacy default stream
using CaptureStatus = int;                 // CUstreamCaptureStatus
using GraphHandle = CUgraph_st*;           // CUgraph
using NodeHandle = CUgraphNode_st*;        // CUgraphNode

namespace result {
inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotInitialized = 3;
inline constexpr Result kDeinitialized = 4;
inline constexpr Result kStubLibrary = 34;
inline constexpr Result kDeviceUnavailable = 46;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidDevice = 101;
inline constexpr Result kInvalidContext = 201;
inline constexpr Result kUncorrectableMemory = 214;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kLaunchTimeout = 702;
inline constexpr Result kContextIsDestroyed = 709;
inline constexpr Result kAssert = 710;
inline constexpr Result kHardwareStackError = 714;
inline constexpr Result kIllegalInstruction = 715;
inline constexpr Result kMisalignedAddress = 716;
inline constexpr Result kInvalidAddressSpace = 717;
inline constexpr Result kInvalidProgramCounter = 718;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kSystemDriverMismatch = 803;
}  // namespace result

// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: with null, the streams of the current context.
inline constexpr unsigned long kLegacyStream = 1;
inline constexpr unsigned long kPerThreadStream = 2;

inline constexpr unsigned kNonBlockingStream = 1;  // CU_STREAM_NON_BLOCKING

// CUstreamCaptureStatus
inline constexpr CaptureStatus kIsNotCapturing = 0;
inline constexpr CaptureStatus kIsCapturing = 1;
inline constexpr CaptureStatus kCaptureIsInvalidated = 2;

// CUdevice_attribute
inline constexpr int kPageableMemoryAccess = 88;
inline constexpr int kMemoryPoolsSupported = 115;

// CUpointer_attribute
inline constexpr int kPointerMemoryType = 2;
inline constexpr int kPointerDeviceOrdinal = 9;

// CUmemorytype
inline constexpr unsigned kDeviceMemory = 2;

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_DRIVER_TYPES_H_
