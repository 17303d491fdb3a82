// cuda/driver_types.h and the functions of cuda/driver.h, compared with cuda.h. There is no test
// code here but static_asserts; built where a CUDA toolkit is found.
#include "callbridge/cuda/driver_types.h"

#include <cuda.h>

#include <type_traits>

#include "callbridge/cuda/driver.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace cuda {
namespace {

// ---- Values

static_assert(result::kSuccess == CUDA_SUCCESS);
static_assert(result::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(result::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(result::kNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(result::kDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(result::kStubLibrary == CUDA_ERROR_STUB_LIBRARY);
static_assert(result::kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(result::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(result::kInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(result::kUncorrectableMemory == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(result::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(result::kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(result::kContextIsDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED);
static_assert(result::kAssert == CUDA_ERROR_ASSERT);
static_assert(result::kHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(result::kIllegalInstruction == CUDA_ERROR_ILLEGAL_INSTRUCTION);
static_assert(result::kMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(result::kInvalidAddressSpace == CUDA_ERROR_INVALID_ADDRESS_SPACE);
static_assert(result::kInvalidProgramCounter == CUDA_ERROR_INVALID_PC);
static_assert(result::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(result::kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(kNonBlockingStream == CU_STREAM_NON_BLOCKING);
static_assert(kIsNotCapturing == CU_STREAM_CAPTURE_STATUS_NONE);
static_assert(kIsCapturing == CU_STREAM_CAPTURE_STATUS_ACTIVE);
static_assert(kCaptureIsInvalidated == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
static_assert(kPageableMemoryAccess == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
static_assert(kMemoryPoolsSupported == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
static_assert(kPointerMemoryType == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(kPointerDeviceOrdinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(kDeviceMemory == CU_MEMORYTYPE_DEVICE);

// ---- Types

static_assert(sizeof(Result) == sizeof(CUresult));
static_assert(std::is_same_v<DeviceHandle, CUdevice>);
static_assert(std::is_same_v<DevicePointer, CUdeviceptr>);
static_assert(std::is_same_v<ContextHandle, CUcontext>);
static_assert(std::is_same_v<StreamHandle, CUstream>);
static_assert(sizeof(CaptureStatus) == sizeof(CUstreamCaptureStatus));
static_assert(std::is_same_v<GraphHandle, CUgraph>);
static_assert(std::is_same_v<NodeHandle, CUgraphNode>);

// ---- Functions

// An enumeration is passed, and written, as an integer of its size.
template <typename Ours, typename Theirs>
constexpr bool IsPassedAlike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    return IsPassedAlike<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
  } else if constexpr (std::is_enum_v<Theirs> && std::is_integral_v<Ours>) {
    return sizeof(Ours) == sizeof(Theirs);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct AreCalledAlike : std::false_type {};
template <typename... Ours, typename... Theirs>
struct AreCalledAlike<Result(Ours...), CUresult(Theirs...)>
    : std::bool_constant<(IsPassedAlike<Ours, Theirs>() && ...)> {};

template <typename Function, typename Theirs>
constexpr bool kFits =
    AreCalledAlike<typename std::remove_const_t<Function>::Signature, Theirs>::value;

static_assert(kFits<decltype(Driver::driver_get_version), decltype(cuDriverGetVersion)>);
static_assert(kFits<decltype(Driver::init), decltype(cuInit)>);
static_assert(kFits<decltype(Driver::device_get_count), decltype(cuDeviceGetCount)>);
static_assert(kFits<decltype(Driver::device_get), decltype(cuDeviceGet)>);
static_assert(kFits<decltype(Driver::device_get_attribute), decltype(cuDeviceGetAttribute)>);
static_assert(kFits<decltype(Driver::primary_context_retain), decltype(cuDevicePrimaryCtxRetain)>);
static_assert(
    kFits<decltype(Driver::primary_context_release), decltype(cuDevicePrimaryCtxRelease_v2)>);
static_assert(kFits<decltype(Driver::context_push), decltype(cuCtxPushCurrent_v2)>);
static_assert(kFits<decltype(Driver::context_pop), decltype(cuCtxPopCurrent_v2)>);
static_assert(kFits<decltype(Driver::context_get_device), decltype(cuCtxGetDevice)>);
static_assert(kFits<decltype(Driver::stream_create), decltype(cuStreamCreate)>);
static_assert(kFits<decltype(Driver::stream_destroy), decltype(cuStreamDestroy_v2)>);
static_assert(kFits<decltype(Driver::stream_synchronize), decltype(cuStreamSynchronize)>);
static_assert(kFits<decltype(Driver::stream_get_context), decltype(cuStreamGetCtx)>);
static_assert(kFits<decltype(Driver::allocate), decltype(cuMemAlloc_v2)>);
static_assert(kFits<decltype(Driver::free), decltype(cuMemFree_v2)>);
static_assert(kFits<decltype(Driver::allocate_async), decltype(cuMemAllocAsync)>);
static_assert(kFits<decltype(Driver::free_async), decltype(cuMemFreeAsync)>);
static_assert(kFits<decltype(Driver::copy_to_device), decltype(cuMemcpyHtoDAsync_v2)>);
static_assert(kFits<decltype(Driver::copy_to_host), decltype(cuMemcpyDtoHAsync_v2)>);
static_assert(kFits<decltype(Driver::copy_on_device), decltype(cuMemcpyDtoDAsync_v2)>);
static_assert(kFits<decltype(Driver::pointer_get_attribute), decltype(cuPointerGetAttribute)>);
static_assert(kFits<decltype(Driver::graph_get_nodes), decltype(cuGraphGetNodes)>);
#if CUDA_VERSION < 13000 || defined(__CUDA_API_VERSION_INTERNAL)  // later headers hide it
static_assert(
    kFits<decltype(Driver::stream_get_capture_info), decltype(cuStreamGetCaptureInfo_v2)>);
#endif

TEST(DriverTypesTest, DefaultStreamsAreCudas) {
  EXPECT_EQ(reinterpret_cast<unsigned long>(CU_STREAM_LEGACY), kLegacyStream);
  EXPECT_EQ(reinterpret_cast<unsigned long>(CU_STREAM_PER_THREAD), kPerThreadStream);
}

}  // namespace
}  // namespace cuda
}  // namespace callbridge
