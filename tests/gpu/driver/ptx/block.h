// The threads of one block, and the memory that they see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "instruction.h"
#include "module.h"

namespace standin::ptx {

absl::Status FaultError(Fault fault, absl::string_view message);

struct Frame {
  const Function* function = nullptr;
  const CallSite* site = nullptr;                   // in the caller; null for the kernel
  uint32_t next = 0;                                // instruction
  size_t registers = 0, parameters = 0, local = 0;  // where the frame's own begin
};

struct Thread {
  enum State : uint8_t {
    kRunning,
    kAtBarrier,  // of the block
    kInWarp,     // in an instruction that waits for other threads of the warp
    kDone,
  };
  State state = kRunning;
  bool carry = false;
  Dimensions id;
  uint32_t linear = 0;
  const Instruction* waits_in = nullptr;
  uint64_t barrier = 0, barrier_threads = 0;  // kAtBarrier: which, and how many threads; 0: all
  uint32_t mask = 0;                          // kInWarp: the lanes that take part
  Values values{};                            // kInWarp
  std::vector<Frame> frames;
  std::vector<uint64_t> registers;
  std::vector<char> parameters, local;
};

class Block {
 public:
  Block(const Kernel& kernel, const LaunchConfig& config, const std::vector<char>& parameters,
        Memory& memory);

  // Runs all threads to their ends.
  absl::Status Run(const Dimensions& index);

 private:
  enum class Step { kContinue, kWait, kFault };

  // Runs one thread until it waits or ends, or others should run.
  absl::Status RunThread(Thread& thread);
  Step Execute(Thread& thread, const Instruction& instruction);
  Step Fault(enum Fault fault, const Thread& thread, const Instruction& instruction,
             absl::string_view message);

  uint64_t Read(const Thread& thread, const Operand& operand) const;
  void Write(Thread& thread, const Operand& operand, uint64_t value) const;
  uint64_t Special(const Thread& thread, SpecialRegister which) const;
  // Returns null, and leaves the fault, if the access is not allowed.
  char* Access(Thread& thread, const Instruction& instruction, const Operand& address,
               size_t bytes);
  Step Load(Thread& thread, const Instruction& instruction);
  Step Store(Thread& thread, const Instruction& instruction);
  Step Atomic(Thread& thread, const Instruction& instruction);
  void Move(Thread& thread, const Instruction& instruction);
  Step Call(Thread& thread, const Instruction& instruction);
  Step Return(Thread& thread);
  Step Wait(Thread& thread, const Instruction& instruction);

  // What threads do together: each returns whether a thread that waited goes on. In collectives.cc.
  bool ReleaseBarriers();
  bool ReleaseWarps();
  void Exchange(const std::vector<Thread*>& lanes);

  const Operand* Operands(const Thread& thread, const Instruction& instruction) const {
    return thread.frames.back().function->operands.data() + instruction.first;
  }

  const Kernel& kernel_;
  const LaunchConfig& config_;
  const std::vector<char>& parameters_;
  Memory& memory_;
  Dimensions index_;
  uint64_t budget_;
  std::vector<Thread> threads_;
  std::vector<char> shared_, dynamic_shared_;
  absl::Status status_;
};

}  // namespace standin::ptx
