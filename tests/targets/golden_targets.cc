// The golden old library: custom-call targets as people wrote them from 2020 to 2023, compiled
// against the genuine headers of TensorFlow 2.13.1 and linked to its library. Nothing here knows
// callbridge. tests/genuine/scenarios.py has each target called by genuine XLA and by callbridge.
//
// A target of those years knows the shapes of its buffers by heart: the comments say which.
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

// A tuple is a table of pointers to its elements, each of which may be a tuple again.
static const void** Table(const void* tuple) {
  return static_cast<const void**>(const_cast<void*>(tuple));
}

static const float* Floats(const void* array) { return static_cast<const float*>(array); }

//===------------------------------------------------------------------------------------------===//
// API_VERSION_ORIGINAL: void(void* out, const void** in)
//===------------------------------------------------------------------------------------------===//

// f32[128], f32[2048] -> f32[2048]
void do_custom_call(void* out, const void** in) {
  float* a = static_cast<float*>(out);
  const float* b = Floats(in[0]);
  const float* c = Floats(in[1]);
  for (int i = 0; i < 2048; ++i) a[i] = b[i % 128] + c[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");

// T[24] -> T[24], for any T of that size; moves bits, so that every NaN must survive.
template <typename Word>
void reverse(void* out, const void** in) {
  for (int i = 0; i < 24; ++i) {
    static_cast<Word*>(out)[i] = static_cast<const Word*>(in[0])[23 - i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("reverse_1", reverse<uint8_t>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("reverse_2", reverse<uint16_t>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("reverse_4", reverse<uint32_t>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("reverse_8", reverse<uint64_t>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("reverse_16", reverse<std::complex<double>>);

// s32[8], f64[8], pred[8], c64[8] -> f64[8]. Has `void**` as jaxlib's LAPACK kernels had.
void select_mixed(void* out, void** in) {
  const int32_t* integers = static_cast<const int32_t*>(in[0]);
  const double* doubles = static_cast<const double*>(in[1]);
  const bool* chosen = static_cast<const bool*>(in[2]);
  const std::complex<float>* complexes = static_cast<const std::complex<float>*>(in[3]);
  for (int i = 0; i < 8; ++i) {
    static_cast<double*>(out)[i] = chosen[i] ? integers[i] * doubles[i] : std::norm(complexes[i]);
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(select_mixed);

// f64[8], s64[] -> f64[8]. A scalar operand: what JAX packages used before they had attributes.
void rotate(void* out, const void** in) {
  const uint64_t by = static_cast<uint64_t>(*static_cast<const int64_t*>(in[1]));
  for (uint64_t i = 0; i < 8; ++i) {
    static_cast<double*>(out)[i] = static_cast<const double*>(in[0])[(i + by) % 8];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(rotate);

// f64[8] -> f64[]
void sum(void* out, const void** in) {
  double total = 0;
  for (int i = 0; i < 8; ++i) total += static_cast<const double*>(in[0])[i];
  *static_cast<double*>(out) = total;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(sum);

// f32[8,4] -> f32[4,8]
void transpose(void* out, const void** in) {
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 4; ++column) {
      static_cast<float*>(out)[column * 8 + row] = Floats(in[0])[row * 4 + column];
    }
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(transpose);

// -> f32[4]
void no_operands(void* out, const void**) {
  for (int i = 0; i < 4; ++i) static_cast<float*>(out)[i] = 1.5f * static_cast<float>(i);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(no_operands);

// f32[24] -> f32[24]. Of subnormal numbers it shows whether they are flushed to zero.
void halve(void* out, const void** in) {
  for (int i = 0; i < 24; ++i) static_cast<float*>(out)[i] = Floats(in[0])[i] * 0.5f;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(halve);

// f32[5], (s8[3],f64[1]) -> (s64[4],u8[1]). XLA:CPU aligns every buffer to 16 bytes at least, and
// code with aligned loads counted on it: zeros, all of them.
void misalignment(void* out, const void** in) {
  void** results = static_cast<void**>(out);
  const void* buffers[] = {in[0], Table(in[1])[0], Table(in[1])[1], results[0]};
  for (int i = 0; i < 4; ++i) {
    const uintptr_t misaligned = reinterpret_cast<uintptr_t>(buffers[i]) % 16;
    static_cast<int64_t*>(results[0])[i] = static_cast<int64_t>(misaligned);
  }
  *static_cast<uint8_t*>(results[1]) = reinterpret_cast<uintptr_t>(results[1]) % 16;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(misalignment);

// (f32[32],(f32[64],f32[128]),f32[256]) -> (f32[512],f32[1024])
void nested_tuple(void* out, const void** in) {
  const void** operand = Table(in[0]);
  const void** inner = Table(operand[1]);
  const float* a = Floats(operand[0]);
  const float* b = Floats(inner[0]);
  const float* c = Floats(inner[1]);
  const float* d = Floats(operand[2]);
  void** results = static_cast<void**>(out);
  for (int i = 0; i < 512; ++i) static_cast<float*>(results[0])[i] = a[i % 32] - b[i % 64];
  for (int i = 0; i < 1024; ++i) static_cast<float*>(results[1])[i] = c[i % 128] * d[i % 256];
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("nested_tuple", nested_tuple, "Host");

// (), f32[8] -> f32[8]. The empty tuple takes a place.
void after_empty_tuple(void* out, const void** in) {
  for (int i = 0; i < 8; ++i) static_cast<float*>(out)[i] = -Floats(in[1])[i];
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(after_empty_tuple);

// (f32[8],(),f32[8]), () -> f32[8]
void empty_tuple_inside(void* out, const void** in) {
  const void** operand = Table(in[0]);
  for (int i = 0; i < 8; ++i) {
    static_cast<float*>(out)[i] = Floats(operand[0])[i] - Floats(operand[2])[i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(empty_tuple_inside);

// (f32[16]) -> f32[16]
void one_tuple_operand(void* out, const void** in) {
  std::memcpy(out, Table(in[0])[0], 16 * sizeof(float));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(one_tuple_operand);

// f32[16] -> (f32[16])
void one_tuple_result(void* out, const void** in) {
  std::memcpy(static_cast<void**>(out)[0], in[0], 16 * sizeof(float));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(one_tuple_result);

// f32[4], (f32[8],s32[8]), f32[16] -> f32[16]
void tuple_among_arrays(void* out, const void** in) {
  const void** tuple = Table(in[1]);
  for (int i = 0; i < 16; ++i) {
    const int32_t n = static_cast<const int32_t*>(tuple[1])[i % 8];
    static_cast<float*>(out)[i] =
        Floats(in[0])[i % 4] + Floats(tuple[0])[i % 8] * static_cast<float>(n) - Floats(in[2])[i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(tuple_among_arrays);

// ((((f32[4]),f32[4]),()),f32[4]) -> f32[4]
void deep_nesting(void* out, const void** in) {
  const void** top = Table(in[0]);
  const void** pair = Table(Table(top[0])[0]);
  const float* deepest = Floats(Table(pair[0])[0]);
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(out)[i] = deepest[i] + 2 * Floats(pair[1])[i] + 3 * Floats(top[1])[i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(deep_nesting);

// (s32[2] x 300) -> (s32[2] x 300), each pair swapped
void wide_tuples(void* out, const void** in) {
  for (int i = 0; i < 300; ++i) {
    const int32_t* pair = static_cast<const int32_t*>(Table(in[0])[i]);
    int32_t* swapped = static_cast<int32_t*>(static_cast<void**>(out)[i]);
    swapped[0] = pair[1];
    swapped[1] = pair[0];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(wide_tuples);

// f32[0], (f32[0,3],f32[3]) -> (f32[0],f32[3])
void zero_sizes(void* out, const void** in) {
  std::memcpy(static_cast<void**>(out)[1], Table(in[1])[1], 3 * sizeof(float));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(zero_sizes);

// f64[8] -> (f64[8],s32[8],pred[8],u8[3])
void mixed_results(void* out, const void** in) {
  void** results = static_cast<void**>(out);
  for (int i = 0; i < 8; ++i) {
    const double x = static_cast<const double*>(in[0])[i];
    static_cast<double*>(results[0])[i] = x * x;
    static_cast<int32_t*>(results[1])[i] = static_cast<int32_t>(x * 1000);
    static_cast<bool*>(results[2])[i] = x > 0;
  }
  std::memcpy(results[3], "abc", 3);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(mixed_results);

//===------------------------------------------------------------------------------------------===//
// API_VERSION_STATUS_RETURNING: void(void* out, const void** in, XlaCustomCallStatus*)
// Where nothing else is said: f32[8] -> f32[8]
//===------------------------------------------------------------------------------------------===//

static void Fail(XlaCustomCallStatus* status, const std::string& message) {
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}

// A status that nobody touches is a success.
void leave_status_alone(void* out, const void** in, XlaCustomCallStatus*) {
  std::memcpy(out, in[0], 8 * sizeof(float));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(leave_status_alone);

// (f32[8],f32[8]) -> (f32[8])
void succeed(void* out, const void** in, XlaCustomCallStatus* status) {
  for (int i = 0; i < 8; ++i) {
    static_cast<float*>(static_cast<void**>(out)[0])[i] =
        Floats(Table(in[0])[0])[i] / Floats(Table(in[0])[1])[i];
  }
  XlaCustomCallStatusSetSuccess(status);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(succeed);

// Names what it was given, so that the message proves which operand arrived.
void refuse_negative(void* out, const void** in, XlaCustomCallStatus* status) {
  for (int i = 0; i < 8; ++i) {
    const float x = Floats(in[0])[i];
    if (x < 0) {
      return Fail(status, "element " + std::to_string(i) + " is negative: " + std::to_string(x));
    }
    static_cast<float*>(out)[i] = x;
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(refuse_negative);

void fail_with_nul(void*, const void**, XlaCustomCallStatus* status) {
  Fail(status, std::string("before\0after", 12));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_with_nul);

void fail_with_cut_message(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "cut here, not there", 8);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_with_cut_message);

void fail_with_nothing(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "", 0);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_with_nothing);

void fail_in_utf8(void*, const void**, XlaCustomCallStatus* status) {
  Fail(status, "Größe \"λ\"\n\tis not finite: 100 %s");
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_in_utf8);

void fail_with_long_message(void*, const void**, XlaCustomCallStatus* status) {
  std::string message;
  for (int i = 0; i < 10000; ++i) message += std::to_string(i) + ' ';
  Fail(status, message);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_with_long_message);

void fail_then_succeed(void* out, const void** in, XlaCustomCallStatus* status) {
  Fail(status, "taken back");
  XlaCustomCallStatusSetSuccess(status);
  std::memcpy(out, in[0], 8 * sizeof(float));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_then_succeed);

void fail_twice(void*, const void**, XlaCustomCallStatus* status) {
  Fail(status, "the first message, which is the longer of the two");
  Fail(status, "the last");
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(fail_twice);

//===------------------------------------------------------------------------------------------===//
// API_VERSION_STATUS_RETURNING_UNIFIED:
// void(void* out, const void** in, const char* opaque, size_t opaque_len, XlaCustomCallStatus*)
//===------------------------------------------------------------------------------------------===//

// -> (u8[256],s64[]): the opaque, whose end is marked, and its length
void copy_opaque(void* out, const void**, const char* opaque, size_t opaque_len,
                 XlaCustomCallStatus*) {
  void** results = static_cast<void**>(out);
  std::memset(results[0], 0x5a, 256);
  std::memcpy(results[0], opaque, opaque_len < 256 ? opaque_len : 256);
  *static_cast<int64_t*>(results[1]) = static_cast<int64_t>(opaque_len);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(copy_opaque);

// A descriptor of plain bytes, as jaxlib's kernels packed theirs.
struct ScaleDescriptor {
  float scale;
  int32_t refuse;
};

// (f32[8],(f32[8])), f32[] -> f32[8]
void scale(void* out, const void** in, const char* opaque, size_t opaque_len,
           XlaCustomCallStatus* status) {
  ScaleDescriptor descriptor;
  if (opaque_len != sizeof(descriptor)) {
    return Fail(status, "the descriptor has " + std::to_string(opaque_len) + " bytes");
  }
  std::memcpy(&descriptor, opaque, sizeof(descriptor));
  if (descriptor.refuse != 0) {
    return Fail(status, "told to refuse: " + std::to_string(descriptor.refuse));
  }
  const void** operand = Table(in[0]);
  for (int i = 0; i < 8; ++i) {
    static_cast<float*>(out)[i] = descriptor.scale * Floats(operand[0])[i] +
                                  Floats(in[1])[0] * Floats(Table(operand[1])[0])[i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(scale);
