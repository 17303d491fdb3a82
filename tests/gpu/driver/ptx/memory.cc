// Loads, stores and atomic operations of a thread.
#include <cmath>
#include <cstring>
#include <mutex>

#include "absl/strings/str_format.h"
#include "block.h"
#include "floating_point.h"

namespace standin::ptx {
namespace {

// Sign-extends what was loaded; a register takes as much of it as it has bits.
uint64_t Extend(uint64_t value, Type type) {
  switch (type) {
    case Type::kS8:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(value)));
    case Type::kS16:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(value)));
    case Type::kS32:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
    default:
      return value;
  }
}

template <typename F>
uint64_t AddFloats(uint64_t a, uint64_t b, bool ftz) {
  const F sum = Flush(Flush(FromBits<F>(a), ftz) + Flush(FromBits<F>(b), ftz), ftz);
  return ToBits(std::isnan(sum) && sizeof(F) == 4 ? Canonical<F>() : sum);
}

uint64_t Combine(const Instruction& i, uint64_t old, uint64_t operand, uint64_t other, bool ftz) {
  const Type type = i.types[0];
  const bool is_signed = type == Type::kS32 || type == Type::kS64;
  const int64_t a = static_cast<int64_t>(Extend(old, type)),
                b = static_cast<int64_t>(Extend(operand, type));
  const bool less = is_signed ? b < a : operand < old;
  switch (i.Has(Class::kMode)) {
    case kAtomAdd:
      if (type == Type::kF32) return AddFloats<float>(old, operand, ftz);
      if (type == Type::kF64) return AddFloats<double>(old, operand, false);
      return old + operand;
    case kAtomMin:
      return less ? operand : old;
    case kAtomMax:
      return less ? old : operand;
    case kAtomInc:
      return old >= operand ? 0 : old + 1;
    case kAtomDec:
      return old == 0 || old > operand ? operand : old - 1;
    case kAtomAnd:
      return old & operand;
    case kAtomOr:
      return old | operand;
    case kAtomXor:
      return old ^ operand;
    case kAtomExch:
      return operand;
    default:  // cas
      return old == operand ? other : old;
  }
}

// Kernels on other streams may be in an atomic operation on the same address.
std::mutex& AtomicMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

char* Block::Access(Thread& thread, const Instruction& i, const Operand& operand, size_t bytes) {
  uint64_t address = Read(thread, operand);
  uint8_t space = i.Has(Class::kSpace);
  const auto fault = [&](enum Fault kind, const char* what) {
    Fault(kind, thread, i, absl::StrFormat("%s, %d bytes at 0x%x", what, bytes, address));
    return nullptr;
  };
  if (address % bytes != 0)
    return fault(Fault::kMisalignedAddress, "accesses a misaligned address");
  if (space == kGeneric && (address & kWindowMask) != 0) {
    const uint64_t window = address & kWindowMask;
    space = window == kSharedWindow  ? kShared
            : window == kLocalWindow ? kLocal
            : window == kParamWindow ? kParam
                                     : kGeneric;
    if (space != kGeneric) address &= ~kWindowMask;
  }
  std::vector<char>* region = nullptr;
  uint64_t offset = address;
  switch (space) {
    case kShared:
      region = address < kDynamicShared ? &shared_ : &dynamic_shared_;
      if (address >= kDynamicShared) offset -= kDynamicShared;
      break;
    case kLocal:
      region = &thread.local;
      break;
    case kParam:
      region = &thread.parameters;
      break;
    default: {
      auto* translated = static_cast<char*>(memory_.Translate(address, bytes));
      return translated != nullptr
                 ? translated
                 : fault(Fault::kIllegalAddress, "accesses what is no device memory");
    }
  }
  if (offset > region->size() || bytes > region->size() - offset) {
    return fault(Fault::kIllegalAddress, space == kShared ? "accesses what is no shared memory"
                                                          : "accesses what is no local memory");
  }
  return region->data() + offset;
}

Block::Step Block::Load(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i);
  const size_t bytes = Bits(i.types[0]) / 8;
  const char* from = Access(thread, i, operands[i.destinations], bytes * i.destinations);
  if (from == nullptr) return Step::kFault;
  for (size_t k = 0; k < i.destinations; ++k) {
    uint64_t value = 0;
    memcpy(&value, from + k * bytes, bytes);
    Write(thread, operands[k], Extend(value, i.types[0]));
  }
  return Step::kContinue;
}

Block::Step Block::Store(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i);
  const size_t bytes = Bits(i.types[0]) / 8, count = i.sources - 1;
  char* to = Access(thread, i, operands[0], bytes * count);
  if (to == nullptr) return Step::kFault;
  for (size_t k = 0; k < count; ++k) {
    const uint64_t value = Read(thread, operands[k + 1]);
    memcpy(to + k * bytes, &value, bytes);
  }
  return Step::kContinue;
}

Block::Step Block::Atomic(Thread& thread, const Instruction& i) {
  const Operand* operands = Operands(thread, i) + i.destinations;
  const size_t bytes = Bits(i.types[0]) / 8;
  char* at = Access(thread, i, operands[0], bytes);
  if (at == nullptr) return Step::kFault;
  const bool shared =
      (at >= shared_.data() && at < shared_.data() + shared_.size()) ||
      (at >= dynamic_shared_.data() && at < dynamic_shared_.data() + dynamic_shared_.size());
  uint64_t old = 0;
  {
    const std::lock_guard<std::mutex> lock(AtomicMutex());
    memcpy(&old, at, bytes);
    // In device memory, not in shared, the hardware flushes subnormal operands and sums of f32.
    const uint64_t mask = ~uint64_t{0} >> (64 - 8 * bytes);
    const uint64_t operand = Read(thread, operands[1]) & mask,
                   other = i.sources > 2 ? Read(thread, operands[2]) & mask : 0;
    const uint64_t updated = Combine(i, old, operand, other, !shared);
    memcpy(at, &updated, bytes);
  }
  if (i.destinations != 0) Write(thread, Operands(thread, i)[0], old);
  return Step::kContinue;
}

}  // namespace standin::ptx
