// Untyped GPU functions with the typed handlers that CALLBRIDGE_EXPORT makes of them.
#include <cstring>
#include <string>

#include "callbridge/export.h"
#include "tests/gpu/targets/driver_calls.h"

namespace {

void Square(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  uint64_t count = 0;
  if (opaque_len == sizeof(count)) std::memcpy(&count, opaque, sizeof(count));
  gpu::Square(stream, buffers[0], buffers[1], count);
}

void FailsWithOpaque(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                     XlaCustomCallStatus* status) {
  if (opaque_len > 0) return XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
  gpu::Driver::Get().copy(gpu::ToAddress(buffers[1]), gpu::ToAddress(buffers[0]), sizeof(float),
                          stream);
}

}  // namespace

CALLBRIDGE_EXPORT(gpu_exported_square, Square);
CALLBRIDGE_EXPORT(gpu_exported_fails, FailsWithOpaque);
