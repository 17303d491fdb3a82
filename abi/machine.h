// The machines that callbridge runs on, a row each: all that differs between them. Files of each
// are read on every one. What has to be written in a machine's own instructions follows the table.
#ifndef CALLBRIDGE_ABI_MACHINE_H_
#define CALLBRIDGE_ABI_MACHINE_H_

#include <elf.h>

#include <cstdint>

namespace callbridge {

// A type of relocation, and how many bytes it writes.
struct RelocationSize {
  uint32_t type;
  uint32_t bytes;
};

struct Machine {
  const char* name;
  uint16_t elf_number;      // e_machine
  const char* loader_path;  // of ld.so: part of the machine's ABI on Linux with glibc
  uint64_t address_limit;   // where user space ends
  uint64_t largest_page;    // in bytes, of those that Linux may be configured with

  // Types of relocations.
  uint32_t no_relocation;
  uint32_t relative;
  uint32_t absolute;        // a symbol's address and the addend
  uint32_t global_pointer;  // a symbol's address
  uint32_t copy;
  RelocationSize other_sizes[4];  // of those that do not write one word of 8 bytes

  // Bits of the register that controls floating-point arithmetic.
  uint32_t flushed_subnormals;  // subnormal operands and results are zeros
  uint32_t rounding_mode;       // a mask; 0 is to nearest
};

inline constexpr Machine kMachines[] = {
    {"x86-64",
     EM_X86_64,
     "/lib64/ld-linux-x86-64.so.2",
     uint64_t{1} << 47,
     4096,
     R_X86_64_NONE,
     R_X86_64_RELATIVE,
     R_X86_64_64,
     R_X86_64_GLOB_DAT,
     R_X86_64_COPY,
     {{R_X86_64_32, 4}, {R_X86_64_PC32, 4}, {R_X86_64_SIZE32, 4}, {R_X86_64_TLSDESC, 16}},
     0x8040,
     0x6000},
    {"aarch64",
     EM_AARCH64,
     "/lib/ld-linux-aarch64.so.1",
     uint64_t{1} << 48,
     65536,
     R_AARCH64_NONE,
     R_AARCH64_RELATIVE,
     R_AARCH64_ABS64,
     R_AARCH64_GLOB_DAT,
     R_AARCH64_COPY,
     {{R_AARCH64_ABS32, 4}, {R_AARCH64_PREL32, 4}, {R_AARCH64_ABS16, 2}, {R_AARCH64_TLSDESC, 16}},
     0x1000000,
     0xc00000},
};

// Returns null for the number of a machine that callbridge does not know.
constexpr const Machine* FindMachine(uint16_t elf_number) {
  for (const Machine& machine : kMachines) {
    if (machine.elf_number == elf_number) return &machine;
  }
  return nullptr;
}

// The machine that this code is compiled for, and its register that controls floating-point
// arithmetic.
#if defined(__x86_64__)
inline constexpr const Machine& kThisMachine = *FindMachine(EM_X86_64);

inline uint32_t FloatingPointControl() { return __builtin_ia32_stmxcsr(); }
inline void SetFloatingPointControl(uint32_t bits) { __builtin_ia32_ldmxcsr(bits); }
// Whether the processor has an instruction that computes a * b + c with one rounding.
inline bool HasFusedMultiplyAdd() { return __builtin_cpu_supports("fma"); }
#elif defined(__aarch64__)
inline constexpr const Machine& kThisMachine = *FindMachine(EM_AARCH64);

inline uint32_t FloatingPointControl() {
  uint64_t bits;
  __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
  return static_cast<uint32_t>(bits);
}
inline void SetFloatingPointControl(uint32_t bits) {
  __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t{bits}) : "memory");
}
inline bool HasFusedMultiplyAdd() { return true; }
#else
#error "this machine has no row above"
#endif

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_MACHINE_H_
