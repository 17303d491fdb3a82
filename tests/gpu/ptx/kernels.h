// Kernels of which each thread writes a word.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/ptx/interpreted.h"

namespace interpreted {

// A kernel of one parameter, `out`, in %out, with some registers; %i is the thread's number in its
// block.
inline std::string Kernel(absl::string_view body, absl::string_view before = "") {
  return ModuleText(absl::StrCat(before, R"(
.visible .entry kernel(.param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>, %i; .reg .b64 %d<32>, %out; .reg .f32 %f<8>;
  ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; mov.u32 %i, %tid.x;
)",
                                 body, "\n}\n"));
}

inline ptx::LaunchConfig Threads(uint32_t block, uint32_t grid = 1) {
  ptx::LaunchConfig config;
  config.block.x = block;
  config.grid.x = grid;
  return config;
}

// Runs a kernel that writes `count` words of 32 bits.
inline std::vector<uint32_t> Words(absl::string_view text, size_t count,
                                   const ptx::LaunchConfig& config) {
  DeviceMemory memory;
  const uint64_t out = memory.Copy(std::vector<uint32_t>(count, 0xdeadbeef));
  EXPECT_EQ(RunKernel(text, memory, {out}, config), absl::OkStatus());
  return memory.Read<uint32_t>(out);
}

inline std::vector<uint32_t> Expected(size_t count, const std::function<uint32_t(uint32_t)>& f) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = f(i);
  return values;
}

// Stores %r0 as the thread's word.
inline constexpr char kStore[] = "mad.wide.u32 %d0, %i, 4, %out; st.global.u32 [%d0], %r0; ret;";

}  // namespace interpreted
