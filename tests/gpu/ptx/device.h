// The same kernels on this machine's GPU: with CALLBRIDGE_GPU=device in the environment, what the
// tests expect of instructions and compiled functions is compared with the hardware's results too.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/gpu/driver/ptx/module.h"

namespace interpreted {

bool OnDevice();

// Runs a kernel of a module's text by libcuda.so.1. `parameters` makes the kernel's parameters of
// the device addresses of `in` and of `*out`, which holds what the kernel left.
absl::Status RunOnDevice(
    const std::string& text, const std::string& kernel, const standin::ptx::LaunchConfig& config,
    const std::vector<uint64_t>& in, std::vector<uint64_t>* out,
    const std::function<std::vector<uint64_t>(uint64_t in, uint64_t out)>& parameters);

}  // namespace interpreted
