// Modules, kernels, and a kernel that faults.
#include "tests/gpu/driver/driver_under_test.h"

namespace standin {
namespace {

using ModulesTest = DriverTest;

// y[i] = x[i] + offset; `fault` writes to address 8.
constexpr char kPtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 offset = 100;
.visible .entry add(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<5>;
  .reg .b64 %d<6>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  ld.global.u32 %r2, [%d4];
  ld.global.u32 %r3, [offset];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%d5], %r4;
  ret;
}
.visible .entry fault()
{
  .reg .b64 %d<2>;
  .reg .b32 %r<2>;
  mov.u64 %d1, 8;
  mov.u32 %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

TEST_F(ModulesTest, KernelsRunInStreams) {
  CUmodule module = nullptr;
  ASSERT_EQ(ModuleLoadData(&module, kPtx), CUDA_SUCCESS);
  CUfunction add = nullptr;
  ASSERT_EQ(ModuleGetFunction(&add, module, "add"), CUDA_SUCCESS);
  EXPECT_EQ(ModuleGetFunction(&add, module, "subtract"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(ModuleGetFunction(&add, module, "add"), CUDA_SUCCESS);
  int threads = 0;
  EXPECT_EQ(FuncGetAttribute(&threads, 0, add), CUDA_SUCCESS);
  EXPECT_GE(threads, 32);

  const CUstream stream = MadeStream();
  CUdeviceptr x = Holding({1, 2, 3}), y = Allocated(12);
  void* parameters[] = {&x, &y};
  Gate gate;
  gate.Close(stream);
  EXPECT_EQ(LaunchKernel(add, 1, 1, 1, 3, 1, 1, 0, stream, parameters, nullptr), CUDA_SUCCESS);
  // Parameters are read when it is launched.
  const CUdeviceptr operand = x;
  x = 0;
  gate.Open();
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(Contents(y, 3), (std::vector<int>{101, 102, 103}));
  x = operand;

  CUdeviceptr offset = 0;
  size_t size = 0;
  ASSERT_EQ(ModuleGetGlobal(&offset, &size, module, "offset"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(MemsetD32(offset, 10, 1), CUDA_SUCCESS);
  EXPECT_EQ(LaunchKernel(add, 1, 1, 1, 3, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Contents(y, 3), (std::vector<int>{11, 12, 13}));
  EXPECT_EQ(LaunchKernel(add, 1, 1, 1, 2000, 1, 1, 0, stream, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(LaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);

  // In a graph too.
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(MemsetD32(offset, 20, 1), CUDA_SUCCESS);
  ASSERT_EQ(CtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(BeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  EXPECT_EQ(LaunchKernel(add, 1, 1, 1, 3, 1, 1, 0, stream, parameters, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(EndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(GraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(GraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(StreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(Contents(y, 3), (std::vector<int>{21, 22, 23}));
  GraphExecDestroy(exec);
  GraphDestroy(graph);

  MemFree(x);
  MemFree(y);
  StreamDestroy(stream);
  EXPECT_EQ(ModuleUnload(module), CUDA_SUCCESS);
}

TEST_F(ModulesTest, WhatIsNoModuleIsRefused) {
  CUmodule module = nullptr;
  EXPECT_EQ(ModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(ModuleLoadData(&module, ".version 7.0\n.target sm_70\n.address_size 64\n.entry f( {"),
            CUDA_ERROR_INVALID_PTX);
}

TEST_F(ModulesTest, MachineCodeIsRefused) {
  ONLY_ON_THE_STANDIN("it runs machine code");
  CUmodule module = nullptr;
  EXPECT_EQ(ModuleLoadData(&module,
                           "\x7f"
                           "ELF and so on"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(ModuleLoadData(&module, "\x50\xED\x55\xBA and so on"), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(ModulesTest, AFaultLosesTheContext) {
  CUmodule module = nullptr;
  ASSERT_EQ(ModuleLoadData(&module, kPtx), CUDA_SUCCESS);
  CUfunction fault = nullptr;
  ASSERT_EQ(ModuleGetFunction(&fault, module, "fault"), CUDA_SUCCESS);
  EXPECT_EQ(LaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(CtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr address = 0;
  EXPECT_EQ(MemAlloc(&address, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(StreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  // Which a reset makes anew.
  EXPECT_EQ(PrimaryReset(0), CUDA_SUCCESS);
  ASSERT_EQ(PrimaryRetain(&context_, 0), CUDA_SUCCESS);
  ASSERT_EQ(CtxSet(context_), CUDA_SUCCESS);
  EXPECT_EQ(MemAlloc(&address, 4), CUDA_SUCCESS);
  MemFree(address);
}

}  // namespace
}  // namespace standin
