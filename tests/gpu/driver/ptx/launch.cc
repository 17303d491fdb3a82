// Launches kernels: what is checked first, and block after block.
#include <cstring>
#include <set>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "block.h"
#include "instruction.h"
#include "module.h"

namespace standin::ptx {
namespace {

constexpr char kFaultPayload[] = "standin/fault";
constexpr uint64_t kMostShared = uint64_t{256} * 1024;  // dynamic
constexpr uint64_t kMostThreadMemory = uint64_t{1} << 30;

// Returns an error of what the kernel may call, or adds up what a thread needs if all is on the
// stack at once.
absl::Status Supported(const Kernel& kernel, uint64_t& thread_bytes) {
  std::set<const Function*> seen = {kernel.code};
  std::vector<const Function*> reached = {kernel.code};
  while (!reached.empty()) {
    const Function& function = *reached.back();
    reached.pop_back();
    if (!function.defined) {
      return absl::UnimplementedError(
          absl::StrCat("the stand-in's PTX interpreter has no function ", function.name));
    }
    if (!function.unsupported.ok()) return function.unsupported;
    thread_bytes +=
        uint64_t{function.registers} * 8 + function.local_bytes + function.parameter_bytes;
    for (const CallSite& call : function.calls) {
      if (seen.insert(call.callee).second) reached.push_back(call.callee);
    }
  }
  return absl::OkStatus();
}

absl::Status Check(const Kernel& kernel, const LaunchConfig& config,
                   const void* const* parameters) {
  uint64_t thread_bytes = 0;
  if (absl::Status status = Supported(kernel, thread_bytes); !status.ok()) return status;
  const Dimensions& grid = config.grid;
  const Dimensions& block = config.block;
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("launch of ", kernel.name, ": ", why));
  };
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT32_MAX || grid.y > 65535 ||
      grid.z > 65535) {
    return refuse(absl::StrCat("expected a grid of 1 to 2147483647 x 65535 x 65535 blocks, got ",
                               grid.x, " x ", grid.y, " x ", grid.z));
  }
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || uint64_t{block.x} * block.y * block.z > kernel.max_threads) {
    return refuse(absl::StrCat("expected a block of 1 to ", kernel.max_threads, " threads, got ",
                               block.x, " x ", block.y, " x ", block.z));
  }
  if (config.dynamic_shared_bytes > kMostShared) {
    return refuse(absl::StrCat("expected at most ", kMostShared,
                               " bytes of dynamic shared memory, got ",
                               config.dynamic_shared_bytes));
  }
  if (thread_bytes * block.x * block.y * block.z > kMostThreadMemory) {
    return absl::ResourceExhaustedError(
        absl::StrCat("launch of ", kernel.name,
                     ": its threads need more registers and local memory than the stand-in has"));
  }
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    if (parameters == nullptr || parameters[k] == nullptr)
      return refuse(absl::StrCat("parameter ", k, " is null"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FaultError(Fault fault, absl::string_view message) {
  absl::Status status = absl::AbortedError(message);
  status.SetPayload(kFaultPayload, absl::Cord(absl::StrCat(static_cast<int>(fault))));
  return status;
}

Fault FaultOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kFaultPayload);
  return payload.has_value() ? static_cast<Fault>(std::string(*payload)[0] - '0') : Fault::kNone;
}

absl::Status CheckKernel(const Kernel& kernel) {
  uint64_t thread_bytes = 0;
  return Supported(kernel, thread_bytes);
}

absl::Status Launch(const Kernel& kernel, const LaunchConfig& config, const void* const* parameters,
                    Memory& memory) {
  if (absl::Status status = Check(kernel, config, parameters); !status.ok()) return status;
  std::vector<char> values(kernel.parameter_bytes);
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    if (kernel.parameters[k].size != 0)
      memcpy(values.data() + kernel.parameters[k].offset, parameters[k], kernel.parameters[k].size);
  }
  Block block(kernel, config, values, memory);
  for (uint32_t z = 0; z < config.grid.z; ++z) {
    for (uint32_t y = 0; y < config.grid.y; ++y) {
      for (uint32_t x = 0; x < config.grid.x; ++x) {
        if (absl::Status status = block.Run({x, y, z}); !status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace standin::ptx
