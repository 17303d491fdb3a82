// Custom calls as they were written from 2020 to 2022. This file knows nothing of callbridge: it is
// compiled against the headers of TensorFlow 2.13.1 and linked to its library, which is never
// loaded.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

// A[i] = B[i % 128] + C[i]
void add_repeated(void* out, const void** in) {
  float* a = reinterpret_cast<float*>(out);
  const float* b = reinterpret_cast<const float*>(in[0]);
  const float* c = reinterpret_cast<const float*>(in[1]);
  for (int i = 0; i < 2048; ++i) a[i] = b[i % 128] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_repeated, "Host");

// The operand is one tuple, (f32[32], (f32[64], f32[128]), f32[256]), and so is the result,
// (f32[480], f32[3]): everything in a row, and the inner tuple's and the outer arrays' sums.
void gather_tuple(void* out, const void** in) {
  const void* const* tuple = reinterpret_cast<const void* const*>(in[0]);
  const void* const* inner = reinterpret_cast<const void* const*>(tuple[1]);
  const float* parts[] = {
      reinterpret_cast<const float*>(tuple[0]), reinterpret_cast<const float*>(inner[0]),
      reinterpret_cast<const float*>(inner[1]), reinterpret_cast<const float*>(tuple[2])};
  const int sizes[] = {32, 64, 128, 256};
  const int groups[] = {0, 1, 1, 2};

  void** results = reinterpret_cast<void**>(out);
  float* row = reinterpret_cast<float*>(results[0]);
  float* sums = reinterpret_cast<float*>(results[1]);
  sums[0] = sums[1] = sums[2] = 0;
  for (int part = 0; part < 4; ++part) {
    for (int i = 0; i < sizes[part]; ++i) {
      *row++ = parts[part][i];
      sums[groups[part]] += parts[part][i];
    }
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gather_tuple, "Host");

// Integer division, which can fail.
void divide(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t numerator = *reinterpret_cast<const int32_t*>(in[0]);
  const int32_t denominator = *reinterpret_cast<const int32_t*>(in[1]);
  if (denominator == 0) {
    const char* message = "division by zero";
    XlaCustomCallStatusSetFailure(status, message, strlen(message));
    return;
  }
  *reinterpret_cast<int32_t*>(out) = numerator / denominator;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(divide, "Host");

// Adds the opaque's bytes, taken round and round, to 16 bytes.
void add_key(void* out, const void** in, const char* opaque, size_t opaque_len,
             XlaCustomCallStatus* status) {
  if (opaque_len == 0) {
    XlaCustomCallStatusSetFailure(status, "no key", 6);
    return;
  }
  const uint8_t* text = reinterpret_cast<const uint8_t*>(in[0]);
  uint8_t* sum = reinterpret_cast<uint8_t*>(out);
  for (size_t i = 0; i < 16; ++i) {
    sum[i] = text[i] + static_cast<uint8_t>(opaque[i % opaque_len]);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_key, "Host");
