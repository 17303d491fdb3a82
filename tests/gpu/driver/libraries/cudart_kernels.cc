// The part of libcudart.so.12 and .13 that nvcc's kernel<<<...>>>() calls: each kernel is found in
// the PTX that nvcc put into the program without compressing it (`--no-compress`), and launched by
// the driver. Machine code is not looked at.
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#define RUNTIME_FUNCTION(name, ...) \
  extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)

extern "C" int cuCtxGetCurrent(void** context);
extern "C" int cuModuleLoadData(void** module, const void* image);
extern "C" int cuModuleGetFunction(void** function, void* module, const char* name);
extern "C" int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              void* stream, void** parameters, void** extra);

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidDeviceFunction = 98;
constexpr int kMissingConfiguration = 52;

struct Dimensions {  // dim3
  unsigned x, y, z;
};

struct Configuration {
  Dimensions grid, block;
  size_t shared;
  void* stream;
};
thread_local std::vector<Configuration> configurations;
thread_local int last_error = kSuccess;

// What nvcc wrote: a structure that points to a header, and behind that entries, each with its own.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const char* data;
};
struct FatBinaryHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;
};
struct FatBinaryEntry {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t size;
};
constexpr uint16_t kPtx = 1;
constexpr char kPtxBegin[] = ".version";  // unless it is compressed

struct FatBinary {
  std::string ptx;  // empty if there is none that can be read
};

struct Kernel {
  const FatBinary* binary;
  std::string name;
  std::map<void*, void*> functions;  // the driver's, by context
};

std::mutex mutex;
// By the address of the function that stands for it on the host. Guarded by `mutex`.
std::map<const void*, Kernel>& Kernels() {
  static auto& kernels = *new std::map<const void*, Kernel>;
  return kernels;
}
// By context. Guarded by `mutex`.
std::map<std::pair<const FatBinary*, void*>, void*>& Modules() {
  static auto& modules = *new std::map<std::pair<const FatBinary*, void*>, void*>;
  return modules;
}

std::string FindPtx(const char* data) {
  FatBinaryHeader header;
  std::memcpy(&header, data, sizeof(header));
  const char* const end = data + header.header_size + header.size;
  const char* next = data + header.header_size;
  while (next < end) {
    FatBinaryEntry entry;
    std::memcpy(&entry, next, sizeof(entry));
    const char* const content = next + entry.header_size;
    if (entry.kind == kPtx) {
      const std::string text(content, strnlen(content, entry.size));
      const size_t begin = text.find_first_not_of("\n");
      if (begin != text.npos && text.compare(begin, sizeof(kPtxBegin) - 1, kPtxBegin) == 0) {
        return text;
      }
    }
    next = content + entry.size;
  }
  return "";
}

int Find(const void* host_function, void** function) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto kernel = Kernels().find(host_function);
  if (kernel == Kernels().end()) return kInvalidDeviceFunction;
  void* context = nullptr;
  if (const int error = cuCtxGetCurrent(&context)) return error;
  void*& known = kernel->second.functions[context];
  if (known == nullptr) {
    const FatBinary* const binary = kernel->second.binary;
    if (binary->ptx.empty()) return kInvalidDeviceFunction;
    void*& module = Modules()[{binary, context}];
    if (module == nullptr) {
      if (const int error = cuModuleLoadData(&module, binary->ptx.c_str())) return error;
    }
    if (const int error = cuModuleGetFunction(&known, module, kernel->second.name.c_str())) {
      return error;
    }
  }
  *function = known;
  return kSuccess;
}

int Launch(const void* host_function, const Configuration& to, void** parameters) {
  void* function = nullptr;
  int error = Find(host_function, &function);
  if (error == kSuccess) {
    error = cuLaunchKernel(function, to.grid.x, to.grid.y, to.grid.z, to.block.x, to.block.y,
                           to.block.z, static_cast<unsigned>(to.shared), to.stream, parameters,
                           nullptr);
  }
  if (error != kSuccess) last_error = error;
  return error;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void** __cudaRegisterFatBinary(void* wrapper) {
  auto* const binary = new FatBinary{FindPtx(static_cast<FatBinaryWrapper*>(wrapper)->data)};
  return new void*(binary);
}
RUNTIME_FUNCTION(__cudaRegisterFatBinaryEnd, void**) { return kSuccess; }
RUNTIME_FUNCTION(__cudaUnregisterFatBinary, void**) { return kSuccess; }
RUNTIME_FUNCTION(__cudaInitModule, void**) { return 1; }
RUNTIME_FUNCTION(__cudaRegisterVar) { return kSuccess; }

RUNTIME_FUNCTION(__cudaRegisterFunction, void** binary, const char* host_function, char*,
                 const char* device_name, int, void*, void*, void*, void*, int*) {
  const std::lock_guard<std::mutex> lock(mutex);
  Kernels()[host_function] = {static_cast<FatBinary*>(*binary), device_name, {}};
  return kSuccess;
}

RUNTIME_FUNCTION(__cudaPushCallConfiguration, Dimensions grid, Dimensions block, size_t shared,
                 void* stream) {
  configurations.push_back({grid, block, shared, stream});
  return kSuccess;
}
RUNTIME_FUNCTION(__cudaPopCallConfiguration, Dimensions* grid, Dimensions* block, size_t* shared,
                 void** stream) {
  if (configurations.empty()) return kMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *shared = configurations.back().shared;
  *stream = configurations.back().stream;
  configurations.pop_back();
  return kSuccess;
}

RUNTIME_FUNCTION(cudaPeekAtLastError) { return last_error; }
RUNTIME_FUNCTION(cudaGetLastError) { return std::exchange(last_error, kSuccess); }

// CUDA 12; 13 asks for a handle first, which here is the function on the host.
RUNTIME_FUNCTION(cudaLaunchKernel, const void* host_function, Dimensions grid, Dimensions block,
                 void** parameters, size_t shared, void* stream) {
  return Launch(host_function, {grid, block, shared, stream}, parameters);
}
RUNTIME_FUNCTION(__cudaGetKernel, const void** kernel, const void* host_function) {
  *kernel = host_function;
  return kSuccess;
}
RUNTIME_FUNCTION(__cudaLaunchKernel, const void* kernel, Dimensions grid, Dimensions block,
                 void** parameters, size_t shared, void* stream) {
  return Launch(kernel, {grid, block, shared, stream}, parameters);
}
