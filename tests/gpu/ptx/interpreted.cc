#include "tests/gpu/ptx/interpreted.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/gpu/ptx/device.h"

namespace interpreted {
namespace {

const char* TypeOf(char letter) {
  return letter == 'h' ? "b16" : letter == 'r' ? "b32" : letter == 'd' ? "b64" : "pred";
}

std::string Narrow(char letter, char name) {
  const std::string wide = absl::StrCat("%w", std::string(1, name)),
                    narrow = absl::StrCat("%", std::string(1, name));
  switch (letter) {
    case 'h':
      return absl::StrCat("cvt.u16.u64 ", narrow, ", ", wide, ";\n");
    case 'r':
      return absl::StrCat("cvt.u32.u64 ", narrow, ", ", wide, ";\n");
    case 'd':
      return absl::StrCat("mov.b64 ", narrow, ", ", wide, ";\n");
    default:
      return absl::StrCat("setp.ne.u64 ", narrow, ", ", wide, ", 0;\n");
  }
}

}  // namespace

std::string CaseKernel(const Case& c, absl::string_view name) {
  std::string text = absl::StrCat(
      ".visible .entry ", name,
      "(.param .u64 in, .param .u64 out, .param .u64 count) {\n"
      ".reg .b64 %in, %out, %i, %n, %wa, %wb, %wc, %wd;\n.reg .b32 %t<4>;\n.reg .pred %end, %q;\n");
  const std::string registers = c.registers;
  for (size_t k = 0; k < registers.size(); ++k)
    absl::StrAppend(&text, ".reg .", TypeOf(registers[k]), " %", std::string(1, "dabc"[k]), ";\n");
  absl::StrAppend(
      &text,
      "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u64 %n, [count];\n"
      "mov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmov.u32 %t2, %tid.x;\nmad.lo.u32 %t3, %t0, "
      "%t1, %t2;\n"
      "cvt.u64.u32 %i, %t3;\nsetp.ge.u64 %end, %i, %n;\n@%end bra DONE;\n"
      "mad.lo.u64 %in, %i, 24, %in;\nmad.lo.u64 %out, %i, 8, %out;\n"
      "ld.global.b64 %wa, [%in];\nld.global.b64 %wb, [%in+8];\nld.global.b64 %wc, [%in+16];\n");
  for (size_t k = 1; k < registers.size(); ++k) text += Narrow(registers[k], "dabc"[k]);
  // Names stand for registers: d, q, a, b, c.
  const std::string instruction = c.instruction;
  const size_t operands = instruction.find(' ');
  text += instruction.substr(0, operands);
  for (size_t k = operands; k < instruction.size(); ++k) {
    const bool name_here = strchr("dqabc", instruction[k]) != nullptr &&
                           !isalnum(instruction[k - 1]) &&
                           (k + 1 == instruction.size() || !isalnum(instruction[k + 1]));
    absl::StrAppend(&text, name_here ? "%" : "", std::string(1, instruction[k]));
  }
  text += ";\n";
  switch (registers[0]) {
    case 'h':
      text += "cvt.u64.u16 %wd, %d;\n";
      break;
    case 'r':
      text += "cvt.u64.u32 %wd, %d;\n";
      break;
    case 'd':
      text += "mov.b64 %wd, %d;\n";
      break;
    default:
      text += "selp.u64 %wd, 1, 0, %d;\n";
  }
  if (instruction.find("|q") != instruction.npos)
    text += "selp.u64 %wa, 2, 0, %q;\nor.b64 %wd, %wd, %wa;\n";
  return text + "st.global.b64 [%out], %wd;\nDONE:\nret;\n}\n";
}

void Check(const Case& c, const std::vector<Operands>& operands,
           const std::function<bool(uint64_t, uint64_t)>& equal) {
  const std::string text = ModuleText(CaseKernel(c, "kernel"));
  ptx::LaunchConfig config;
  config.block.x = 256;
  config.grid.x = (operands.size() + 255) / 256;
  const auto compare = [&](const std::vector<uint64_t>& results, const char* where) {
    int wrong = 0;
    for (size_t i = 0; i < operands.size() && wrong < 5; ++i) {
      const Operands& o = operands[i];
      const uint64_t expected = c.expected(o.a, o.b, o.c);
      if (equal(expected, results[i])) continue;
      ++wrong;
      ADD_FAILURE() << c.instruction << where << std::hex << ", a = 0x" << o.a << ", b = 0x" << o.b
                    << ", c = 0x" << o.c << ": expected 0x" << expected << ", got 0x" << results[i];
    }
  };
  DeviceMemory memory;
  const uint64_t in = memory.Copy(operands), out = memory.Allocate(operands.size() * 8);
  ASSERT_EQ(RunKernel(text, memory, {in, out, operands.size()}, config), absl::OkStatus())
      << c.instruction;
  compare(memory.Read<uint64_t>(out), "");
  if (!OnDevice()) return;
  std::vector<uint64_t> results(operands.size());
  const std::vector<uint64_t> words = memory.Read<uint64_t>(in);
  ASSERT_EQ(RunOnDevice(text, "kernel", config, words, &results,
                        [&](uint64_t device_in, uint64_t device_out) {
                          return std::vector<uint64_t>{device_in, device_out, operands.size()};
                        }),
            absl::OkStatus())
      << c.instruction;
  compare(results, " on the device");
}

void Assemble(const std::vector<Case>& cases, absl::string_view target) {
  const char* home = getenv("CUDA_HOME");
  const std::string ptxas = absl::StrCat(home != nullptr ? home : "/usr/local/cuda", "/bin/ptxas");
  if (!std::ifstream(ptxas).good()) GTEST_SKIP() << "no CUDA toolkit: " << ptxas << " is not there";
  const std::string path = testing::TempDir() + absl::StrCat("cases-", getpid(), ".ptx");
  std::ofstream file(path);
  file << ".version 7.8\n.target " << target << "\n.address_size 64\n";
  for (size_t k = 0; k < cases.size(); ++k) file << CaseKernel(cases[k], absl::StrCat("kernel", k));
  file.close();
  EXPECT_EQ(system(absl::StrCat(ptxas, " -O0 -arch=", target, " -o /dev/null ", path).c_str()), 0)
      << path;
  remove(path.c_str());
}

std::vector<Operands> Combine(const std::vector<uint64_t>& edges, int operands, int random) {
  std::vector<Operands> all;
  for (const uint64_t a : edges) {
    if (operands == 1) all.push_back({a, 0, 0});
    for (const uint64_t b : edges) {
      if (operands == 2) all.push_back({a, b, 0});
      if (operands < 3) continue;
      for (const uint64_t c : edges) all.push_back({a, b, c});
    }
  }
  std::mt19937_64 bits(operands);
  for (int i = 0; i < random; ++i) {
    Operands o{bits(), bits(), bits()};
    // Also small numbers, and few bits.
    if (i % 3 == 1) o = {o.a >> (o.a & 63), o.b >> (o.b & 63), o.c >> (o.c & 63)};
    if (i % 3 == 2) o = {o.a & bits() & bits(), o.b | bits() | bits(), o.c & 0x3f};
    all.push_back(o);
  }
  return all;
}

}  // namespace interpreted
