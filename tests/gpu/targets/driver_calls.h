// The driver API as the tests' targets call it: opened at run time, the same on a device and on the
// stand-in. Device memory is never touched by the host: what a host function computes is copied to
// and from pinned memory, in stream order.
#ifndef CALLBRIDGE_TESTS_GPU_TARGETS_DRIVER_CALLS_H_
#define CALLBRIDGE_TESTS_GPU_TARGETS_DRIVER_CALLS_H_

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

typedef struct CUstream_st* CUstream;

namespace gpu {

using Context = void*;
using Address = uint64_t;

inline void Check(int error, const char* what) {
  if (error == 0) return;
  fprintf(stderr, "tests/gpu/targets: %s returned CUresult %d\n", what, error);
  abort();
}

template <typename... Parameters>
class DriverFunction {
 public:
  explicit DriverFunction(const char* name) : name_(name) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    function_ = reinterpret_cast<int (*)(Parameters...)>(dlsym(driver, name));
  }
  int Try(Parameters... arguments) const { return function_(arguments...); }
  void operator()(Parameters... arguments) const { Check(function_(arguments...), name_); }

 private:
  const char* name_;
  int (*function_)(Parameters...);
};

struct Driver {
  DriverFunction<CUstream, Context*> stream_get_context{"cuStreamGetCtx"};
  DriverFunction<Context> push_context{"cuCtxPushCurrent_v2"};
  DriverFunction<Context*> pop_context{"cuCtxPopCurrent_v2"};
  DriverFunction<int*> context_device{"cuCtxGetDevice"};
  DriverFunction<CUstream, int*> is_capturing{"cuStreamIsCapturing"};
  DriverFunction<int*> exchange_capture_mode{"cuThreadExchangeStreamCaptureMode"};
  DriverFunction<CUstream*, unsigned> create_stream{"cuStreamCreate"};
  DriverFunction<CUstream> synchronize{"cuStreamSynchronize"};
  DriverFunction<void**, size_t, unsigned> host_alloc{"cuMemHostAlloc"};
  DriverFunction<void*, Address, size_t, CUstream> copy_to_host{"cuMemcpyDtoHAsync_v2"};
  DriverFunction<Address, const void*, size_t, CUstream> copy_to_device{"cuMemcpyHtoDAsync_v2"};
  DriverFunction<Address, Address, size_t, CUstream> copy{"cuMemcpyDtoDAsync_v2"};
  DriverFunction<Address, unsigned, size_t, CUstream> fill{"cuMemsetD32Async"};
  DriverFunction<CUstream, void (*)(void*), void*> launch_host{"cuLaunchHostFunc"};
  DriverFunction<void**, const void*> load_module{"cuModuleLoadData"};
  DriverFunction<void**, void*, const char*> get_function{"cuModuleGetFunction"};
  DriverFunction<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 CUstream, void**, void**>
      launch_kernel{"cuLaunchKernel"};

  static const Driver& Get() {
    static const Driver driver;
    return driver;
  }
};

inline Address ToAddress(const void* buffer) { return reinterpret_cast<Address>(buffer); }

// The stream's context is current as long as it lives.
class InContextOf {
 public:
  explicit InContextOf(CUstream stream) {
    Driver::Get().stream_get_context(stream, &context_);
    Driver::Get().push_context(context_);
  }
  ~InContextOf() {
    Context popped;
    Driver::Get().pop_context(&popped);
  }
  Context context() const { return context_; }

 private:
  Context context_ = nullptr;
};

inline bool IsCapturing(CUstream stream) {
  int status = 0;
  Driver::Get().is_capturing(stream, &status);
  return status != 0;
}

// Pinned memory that calls use in turn.
class PinnedMemory {
 public:
  static void* Take(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<void*>& free = free_[size];
    if (free.empty()) return Allocate(size);
    void* block = free.back();
    free.pop_back();
    return block;
  }
  static void GiveBack(void* block, size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[size].push_back(block);
  }

 private:
  static void* Allocate(size_t size) {
    // Allowed while a stream captures.
    int mode = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
    Driver::Get().exchange_capture_mode(&mode);
    void* block = nullptr;
    Driver::Get().host_alloc(&block, size, 1);  // CU_MEMHOSTALLOC_PORTABLE
    Driver::Get().exchange_capture_mode(&mode);
    return block;
  }
  static inline std::mutex mutex_;
  static inline std::map<size_t, std::vector<void*>> free_;
};

// What one call of a target computes on the host:
//
//   HostWork work(stream);
//   const float* x = work.Read<float>(buffers[0], n);
//   float* y = work.Write<float>(buffers[1], n);
//   work.Run([=] { y[0] = x[0]; });
class HostWork {
 public:
  explicit HostWork(CUstream stream) : stream_(stream), context_(stream), job_(new Job) {}

  template <typename T>
  const T* Read(const void* buffer, size_t count) {
    void* block = Take(count * sizeof(T));
    if (count > 0) Driver::Get().copy_to_host(block, ToAddress(buffer), count * sizeof(T), stream_);
    return static_cast<const T*>(block);
  }
  template <typename T>
  T* Write(void* buffer, size_t count) {
    void* block = Take(count * sizeof(T));
    writes_.push_back({buffer, block, count * sizeof(T)});
    return static_cast<T*>(block);
  }
  void Run(std::function<void()> compute) {
    job_->compute = std::move(compute);
    Driver::Get().launch_host(
        stream_, [](void* job) { static_cast<Job*>(job)->compute(); }, job_);
    for (const auto& write : writes_) {
      if (write.size > 0) {
        Driver::Get().copy_to_device(ToAddress(write.buffer), write.block, write.size, stream_);
      }
    }
    // A graph runs it again.
    if (!IsCapturing(stream_)) Driver::Get().launch_host(stream_, End, job_);
  }

 private:
  struct Job {
    std::function<void()> compute;
    std::vector<std::pair<void*, size_t>> blocks;
  };
  struct Copied {
    void* buffer;
    void* block;
    size_t size;
  };
  static void End(void* data) {
    const std::unique_ptr<Job> job(static_cast<Job*>(data));
    for (const auto& [block, size] : job->blocks) PinnedMemory::GiveBack(block, size);
  }
  void* Take(size_t size) {
    size = size == 0 ? 1 : size;
    return job_->blocks.emplace_back(PinnedMemory::Take(size), size).first;
  }

  CUstream stream_;
  InContextOf context_;
  Job* job_;
  std::vector<Copied> writes_;
};

// A kernel of PTX text, loaded once in each context.
class Kernel {
 public:
  Kernel(const char* ptx, const char* name) : ptx_(ptx), name_(name) {}

  // Parameters are passed by value. Returns the driver's result.
  template <typename... Values>
  int TryLaunch(CUstream stream, unsigned threads, Values... values) {
    const InContextOf context(stream);
    void* parameters[] = {&values...};
    const unsigned block = threads < 128 ? threads : 128;
    return Driver::Get().launch_kernel.Try(In(context.context()), (threads + block - 1) / block, 1,
                                           1, block, 1, 1, 0, stream, parameters, nullptr);
  }
  template <typename... Values>
  void Launch(CUstream stream, unsigned threads, Values... values) {
    Check(TryLaunch(stream, threads, values...), "cuLaunchKernel");
  }

 private:
  void* In(Context context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    void*& function = functions_[context];
    if (function == nullptr) {
      int mode = 2;
      Driver::Get().exchange_capture_mode(&mode);
      void* module = nullptr;
      Driver::Get().load_module(&module, ptx_);
      Driver::Get().get_function(&function, module, name_);
      Driver::Get().exchange_capture_mode(&mode);
    }
    return function;
  }

  const char* const ptx_;
  const char* const name_;
  std::mutex mutex_;
  std::map<Context, void*> functions_;
};

// x[i] -> x[i] * x[i], f32[n], on the device.
inline Kernel& SquareKernel() {
  static Kernel kernel(R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry square(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %d3, %d1;
  cvta.to.global.u64 %d4, %d2;
  mul.wide.u32 %d5, %r5, 4;
  add.s64 %d6, %d3, %d5;
  add.s64 %d7, %d4, %d5;
  ld.global.f32 %f1, [%d6];
  mul.rn.f32 %f2, %f1, %f1;
  st.global.f32 [%d7], %f2;
done:
  ret;
}
)",
                       "square");
  return kernel;
}

// The same, of buffers.
inline void Square(CUstream stream, const void* x, void* y, size_t n) {
  if (n == 0) return;
  SquareKernel().Launch(stream, static_cast<unsigned>(n), ToAddress(x), ToAddress(y),
                        static_cast<uint32_t>(n));
}

inline int DeviceOf(CUstream stream) {
  const InContextOf context(stream);
  int device = -1;
  Driver::Get().context_device(&device);
  return device;
}

}  // namespace gpu

#endif  // CALLBRIDGE_TESTS_GPU_TARGETS_DRIVER_CALLS_H_
