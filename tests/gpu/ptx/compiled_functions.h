// Functions that a CUDA compiler and the host's compile alike. Each makes 64 bits of 64 bits, so
// that one kernel and one test serve them all. What is undefined in C++ is not done here: the
// instructions' own tests have it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define BOTH __host__ __device__
#define TABLE __device__ const
#else
#define BOTH
#define TABLE const
#endif

namespace compiled {

struct Pair {
  uint64_t first;
  uint8_t bytes[12];
  float number;
};

#ifdef __CUDACC__
#define NOINLINE __noinline__
#else
#define NOINLINE __attribute__((noinline))
#endif

BOTH inline float Float(uint64_t bits) {
  const uint32_t low = static_cast<uint32_t>(bits);
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}
BOTH inline double Double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
BOTH inline uint64_t Bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7fffffff : bits;
}
BOTH inline uint64_t Bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? ~uint64_t{0} : bits;
}

BOTH inline uint64_t Gcd(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

BOTH inline uint64_t Collatz(uint64_t a, uint64_t) {
  uint64_t steps = 0;
  for (a = a % 1000 + 1; a != 1; ++steps) a = a % 2 == 0 ? a / 2 : 3 * a + 1;
  return steps;
}

// A local array, indexed by what is known at run time only.
BOTH inline uint64_t Sorted(uint64_t a, uint64_t b) {
  uint8_t bytes[16];
  for (int i = 0; i < 8; ++i) bytes[i] = a >> (8 * i), bytes[8 + i] = b >> (8 * i);
  for (int i = 1; i < 16; ++i) {
    for (int k = i; k > 0 && bytes[k - 1] > bytes[k]; --k) {
      const uint8_t swapped = bytes[k];
      bytes[k] = bytes[k - 1];
      bytes[k - 1] = swapped;
    }
  }
  uint64_t hash = 0;
  for (int i = 0; i < 16; ++i) hash = hash * 31 + bytes[i];
  return hash ^ bytes[a % 16];
}

NOINLINE BOTH inline Pair MakePair(uint64_t a, uint8_t b, float c) {
  Pair pair;
  pair.first = a * 3;
  for (int i = 0; i < 12; ++i) pair.bytes[i] = static_cast<uint8_t>(b + i * i);
  pair.number = c;
  return pair;
}
NOINLINE BOTH inline uint64_t SumOf(Pair pair, int at) {
  return pair.first + pair.bytes[at] + Bits(pair.number);
}
BOTH inline uint64_t Structures(uint64_t a, uint64_t b) {
  return SumOf(MakePair(a, static_cast<uint8_t>(b), Float(a)), b % 12);
}

NOINLINE BOTH inline uint64_t Ackermann(uint64_t m, uint64_t n) {
  return m == 0 ? n + 1 : n == 0 ? Ackermann(m - 1, 1) : Ackermann(m - 1, Ackermann(m, n - 1));
}
BOTH inline uint64_t Recursion(uint64_t a, uint64_t b) { return Ackermann(a % 3, b % 4); }

BOTH inline uint64_t Switch(uint64_t a, uint64_t b) {
  switch (a % 9) {
    case 0:
      return b + 7;
    case 1:
      return b * b;
    case 2:
      return b ^ a;
    case 3:
      return b >> 5;
    case 4:
      return ~b;
    case 5:
      return b / (a | 1);
    case 6:
      return b - a;
    case 7:
      return Gcd(b, 360360);
    default:
      return 99;
  }
}

BOTH inline uint64_t SignedArithmetic(uint64_t a, uint64_t b) {
  const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b | 1);
  const int16_t s = static_cast<int16_t>(a), t = static_cast<int16_t>(b | 1);
  const int64_t l = static_cast<int64_t>(a), m = static_cast<int64_t>(b | 3);
  int64_t sum = int64_t{x} / (y == -1 ? 3 : y) + int64_t{x} % (y == -1 ? 3 : y) + s / t + s % t;
  sum ^= l / (m == -1 ? 5 : m) - l % (m == -1 ? 5 : m);
  sum += (x >> 7) + (l >> 9) + static_cast<int8_t>(a) * static_cast<int8_t>(b) + (x < y) + (l >= m);
  return static_cast<uint64_t>(sum ^ (x > 0 ? x : s));
}

BOTH inline uint64_t Wide(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 Uint128;
  const Uint128 product = static_cast<Uint128>(a) * b + (static_cast<Uint128>(b) << 37) - a;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

BOTH inline uint64_t BitTricks(uint64_t a, uint64_t b) {
  uint64_t ones = 0;
  for (uint64_t v = a; v != 0; v &= v - 1) ++ones;
  const uint32_t x = static_cast<uint32_t>(a), n = b % 31 + 1;
  const uint32_t rotated = x << n | x >> (32 - n);
  const uint64_t swapped = (a & 0x00ff00ff00ff00ff) << 8 | (a >> 8 & 0x00ff00ff00ff00ff);
  return ones ^ rotated ^ swapped ^ (a & b) ^ (a | ~b) ^ ((a >> 20 & 0x3ff) << 3);
}

// The bytes of a string, as a library may keep it.
BOTH inline uint64_t Text(uint64_t a, uint64_t) {
  const char* names = "scatter\0gather\0fusion\0reduce";
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < static_cast<int>(a % 29); ++i)
    hash = (hash ^ static_cast<uint8_t>(names[i])) * 1099511628211u;
  return hash;
}

TABLE int16_t kSteps[2][5] = {{1, -2, 3, -4, 5}, {100, -200, 300, -400, 500}};
BOTH inline uint64_t Constants(uint64_t a, uint64_t b) {
#if defined(__CUDACC__) && !defined(__CUDA_ARCH__)
  return a ^ b;  // the CUDA compiler's own host pass cannot read what is the device's
#else
  return static_cast<uint64_t>(int64_t{kSteps[a % 2][b % 5]}) + a;
#endif
}

BOTH inline uint64_t Polynomial(uint64_t a, uint64_t b) {
  const float x = Float(a), y = Float(b);
  return Bits(((x * 3.25f + y) * x - 0.5f) / (y - 1.0f) + sqrtf(fabsf(x)));
}
BOTH inline uint64_t PolynomialOfDouble(uint64_t a, uint64_t b) {
  const double x = Double(a), y = Double(b);
  return Bits(((x * 3.25 + y) * x - 0.1) / (y - 1.0) + sqrt(fabs(x)));
}
BOTH inline uint64_t Fused(uint64_t a, uint64_t b) {
  return Bits(fmaf(Float(a), Float(b), Float(a >> 32))) ^ Bits(fma(Double(a), Double(b), 1.5));
}
BOTH inline uint64_t Rounded(uint64_t a, uint64_t b) {
  const float x = Float(a);
  const double y = Double(b);
  return Bits(floorf(x) + ceilf(x)) ^ Bits(truncf(x)) ^ Bits(rintf(x)) ^ Bits(floor(y)) ^
         Bits(ceil(y)) ^ Bits(trunc(y)) ^ Bits(rint(y));
}
BOTH inline uint64_t Compared(uint64_t a, uint64_t b) {
  const float x = Float(a), y = Float(b);
  const double u = Double(a), v = Double(b);
  const float least = fminf(x, y);
  return (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 |
         !(x < y) << 6 | (u < v) << 7 | (u <= v) << 8 | !(u > v) << 9 | (u != u) << 10 |
         (least == x || least == y || least != least) << 11 | (fmax(u, 1.0) >= 1.0) << 12;
}
BOTH inline uint64_t Converted(uint64_t a, uint64_t b) {
  const float x = static_cast<float>(static_cast<int64_t>(a)),
              y = static_cast<float>(static_cast<uint32_t>(b));
  const double u = static_cast<double>(a), v = static_cast<double>(static_cast<int32_t>(b));
  const int32_t small =
      static_cast<int32_t>(static_cast<float>(static_cast<int32_t>(a) >> 2) * 0.7f);
  const int64_t large =
      static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(a) >> 3) * 1.3);
  const uint8_t byte = static_cast<uint8_t>(static_cast<float>(b % 256) * 0.99f);
  return Bits(x) ^ Bits(y) << 7 ^ Bits(u) ^ Bits(v) ^ static_cast<uint64_t>(int64_t{small}) ^
         static_cast<uint64_t>(large) ^ byte ^ Bits(static_cast<float>(Double(b)));
}

}  // namespace compiled

// clang-format off
#define COMPILED_FUNCTIONS(V) \
  V(Gcd) V(Collatz) V(Sorted) V(Structures) V(Recursion) V(Switch) V(SignedArithmetic) V(Wide) V(BitTricks) V(Text) V(Constants) \
  V(Polynomial) V(PolynomialOfDouble) V(Fused) V(Rounded) V(Compared) V(Converted)
// clang-format on
