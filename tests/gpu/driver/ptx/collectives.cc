// What threads of a warp, or of a block, do together.
#include <algorithm>

#include "block.h"

namespace standin::ptx {

Block::Step Block::Wait(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i);
  thread.waits_in = &i;
  Values values{};
  for (size_t k = 0; k < i.sources; ++k) values.in[k] = Read(thread, operands[i.destinations + k]);
  if (i.op == Op::kBarrier) {
    thread.barrier = values.in[0];
    thread.barrier_threads = values.in[1];
    if (thread.barrier >= 16 || thread.barrier_threads > threads_.size()) {
      return Fault(Fault::kTrap, thread, i, "waits at a barrier that no block has");
    }
    thread.state = Thread::kAtBarrier;
    return Step::kWait;
  }
  thread.values = values;
  thread.mask = static_cast<uint32_t>(values.in[i.sources - 1]);
  if ((thread.mask >> (thread.linear % 32) & 1) == 0) {
    return Fault(Fault::kTrap, thread, i, "is not in the mask of threads that it waits for");
  }
  thread.state = Thread::kInWarp;
  return Step::kWait;
}

// A barrier without a count waits for all threads that have not ended.
bool Block::ReleaseBarriers() {
  bool any = false;
  for (uint64_t barrier = 0; barrier < 16; ++barrier) {
    size_t waiting = 0, alive = 0;
    uint64_t wanted = 0;
    for (const Thread& thread : threads_) {
      alive += thread.state != Thread::kDone;
      if (thread.state == Thread::kAtBarrier && thread.barrier == barrier) {
        ++waiting;
        wanted = std::max(wanted, thread.barrier_threads);
      }
    }
    if (waiting == 0 || waiting < (wanted == 0 ? alive : wanted)) continue;
    any = true;
    for (Thread& thread : threads_) {
      if (thread.state == Thread::kAtBarrier && thread.barrier == barrier)
        thread.state = Thread::kRunning;
    }
  }
  return any;
}

// Lanes go on when all that their mask names, and that have not ended, wait in the same
// instruction.
bool Block::ReleaseWarps() {
  bool any = false;
  for (size_t first = 0; first < threads_.size(); first += 32) {
    const size_t end = std::min(first + 32, threads_.size());
    for (size_t t = first; t < end; ++t) {
      const Thread& leader = threads_[t];
      if (leader.state != Thread::kInWarp) continue;
      std::vector<Thread*> lanes(32);
      bool complete = true;
      for (size_t other = first; other < end; ++other) {
        Thread& thread = threads_[other];
        if ((leader.mask >> (other - first) & 1) == 0 || thread.state == Thread::kDone) continue;
        complete &= thread.state == Thread::kInWarp && thread.waits_in == leader.waits_in &&
                    thread.mask == leader.mask;
        lanes[other - first] = &thread;
      }
      if (!complete) continue;
      Exchange(lanes);
      any = true;
    }
  }
  return any;
}

namespace {

// Returns the lane that `lane` reads from, or -1 if it is out of its segment; `c` packs the clamp
// and the segments' mask.
int ShuffleSource(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t bound = c & 0x1f, segment = c >> 8 & 0x1f;
  b &= 0x1f;
  const int most = static_cast<int>((lane & segment) | (bound & ~segment));
  const int least = static_cast<int>(lane & segment);
  const int at = static_cast<int>(lane);
  int from;
  switch (mode) {
    case kShflUp:
      from = at - static_cast<int>(b);
      return from >= most ? from : -1;
    case kShflDown:
      from = at + static_cast<int>(b);
      break;
    case kShflBfly:
      from = at ^ static_cast<int>(b);
      break;
    default:
      from = least | static_cast<int>(b & ~segment);
  }
  return from <= most ? from : -1;
}

uint64_t Reduce(const Instruction& i, uint32_t a, uint32_t b) {
  const bool less =
      i.types[0] == Type::kS32 ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  switch (i.Has(Class::kMode)) {
    case kAtomAdd:
      return a + b;
    case kAtomMin:
      return less ? a : b;
    case kAtomMax:
      return less ? b : a;
    case kAtomAnd:
      return a & b;
    case kAtomOr:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

void Block::Exchange(const std::vector<Thread*>& lanes) {
  const auto& one =
      **std::find_if(lanes.begin(), lanes.end(), [](const Thread* t) { return t != nullptr; });
  const Instruction& i = *one.waits_in;
  const uint8_t mode = i.Has(Class::kMode);
  uint32_t present = 0, votes = 0;
  uint64_t reduced = one.values.in[0];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    present |= uint32_t{1} << lane;
    if (lanes[lane]->values.in[0] != 0) votes |= uint32_t{1} << lane;
    if (i.op == Op::kRedux && lanes[lane] != &one)
      reduced = Reduce(i, reduced, lanes[lane]->values.in[0]);
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes[lane] == nullptr) continue;
    Thread& thread = *lanes[lane];
    const Operand* operands = Operands(thread, i);
    thread.state = Thread::kRunning;
    switch (i.op) {
      case Op::kShfl: {
        int from = ShuffleSource(mode, lane, thread.values.in[1], thread.values.in[2]);
        const bool in_range = from >= 0;
        // A lane that takes no part has nothing to read; as out of its segment, it leaves the
        // thread's own.
        if (!in_range || lanes[from] == nullptr) from = static_cast<int>(lane);
        Write(thread, operands[0], lanes[from]->values.in[0]);
        Write(thread, operands[1], in_range);
        break;
      }
      case Op::kVote: {
        const bool all = votes == present, any = votes != 0;
        const uint64_t result = mode == kVoteBallot ? votes
                                : mode == kVoteAll  ? all
                                : mode == kVoteAny  ? any
                                                    : all || !any;
        Write(thread, operands[0], result);
        break;
      }
      case Op::kMatch: {
        uint64_t equal = 0;
        for (uint32_t other = 0; other < 32; ++other) {
          if (lanes[other] != nullptr && lanes[other]->values.in[0] == thread.values.in[0])
            equal |= uint64_t{1} << other;
        }
        Write(thread, operands[0], equal);
        break;
      }
      case Op::kRedux:
        Write(thread, operands[0], reduced);
        break;
      default:
        break;
    }
  }
}

}  // namespace standin::ptx
