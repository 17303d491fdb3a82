// Runs the threads of a block: each until it waits for others, in turns.
#include "block.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace standin::ptx {
namespace {

// So many instructions in a turn: a thread that waits for another's store would else never see it.
constexpr int kTurn = 20'000;
constexpr size_t kFrameAlignment = 128;  // bytes
constexpr size_t kMostFrames = 200;
constexpr uint64_t kMostLocal = uint64_t{512} * 1024;
// What the memory of a block holds at first, so that a kernel that forgets to write it shows.
constexpr char kUnwritten = '\x5a';

uint64_t MaskTo(uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

}  // namespace

Block::Block(const Kernel& kernel, const LaunchConfig& config, const std::vector<char>& parameters,
             Memory& memory)
    : kernel_(kernel),
      config_(config),
      parameters_(parameters),
      memory_(memory),
      budget_(config.instruction_budget),
      threads_(size_t{config.block.x} * config.block.y * config.block.z),
      shared_(kernel.static_shared_bytes),
      dynamic_shared_(config.dynamic_shared_bytes) {}

absl::Status Block::Run(const Dimensions& index) {
  index_ = index;
  std::fill(shared_.begin(), shared_.end(), kUnwritten);
  std::fill(dynamic_shared_.begin(), dynamic_shared_.end(), kUnwritten);
  const Function& code = *kernel_.code;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread.state = Thread::kRunning;
    thread.carry = false;
    thread.linear = i;
    thread.id = {i % config_.block.x, i / config_.block.x % config_.block.y,
                 i / config_.block.x / config_.block.y};
    thread.frames.assign(1, Frame{&code, nullptr, 0, 0, 0, 0});
    thread.registers.assign(code.registers, 0);
    thread.parameters = parameters_;
    thread.parameters.resize(code.parameter_bytes);
    thread.local.assign(code.local_bytes, kUnwritten);
  }
  for (bool any = true; any;) {
    any = false;
    bool all_done = true;
    for (Thread& thread : threads_) {
      if (thread.state == Thread::kRunning) {
        any = true;
        if (absl::Status status = RunThread(thread); !status.ok()) return status;
      }
      all_done &= thread.state == Thread::kDone;
    }
    if (all_done) return absl::OkStatus();
    any |= ReleaseWarps();
    any |= ReleaseBarriers();
  }
  const auto waiting = std::find_if(threads_.begin(), threads_.end(),
                                    [](const Thread& t) { return t.state != Thread::kDone; });
  Fault(Fault::kTimeout, *waiting, *waiting->waits_in, "waits for threads that do not come");
  return status_;
}

absl::Status Block::RunThread(Thread& thread) {
  for (int turn = 0; turn < kTurn; ++turn) {
    Frame& frame = thread.frames.back();
    Step step = Step::kContinue;
    if (frame.next >= frame.function->code.size()) {
      step = Return(thread);  // a body without `ret` at its end
    } else {
      const Instruction& instruction = frame.function->code[frame.next++];
      if (budget_-- == 0) {
        budget_ = 0;
        Fault(Fault::kTimeout, thread, instruction,
              "runs for longer than its budget of instructions");
        return status_;
      }
      if (instruction.guard >= 0 && (thread.registers[frame.registers + instruction.guard] != 0) ==
                                        instruction.guard_negated) {
        continue;
      }
      step = Execute(thread, instruction);
    }
    if (step == Step::kFault) return status_;
    if (step == Step::kWait) break;
  }
  return absl::OkStatus();
}

Block::Step Block::Fault(enum Fault fault, const Thread& thread, const Instruction& instruction,
                         absl::string_view message) {
  status_ = FaultError(
      fault,
      absl::StrFormat("%s, PTX line %d: thread (%d, %d, %d) of block (%d, %d, %d) %s",
                      thread.frames.empty() ? kernel_.name : thread.frames.back().function->name,
                      instruction.line, thread.id.x, thread.id.y, thread.id.z, index_.x, index_.y,
                      index_.z, message));
  return Step::kFault;
}

uint64_t Block::Read(const Thread& thread, const Operand& operand) const {
  const Frame& frame = thread.frames.back();
  switch (operand.kind) {
    case Operand::kRegister: {
      const uint64_t value = thread.registers[frame.registers + operand.index];
      return operand.negated ? value == 0 : value + operand.value;
    }
    case Operand::kImmediate:
      return operand.value;
    case Operand::kSpecial:
      return Special(thread, static_cast<SpecialRegister>(operand.index));
    case Operand::kParam:
      return frame.parameters + operand.value;
    case Operand::kLocal:
      return frame.local + operand.value;
    case Operand::kGlobal:
      return (*frame.function->globals)[operand.index].address + operand.value;
    case Operand::kSink:
      break;
  }
  return 0;
}

void Block::Write(Thread& thread, const Operand& operand, uint64_t value) const {
  if (operand.kind != Operand::kRegister) return;
  thread.registers[thread.frames.back().registers + operand.index] = MaskTo(value, operand.bits);
}

uint64_t Block::Special(const Thread& thread, SpecialRegister which) const {
  const uint32_t lane = thread.linear % 32;
  switch (which) {
    case SpecialRegister::kTidX:
      return thread.id.x;
    case SpecialRegister::kTidY:
      return thread.id.y;
    case SpecialRegister::kTidZ:
      return thread.id.z;
    case SpecialRegister::kNtidX:
      return config_.block.x;
    case SpecialRegister::kNtidY:
      return config_.block.y;
    case SpecialRegister::kNtidZ:
      return config_.block.z;
    case SpecialRegister::kCtaidX:
      return index_.x;
    case SpecialRegister::kCtaidY:
      return index_.y;
    case SpecialRegister::kCtaidZ:
      return index_.z;
    case SpecialRegister::kNctaidX:
      return config_.grid.x;
    case SpecialRegister::kNctaidY:
      return config_.grid.y;
    case SpecialRegister::kNctaidZ:
      return config_.grid.z;
    case SpecialRegister::kLaneid:
      return lane;
    case SpecialRegister::kWarpid:
      return thread.linear / 32;
    case SpecialRegister::kNwarpid:
      return (threads_.size() + 31) / 32;
    case SpecialRegister::kSmid:
    case SpecialRegister::kGridid:
      return 0;
    case SpecialRegister::kNsmid:
      return 1;
    case SpecialRegister::kClock:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobaltimer:
      return config_.instruction_budget - budget_;
    case SpecialRegister::kLanemaskEq:
      return uint64_t{1} << lane;
    case SpecialRegister::kLanemaskLe:
      return (uint64_t{2} << lane) - 1;
    case SpecialRegister::kLanemaskLt:
      return (uint64_t{1} << lane) - 1;
    case SpecialRegister::kLanemaskGe:
      return uint32_t{0xffffffff} << lane;
    case SpecialRegister::kLanemaskGt:
      return MaskTo(uint64_t{0xfffffffe} << lane, 32);
    case SpecialRegister::kDynamicSmemSize:
      return dynamic_shared_.size();
    case SpecialRegister::kTotalSmemSize:
      return shared_.size() + dynamic_shared_.size();
  }
  return 0;
}

Block::Step Block::Execute(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i);
  if (i.evaluate != nullptr) {
    Values values{};
    values.carry = thread.carry;
    for (size_t k = 0; k < i.sources; ++k)
      values.in[k] = Read(thread, operands[i.destinations + k]);
    const uint64_t result = i.evaluate(i, values);
    Write(thread, operands[0], result);
    if (i.destinations == 2) Write(thread, operands[1], values.second);
    if (i.Has(Class::kCarry)) thread.carry = values.carry;
    return Step::kContinue;
  }
  Frame& frame = thread.frames.back();
  switch (i.op) {
    case Op::kMov:
      Move(thread, i);
      return Step::kContinue;
    case Op::kLd:
      return Load(thread, i);
    case Op::kSt:
      return Store(thread, i);
    case Op::kAtom:
    case Op::kRed:
      return Atomic(thread, i);
    case Op::kIsspacep: {
      const uint8_t space = i.Has(Class::kSpace);
      const uint64_t window = space == kShared  ? kSharedWindow
                              : space == kLocal ? kLocalWindow
                              : space == kParam ? kParamWindow
                                                : 0;
      Write(thread, operands[0], (Read(thread, operands[1]) & kWindowMask) == window);
      return Step::kContinue;
    }
    case Op::kActivemask:
      // Each thread of a warp runs on its own.
      Write(thread, operands[0], uint64_t{1} << (thread.linear % 32));
      return Step::kContinue;
    case Op::kBra:
      frame.next = i.target;
      return Step::kContinue;
    case Op::kBrx: {
      const uint64_t index = Read(thread, operands[0]);
      if (index >= operands[1].value)
        return Fault(Fault::kTrap, thread, i,
                     absl::StrCat("branches to ", index, " of a table of ", operands[1].value));
      frame.next = frame.function->branch_targets[i.target + index];
      return Step::kContinue;
    }
    case Op::kCall:
      return Call(thread, i);
    case Op::kRet:
      return Return(thread);
    case Op::kExit:
      thread.state = Thread::kDone;
      return Step::kWait;
    case Op::kTrap:
      return Fault(Fault::kTrap, thread, i, "executes trap");
    case Op::kBarrier:
    case Op::kBarrierWarp:
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
      return Wait(thread, i);
    default:
      return Step::kContinue;
  }
}

void Block::Move(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i);
  const int bits = Bits(i.types[0]);
  uint64_t value = 0;
  for (int k = 0; k < i.sources; ++k) {
    const int width = bits / i.sources;
    value |= MaskTo(Read(thread, operands[i.destinations + k]), width) << (k * width);
  }
  for (int k = 0; k < i.destinations; ++k)
    Write(thread, operands[k],
          MaskTo(value >> (k * (bits / i.destinations)), bits / i.destinations));
}

Block::Step Block::Call(Thread& thread, const Instruction& i) {
  const Frame caller = thread.frames.back();
  const CallSite& site = caller.function->calls[i.target];
  const Function& callee = *site.callee;
  const auto aligned = [](size_t size) {
    return (size + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
  };
  const Frame frame{&callee,
                    &site,
                    0,
                    thread.registers.size(),
                    aligned(thread.parameters.size()),
                    aligned(thread.local.size())};
  if (thread.frames.size() >= kMostFrames || frame.local + callee.local_bytes > kMostLocal) {
    return Fault(Fault::kTrap, thread, i,
                 absl::StrCat("overflows the stack where it calls ", callee.name));
  }
  thread.registers.resize(frame.registers + callee.registers);
  thread.parameters.resize(frame.parameters + callee.parameter_bytes);
  thread.local.resize(frame.local + callee.local_bytes, kUnwritten);
  for (size_t k = 0; k < site.arguments.size(); ++k) {
    memcpy(thread.parameters.data() + frame.parameters + callee.parameters[k].offset,
           thread.parameters.data() + caller.parameters + site.arguments[k].offset,
           site.arguments[k].size);
  }
  thread.frames.push_back(frame);
  return Step::kContinue;
}

Block::Step Block::Return(Thread& thread) {
  const Frame frame = thread.frames.back();
  if (frame.site == nullptr) {
    thread.state = Thread::kDone;
    return Step::kWait;
  }
  thread.frames.pop_back();
  for (size_t k = 0; k < frame.site->results.size(); ++k) {
    memcpy(
        thread.parameters.data() + thread.frames.back().parameters + frame.site->results[k].offset,
        thread.parameters.data() + frame.parameters + frame.function->results[k].offset,
        frame.site->results[k].size);
  }
  thread.registers.resize(frame.registers);
  thread.parameters.resize(frame.parameters);
  thread.local.resize(frame.local);
  return Step::kContinue;
}

}  // namespace standin::ptx
