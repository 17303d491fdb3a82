// Control, memory, calls and faults.
#include "tests/gpu/ptx/kernels.h"

namespace {

using interpreted::DeviceMemory;
using interpreted::Expected;
using interpreted::Kernel;
using interpreted::kStore;
using interpreted::ModuleText;
using interpreted::RunKernel;
using interpreted::Threads;
using interpreted::Words;
using standin::ptx::Fault;
using standin::ptx::FaultOf;
using standin::ptx::LaunchConfig;
using testing::HasSubstr;

TEST(ControlTest, LoopsAndBranches) {
  const std::string sum = Kernel(absl::StrCat(R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
LOOP:
  setp.ge.u32 %p0, %r1, %i;
  @%p0 bra.uni END;
  add.u32 %r0, %r0, %r1; add.u32 %r1, %r1, 1;
  bra LOOP;
END:
  @!%p0 mov.u32 %r0, 77;
)",
                                              kStore));
  EXPECT_EQ(Words(sum, 100, Threads(100)),
            Expected(100, [](uint32_t i) { return i * (i - 1) / 2; }));
}

TEST(ControlTest, BranchesByTable) {
  const std::string text = Kernel(absl::StrCat(R"(
  and.b32 %r1, %i, 3;
  TABLE: .branchtargets A, B, C, B;
  brx.idx %r1, TABLE;
A: mov.u32 %r0, 10; bra END;
B: mov.u32 %r0, 20; bra END;
C: mov.u32 %r0, 30;
END:
)",
                                               kStore));
  EXPECT_EQ(Words(text, 8, Threads(8)), (std::vector<uint32_t>{10, 20, 30, 20, 10, 20, 30, 20}));
}

// Inline assembly opens scopes, which repeat labels and registers.
TEST(ControlTest, ScopesHaveTheirOwnNames) {
  const std::string text = Kernel(absl::StrCat(R"(
  mov.u32 %r0, 0;
  { .reg .pred %p0; .reg .b32 %r0; mov.u32 %r0, 5; setp.eq.u32 %p0, %i, 0; @%p0 bra NEXT; mov.u32 %r1, 100; NEXT: }
  { .reg .pred p; setp.eq.u32 p, %i, 0; @p bra NEXT; add.u32 %r0, %r0, %r1; bra OUT; NEXT: add.u32 %r0, %r0, 1; }
OUT:
)",
                                               kStore));
  EXPECT_EQ(Words(text, 3, Threads(3)), (std::vector<uint32_t>{1, 100, 100}));
}

TEST(ControlTest, KnowsWhereAThreadIs) {
  const std::string text = Kernel(R"(
  mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
  mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z; mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y; mov.u32 %r11, %nctaid.z;
  mov.u32 %r12, %laneid; mov.u32 %r13, %warpid;
  mad.lo.u32 %r20, %r2, %r4, %r1; mad.lo.u32 %r20, %r20, %r3, %i;
  shr.u32 %r21, %r20, 5; and.b32 %r22, %r20, 31;
  setp.eq.u32 %p0, %r21, %r13; setp.eq.and.u32 %p0, %r22, %r12, %p0;
  mad.lo.u32 %r23, %r8, %r10, %r7; mad.lo.u32 %r23, %r23, %r9, %r6;
  mul.lo.u32 %r24, %r3, %r4; mul.lo.u32 %r24, %r24, %r5;
  mad.lo.u32 %r25, %r23, %r24, %r20;
  selp.u32 %r0, %r25, 0, %p0;
  mad.wide.u32 %d0, %r25, 4, %out; st.global.u32 [%d0], %r0; ret;
)");
  LaunchConfig config;
  config.grid = {2, 3, 2};
  config.block = {5, 4, 3};
  EXPECT_EQ(Words(text, 720, config), Expected(720, [](uint32_t i) { return i; }));
}

constexpr char kFunctions[] = R"(
.func (.param .b32 result) half(.param .b32 x);
.func (.param .b32 result) fibonacci(.param .b32 n)
{
  .reg .b32 %a, %b, %n; .reg .pred %p; .local .align 4 .b32 kept;
  ld.param.u32 %n, [n]; setp.lt.u32 %p, %n, 2;
  st.local.u32 [kept], %n;
  @%p bra LEAF;
  sub.u32 %a, %n, 1;
  { .param .b32 argument; .param .b32 returned; st.param.b32 [argument+0], %a;
    call.uni (returned), fibonacci, (argument); ld.param.b32 %b, [returned+0]; }
  ld.local.u32 %n, [kept];
  sub.u32 %a, %n, 2;
  { .param .b32 argument; .param .b32 returned; st.param.b32 [argument+0], %a;
    call.uni (returned), fibonacci, (argument); ld.param.b32 %a, [returned+0]; }
  add.u32 %n, %a, %b;
LEAF:
  st.param.b32 [result+0], %n; ret;
}
.func (.param .b32 result) half(.param .b32 x)
{ .reg .b32 %x; ld.param.u32 %x, [x]; shr.u32 %x, %x, 1; st.param.b32 [result], %x; ret; }
.func swap(.param .b64 pointer)
{ .reg .b32 %a, %b; .reg .b64 %p; ld.param.u64 %p, [pointer]; ld.u32 %a, [%p]; ld.u32 %b, [%p+4]; st.u32 [%p+4], %a; st.u32 [%p], %b; }
)";

TEST(ControlTest, CallsFunctions) {
  const std::string text = Kernel(absl::StrCat(R"(
  .param .b32 n; .param .b32 f;
  st.param.u32 [n], %i; call (f), fibonacci, (n); ld.param.u32 %r0, [f];
  st.param.u32 [n], %r0; call (f), half, (n); ld.param.u32 %r1, [f];
  shl.b32 %r1, %r1, 16; or.b32 %r0, %r0, %r1;
)",
                                               kStore),
                                  kFunctions);
  std::vector<uint32_t> f = {0, 1};
  for (int i = 2; i < 12; ++i) f.push_back(f[i - 1] + f[i - 2]);
  EXPECT_EQ(Words(text, 12, Threads(12)),
            Expected(12, [&](uint32_t i) { return f[i] | f[i] / 2 << 16; }));
}

// A generic pointer to local, shared and device memory.
TEST(ControlTest, GenericAddressesReachEverySpace) {
  const std::string text = Kernel(absl::StrCat(R"(
  .local .align 8 .b8 mine[16]; .shared .align 8 .b8 ours[16]; .param .b64 pointer;
  mov.u64 %d1, mine; cvta.local.u64 %d2, %d1; st.local.v2.u32 [mine], {%i, 7};
  st.param.u64 [pointer], %d2; call swap, (pointer); ld.local.u32 %r1, [%d1+4];
  mov.u64 %d3, ours; cvta.shared.u64 %d4, %d3; st.shared.v2.u32 [%d3], {3, 4};
  st.param.u64 [pointer], %d4; call swap, (pointer); ld.shared.u32 %r2, [ours];
  cvta.to.shared.u64 %d5, %d4; cvta.to.local.u64 %d6, %d2;
  setp.eq.u64 %p0, %d5, %d3; setp.eq.and.u64 %p0, %d6, %d1, %p0;
  isspacep.shared %p1, %d4; isspacep.local %p2, %d2; isspacep.global %p3, %out; isspacep.shared %p4, %out; isspacep.global %p5, %d2;
  and.pred %p0, %p0, %p1; and.pred %p0, %p0, %p2; and.pred %p0, %p0, %p3; not.pred %p4, %p4; and.pred %p0, %p0, %p4; not.pred %p5, %p5; and.pred %p0, %p0, %p5;
  mad.lo.u32 %r0, %r2, 1000, %r1; selp.u32 %r0, %r0, 0, %p0;
)",
                                               kStore),
                                  kFunctions);
  EXPECT_EQ(Words(text, 5, Threads(5)), Expected(5, [](uint32_t i) { return 4000 + i; }));
}

TEST(ControlTest, LoadsAndStoresOfEachWidth) {
  const std::string text = Kernel(R"(
  mov.u64 %d1, 0x8899aabbccddeeff; st.global.b64 [%out], %d1;
  ld.global.u8 %h1, [%out+7]; st.global.u16 [%out+8], %h1;
  ld.global.s8 %h1, [%out+7]; st.global.b16 [%out+10], %h1;
  ld.global.s8 %r1, [%out+1]; st.global.u32 [%out+12], %r1;
  ld.global.s16 %r1, [%out+2]; st.global.u32 [%out+16], %r1;
  ld.global.u16 %r1, [%out+2]; st.global.u32 [%out+20], %r1;
  ld.global.s32 %d2, [%out+4]; st.global.u64 [%out+24], %d2;
  ld.global.nc.L1::no_allocate.L2::128B.v4.b8 {%h1, %h2, %h3, %h4}, [%out]; st.global.v2.b8 [%out+32], {%h4, %h1}; st.global.b8 [%out+34], 0x1ff;
  ld.volatile.global.u8 %r1, [%out]; ld.relaxed.gpu.global.u8 %r2, [%out+1]; ld.acquire.sys.u8 %r3, [%out+2]; st.release.gpu.global.u8 [%out+35], %r3;
  ld.global.ca.v2.u64 {%d3, %d4}, [%out+16]; st.global.wb.v2.f64 [%out+48], {%d3, %d4};
  fence.acq_rel.gpu; membar.gl; ret;
)");
  const std::vector<uint32_t> got = Words(text, 16, Threads(1));
  EXPECT_THAT(
      got, testing::ElementsAre(0xccddeeff, 0x8899aabb, 0xff880088, 0xffffffee, 0xffffccdd, 0xccdd,
                                0x8899aabb, 0xffffffff, 0xddffffcc, 0xdeadbeef, 0xdeadbeef,
                                0xdeadbeef, 0xffffccdd, 0xccdd, 0x8899aabb, 0xffffffff));
}

TEST(ControlTest, VariablesHaveTheirInitialValues) {
  const std::string before = R"(
.visible .global .align 4 .u32 number = 41;
.const .align 4 .b8 bytes[8] = {1, 2, 3, 255};
.global .f32 floats[3] = {0f3F800000, 2.5, -1.0};
.global .align 8 .u64 pointers[3] = {number, generic(bytes)+2, 7};
.global .s16 table[2][2] = {{-1, 2}, {3, 4}};
.weak .global .align 16 .b8 zeros[1024];
)";
  const std::string text = Kernel(R"(
  ld.global.u32 %r1, [number]; st.global.u32 [%out], %r1;
  mov.u64 %d1, bytes; ld.const.u32 %r1, [%d1]; st.global.u32 [%out+4], %r1; ld.const.u32 %r1, [bytes+4]; st.global.u32 [%out+8], %r1;
  ld.global.f32 %f1, [floats+4]; st.global.f32 [%out+12], %f1; ld.global.f32 %f1, [floats+8]; st.global.f32 [%out+16], %f1;
  ld.global.u64 %d1, [pointers]; ld.u32 %r1, [%d1]; st.global.u32 [%out+20], %r1;
  ld.global.u64 %d1, [pointers+8]; ld.u8 %r1, [%d1]; st.global.u32 [%out+24], %r1;
  ld.global.u32 %r1, [pointers+16]; st.global.u32 [%out+28], %r1;
  ld.global.s16 %r1, [table]; st.global.u32 [%out+32], %r1; ld.global.u32 %r1, [table+4]; st.global.u32 [%out+36], %r1;
  ld.global.u32 %r1, [zeros+1020]; st.global.u32 [%out+40], %r1; ret;
)",
                                  before);
  EXPECT_THAT(Words(text, 11, Threads(1)),
              testing::ElementsAre(41, 0xff030201, 0, 0x40200000, 0xbf800000, 41, 3, 7, 0xffffffff,
                                   0x40003, 0));
}

struct Faulty {
  const char* code;
  Fault fault;
  const char* message;
};

TEST(ControlTest, FaultsAreToldApart) {
  for (const Faulty& f : {
           Faulty{"mov.u64 %d1, 0; ld.global.u32 %r1, [%d1]; ret;", Fault::kIllegalAddress,
                  "accesses what is no device memory, 4 bytes at 0x0"},
           Faulty{"st.global.u32 [%out+8], 1; ret;", Fault::kIllegalAddress, "no device memory"},
           Faulty{"st.global.u32 [%out+-4], 1; ret;", Fault::kIllegalAddress, "no device memory"},
           Faulty{"ld.global.v2.u32 {%r1, %r2}, [%out+4]; ret;", Fault::kMisalignedAddress,
                  "a misaligned address, 8 bytes"},
           Faulty{"ld.global.u32 %r1, [%out+2]; ret;", Fault::kMisalignedAddress, "misaligned"},
           Faulty{"atom.global.add.u64 %d1, [%out+4], 1; ret;", Fault::kMisalignedAddress,
                  "misaligned"},
           Faulty{".shared .b32 word; st.shared.u32 [word+4], 1; ret;", Fault::kIllegalAddress,
                  "no shared memory"},
           Faulty{".shared .b32 word; mov.u64 %d1, word; cvta.shared.u64 %d1, %d1; ld.u32 %r1, "
                  "[%d1+4]; ret;",
                  Fault::kIllegalAddress, "no shared memory"},
           Faulty{".local .b32 word; ld.local.u32 %r1, [word+4]; ret;", Fault::kIllegalAddress,
                  "no local memory"},
           Faulty{"mov.u64 %d1, 0x0200000000000000; ld.u32 %r1, [%d1]; ret;",
                  Fault::kIllegalAddress, "no local memory"},
           Faulty{"mov.u64 %d1, 0x0900000000000000; ld.u32 %r1, [%d1]; ret;",
                  Fault::kIllegalAddress, "no device memory"},
           Faulty{"mov.u64 %d1, 0x0200000000000000; atom.add.u32 %r1, [%d1], 1; ret;",
                  Fault::kIllegalAddress, ""},
           Faulty{"ld.param.u32 %r1, [out+8]; ret;", Fault::kIllegalAddress, "no local memory"},
           Faulty{"trap;", Fault::kTrap, "executes trap"},
           Faulty{"T: .branchtargets A; mov.u32 %r1, 1; brx.idx %r1, T; A: ret;", Fault::kTrap,
                  "branches to 1 of a table of 1"},
           Faulty{"call endless; ret;", Fault::kTrap, "overflows the stack"},
           Faulty{"call greedy; ret;", Fault::kTrap, "overflows the stack"},
           Faulty{"L: bra L;", Fault::kTimeout, "runs for longer than its budget"},
           Faulty{"setp.eq.u32 %p0, %i, 0; @%p0 bar.sync 1; bar.sync 0; ret;", Fault::kTimeout,
                  "waits for threads that do not come"},
           Faulty{"setp.eq.u32 %p0, %i, 0; @%p0 bar.warp.sync -1; bar.sync 0; ret;",
                  Fault::kTimeout, "waits for threads that do not come"},
           Faulty{"bar.warp.sync 0; ret;", Fault::kTrap, "not in the mask"},
           Faulty{"mov.u32 %r1, 16; bar.sync %r1; ret;", Fault::kTrap,
                  "a barrier that no block has"},
           Faulty{"bar.sync 0, 64; ret;", Fault::kTrap, "a barrier that no block has"},
       }) {
    DeviceMemory memory;
    const uint64_t out = memory.Allocate(8);
    LaunchConfig config = Threads(2);
    config.instruction_budget = 100'000;
    const absl::Status status =
        RunKernel(Kernel(f.code,
                         ".func endless() { call endless; ret; }\n.func greedy() { .local .b8 "
                         "much[400000]; call greedy; ret; }\n"),
                  memory, {out}, config);
    EXPECT_EQ(FaultOf(status), f.fault) << f.code << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(f.message)) << f.code;
    EXPECT_THAT(std::string(status.message()), HasSubstr("PTX line ")) << f.code;
  }
  EXPECT_EQ(FaultOf(absl::OkStatus()), Fault::kNone);
}

// A fault is one thread's: what was written before stays, and a next launch runs.
TEST(ControlTest, AnAccessWithinBoundsRuns) {
  DeviceMemory memory;
  const uint64_t out = memory.Allocate(8);
  EXPECT_EQ(
      RunKernel(Kernel("st.global.u32 [%out], 1; st.global.u32 [%out+4], 2; ret;"), memory, {out}),
      absl::OkStatus());
  EXPECT_EQ(
      RunKernel(Kernel("st.global.u32 [%out], 3; st.global.u32 [%out+8], 2; ret;"), memory, {out})
          .code(),
      absl::StatusCode::kAborted);
  EXPECT_THAT(memory.Read<uint32_t>(out), testing::ElementsAre(3, 2));
}

TEST(ControlTest, ChecksALaunch) {
  const auto refused = [](const LaunchConfig& config, const std::string& attributes = "") {
    DeviceMemory memory;
    const uint64_t out = memory.Allocate(8);
    const absl::Status status =
        RunKernel(ModuleText(absl::StrCat(".visible .entry kernel(.param .u64 out) ", attributes,
                                          " { ret; }")),
                  memory, {out}, config);
    EXPECT_EQ(FaultOf(status), Fault::kNone);
    return std::string(status.message());
  };
  LaunchConfig config;
  EXPECT_EQ(refused(config), "");
  config.block = {32, 32, 1};
  EXPECT_EQ(refused(config), "");
  config.block = {32, 33, 1};
  EXPECT_EQ(refused(config),
            "launch of kernel: expected a block of 1 to 1024 threads, got 32 x 33 x 1");
  config.block = {1, 1, 65};
  EXPECT_THAT(refused(config), HasSubstr("expected a block"));
  config.block = {0, 1, 1};
  EXPECT_THAT(refused(config), HasSubstr("expected a block"));
  config.block = {129, 1, 1};
  EXPECT_EQ(refused(config, ".maxntid 64, 2"),
            "launch of kernel: expected a block of 1 to 128 threads, got 129 x 1 x 1");
  config.block = {1, 1, 1};
  config.grid = {1, 70000, 1};
  EXPECT_THAT(refused(config), HasSubstr("expected a grid"));
  config.grid = {1, 1, 1};
  config.dynamic_shared_bytes = 1 << 20;
  EXPECT_THAT(refused(config), HasSubstr("dynamic shared memory, got 1048576"));
  DeviceMemory memory;
  auto module = standin::ptx::Parse(ModuleText(".entry kernel(.param .u64 out) { ret; }"));
  ASSERT_EQ(module.status(), absl::OkStatus());
  EXPECT_EQ(standin::ptx::Launch(*(*module)->FindKernel("kernel"), {}, nullptr, memory).message(),
            "launch of kernel: parameter 0 is null");
  const void* none = nullptr;
  EXPECT_EQ(standin::ptx::Launch(*(*module)->FindKernel("kernel"), {}, &none, memory).message(),
            "launch of kernel: parameter 0 is null");
  EXPECT_EQ((*module)->FindKernel("other"), nullptr);
}

}  // namespace
