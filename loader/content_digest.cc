#include "callbridge/loader/content_digest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/escaping.h"

namespace callbridge {
namespace {

constexpr size_t kBlockSize = 64;
constexpr size_t kRounds = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t kRoundConstants[kRounds] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t RotatedRight(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

// The hash of whole blocks.
class BlockHash {
 public:
  void Add(const uint8_t* block) {
    uint32_t words[kRounds];
    for (size_t i = 0; i < 16; ++i) {
      words[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 |
                 uint32_t{block[4 * i + 2]} << 8 | uint32_t{block[4 * i + 3]};
    }
    for (size_t i = 16; i < kRounds; ++i) {
      const uint32_t two = words[i - 2];
      const uint32_t fifteen = words[i - 15];
      words[i] = words[i - 16] + words[i - 7] +
                 (RotatedRight(fifteen, 7) ^ RotatedRight(fifteen, 18) ^ fifteen >> 3) +
                 (RotatedRight(two, 17) ^ RotatedRight(two, 19) ^ two >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t i = 0; i < kRounds; ++i) {
      const uint32_t first = h + (RotatedRight(e, 6) ^ RotatedRight(e, 11) ^ RotatedRight(e, 25)) +
                             ((e & f) ^ (~e & g)) + kRoundConstants[i] + words[i];
      const uint32_t second = (RotatedRight(a, 2) ^ RotatedRight(a, 13) ^ RotatedRight(a, 22)) +
                              ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    const uint32_t added[] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
  }

  std::string Hex() const {
    std::string bytes;
    for (const uint32_t word : state_) {
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
    }
    return absl::BytesToHexString(bytes);
  }

 private:
  // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace

std::string ContentDigest(absl::string_view bytes) {
  BlockHash hash;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const size_t whole = bytes.size() / kBlockSize * kBlockSize;
  for (size_t at = 0; at < whole; at += kBlockSize) hash.Add(data + at);
  // The rest, a bit, zeros, and the number of bits.
  uint8_t end[2 * kBlockSize] = {};
  const size_t rest = bytes.size() - whole;
  std::copy_n(data + whole, rest, end);
  end[rest] = 0x80;
  const size_t size = rest + 1 + sizeof(uint64_t) <= kBlockSize ? kBlockSize : 2 * kBlockSize;
  for (size_t i = 0; i < sizeof(uint64_t); ++i) {
    end[size - 1 - i] = static_cast<uint8_t>(uint64_t{bytes.size()} * 8 >> 8 * i);
  }
  for (size_t at = 0; at < size; at += kBlockSize) hash.Add(end + at);
  return hash.Hex();
}

}  // namespace callbridge
