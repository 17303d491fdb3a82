// Targets for calls of any shape, which are told what they are handed by a description. Each reads
// all of its operands and then writes all of its results, every element of which depends on every
// byte that was read, so that a value that is wrong anywhere is seen at the end.
//
//   description:  ["!" | "#"] operands ">" result
//   a shape:      element kind, count ";"    an array; "=" before it: it lies in an operand's place
//                 "t"                        a token
//                 "(" shapes ")"             a tuple
//   element kinds: i byte, p pred, h f16, b bf16, f f32, d f64; of a complex type there are two
//   each; n four bits and c two, packed from the lowest on. Bits of the last byte that no element
//   has are whatever malloc had there, in genuine XLA too, and are not read.
//
// "!" counts the call among the effects, "#" does too, and its place in their order.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "callbridge/register.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace ffi = xla::ffi;

static std::atomic<uint64_t> unordered_effects{0};
static std::atomic<uint64_t> ordered_effects{0};

static uint64_t Mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

// "b12;", behind its kind.
static size_t ReadCount(const char** at) {
  size_t count = 0;
  for (; **at != ';'; ++*at) count = count * 10 + static_cast<size_t>(**at - '0');
  ++*at;
  return count;
}

static size_t BitsOf(char kind) {
  if (kind == 'd') return 64;
  if (kind == 'f') return 32;
  if (kind == 'h' || kind == 'b') return 16;
  if (kind == 'n') return 4;
  return kind == 'c' ? 2 : 8;
}

static uint64_t HashOperand(const char** at, const void* buffer, uint64_t hash) {
  const char kind = *(*at)++;
  if (kind == 't') return Mixed(hash, 't');
  if (kind == '(') {
    hash = Mixed(hash, '(');
    for (const void* const* element = static_cast<const void* const*>(buffer); **at != ')';) {
      hash = HashOperand(at, *element++, hash);
    }
    ++*at;
    return hash;
  }
  const size_t bits = ReadCount(at) * BitsOf(kind);
  const size_t size = bits / 8;
  const auto* bytes = static_cast<const uint8_t*>(buffer);
  for (size_t i = 0; i < size; ++i) hash = Mixed(hash, bytes[i]);
  if (bits % 8 != 0) hash = Mixed(hash, bytes[size] & ((1u << bits % 8) - 1));
  return Mixed(hash, bits);
}

// Floats are small integers, with which arithmetic is exact, and none is a zero.
static void WriteElement(char kind, uint64_t random, void* element) {
  static constexpr uint16_t kHalves[] = {0x3c00, 0x4000, 0x4200, 0x4400,
                                         0x4500, 0x4600, 0x4700, 0x4800};
  const bool negative = (random >> 32 & 1) != 0;
  const int magnitude = static_cast<int>(random >> 40 & 7) + 1;
  const float single = static_cast<float>(negative ? -magnitude : magnitude);
  const double twice = single;
  uint32_t bits;
  memcpy(&bits, &single, sizeof(bits));
  const auto upper = static_cast<uint16_t>(bits >> 16);
  const auto half = static_cast<uint16_t>(kHalves[magnitude - 1] | (negative ? 0x8000 : 0));
  const auto byte = static_cast<uint8_t>(kind == 'p' ? negative : random >> 24);
  switch (kind) {
    case 'd':
      memcpy(element, &twice, 8);
      break;
    case 'f':
      memcpy(element, &single, 4);
      break;
    case 'b':
      memcpy(element, &upper, 2);
      break;
    case 'h':
      memcpy(element, &half, 2);
      break;
    default:
      memcpy(element, &byte, 1);
  }
}

static uint64_t WriteResult(const char** at, void* buffer, uint64_t hash) {
  char kind = *(*at)++;
  if (kind == 't') return hash;
  if (kind == '(') {
    for (void* const* element = static_cast<void* const*>(buffer); **at != ')';) {
      hash = WriteResult(at, *element++, hash);
    }
    ++*at;
    return hash;
  }
  // What lies there already is a part of it.
  const bool in_place = kind == '=';
  if (in_place) kind = *(*at)++;
  const size_t bits = BitsOf(kind);
  const size_t size = bits < 8 ? 1 : bits / 8;
  auto* element = static_cast<uint8_t*>(buffer);
  // Packed ones are written a byte at a time.
  for (size_t count = (ReadCount(at) * bits + size * 8 - 1) / (size * 8); count > 0;
       --count, element += size) {
    hash = Mixed(hash, count);
    uint64_t random = hash;
    for (size_t i = 0; in_place && i < size; ++i) random = Mixed(random, element[i]);
    WriteElement(kind, random, element);
  }
  return hash;
}

static void Call(const char* at, void* out, const void* const* in) {
  const char effect = *at == '!' || *at == '#' ? *at++ : ' ';
  uint64_t hash = 0x5eed;
  while (*at != '>') hash = HashOperand(&at, *in++, hash);
  ++at;
  if (effect == '!') unordered_effects += Mixed(hash, 1);
  if (effect == '#') ordered_effects = Mixed(ordered_effects, hash);
  WriteResult(&at, out, hash);
}

// Versions 1 and 2 have no opaque: the description is the first operand.
static void described_1(void* out, const void** in) {
  Call(static_cast<const char*>(in[0]), out, in + 1);
}
static void described_2(void* out, const void** in, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetSuccess(status);
  Call(static_cast<const char*>(in[0]), out, in + 1);
}
static void described_3(void* out, const void** in, const char* opaque, size_t size,
                        XlaCustomCallStatus* status) {
  // The size is a part of the contract: nothing ends an opaque.
  if (size == 0 || opaque[size - 1] != '.') {
    return XlaCustomCallStatusSetFailure(status, "no description", 14);
  }
  Call(opaque, out, in);
}

// Of typed calls the description is an attribute. Types and dimensions are read too.
static ffi::Error Described4(ffi::RemainingArgs args, ffi::RemainingRets rets,
                             std::string_view description) {
  std::vector<const void*> in;
  std::vector<void*> out;
  for (size_t i = 0; i < args.size(); ++i) {
    auto buffer = args.get<ffi::AnyBuffer>(i);
    if (!buffer.has_value()) return buffer.error();
    in.push_back(buffer->untyped_data());
  }
  for (size_t i = 0; i < rets.size(); ++i) {
    auto buffer = rets.get<ffi::AnyBuffer>(i);
    if (!buffer.has_value()) return buffer.error();
    out.push_back((*buffer)->untyped_data());
  }
  const bool is_tuple = description.find(">(") != std::string_view::npos;
  Call(description.data(), is_tuple ? out.data() : out[0], in.data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kDescribed4, Described4,
    ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attr<std::string_view>("description"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "described_4", "Host", kDescribed4);

// -> u64[2]: what the effects since the last call come to.
static void effects(void* out, const void**) {
  static_cast<uint64_t*>(out)[0] = unordered_effects.exchange(0);
  static_cast<uint64_t*>(out)[1] = ordered_effects.exchange(0);
}

XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(described_1);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(described_2);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(described_3);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(effects);
