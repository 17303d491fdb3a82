// Targets of each untyped ABI, in libraries that differ in what they add: BY.
#include <stddef.h>

static void Double(void* out, const void* in, float more) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = 2 * ((const float*)in)[i] + BY + more;
}

void original(void* out, const void** in) { Double(out, in[0], 0); }
void status_returning(void* out, const void** in, void* status) {
  (void)status;
  Double(out, in[0], 0);
}
void with_opaque(void* out, const void** in, const char* opaque, size_t size, void* status) {
  (void)opaque;
  (void)status;
  Double(out, in[0], (float)size);
}
void unified(void* out, const void** in, const char* opaque, size_t size, void* status) {
  with_opaque(out, in, opaque, size, status);
}

// (f32[4], (f32[4])) -> (f32[4], (f32[4]))
void pair(void* out, const void** in) {
  const void* const* operand = in[0];
  const void* const* inner = operand[1];
  void** result = out;
  Double(result[0], operand[0], 0);
  Double(((void**)result[1])[0], inner[0], 0);
}
// f32[4] -> (f32[4])
void one_of_one(void* out, const void** in) { Double(((void**)out)[0], in[0], 0); }
