// The API table that is lent to a function that is asked whether it is a typed handler, and built
// with which headers: it makes errors, and serves nothing else.
#ifndef CALLBRIDGE_ADAPTERS_PROBE_API_H_
#define CALLBRIDGE_ADAPTERS_PROBE_API_H_

#include <array>
#include <cstddef>

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// jaxlib 0.4.30's table has no version, so its slots lie 24 bytes lower than in all later ones;
// both tables are one here. Which slot an error was made through tells which it was taken for.
class ProbeApi {
 public:
  enum class MadeThrough { kNothing, kSlotOf0430, kLaterSlot };

  // No runtime has it, so headers that want exactly their own version refuse it.
  static constexpr int kUnknownMinor = 99;
  // The table of XLA FFI 0.`minor`.
  explicit ProbeApi(int minor);

  const XLA_FFI_Api* get() const { return reinterpret_cast<const XLA_FFI_Api*>(slots_.data()); }

  // How this thread made its last error, since it was last asked.
  static MadeThrough TakeMadeThrough();

 private:
  template <typename T>
  void Put(size_t offset, T value);

  std::array<void*, 64> slots_;
};

// A frame of a size that every handler of XLA's headers refuses before anything else.
constexpr size_t kRefusedFrameSize = 1;

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_PROBE_API_H_
