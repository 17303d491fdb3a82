// What a CUDA compiler makes of C++, against the same C++ on the host.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "tests/gpu/ptx/compiled_functions.h"
#include "tests/gpu/ptx/device.h"
#include "tests/gpu/ptx/interpreted.h"

namespace {

using interpreted::DeviceMemory;
using standin::ptx::LaunchConfig;
using standin::ptx::Module;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

std::vector<uint64_t> RandomOperands(size_t count) {
  const float floats[] = {0,     -0.0f,  1,        1.5f, -2.5f,   3.14159f,
                          1e10f, 1e-40f, INFINITY, NAN,  8388609, -0.75f};
  const double doubles[] = {0,  -0.0, 1, 0.5, -1.5, 1e100, 5e-324, HUGE_VAL, NAN, 4503599627370497,
                            3.7};
  std::mt19937_64 random(11);
  std::vector<uint64_t> operands;
  while (operands.size() < count) {
    const uint64_t bits = random();
    const uint64_t kinds[] = {bits, bits >> (bits & 63),
                              compiled::Bits(floats[bits % 12]) | bits << 32,
                              compiled::Bits(doubles[bits % 11]), bits % 100};
    operands.push_back(kinds[random() % 5]);
  }
  return operands;
}

absl::Status Launch(Module& module, const char* name, const LaunchConfig& config,
                    std::vector<uint64_t> parameters, DeviceMemory& memory) {
  const standin::ptx::Kernel* kernel = module.FindKernel(name);
  if (kernel == nullptr) return absl::NotFoundError(name);
  std::vector<const void*> pointers;
  for (const uint64_t& parameter : parameters) pointers.push_back(&parameter);
  return standin::ptx::Launch(*kernel, config, pointers.data(), memory);
}

void CheckFunctions(Module& module, const std::string& text) {
  constexpr size_t kCount = 3000;
  const std::vector<uint64_t> operands = RandomOperands(2 * kCount);
  const auto check = [&](const char* name, uint64_t (*function)(uint64_t, uint64_t)) {
    DeviceMemory memory;
    interpreted::PlaceGlobals(module, memory);
    const uint64_t in = memory.Copy(operands), out = memory.Allocate(kCount * 8);
    LaunchConfig config;
    config.block.x = 128;
    config.grid.x = (kCount + 127) / 128;
    ASSERT_EQ(Launch(module, name, config, {kCount, in, out}, memory), absl::OkStatus()) << name;
    const auto compare = [&](const std::vector<uint64_t>& results, const char* where) {
      int wrong = 0;
      for (size_t i = 0; i < kCount && wrong < 3; ++i) {
        const uint64_t expected = function(operands[2 * i], operands[2 * i + 1]);
        if (results[i] == expected) continue;
        ++wrong;
        ADD_FAILURE() << name << where << std::hex << "(0x" << operands[2 * i] << ", 0x"
                      << operands[2 * i + 1] << "): expected 0x" << expected << ", got 0x"
                      << results[i];
      }
    };
    compare(memory.Read<uint64_t>(out), "");
    // A driver compiles for architectures up to its device's.
    const bool newer = text.find(".target sm_100") != text.npos;
    if (!interpreted::OnDevice() || newer) return;
    std::vector<uint64_t> results(kCount);
    ASSERT_EQ(
        interpreted::RunOnDevice(text, name, config, operands, &results,
                                 [&](uint64_t device_in, uint64_t device_out) {
                                   return std::vector<uint64_t>{kCount, device_in, device_out};
                                 }),
        absl::OkStatus())
        << name;
    compare(results, " on the device");
  };
#define CHECK_FUNCTION(name) check(#name, compiled::name);
  COMPILED_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION
}

void CheckBlocks(Module& module) {
  constexpr size_t kCount = 1000;
  const std::vector<uint64_t> operands = RandomOperands(kCount);
  DeviceMemory memory;
  interpreted::PlaceGlobals(module, memory);
  const uint64_t in = memory.Copy(operands);
  LaunchConfig config;
  config.block.x = 256;
  config.grid.x = 4;
  config.dynamic_shared_bytes = uint64_t{256} * 8;
  const uint64_t sum = std::accumulate(operands.begin(), operands.end(), uint64_t{0});

  const uint64_t sums = memory.Copy(std::vector<uint64_t>(4));
  ASSERT_EQ(Launch(module, "TreeSum", config, {kCount, in, sums}, memory), absl::OkStatus());
  const std::vector<uint64_t> parts = memory.Read<uint64_t>(sums);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), uint64_t{0}), sum);

  const uint64_t total = memory.Copy(std::vector<uint64_t>(1));
  ASSERT_EQ(Launch(module, "WarpSum", config, {kCount, in, total}, memory), absl::OkStatus());
  EXPECT_THAT(memory.Read<uint64_t>(total), testing::ElementsAre(sum));

  const uint64_t votes = memory.Allocate(kCount * 8);
  ASSERT_EQ(Launch(module, "Votes", config, {kCount, in, votes}, memory), absl::OkStatus());
  const std::vector<uint64_t> got = memory.Read<uint64_t>(votes);
  for (size_t i = 0; i < kCount; ++i) {
    const auto at = [&](size_t k) { return k < kCount ? operands[k] : 0; };
    uint64_t odd = 0;
    uint32_t least = 0xffffffff;
    for (size_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) odd += at(k) % 2;
    for (size_t k = i / 256 * 256; k < i / 256 * 256 + 256; ++k)
      least = std::min(least, static_cast<uint32_t>(at(k)));
    EXPECT_EQ(got[i], odd << 32 | least) << i;
  }
}

void CheckAll(const std::string& text) {
  const auto module = standin::ptx::Parse(text);
  ASSERT_EQ(module.status(), absl::OkStatus());
  CheckFunctions(**module, text);
  CheckBlocks(**module);
}

TEST(CompiledTest, FunctionsAreTheHosts) {
  CheckAll(Contents(PTX_FOLDER "/compiled_functions.ptx"));
}

// By this machine's compiler: another release, other architectures, and without optimisation.
TEST(CompiledTest, CompiledHereFunctionsAreTheHosts) {
  const char* home = getenv("CUDA_HOME");
  const std::string nvcc = absl::StrCat(home != nullptr ? home : "/usr/local/cuda", "/bin/nvcc");
  if (!std::ifstream(nvcc).good()) GTEST_SKIP() << "no CUDA toolkit: " << nvcc << " is not there";
  const std::string path = testing::TempDir() + absl::StrCat("compiled-", getpid(), ".ptx");
  for (const char* options : {"-arch=compute_75 -O3", "-arch=compute_90 -O3 -Xcicc -O1",
                              "-arch=compute_80 -G", "-arch=compute_100 -lineinfo"}) {
    SCOPED_TRACE(options);
    const std::string command = absl::StrCat(nvcc, " -std=c++17 -ptx --fmad=false ", options,
                                             " -o ", path, " " PTX_FOLDER "/compiled_functions.cu");
    ASSERT_EQ(system(command.c_str()), 0) << command;
    CheckAll(Contents(path));
    remove(path.c_str());
  }
}

}  // namespace
