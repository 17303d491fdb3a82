// Texts that end early, or have been changed.
#include <algorithm>

#include "tests/gpu/ptx/interpreted.h"

namespace {

using interpreted::DeviceMemory;
using interpreted::ModuleText;
using interpreted::RunKernel;
using standin::ptx::Parse;

constexpr char kWhole[] = R"(
.global .align 4 .u32 table[2][2] = {{1, 2}, {3, 0xffU}};
.const .f32 f = 0f3F800000;
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %x; ld.param.u32 %x, [x]; add.u32 %x, %x, %x; st.param.b32 [r+0], %x; ret; }
.visible .entry kernel(.param .u64 out) .maxntid 32, 1, 1
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<3>; .shared .align 4 .b8 s[64]; .local .b32 l;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.lt.and.s32 %p1|%p2, %r1, 3, !%p2; @!%p1 bra $END;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }
  mov.b64 %d2, {%r1, %r2}; mov.b64 {_, %r3}, %d2; st.shared.u32 [s+4], %r3; bar.sync 0; shfl.sync.bfly.b32 %r4|%p1, %r3, 1, 31, 1;
  T: .branchtargets $A, $END; brx.idx 0, T; $A: atom.global.add.u32 %r5, [%d1], 1; ld.global.v2.u32 {%r6, %r7}, [%d1];
$END: ret;
}
)";

// Every beginning of a module is an error or a module, and runs or not, but never more than its
// memory.
TEST(HostileTest, TruncatedTexts) {
  const std::string whole = ModuleText(kWhole);
  DeviceMemory memory;
  const uint64_t out = memory.Allocate(8);
  ASSERT_EQ(RunKernel(whole, memory, {out}), absl::OkStatus());
  int modules = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto module = Parse(whole.substr(0, length));
    modules += module.ok();
    EXPECT_TRUE(module.ok() || module.status().code() == absl::StatusCode::kInvalidArgument);
  }
  EXPECT_GT(modules, 3);
}

TEST(HostileTest, ChangedTexts) {
  const std::string whole = ModuleText(kWhole);
  std::mt19937 random(5);
  const std::string letters = "%{}[](),;:.<>!@|+-_0123456789abrdpfuxs\"/* \n";
  for (int i = 0; i < 4000; ++i) {
    std::string text = whole;
    for (int change = static_cast<int>(random() % 3); change >= 0; --change) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 5);
          break;
        case 1:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
        case 2:
          text[at] = letters[random() % letters.size()];
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
    }
    DeviceMemory memory;
    const uint64_t out = memory.Allocate(8);
    const auto module = Parse(text);
    if (!module.ok()) continue;
    interpreted::PlaceGlobals(**module, memory);
    standin::ptx::LaunchConfig config;
    config.block.x = 4;
    config.instruction_budget = 2000;
    const std::vector<const void*> parameters(8, &out);
    for (const auto& kernel : (*module)->kernels()) {
      if (kernel->parameter_bytes <= 8)
        (void)standin::ptx::Launch(*kernel, config, parameters.data(), memory);
    }
  }
}

}  // namespace
