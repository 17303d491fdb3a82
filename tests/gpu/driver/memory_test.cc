// Device memory, host memory, virtual memory and pools.
#include <thread>

#include "tests/gpu/driver/driver_under_test.h"
#include "tests/gpu/driver/standin.h"

namespace standin {
namespace {

using MemoryTest = DriverTest;

TEST_F(MemoryTest, CopiesThereAndBack) {
  const CUdeviceptr a = Holding({1, 2, 3, 4});
  const CUdeviceptr b = Allocated(16);
  EXPECT_EQ(DtoD(b, a + 4, 8), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32(b + 8, 7, 1), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD8(b + 12, 1, 4), CUDA_SUCCESS);
  EXPECT_EQ(Contents(b, 4), (std::vector<int>{2, 3, 7, 0x01010101}));
  EXPECT_EQ(Memcpy(a, b, 4), CUDA_SUCCESS);
  EXPECT_EQ(Contents(a, 2), (std::vector<int>{2, 2}));
  EXPECT_EQ(MemFree(a), CUDA_SUCCESS);
  EXPECT_EQ(MemFree(b), CUDA_SUCCESS);
}

TEST_F(MemoryTest, CopiesRows) {
  const CUdeviceptr from = Holding({1, 2, 3, 4, 5, 6});
  std::vector<int> to(4, 0);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.srcPitch = 12;
  copy.srcXInBytes = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to.data();
  copy.dstPitch = 8;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  EXPECT_EQ(Memcpy2D(&copy), CUDA_SUCCESS);
  EXPECT_EQ(to, (std::vector<int>{2, 3, 5, 6}));
  MemFree(from);
}

TEST_F(MemoryTest, RefusesWhatIsNoDeviceMemory) {
  const CUdeviceptr a = Holding({1});
  int host = 0;
  const auto as_device = reinterpret_cast<CUdeviceptr>(&host);
  EXPECT_EQ(HtoD(as_device, &host, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DtoH(&host, as_device, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemsetD8(as_device, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemFree(as_device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemFree(a + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(HtoD(a, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemFree(0), CUDA_SUCCESS);
  EXPECT_EQ(MemFree(a), CUDA_SUCCESS);
  EXPECT_EQ(MemFree(a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(HtoD(a, &host, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, RefusesEmptyAllocations) {
  CUdeviceptr address = 0;
  EXPECT_EQ(MemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemAlloc(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemAlloc(&address, size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(HtoD(0, nullptr, 0), CUDA_SUCCESS);
}

TEST_F(MemoryTest, CopiesPastTheEndAreRefused) {
  ONLY_ON_THE_STANDIN("it allocates more than it was asked for");
  const CUdeviceptr a = Holding({1, 2});
  std::vector<int> host(3);
  EXPECT_EQ(HtoD(a, host.data(), 12), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DtoH(host.data(), a + 4, 8), CUDA_ERROR_INVALID_VALUE);
  MemFree(a);
}

TEST_F(MemoryTest, TheHostCannotReadIt) {
  const CUdeviceptr a = Holding({5});
  EXPECT_DEATH(std::quick_exit(*reinterpret_cast<volatile int*>(a)), "");
  MemFree(a);
}

TEST_F(MemoryTest, TestsReachItByAnExplicitCall) {
  ONLY_ON_THE_STANDIN("its memory is not the host's");
  const auto host_address = Find<decltype(&standin_host_address)>("standin_host_address");
  const CUdeviceptr a = Holding({5, 6});
  EXPECT_EQ(static_cast<int*>(host_address(a, 8))[1], 6);
  EXPECT_EQ(host_address(a, 9), nullptr);
  EXPECT_EQ(host_address(a - 1, 1), nullptr);
  int host = 0;
  EXPECT_EQ(host_address(reinterpret_cast<uint64_t>(&host), 4), nullptr);
  MemFree(a);
  EXPECT_EQ(host_address(a, 4), nullptr);
}

TEST_F(MemoryTest, CountsWhatIsFree) {
  size_t before = 0, total = 0, after = 0;
  ASSERT_EQ(MemGetInfo(&before, &total), CUDA_SUCCESS);
  const CUdeviceptr a = Allocated(64 << 20);
  ASSERT_EQ(MemGetInfo(&after, nullptr), CUDA_SUCCESS);
  EXPECT_LE(after + (64 << 20), before);
  EXPECT_LE(before, total);
  MemFree(a);
}

TEST_F(MemoryTest, KnowsPointers) {
  const CUdeviceptr a = Allocated(4096);
  CUdeviceptr base = 0;
  size_t size = 0;
  EXPECT_EQ(MemGetAddressRange(&base, &size, a + 100), CUDA_SUCCESS);
  EXPECT_EQ(base, a);
  EXPECT_EQ(size, 4096u);
  unsigned type = 0;
  EXPECT_EQ(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a), CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  CUcontext context = nullptr;
  EXPECT_EQ(PointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, a), CUDA_SUCCESS);
  EXPECT_EQ(context, context_);
  int host = 0;
  const auto unknown = reinterpret_cast<CUdeviceptr>(&host);
  EXPECT_EQ(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, unknown),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  int ordinal = 5;
  void* values[] = {&type, &ordinal};
  EXPECT_EQ(PointerGetAttributes(2, attributes, values, unknown), CUDA_SUCCESS);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, -2);
  EXPECT_EQ(PointerGetAttributes(2, attributes, values, a), CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 0);
  MemFree(a);
}

TEST_F(MemoryTest, HostMemoryIsReachedFromDevices) {
  void* pinned = nullptr;
  ASSERT_EQ(MemHostAlloc(&pinned, 64, 0), CUDA_SUCCESS);
  unsigned type = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(pinned);
  EXPECT_EQ(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_HOST});
  CUdeviceptr device = 0;
  EXPECT_EQ(MemHostGetDevicePointer(&device, pinned, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32(device, 9, 1), CUDA_SUCCESS);
  EXPECT_EQ(CtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<int*>(pinned), 9);
  EXPECT_EQ(MemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(MemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);

  std::vector<char> own(1 << 16);
  EXPECT_EQ(MemHostUnregister(own.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(MemHostRegister(own.data(), own.size(), 0), CUDA_SUCCESS);
  EXPECT_EQ(MemHostRegister(own.data(), own.size(), 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(MemHostUnregister(own.data()), CUDA_SUCCESS);
}

TEST_F(MemoryTest, VirtualMemoryIsMappedAndUnmapped) {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t size = 0;
  ASSERT_EQ(Granularity(&size, &prop, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(MemCreate(&handle, size - 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(MemCreate(&handle, size, &prop, 0), CUDA_SUCCESS);
  CUdeviceptr at = 0;
  ASSERT_EQ(AddressReserve(&at, 2 * size, 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(MemMap(at, size, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemMap(at, size, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(MemMap(at + size, size, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32(at, 1, 1), CUDA_ERROR_INVALID_VALUE);
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  ASSERT_EQ(MemSetAccess(at, 2 * size, &access, 1), CUDA_SUCCESS);
  // One memory at two addresses.
  EXPECT_EQ(MemsetD32(at + 4, 42, 1), CUDA_SUCCESS);
  EXPECT_EQ(Contents(at + size + 4, 1), std::vector<int>{42});
  EXPECT_EQ(MemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(Contents(at + 4, 1), std::vector<int>{42});
  EXPECT_EQ(MemFree(at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(MemUnmap(at, 2 * size), CUDA_SUCCESS);
  int host = 0;
  EXPECT_EQ(DtoH(&host, at, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(AddressFree(at, 2 * size), CUDA_SUCCESS);
}

TEST_F(MemoryTest, PoolsFreeInStreamOrder) {
  const CUstream stream = MadeStream();
  Gate gate;
  gate.Close(stream);
  CUdeviceptr a = 0;
  ASSERT_EQ(AllocAsync(&a, 1024, stream), CUDA_SUCCESS);
  void* pinned = nullptr;
  ASSERT_EQ(MemHostAlloc(&pinned, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(MemsetD32Async(a, 3, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(DtoHAsync(pinned, a, 4, stream), CUDA_SUCCESS);
  EXPECT_EQ(FreeAsync(a, stream), CUDA_SUCCESS);
  gate.Open();
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<int*>(pinned), 3);
  EXPECT_EQ(FreeAsync(a, stream), CUDA_ERROR_INVALID_VALUE);
  MemFreeHost(pinned);

  CUmemoryPool pool = nullptr, current = nullptr;
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  ASSERT_EQ(PoolCreate(&pool, &props), CUDA_SUCCESS);
  ASSERT_EQ(SetMemPool(0, pool), CUDA_SUCCESS);
  EXPECT_EQ(GetMemPool(&current, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, pool);
  ASSERT_EQ(AllocFromPoolAsync(&a, 1024, pool, stream), CUDA_SUCCESS);
  uint64_t used = 0;
  EXPECT_EQ(PoolGet(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used), CUDA_SUCCESS);
  EXPECT_GE(used, 1024u);
  EXPECT_EQ(FreeAsync(a, stream), CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  CUmemoryPool first = nullptr;
  EXPECT_EQ(DefaultMemPool(&first, 0), CUDA_SUCCESS);
  EXPECT_EQ(SetMemPool(0, first), CUDA_SUCCESS);
  EXPECT_EQ(PoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(PoolDestroy(first), CUDA_ERROR_INVALID_VALUE);
  StreamDestroy(stream);
}

}  // namespace
}  // namespace standin
