// The API table of the frames that probe a function: whether it is a typed handler, and with which
// headers it was built. It makes errors; all its other functions do nothing.
#ifndef CALLBRIDGE_ADAPTERS_PROBE_API_H_
#define CALLBRIDGE_ADAPTERS_PROBE_API_H_

#include <array>
#include <cstddef>

#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// The oldest XLA's table has no version, so that its slots lie 24 bytes lower than in all others.
// This is a table of both layouts; the slot through which a handler makes an error tells which of
// them its headers have.
class ProbeApi {
 public:
  enum class MadeThrough { kNothing, kTableWithoutVersion, kTableWithVersion };

  // A minor version that no runtime has. Headers that accept their own version alone refuse it.
  static constexpr int kUnknownMinor = typed_ffi::kProbingMinor;

  // The table of XLA FFI 0.`minor`.
  explicit ProbeApi(int minor);

  const XLA_FFI_Api* get() const { return reinterpret_cast<const XLA_FFI_Api*>(slots_.data()); }

  // Returns how the calling thread made its last error, and forgets it.
  static MadeThrough TakeMadeThrough();

 private:
  std::array<typed_ffi::ApiSlot, 64> slots_;  // room for what later versions add
};

// The size of a frame that every handler of XLA's headers refuses before it reads anything else.
constexpr size_t kRefusedFrameSize = 1;

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_PROBE_API_H_
