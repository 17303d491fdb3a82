// What the interpreter reads, and what it refuses by name.
#include <algorithm>

#include "tests/gpu/ptx/interpreted.h"

namespace {

using interpreted::DeviceMemory;
using interpreted::ModuleText;
using interpreted::RunKernel;
using standin::ptx::Parse;
using testing::HasSubstr;

std::string KernelOf(absl::string_view body) {
  return ModuleText(
      absl::StrCat(".visible .entry kernel(.param .u64 out) {\n.reg .pred %p<4>; .reg .b16 %h<4>; "
                   ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>;\n",
                   body, "\nret;\n}\n"));
}

// The message of an error of Parse; "" if there is none.
std::string Malformed(absl::string_view text) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok() || module.status().code() == absl::StatusCode::kInvalidArgument)
      << module.status();
  return std::string(module.status().message());
}

// The message with which a kernel of this body is refused before it runs; "" if it is not.
std::string Refused(absl::string_view body) {
  DeviceMemory memory;
  const uint64_t out = memory.Allocate(256);
  const absl::Status status =
      RunKernel(KernelOf(absl::StrCat("st.global.u32 [%d7], 1;\n", body)), memory, {out});
  if (status.code() == absl::StatusCode::kAborted) return "";  // it runs: %d7 is null
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status << body;
  return std::string(status.message());
}

TEST(ParserTest, TellsWhatAModuleHas) {
  const auto module = Parse(ModuleText(R"(
.visible .global .align 8 .b8 numbers[24] = {1, 2};
.const .f64 pi = 0d400921FB54442D18;
.shared .align 4 .b8 scratch[100];
.entry first(.param .u32 a, .param .align 8 .b8 b[12], .param .u64 .ptr .global .align 16 c) .maxntid 128, 2 .minnctapersm 1 { .local .b8 mine[40]; ret; }
.visible .entry second() .reqntid 32 { .shared .b8 more[28]; ret; }
)"));
  ASSERT_EQ(module.status(), absl::OkStatus());
  standin::ptx::Module& m = **module;
  ASSERT_EQ(m.globals().size(), 2);
  EXPECT_EQ(m.globals()[0].name, "numbers");
  EXPECT_EQ(m.globals()[0].size, 24);
  EXPECT_EQ(m.globals()[0].alignment, 8);
  EXPECT_FALSE(m.globals()[0].constant);
  EXPECT_EQ(m.InitialBytes(0), std::string("\1\2", 2) + std::string(22, '\0'));
  EXPECT_TRUE(m.globals()[1].constant);
  EXPECT_EQ(m.InitialBytes(1).size(), 8);
  ASSERT_EQ(m.kernels().size(), 2);
  const standin::ptx::Kernel& first = *m.FindKernel("first");
  ASSERT_EQ(first.parameters.size(), 3);
  EXPECT_EQ(first.parameters[0].offset, 0);
  EXPECT_EQ(first.parameters[0].size, 4);
  EXPECT_EQ(first.parameters[1].offset, 8);
  EXPECT_EQ(first.parameters[1].size, 12);
  EXPECT_EQ(first.parameters[2].offset, 24);
  EXPECT_EQ(first.parameter_bytes, 32);
  EXPECT_EQ(first.max_threads, 256);
  EXPECT_EQ(first.local_bytes, 40);
  EXPECT_EQ(m.FindKernel("second")->max_threads, 32);
  EXPECT_EQ(m.FindKernel("second")->static_shared_bytes, 128);
}

TEST(ParserTest, ReadsWhatCompilersWriteBesides) {
  EXPECT_EQ(Malformed(ModuleText(R"(
	.file	1 "a \" .cu", 1758, 22
// a comment
.extern .func (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.visible .entry kernel(
	.param .u64 kernel_param_0
)
.pragma "nounroll";
{
	.pragma "nounroll";
	.reg .b64 	%SP, %SPL;
	.loc	1 6 5, function_name $L__info_string0, inlined_at 1 20 3
$L__BB0_1: /* of
two lines */
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	}
	prototype_0 : .callprototype ()_ (.param .b64 _);
	bra.uni $L__BB0_1;
}
	.section	.debug_abbrev
	{
.b8 1 // Abbreviation Code
.b8 17
	}
	.section	.debug_loc	{	}
@@DWARF .byte 0
)"))
                .substr(0, 60),
            "PTX line 5: a string without an end");
  EXPECT_EQ(Malformed(ModuleText(".file 1 \"a.cu\", 1758, 22\n.section .debug_abbrev\n{\n.b8 1\n{ "
                                 ".b8 2 }\n}\n.section .debug_loc { }\n")),
            "");
  EXPECT_EQ(Malformed(KernelOf(
                ".loc 1 6 5, function_name $L__info, inlined_at 1 20 3\n$L__BB0_1:\n p : "
                ".callprototype ()_ (.param .b64 _);\nbra.uni $L__BB0_1; /* of\ntwo lines */")),
            "");
  EXPECT_EQ(Malformed(absl::StrCat(KernelOf("ret;"), std::string(1, '\0'),
                                   "\xff what follows is no text")),
            "");
}

TEST(ParserTest, RefusesUnknownInstructionsByNameAndLine) {
  EXPECT_EQ(Refused("add.f16 %h1, %h2, %h3;"),
            "PTX line 7, in kernel: the stand-in's interpreter does not know `add.f16`");
  for (const char* instruction :
       {"add.rn.bf16 %h1, %h2, %h3",
        "fma.rn.f16x2 %r1, %r2, %r3, %r4",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%d1]",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2}, {%r1}, {%r2}, {%f3}",
        "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}]",
        "cp.async.ca.shared.global [%r1], [%d1], 16",
        "cp.async.commit_group",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5]",
        "mbarrier.init.shared.b64 [%r1], 5",
        "atom.global.add.noftz.f16 %h1, [%d1], %h2",
        "atom.global.max.f32 %f1, [%d1], %f2",
        "atom.global.v2.f32.add {%f1, %f2}, [%d1], {%f3, %f4}",
        "red.async.relaxed.cluster.global.add.u32 [%r1], %r2, [%r3]",
        "min.xorsign.abs.f32 %f1, %f2, %f3",
        "max.relu.s16x2 %r1, %r2, %r3",
        "add.s16x2 %r1, %r2, %r3",
        "dp4a.u32.u32 %r1, %r2, %r3, %r4",
        "vadd.s32.s32.s32 %r1, %r2, %r3",
        "mad24.lo.s32 %r1, %r2, %r3, %r4",
        "bar.arrive 1, 64",
        "barrier.cluster.arrive",
        "bar.red.popc.u32 %r1, 0, %p1",
        "shfl.idx.b32 %r1, %r2, 0, 31",
        "vote.all.pred %p1, %p2",
        "match.all.sync.b32 %r1, %r2, -1",
        "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, %p2",
        "ld.global.b128 %d1, [%d2]",
        "ld.shared::cluster.u32 %r1, [%d1]",
        "ld.mmio.relaxed.sys.u32 %r1, [%d1]",
        "fence.proxy.async",
        "setmaxnreg.inc.sync.aligned.u32 64",
        "nop.unheard.of",
        "cvt.rn.f16x2.f32 %r1, %f1, %f2",
        "cvt.rna.tf32.f32 %r1, %f1",
        "mul.s32 %r1, %r2, %r3",
        "add.approx.f32 %f1, %f2, %f3",
        "sin.f32 %f1, %f2",
        "ex2.rn.f32 %f1, %f2",
        "rsqrt.rz.f32 %f1, %f2",
        "div.f32 %f1, %f2, %f3",
        "sqrt.f32 %f1, %f2",
        "cvt.s32.f32 %r1, %f1",
        "cvt.rn.s32.s64 %r1, %d1",
        "add.ftz.s32 %r1, %r2, %r3",
        "add.sat.u32 %r1, %r2, %r3",
        "mad.hi.sat.s32 %r1, %r2, %r3, %r4",
        "cvta.to.u64 %d1, %d2",
        "st.const.u32 [%d1], 1",
        "redux.sync.add.b32 %r1, %r2, -1",
        "atom.global.inc.s32 %r1, [%d1], 1",
        "min.f32 %f1, %f2, %f3, %f4",
        "st.global.L2::cache_hint.u32 [%d1], %r1, %d2"}) {
    const std::string name(instruction, strcspn(instruction, " "));
    EXPECT_THAT(Refused(absl::StrCat(instruction, ";")),
                HasSubstr(absl::StrCat(
                    "line 7, in kernel: the stand-in's interpreter does not know `", name, "`")))
        << instruction;
  }
}

// The kernel is refused if it may call what is unknown, not if another kernel of the module does.
TEST(ParserTest, RefusesWhatAKernelMayReach) {
  const auto module = Parse(ModuleText(R"(
.extern .func vprintf(.param .b64 format);
.func unknown() { unheard.of; ret; }
.func calls() { call unknown; ret; }
.entry innocent() { ret; }
.entry guilty() { .reg .pred %p; setp.eq.u32 %p, 0, 1; @%p call calls; ret; }
.entry prints() { .param .b64 format; call vprintf, (format); ret; }
.entry indirect() { .reg .b64 %d; mov.u64 %d, unknown; ret; }
.entry pointer(.param .u64 f) { .reg .b64 %d; ld.param.u64 %d, [f]; p: .callprototype _ (); call %d, p; ret; }
.entry cluster() .reqnctapercluster 2, 1, 1 { ret; }
)"));
  ASSERT_EQ(module.status(), absl::OkStatus());
  const auto run = [&](const char* name) {
    DeviceMemory memory;
    const uint64_t zero = 0;
    const void* parameters[] = {&zero};
    const absl::Status status =
        standin::ptx::Launch(*(*module)->FindKernel(name), {}, parameters, memory);
    EXPECT_EQ(status, standin::ptx::CheckKernel(*(*module)->FindKernel(name)));
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kUnimplemented) << status;
    return std::string(status.message());
  };
  EXPECT_EQ(run("innocent"), "");
  EXPECT_EQ(run("guilty"),
            "PTX line 6, in unknown: the stand-in's interpreter does not know `unheard.of`");
  EXPECT_EQ(run("prints"), "the stand-in's PTX interpreter has no function vprintf");
  EXPECT_THAT(run("indirect"), HasSubstr("no address of the function unknown"));
  EXPECT_THAT(run("pointer"), HasSubstr("does not know `call` of a function's address"));
  EXPECT_THAT(run("cluster"), HasSubstr("does not know `.reqnctapercluster` of cluster"));
}

TEST(ParserTest, NamesTheLineOfWhatIsMalformed) {
  EXPECT_EQ(Malformed(""), "PTX line 1: expected `.version`, got the end of the text");
  EXPECT_EQ(Malformed("\x7f"
                      "ELF"),
            "PTX line 1: expected text, got a byte of value 127");
  EXPECT_EQ(Malformed(ModuleText("nonsense")),
            "PTX line 4: expected a directive of a module, got `nonsense` before this, got the end "
            "of the text");
  struct {
    const char* body;
    const char* message;
  } const cases[] = {
      {"add.s32 %r1, %r2;", "PTX line 6: expected `,`, got `;`"},
      {"add.s32 %r1, %r2, %r8;", "expected a declared name before this, got `%r8`"},
      {"add.s32 %r1, %r2, %r01;", "expected a declared name before this, got `%r01`"},
      {"add.s32 %x, %r2, %r1;", "expected a declared register before this, got `%x`"},
      {"add.s32 %d1, %d2, %r1;", "expected an operand of the instruction's type before this"},
      {"add.s32 %p1, %r2, %r1;", "expected a register of the instruction's type"},
      {"add.f32 %f1, %f2, 1;", "expected a floating-point number"},
      {"add.s32 %r1, %r2, 0d3ff0000000000000;", "expected a number of the instruction's type"},
      {"add.s32 %r1, %r2, 0f3f8;", "expected a number, got `0f3f8`"},
      {"add.s32 %r1, %r2, 99999999999999999999;", "expected a number"},
      {"add.s32 %r1, %r2, 0b2;", "expected a number"},
      {"add.s32 %r1, %r2, 0x;", "expected a number"},
      {"mov.u32 %r1, !%r2;", "expected a predicate"},
      {"selp.b32 %r1, %r2, %r3, %r4;", "expected an operand"},
      {"selp.b32 %r1, %r2, %r3, %tid.x;", "expected a predicate"},
      {"@%r1 ret;", "expected a predicate before this"},
      {"@ ret;", "expected a declared register before this, got `ret`"},
      {"bra NOWHERE;", "expected a label `NOWHERE`, which line 6 names"},
      {"A: A: ret;", "duplicate label A"},
      {"bra 5;", "expected a label, got `5`"},
      {"brx.idx %r1, T;", "expected a table of labels before this, got T"},
      {"T: .branchtargets A; brx.idx %r1, T;", "expected a label `A`"},
      {".reg .b32 %r<3>;", "duplicate name %r"},
      {".reg .b32 %x<0>;", "expected a number of registers"},
      {".reg .b32;", "expected a name"},
      {".reg %x;", "expected a type"},
      {".reg .f16x3 %x;", "expected a type that the interpreter knows, got `.f16x3`"},
      {".reg .v4 .b32 %x;", "got `.v4`"},
      {".local .align 3 .b8 x[4];", "expected an alignment"},
      {".local .align 0 .b8 x[4];", "expected an alignment"},
      {".local .b8 x[99999999999];", "expected at most 524288 bytes of local variables"},
      {".local .b8 x[18446744073709551615][18446744073709551615];", "expected a smaller array"},
      {".shared .b8 x[99999999999];", "expected at most 16777216 bytes of shared variables"},
      {".param .b8 x[99999];", "expected at most 65536 bytes"},
      {"ld.global.v2.u32 %r1, [%d1];", "expected as many elements"},
      {"ld.global.u32 {%r1, %r2}, [%d1];", "expected as many elements"},
      {"ld.global.u32 %r1, %d1;", "expected `[`"},
      {"ld.global.u32 %r1, [%d1", "expected `]`"},
      {"ld.global.u32 %r1, [%p1];", "expected an address"},
      {"ld.global.u32 %r1, [%d1+%r2];", "expected an integer, got `%r2`"},
      {"ld.global.u32 %p1, [%d1];", "expected a register of the instruction's type"},
      {"mov.b32 {%h1, %h2, %h3}, %r1;", "expected 2 or 4 elements"},
      {"mov.b64 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r0, %r1}, %d1;", "expected `}`"},
      {"call nothing;", "expected a declared function before this, got `nothing`"},
      {"call kernel;", "expected the parameters that kernel has"},
      {"call (%r1), kernel, (out);", "expected a variable in .param before this, got `%r1`"},
      {"}", "expected a directive of a module, got `ret`"},
      {"{", "expected `}`, got the end of the text"},
      {"\"text\";", "expected an instruction, got `\"text\"`"},
      {"%r1;", "expected an instruction before this, got `%r1`"},
      {".entry;", "got `.entry`"},
      {"/* no end", "a comment without an end"},
      {"ret", "expected `;`, got `ret`"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(Malformed(KernelOf(c.body)), HasSubstr(c.message)) << c.body;
  struct {
    const char* text;
    const char* message;
  } const modules[] = {
      {".global .u32 x = 1.5;", "expected a number of the variable's type"},
      {".global .f32 x = 1;", "expected a number of the variable's type"},
      {".global .u32 x[1] = {1, 2};", "expected a variable of the size of its initial value"},
      {".global .u32 x[2] = {1, 2;", "expected `}`"},
      {".global .u32 x[2][2] = {{1}, {2}};", "expected values for all elements"},
      {".global .u64 x = y;",
       "expected a variable in device memory, for 64 bits, before this, got `y`"},
      {".global .u32 y; .global .u32 x = y;", "expected a variable in device memory, for 64 bits"},
      {".global .u32 x; .global .u32 x;", "duplicate name x"},
      {".extern .global .u32 x;", "the interpreter does not link modules"},
      {".global .b8 x[99999999999];", "expected a variable of the size"},
      {".global .texref t;", "got `.texref`"},
      {".func f() { ret; } .func f() { ret; }", "duplicate function f"},
      {".func f(); .func f(.param .b32 x) { ret; }", "duplicate function f"},
      {".func f(.param .b8 x[100]); .entry k() { .param .b8 x[100]; call f, (x); ret; } .func "
       "f(.param .b32 x) { ret; }",
       "duplicate function f"},
      {".func f(.reg .b32 x) { ret; }", "expected `.param`"},
      {".entry k(.param .b8 x[99999]) { ret; }", "expected at most 32764 bytes of parameters"},
      {".entry k(.param .b32 x, .param .b32 x) { ret; }", "duplicate name x"},
      {".entry k() { ret;", "expected `}`"},
      {".entry k() ret;", "expected `;`, got `ret`"},
      {".entry { }", "expected a function's name"},
      {".section .debug {", ""},
  };
  for (const auto& m : modules)
    EXPECT_THAT(Malformed(ModuleText(m.text)), HasSubstr(m.message)) << m.text;
}

TEST(ParserTest, AbsurdCounts) {
  // Only registers that are named take memory.
  EXPECT_EQ(Malformed(KernelOf(".reg .b32 %x<4000000000>; mov.u32 %x3999999999, 1;")), "");
  DeviceMemory memory;
  const uint64_t out = memory.Allocate(8);
  EXPECT_EQ(
      RunKernel(KernelOf(".reg .b64 %x<4000000000>; mov.u64 %x3999999999, 1; mov.u64 %d1, %x0;"),
                memory, {out}),
      absl::OkStatus());
  standin::ptx::LaunchConfig config;
  config.block.x = 1024;
  std::string many;
  for (int i = 0; i < 200'000; ++i) absl::StrAppend(&many, "mov.u32 %x", i, ", 1;\n");
  EXPECT_EQ(
      RunKernel(KernelOf(absl::StrCat(".reg .b32 %x<200000>;\n", many)), memory, {out}, config)
          .code(),
      absl::StatusCode::kResourceExhausted);
  // Scopes, and functions that nest.
  EXPECT_THAT(Malformed(KernelOf(std::string(100'000, '{'))),
              HasSubstr("expected scopes less deep"));
  EXPECT_THAT(Malformed(ModuleText(absl::StrCat(".global .u32 x = ", std::string(100'000, '{')))),
              HasSubstr("expected a number or a name"));
  // 100,000 functions, and a chain of calls through them.
  std::string functions = ".func f0() { ret; }\n";
  for (int i = 1; i < 3000; ++i)
    absl::StrAppend(&functions, ".func f", i, "() { call f", i - 1, "; ret; }\n");
  EXPECT_THAT(std::string(RunKernel(ModuleText(absl::StrCat(
                                        functions, ".entry kernel() { call f2999; ret; }")),
                                    memory, {})
                              .message()),
              HasSubstr("overflows the stack"));
}

}  // namespace
