// Whatever text a module has, the stand-in's interpreter of PTX must neither crash nor run for
// ever, and touch no memory but what it is given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/gpu/driver/ptx/module.h"

namespace {

namespace ptx = standin::ptx;

constexpr uint64_t kAddress = 0x7f0000000000;
constexpr size_t kBytes = 4096;

// One block of device memory, of which the address sanitizer sees each access beyond.
class OneBlock : public ptx::Memory {
 public:
  void* Translate(uint64_t address, size_t bytes) override {
    if (address < kAddress || address - kAddress > kBytes ||
        bytes > kBytes - (address - kAddress)) {
      return nullptr;
    }
    return bytes_.data() + (address - kAddress);
  }

 private:
  std::vector<char> bytes_ = std::vector<char>(kBytes);
};

void Place(ptx::Module& module, OneBlock& memory) {
  uint64_t next = kAddress + 1024;
  for (ptx::Global& global : module.globals()) {
    global.address = next;
    if (global.size <= kBytes) next += global.size;
  }
  for (size_t i = 0; i < module.globals().size(); ++i) {
    const ptx::Global& global = module.globals()[i];
    if (global.size > kBytes) continue;
    const std::string bytes = module.InitialBytes(i);
    if (bytes.size() != global.size) std::abort();
    void* at = memory.Translate(global.address, bytes.size());
    if (at != nullptr) memcpy(at, bytes.data(), bytes.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = ptx::Parse(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  OneBlock memory;
  Place(**module, memory);
  for (const auto& kernel : (*module)->kernels()) {
    std::vector<std::vector<char>> values;
    std::vector<const void*> parameters;
    for (const ptx::Parameter& parameter : kernel->parameters) {
      values.emplace_back(parameter.size);
      memcpy(values.back().data(), &kAddress, std::min<size_t>(parameter.size, sizeof kAddress));
      parameters.push_back(values.back().data());
      // A parameter without bytes still needs a place.
      if (parameter.size == 0) parameters.back() = &kAddress;
    }
    ptx::LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = {3, 2, 1};
    config.dynamic_shared_bytes = 64;
    config.instruction_budget = 5000;
    const absl::Status status = ptx::Launch(*kernel, config, parameters.data(), memory);
    const bool refused = !status.ok() && ptx::FaultOf(status) == ptx::Fault::kNone;
    if (ptx::CheckKernel(*kernel).ok() != (status.code() != absl::StatusCode::kUnimplemented) ||
        (refused && absl::IsAborted(status))) {
      std::abort();
    }
  }
  return 0;
}
