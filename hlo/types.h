// The C++ types of XLA's array elements that C++ itself does not name.
#ifndef CALLBRIDGE_HLO_TYPES_H_
#define CALLBRIDGE_HLO_TYPES_H_

#include <complex>
#include <cstdint>
#include <ostream>

#include "callbridge/hlo/small_floats.h"

namespace xla {
inline namespace callbridge_v1 {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// The names of 2020's headers.
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;

// An integer of 4 bits, in a byte of its own, whose upper half repeats the sign. What does not fit
// is cut off.
template <typename Byte>
struct Int4 {
  Byte value = 0;

  Int4() = default;
  template <typename T>
  explicit Int4(T other)
      : value(static_cast<Byte>(static_cast<Byte>(static_cast<Byte>(other) * 16) / 16)) {}
  template <typename T, typename = decltype(static_cast<T>(Byte()))>
  explicit operator T() const {
    return static_cast<T>(value);
  }
  friend bool operator==(Int4 a, Int4 b) { return a.value == b.value; }
  friend bool operator!=(Int4 a, Int4 b) { return a.value != b.value; }
  friend bool operator<(Int4 a, Int4 b) { return a.value < b.value; }
  friend std::ostream& operator<<(std::ostream& out, Int4 a) { return out << int{a.value}; }
};
using s4 = Int4<int8_t>;
using u4 = Int4<uint8_t>;

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_TYPES_H_
