// What the threads of a block do together.
#include <thread>

#include "tests/gpu/ptx/kernels.h"

namespace {

using interpreted::DeviceMemory;
using interpreted::Expected;
using interpreted::Kernel;
using interpreted::kStore;
using interpreted::RunKernel;
using interpreted::Threads;
using interpreted::Words;
using standin::ptx::LaunchConfig;

// Each thread reads what another wrote before the barrier; a round more would show a thread that
// runs ahead.
TEST(BlockTest, BarriersWaitForTheWholeBlock) {
  const std::string text = Kernel(absl::StrCat(R"(
  .shared .align 4 .b8 words[1024];
  mov.u32 %r5, words; shl.b32 %r1, %i, 2; add.u32 %r1, %r5, %r1; mov.u32 %r4, %ntid.x;
  mul.lo.u32 %r0, %i, 3; mov.u32 %r3, 0;
ROUND:
  st.shared.u32 [%r1], %r0; bar.sync 0;
  add.u32 %r2, %i, 1; rem.u32 %r2, %r2, %r4; shl.b32 %r2, %r2, 2; add.u32 %r2, %r5, %r2; ld.shared.u32 %r0, [%r2];
  barrier.sync.aligned 0;
  add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10; @%p0 bra ROUND;
)",
                                               kStore));
  EXPECT_EQ(Words(text, 200, Threads(200)),
            Expected(200, [](uint32_t i) { return (i + 10) % 200 * 3; }));
}

// Half of the block waits at its own barrier while the other has ended.
TEST(BlockTest, BarriersMayHaveACount) {
  const std::string text = Kernel(absl::StrCat(R"(
  .shared .u32 word; setp.ge.u32 %p0, %i, 64; mov.u32 %r0, 1; @%p0 bra END;
  setp.ne.u32 %p1, %i, 63; @!%p1 st.shared.u32 [word], 99; bar.sync 3, 64; ld.shared.u32 %r0, [word]; bar.sync 0;
END:
)",
                                               kStore));
  EXPECT_EQ(Words(text, 96, Threads(96)), Expected(96, [](uint32_t i) { return i < 64 ? 99 : 1; }));
}

TEST(BlockTest, DynamicSharedMemoryIsApart) {
  const std::string text = Kernel(absl::StrCat(R"(
  .shared .align 4 .b8 fixed[256]; mov.u32 %r1, dynamic; mov.u32 %r3, fixed; shl.b32 %r2, %i, 2; add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r2;
  st.shared.u32 [%r1], %i; st.shared.u32 [%r3], 1000; ld.shared.u32 %r4, [%r1]; ld.shared.u32 %r5, [%r3]; add.u32 %r0, %r4, %r5;
  mov.u32 %r6, %dynamic_smem_size; add.u32 %r0, %r0, %r6;
)",
                                               kStore),
                                  ".extern .shared .align 16 .b8 dynamic[];");
  LaunchConfig config = Threads(64);
  config.dynamic_shared_bytes = 256;
  EXPECT_EQ(Words(text, 64, config), Expected(64, [](uint32_t i) { return 1256 + i; }));
}

// %r0 = shfl of %i + 1000; out of range 1 << 16 is not set.
std::vector<uint32_t> Shuffle(const std::string& form, const std::string& b, const std::string& c,
                              uint32_t threads = 32) {
  return Words(
      Kernel(absl::StrCat("add.u32 %r1, %i, 1000; and.b32 %r2, %i, 31; shfl.sync.", form,
                          ".b32 %r0|%p0, %r1, ", b, ", ", c,
                          ", -1; selp.u32 %r3, 0x10000, 0, %p0; or.b32 %r0, %r0, %r3;", kStore)),
      threads, Threads(threads));
}
constexpr uint32_t kIn = 0x10000;

TEST(BlockTest, Shuffles) {
  EXPECT_EQ(Shuffle("bfly", "1", "31", 64),
            Expected(64, [](uint32_t i) { return (1000 + (i ^ 1)) | kIn; }));
  EXPECT_EQ(Shuffle("idx", "5", "31", 64),
            Expected(64, [](uint32_t i) { return (1000 + (i & 32) + 5) | kIn; }));
  EXPECT_EQ(Shuffle("down", "3", "31"),
            Expected(32, [](uint32_t i) { return i + 3 < 32 ? (1003 + i) | kIn : 1000 + i; }));
  EXPECT_EQ(Shuffle("up", "3", "0"),
            Expected(32, [](uint32_t i) { return i >= 3 ? (997 + i) | kIn : 1000 + i; }));
  // Segments of 8 lanes: width 8 is a mask of 24.
  EXPECT_EQ(Shuffle("down", "3", "0x181f"),
            Expected(32, [](uint32_t i) { return i % 8 + 3 < 8 ? (1003 + i) | kIn : 1000 + i; }));
  EXPECT_EQ(Shuffle("up", "3", "0x1800"),
            Expected(32, [](uint32_t i) { return i % 8 >= 3 ? (997 + i) | kIn : 1000 + i; }));
  EXPECT_EQ(Shuffle("idx", "2", "0x181f"),
            Expected(32, [](uint32_t i) { return (1000 + i / 8 * 8 + 2) | kIn; }));
  EXPECT_EQ(Shuffle("bfly", "8", "0x181f"), Expected(32, [](uint32_t i) {
              return i % 16 >= 8 ? (1000 + (i ^ 8)) | kIn : 1000 + i;
            }));
}

TEST(BlockTest, VotesMatchesAndReduces) {
  const auto lanes = [](const std::string& code) {
    return Words(Kernel(absl::StrCat(code, kStore)), 32, Threads(32));
  };
  EXPECT_EQ(
      lanes("and.b32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 0; vote.sync.ballot.b32 %r0, %p0, -1;"),
      Expected(32, [](uint32_t) { return 0x11111111; }));
  EXPECT_EQ(lanes("setp.ne.u32 %p0, %i, 5; vote.sync.all.pred %p1, %p0, -1; vote.sync.any.pred "
                  "%p2, !%p0, -1; vote.sync.uni.pred %p3, %p0, -1;"
                  "selp.u32 %r0, 1, 0, %p1; selp.u32 %r1, 2, 0, %p2; selp.u32 %r2, 4, 0, %p3; "
                  "or.b32 %r0, %r0, %r1; or.b32 %r0, %r0, %r2;"),
            Expected(32, [](uint32_t) { return 2; }));
  EXPECT_EQ(lanes("shr.u32 %r1, %i, 3; match.any.sync.b32 %r0, %r1, -1;"),
            Expected(32, [](uint32_t i) { return 0xffu << i / 8 * 8; }));
  EXPECT_EQ(lanes("redux.sync.add.u32 %r0, %i, -1;"), Expected(32, [](uint32_t) { return 496; }));
  EXPECT_EQ(lanes("sub.s32 %r1, %i, 7; redux.sync.min.s32 %r0, %r1, -1;"),
            Expected(32, [](uint32_t) { return static_cast<uint32_t>(-7); }));
  EXPECT_EQ(lanes("sub.s32 %r1, %i, 7; redux.sync.max.u32 %r0, %r1, -1;"),
            Expected(32, [](uint32_t) { return 0xffffffff; }));
  EXPECT_EQ(lanes("redux.sync.xor.b32 %r0, %i, -1;"), Expected(32, [](uint32_t) { return 0; }));
  // Half a warp of its own mask, while the others have ended.
  EXPECT_EQ(lanes("mov.u32 %r0, 7; setp.ge.u32 %p0, %i, 16; @%p0 bra END; redux.sync.or.b32 %r0, "
                  "%i, 0xffff; bar.warp.sync 0xffff; END:"),
            Expected(32, [](uint32_t i) { return i < 16 ? 15 : 7; }));
}

TEST(BlockTest, AtomicOperations) {
  DeviceMemory memory;
  const uint64_t out =
      memory.Copy(std::vector<uint64_t>{0, 0, 1000, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 50, 0});
  ASSERT_EQ(RunKernel(Kernel(R"(
  cvt.u64.u32 %d1, %i; cvt.rn.f32.u32 %f1, %i; cvt.rn.f64.u32 %d2, %i; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 100, %i;
  red.global.add.u32 [%out], 1; atom.global.add.u64 %d3, [%out+8], %d1; atom.min.s32 %r1, [%out+16], %r3; red.max.u64 [%out+24], %d1;
  atom.global.and.b32 %r1, [%out+32], 0xf0; red.or.b64 [%out+40], %d1; red.relaxed.gpu.global.xor.b32 [%out+48], -1; atom.add.f32 %f2, [%out+56], %f1;
  atom.global.add.f64 %d4, [%out+64], %d2; atom.inc.u32 %r1, [%out+72], 6; atom.dec.u32 %r1, [%out+80], 6;
RETRY: ld.volatile.u32 %r5, [%out+88]; add.u32 %r6, %r5, 2; atom.acq_rel.gpu.cas.b32 %r7, [%out+88], %r5, %r6; setp.ne.u32 %p0, %r7, %r5; @%p0 bra RETRY;
  atom.exch.b32 %r1, [%out+96], %r3; atom.global.min.u32 %r1, [%out+104], -1; ret;
)"),
                      memory, {out}, Threads(100, 2)),
            absl::OkStatus());
  const std::vector<uint64_t> got = memory.Read<uint64_t>(out);
  float sum;
  memcpy(&sum, &got[7], sizeof sum);
  double wide;
  memcpy(&wide, &got[8], sizeof wide);
  EXPECT_EQ(got[0], 200);
  EXPECT_EQ(got[1], 9900);
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(got[3], 99);
  EXPECT_EQ(got[4], 0xf0);
  EXPECT_EQ(got[5], 127);
  EXPECT_EQ(got[6], 0);
  EXPECT_EQ(sum, 9900.0f);
  EXPECT_EQ(wide, 9900.0);
  EXPECT_EQ(got[9], 200 % 7);
  EXPECT_EQ(got[10], (7 - 200 % 7) % 7);
  EXPECT_EQ(got[11], 400);
  EXPECT_EQ(got[12], 199);
  EXPECT_EQ(got[13], 0);
}

// Kernels on several streams: each thread of the host launches its own.
TEST(BlockTest, SeveralThreadsLaunch) {
  const auto module = standin::ptx::Parse(
      Kernel("atom.global.add.u32 %r1, [%out], 1; atom.global.max.u32 %r1, [%out+4], %i; ret;"));
  ASSERT_EQ(module.status(), absl::OkStatus());
  DeviceMemory memory;
  const uint64_t out = memory.Copy(std::vector<uint32_t>(2));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const void* parameters[] = {&out};
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(standin::ptx::Launch(*(*module)->FindKernel("kernel"), Threads(64, 2), parameters,
                                       memory),
                  absl::OkStatus());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(memory.Read<uint32_t>(out), testing::ElementsAre(4 * 20 * 128, 63));
}

// The hardware flushes subnormal sums of f32 in device memory and not in shared.
TEST(BlockTest, AtomicSumsOfSubnormalNumbers) {
  const std::vector<uint32_t> got = Words(Kernel(R"(
  .shared .f32 word; st.global.u32 [%out], 1; st.shared.u32 [word], 1; mov.b32 %f1, 3;
  atom.global.add.f32 %f2, [%out], %f1; atom.shared.add.f32 %f3, [word], %f1; ld.shared.u32 %r1, [word]; st.global.u32 [%out+4], %r1; ret;
)"),
                                          2, Threads(1));
  EXPECT_THAT(got, testing::ElementsAre(0, 4));
}

// One thread of the block waits for the store of another, without a barrier.
TEST(BlockTest, ThreadsTakeTurns) {
  const std::string text = Kernel(absl::StrCat(R"(
  .shared .u32 flag; setp.eq.u32 %p0, %i, 40; mov.u32 %r0, 5; setp.eq.u32 %p1, %i, 0; @%p1 st.shared.u32 [flag], 0; bar.sync 0;
  @%p0 st.volatile.shared.u32 [flag], 1; @%p0 bra END;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;
END:
)",
                                               kStore));
  EXPECT_EQ(Words(text, 64, Threads(64)), Expected(64, [](uint32_t) { return 5; }));
}

}  // namespace
