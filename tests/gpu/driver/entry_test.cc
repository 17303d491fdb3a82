// cuGetProcAddress, and what the stand-in has beyond a driver: failures on request, counts, the
// ledger. Those start a process each, whose environment says what is wanted.
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/gpu/driver/driver_under_test.h"
#include "tests/gpu/driver/standin.h"

namespace standin {
namespace {

TEST(EntryTest, FindsFunctionsByTheVersionOfTheCaller) {
  const auto find = [](const char* name, int version, uint64_t flags = 0) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult status = GetProcAddress(name, &function, version, flags, &result);
    if (status == CUDA_SUCCESS && result != CU_GET_PROC_ADDRESS_SUCCESS) function = nullptr;
    return function;
  };
  const auto exported = [](const char* name) { return dlsym(TheDriver(), name); };
  EXPECT_EQ(find("cuMemAlloc", 12000), exported("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuStreamSynchronize", 12000), exported("cuStreamSynchronize"));
  EXPECT_EQ(find("cuGraphInstantiate", 12000), exported("cuGraphInstantiateWithFlags"));
  EXPECT_EQ(find("cuGraphInstantiate", 11000), exported("cuGraphInstantiate_v2"));
  EXPECT_EQ(find("cuGraphExecUpdate", 11000), exported("cuGraphExecUpdate"));
  EXPECT_EQ(find("cuStreamSynchronize", 12000, kPerThreadDefaultStreamFlag),
            exported("cuStreamSynchronize_ptsz"));
  EXPECT_EQ(find("cuGraphAddNode", 11000), nullptr);
  EXPECT_EQ(find("cuNoSuchFunction", 12000), nullptr);
  EXPECT_EQ(GetProcAddress(nullptr, nullptr, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(EntryTest, NamesErrors) {
  const char* name = nullptr;
  EXPECT_EQ(GetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(GetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
}

// Runs `function` in a process with these environment variables; what it prints is `words`.
#define EXPECT_IN_PROCESS(function, words, ...)                                           \
  do {                                                                                    \
    GTEST_FLAG_SET(death_test_style, "threadsafe");                                       \
    EXPECT_EXIT(                                                                          \
        {                                                                                 \
          for (const char* variable : {__VA_ARGS__}) putenv(const_cast<char*>(variable)); \
          function();                                                                     \
          exit(0);                                                                        \
        },                                                                                \
        testing::ExitedWithCode(0), words);                                               \
  } while (false)

CUcontext Started() {
  CUcontext context = nullptr;
  Init(0);
  PrimaryRetain(&context, 0);
  CtxSet(context);
  return context;
}

void PrintAllocations() {
  Started();
  for (int call = 1; call <= 4; ++call) {
    CUdeviceptr address = 0;
    std::cerr << MemAlloc(&address, 64) << ' ';
  }
}

TEST(EntryTest, FailsWhenItIsTold) {
  ONLY_ON_THE_STANDIN("it cannot be told to fail");
  EXPECT_IN_PROCESS(PrintAllocations, "^0 2 0 0 $", "CALLBRIDGE_STANDIN_FAIL=*:cuMemAlloc_v2:2:2");
  // Counted for each library that calls.
  EXPECT_IN_PROCESS(PrintAllocations, "^0 0 0 0 $",
                    "CALLBRIDGE_STANDIN_FAIL=libother.so:cuMemAlloc_v2:2:2");
  EXPECT_IN_PROCESS(
      PrintAllocations, "^719 0 0 2 $",
      "CALLBRIDGE_STANDIN_FAIL=gpu_driver_test:cuMemAlloc_v2:1:719,*:cuMemAlloc_v2:4:2");
}

TEST(EntryTest, HasAsMuchMemoryAsItIsTold) {
  ONLY_ON_THE_STANDIN("it has what it has");
  EXPECT_IN_PROCESS(PrintAllocations, "^0 0 2 2 $", "CALLBRIDGE_STANDIN_MEMORY=150");
}

TEST(EntryTest, HasAsManyDevicesAsItIsTold) {
  ONLY_ON_THE_STANDIN("it has what it has");
  EXPECT_IN_PROCESS([] { std::cerr << Init(0); }, "^100$", "CALLBRIDGE_STANDIN_DEVICES=0");
  const auto count = [] {
    int devices = 0, version = 0;
    Init(0);
    DeviceGetCount(&devices);
    DriverGetVersion(&version);
    std::cerr << devices << ' ' << version;
  };
  EXPECT_IN_PROCESS(count, "^3 12040$", "CALLBRIDGE_STANDIN_DEVICES=3",
                    "CALLBRIDGE_STANDIN_VERSION=12040");
}

TEST(EntryTest, LacksWhatItIsTold) {
  ONLY_ON_THE_STANDIN("it has what it has");
  const auto look = [] {
    void* function = nullptr;
    std::cerr << GetProcAddress("cuMemAllocAsync", &function, 12000, 0, nullptr) << ' '
              << GetProcAddress("cuMemAlloc", &function, 12000, 0, nullptr);
  };
  EXPECT_IN_PROCESS(look, "500 0$", "CALLBRIDGE_STANDIN_LACKS=cuMemAllocAsync,cuCtxGetDevice");
}

TEST(EntryTest, IsInitialisedFirst) {
  ONLY_ON_THE_STANDIN("started in a process of its own");
  EXPECT_IN_PROCESS(
      [] {
        int count = 0;
        std::cerr << DeviceGetCount(&count) << ' ' << Init(1) << ' ' << Init(0) << ' '
                  << DeviceGetCount(&count);
      },
      "^3 1 0 0$", "CALLBRIDGE_STANDIN_DEVICES=2");
}

TEST(EntryTest, CountsCalls) {
  ONLY_ON_THE_STANDIN("it counts nothing");
  EXPECT_IN_PROCESS(
      [] {
        PrintAllocations();
        const auto calls = Find<decltype(&standin_calls)>("standin_calls");
        std::cerr << calls("cuMemAlloc_v2", nullptr) << ' '
                  << calls("cuMemAlloc_v2", "gpu_driver_test") << ' '
                  << calls("cuMemAlloc_v2", "libother.so");
      },
      "^0 0 0 0 4 4 0$", "CALLBRIDGE_STANDIN_DEVICES=2");
}

TEST(EntryTest, TheLedgerTellsWhatWasNotFreed) {
  ONLY_ON_THE_STANDIN("it keeps no ledger");
  // The process that it starts runs this line too.
  setenv("LEDGER_OF_THIS_TEST", (testing::TempDir() + "ledger" + std::to_string(getpid())).c_str(),
         0);
  const char* const set = getenv("LEDGER_OF_THIS_TEST");
  ASSERT_NE(set, nullptr);
  const std::string path = set;
  const std::string variable = "CALLBRIDGE_STANDIN_LEDGER=" + path;
  EXPECT_IN_PROCESS(
      [] {
        Started();
        CUdeviceptr kept = 0;
        CUdeviceptr freed = 0;
        MemAlloc(&kept, 300);
        MemAlloc(&freed, 400);
        MemFree(freed);
        MemFree(freed);
        CUstream stream = nullptr;
        StreamCreate(&stream, 0);
        EventDestroy(nullptr);
        void* function = nullptr;
        GetProcAddress("cuNoSuchFunction", &function, 12000, 0, nullptr);
        GetProcAddress("cuNoSuchFunction", &function, 12000, 0, nullptr);
        Find<CUresult (*)()>("cuTensorMapEncodeTiled")();
      },
      "", variable.c_str());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "device memory freed twice: 400 bytes, by gpu_driver_test\n"
            "unknown function asked for: cuNoSuchFunction, by gpu_driver_test\n"
            "unknown function called: cuTensorMapEncodeTiled, by gpu_driver_test\n"
            "not freed: context, taken by gpu_driver_test\n"
            "not freed: device memory of 300 bytes, taken by gpu_driver_test\n"
            "not freed: stream, taken by gpu_driver_test\n");
  unlink(path.c_str());
}

}  // namespace
}  // namespace standin
