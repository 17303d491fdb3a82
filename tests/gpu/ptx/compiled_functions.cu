// The kernels of compiled_functions.h, and some of threads that work together.
// compiled_functions.ptx is made of it by
//   nvcc -ptx -arch=compute_75 -O3 --fmad=false -o compiled_functions.ptx compiled_functions.cu
// and compiled_test.cc compiles it anew where it finds nvcc.
#include "compiled_functions.h"

#define KERNEL(name)                                                                         \
  extern "C" __global__ void name(uint64_t count, const uint64_t* operands, uint64_t* out) { \
    const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;                                \
    if (i < count) out[i] = compiled::name(operands[2 * i], operands[2 * i + 1]);            \
  }
COMPILED_FUNCTIONS(KERNEL)

// out[block] = the sum of the block's part, by a tree in shared memory.
extern "C" __global__ void TreeSum(uint64_t count, const uint64_t* operands, uint64_t* out) {
  extern __shared__ uint64_t parts[];
  const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  parts[threadIdx.x] = i < count ? operands[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = parts[0];
}

// *out += the sum of all, by shuffles in each warp and one atomic operation for it.
extern "C" __global__ void WarpSum(uint64_t count, const uint64_t* operands, uint64_t* out) {
  const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long sum = i < count ? operands[i] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), sum);
}

// out[i] = how many of the warp's operands are odd, in the highest half; and the least of them, by
// compare-and-swap.
extern "C" __global__ void Votes(uint64_t count, const uint64_t* operands, uint64_t* out) {
  __shared__ unsigned least;
  const uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t operand = i < count ? operands[i] : 0;
  if (threadIdx.x == 0) least = 0xffffffff;
  __syncthreads();
  const unsigned odd = __ballot_sync(0xffffffff, operand % 2 == 1);
  unsigned seen = least;
  while (static_cast<unsigned>(operand) < seen) {
    const unsigned before = atomicCAS(&least, seen, static_cast<unsigned>(operand));
    if (before == seen) break;
    seen = before;
  }
  __syncthreads();
  if (i < count) out[i] = static_cast<uint64_t>(__popc(odd)) << 32 | least;
}
