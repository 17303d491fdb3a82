"""Custom calls of the kinds that the documents show, and a program that compares their rewritten
form with the functions themselves, called directly on the same bytes."""

FUNCTIONS = """\
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

#define ON_CPU(function) XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function)
#define SECOND 1

namespace library {
namespace scale {
inline float add_modulo(float a, float b) { return a + b; }
}  // namespace scale
}  // namespace library

// Sizes are known: 3 and 6 elements.
void add_modulo(void* out, const void** in) {
  float* out_buf = reinterpret_cast<float*>(out);
  const float* in0 = reinterpret_cast<const float*>(in[0]);
  const float* in1 = reinterpret_cast<const float*>(in[1]);
  for (int i = 0; i < 6; ++i) {
    out_buf[i] = library::scale::add_modulo(in0[i % 3], in1[i]);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_modulo, "Host");

namespace shapes {
namespace {

// The number of elements is an operand.
void scale(void* out, void** in) noexcept {
  const auto size = *(const int64_t*)in[0];
  for (int64_t i = 0; i < size; i++) ((double*)out)[i] = 3 * ((double*)(in[SECOND]))[i];
}
ON_CPU(scale);

enum Operand { kNumerators, kDenominators };

void divide(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t* a = static_cast<const int32_t*>(in[kNumerators]);
  const int32_t* b = static_cast<const int32_t*>(in[kDenominators]);
  for (int i = 0; i < 6; ++i) {
    if (b[i] == 0) {
      const char* message = "division by zero";
      XlaCustomCallStatusSetFailure(status, message, strlen(message));
      return;
    }
    static_cast<int32_t*>(out)[i] = a[i] / b[i];
  }
  XlaCustomCallStatusSetSuccess(status);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("divide", divide);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("divide again", divide);

// Sizes are known, the types of the elements are the template's.
template <typename T, int N>
void clip(void* out, const void** in, XlaCustomCallStatus* status) {
  const T* values = static_cast<const T*>(in[0]);
  const T limit = *static_cast<const T*>(in[1]);
  if (limit < T(0)) {
    XlaCustomCallStatusSetFailure(status, "negative limit", 14);
    return;
  }
  for (int i = 0; i < N; ++i) static_cast<T*>(out)[i] = std::min(values[i], limit);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("clip.f32", (clip<float, 6>));
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("clip.s32", (clip<int32_t, 3>));

}  // namespace

struct Kernels {
  static void minmax(void* out_tuple, const void** in, XlaCustomCallStatus* status) {
    const float** args = reinterpret_cast<const float**>(in);
    void** out = reinterpret_cast<void**>(out_tuple);  // (f32[], f32[])
    auto order = [&](int i, int j) { return args[0][i] < args[0][j]; };
    if (args[0][0] != args[0][0]) {
      const std::string text = "the first is not a number, but " + std::to_string(args[0][1]);
      XlaCustomCallStatusSetFailure(status, text.c_str(), text.size());
    } else {
      int low = 0, high = 0;
      for (int i = 1; i < 6; ++i) {
        if (order(i, low)) low = i;
        if (order(high, i)) high = i;
      }
      *static_cast<float*>(out[0]) = args[0][low];
      *static_cast<float*>(out[1]) = args[0][high];
    }
  }
};
static xla::RegisterCustomCallTarget registered("minmax", (void*)Kernels::minmax, "Host");
}  // namespace shapes

// (f32[2], (f32[2], s32[2])), f32[2] -> (f32[2], s32[2])
void nested(void* out, const void** in) {
  const void* const* pair = static_cast<const void* const*>(in[0]);
  void** results = static_cast<void**>(out);
  for (int i = 0; i < 2; ++i) {
    const float a = static_cast<const float*>(pair[0])[i];
    const float b = (*static_cast<const float* const*>(pair[1]))[i];
    const int32_t c = ((const int32_t*)((void**)pair[1])[1])[i];
    static_cast<float*>(results[0])[i] = a + b * static_cast<const float*>(in[1])[i];
    static_cast<int32_t*>(results[1])[i] = -c;
  }
}
void Register() {
  xla::CustomCallTargetRegistry::Global()->Register("nested", (void*)nested, "Host");
  if (SECOND) {
  }
  xla::CustomCallTargetRegistry::Global()->Register("nested behind a block", (void*)nested, "Host");
  xla::CustomCallTargetRegistry::Global()->Register("nested again", (void*)nested, "Host");
}

// It ends by an if without an else.
void checked(void* out, const void** in, XlaCustomCallStatus* status) {
  const float* x = static_cast<const float*>(in[0]);
  for (int i = 0; i < 6; ++i) static_cast<float*>(out)[i] = -x[i];
  if (x[0] > 1e6f) {
    XlaCustomCallStatusSetFailure(status, "too large", 9);
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(checked);

// Its messages are in what has the members that a std::string has, and in what has none.
void owned(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t* x = static_cast<const int32_t*>(in[0]);
  *static_cast<int32_t*>(out) = x[0];
  const std::string text = "failure " + std::to_string(x[0]);
  const std::vector<char> characters(text.begin(), text.end());
  const std::string_view view = text;
  const char array[] = "failure of an array";
  if (x[0] == 0) {
    XlaCustomCallStatusSetFailure(status, text.data(), text.length());
  } else if (x[0] == 1) {
    XlaCustomCallStatusSetFailure(status, characters.data(), characters.size());
  } else if (x[0] == 2) {
    XlaCustomCallStatusSetFailure(status, view.data(), view.size());
  } else if (x[0] == 3) {
    XlaCustomCallStatusSetFailure(status, text.data(), view.size() - 2);
  } else if (x[0] == 4) {
    XlaCustomCallStatusSetFailure(status, array, sizeof array);
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(owned);

// It fails within a loop whose condition comes last.
void counted(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t* x = static_cast<const int32_t*>(in[0]);
  int i = 0;
  do {
    if (x[i] < 0) {
      XlaCustomCallStatusSetFailure(status, "negative", 8);
      return;
    }
    static_cast<int32_t*>(out)[i] = x[i];
  } while (++i < 2);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(counted);

// Of its ends some are failures, some returns, and one is neither.
void branches(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t* x = static_cast<const int32_t*>(in[0]);
  int32_t* y = static_cast<int32_t*>(out);
  y[0] = y[1] = x[1];
  if (x[0] < 0) {
    XlaCustomCallStatusSetFailure(status, "negative", 8);
  } else if (x[0] == 0) {
    return;
  } else {
    y[0] = x[0];
    if (x[0] > 5) {
      XlaCustomCallStatusSetFailure(status, "more than 5", 11);
    } else if (x[0] > 3) {
      y[1] = 3;
    }
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(branches);

struct Descriptor {
  int32_t size;
  float factor;
};
void by_opaque(void* out, const void** in, const char* opaque, size_t opaque_len,
               XlaCustomCallStatus* status) {
  Descriptor descriptor;
  if (opaque_len != sizeof descriptor)
    return XlaCustomCallStatusSetFailure(status, "no descriptor (né)", 18);  // of 19 bytes
  std::memcpy(&descriptor, opaque, sizeof descriptor);
  const std::complex<float>* x = static_cast<const std::complex<float>*>(in[0]);
  std::complex<float>* y = static_cast<std::complex<float>*>(out);
  for (int i = 0; i < descriptor.size; ++i) y[i] = descriptor.factor * std::conj(x[i]);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(by_opaque);

// The opaque is text, with a NUL behind it.
void by_text(void* out, const void** in, const char* opaque, size_t, XlaCustomCallStatus* s) {
  try {
    const int by = std::stoi(opaque);
    for (int i = 0; i < 6; ++i)
      static_cast<uint32_t*>(out)[i] = std::max(*static_cast<const uint32_t*>(in[0]), 1u) + by + i;
  } catch (const std::exception& e) {
    XlaCustomCallStatusSetFailure(s, e.what(), strlen(e.what()));
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(by_text);

void bytes(void* out, const void** in) {
  (void)in[1];
  if (in[0] == nullptr) return;
  std::memcpy(out, in[0], 24);
  const uint8_t* flags = static_cast<const uint8_t*>(in[2]);
  const void* mask = in[3];
  static_cast<uint16_t*>(out)[0] = flags[0] ? flags[1] : static_cast<const bool*>(mask)[1];
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(bytes);

void wide(void* out, const void** in) {
  auto x = static_cast<const long long*>(in[0]);
  long long* y = static_cast<long long*>(out);
  switch (*static_cast<const int16_t*>(in[1])) {
    case 0:
      return;
    case 1:
      y[0] = x[0];
      break;
    default:
      y[0] = -x[1];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(wide);

typedef struct CUstream_st* CUstream;
void on_device(CUstream stream, void** buffers, const char*, size_t, XlaCustomCallStatus* status) {
  if (stream == nullptr) XlaCustomCallStatusSetFailure(status, "no stream", 9);
  else {
    const float* in = reinterpret_cast<const float*>(buffers[0]);
    std::memcpy(buffers[2], buffers[1], 24);
    float* out = reinterpret_cast<float*>(buffers[3]);
    for (int i = 0; i < 6; ++i) out[i] = 2 * in[i];
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(on_device, "CUDA");
"""

REWRITTEN = (
    *("add_modulo", "scale", "divide", "minmax", "nested", "by_opaque", "by_text", "bytes"),
    *("wide", "on_device", "clip", "checked", "branches", "owned", "counted"),
)

# The functions as they were are in the namespace `before`; their failures come here.
COMPARISON = """\
#include <algorithm>
#include <complex>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "callbridge/handler_call.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

struct XlaCustomCallStatus_ {
  bool failed = false;
  std::string message;
};
extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* text,
                                              size_t size) {
  *status = {true, std::string(text, strnlen(text, size))};
}
extern "C" void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { *status = {}; }

#undef XLA_REGISTER_CUSTOM_CALL_TARGET
#undef XLA_CPU_REGISTER_CUSTOM_CALL_TARGET
#undef XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM
#define XLA_REGISTER_CUSTOM_CALL_TARGET(...) static_assert(true, "")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(...) static_assert(true, "")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(...) static_assert(true, "")
namespace before {
#include "before.cc"
}

struct XLA_FFI_Error;
struct XLA_FFI_CallFrame;
using Handler = XLA_FFI_Error*(XLA_FFI_CallFrame*);
extern "C" Handler AddModulo, Scale, Divide, KernelsMinmax, Nested, ByOpaque, ByText, Bytes, Wide,
    OnDevice, ClipFloat6, ClipInt3, Checked, Branches, Owned, Counted;

struct Array {
  std::string shape;
  std::string bytes;
};
template <typename T>
Array Of(const char* shape, std::vector<T> values) {
  const char* bytes = reinterpret_cast<const char*>(values.data());
  return {shape, std::string(bytes, values.size() * sizeof(T))};
}
// 24 bytes, which no function leaves as they are unless it fails.
Array Result(const char* shape) { return {shape, std::string(24, 'x')}; }

struct Call {
  std::vector<Array> operands, results;
  std::string opaque;
  bool has_opaque = false;
};
using Before =
    std::function<void(void** operands, void** results, const Call&, XlaCustomCallStatus*)>;

int failures = 0;

void Compare(const char* name, Handler* handler, Call call, const Before& before) {
  Call old = call;
  std::vector<void*> operands, results;
  for (Array& one : old.operands) operands.push_back(one.bytes.data());
  for (Array& one : old.results) results.push_back(one.bytes.data());
  XlaCustomCallStatus status;
  before(operands.data(), results.data(), old, &status);

  callbridge::HandlerCall now(handler);
  for (Array& one : call.operands) now.Arg(one.shape, one.bytes.data());
  for (Array& one : call.results) now.Ret(one.shape, one.bytes.data());
  const std::vector<uint8_t> opaque(call.opaque.begin(), call.opaque.end());
  if (call.has_opaque) now.Attr("opaque", opaque);
  int stream;
  now.Stream(&stream);
  const callbridge::HandlerResult result = now.Run();
  bool same = result.ok() != status.failed;
  if (status.failed) same = same && result.message() == status.message;
  for (size_t i = 0; i < results.size(); ++i)
    same = same && call.results[i].bytes == old.results[i].bytes;
  const std::string what = same ? "the same" : "another: " + result.message();
  std::printf("%s: %s\\n", name, what.c_str());
  failures += !same;
}

int main() {
  const std::vector<float> six = {1.5, -2, 3, 40, 5, -6};
  const Array floats = Of<float>("f32[6]", six), result = Result("f32[6]");
  Compare("add_modulo", AddModulo, {{Of<float>("f32[3]", {1, 2, 3}), floats}, {result}},
          [](void** in, void** out, auto&&...) {
            before::add_modulo(out[0], const_cast<const void**>(in));
          });
  Compare("scale", Scale,
          {{Of<int64_t>("s64[]", {3}), Of<double>("f64[3]", {1, 2, 3})}, {Result("f64[3]")}},
          [](void** in, void** out, auto&&...) { before::shapes::scale(out[0], in); });
  for (int by : {2, 0}) {
    const Array a = Of<int32_t>("s32[6]", {1, 20, 3, -40, 5, 6});
    const Array b = Of<int32_t>("s32[6]", {1, 2, 3, by, 5, 6});
    Compare("divide", Divide, {{a, b}, {Result("s32[6]")}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::shapes::divide(out[0], const_cast<const void**>(in), status);
            });
  }
  for (float first : {1.0f, NAN}) {
    std::vector<float> values = six;
    values[0] = first;
    Compare("minmax", KernelsMinmax,
            {{Of<float>("f32[6]", values)}, {Result("f32[]"), Result("f32[]")}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::shapes::Kernels::minmax(out, const_cast<const void**>(in), status);
            });
  }
  Compare("nested", Nested,
          {{Of<float>("f32[2]", {1, 2}), Of<float>("f32[2]", {3, 4}), Of<int32_t>("s32[2]", {5, 6}),
            Of<float>("f32[2]", {7, 8})},
           {Result("f32[2]"), Result("s32[2]")}},
          [](void** in, void** out, auto&&...) {
            const void* inner[] = {in[1], in[2]};
            const void* pair[] = {in[0], inner};
            const void* operands[] = {pair, in[3]};
            before::nested(out, operands);
          });
  for (float first : {1.5f, 2e6f}) {
    std::vector<float> values = six;
    values[0] = first;
    Compare("checked", Checked, {{Of<float>("f32[6]", values)}, {result}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::checked(out[0], const_cast<const void**>(in), status);
            });
  }
  for (int32_t first : {-1, 0, 2, 4, 6}) {
    Compare("branches", Branches, {{Of<int32_t>("s32[2]", {first, 9})}, {Result("s32[2]")}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::branches(out[0], const_cast<const void**>(in), status);
            });
  }
  for (int32_t second : {-1, 1}) {
    Compare("counted", Counted, {{Of<int32_t>("s32[2]", {3, second})}, {Result("s32[2]")}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::counted(out[0], const_cast<const void**>(in), status);
            });
  }
  for (int32_t how : {0, 1, 2, 3, 4, 5}) {
    Compare("owned", Owned, {{Of<int32_t>("s32[1]", {how})}, {Result("s32[1]")}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::owned(out[0], const_cast<const void**>(in), status);
            });
  }
  const before::Descriptor descriptor = {3, 2.5};
  const std::string opaque(reinterpret_cast<const char*>(&descriptor), sizeof descriptor);
  for (const std::string& one : {opaque, std::string("short")}) {
    Compare("by_opaque", ByOpaque,
            {{Of<float>("c64[3]", six)}, {Result("c64[3]")}, one, true},
            [](void** in, void** out, const Call& call, XlaCustomCallStatus* status) {
              before::by_opaque(out[0], const_cast<const void**>(in), call.opaque.data(),
                                call.opaque.size(), status);
            });
  }
  for (const char* one : {"41", "", "one"}) {
    Compare("by_text", ByText,
            {{Of<uint32_t>("u32[1]", {7})}, {Result("u32[6]")}, one, true},
            [](void** in, void** out, const Call& call, XlaCustomCallStatus* status) {
              before::by_text(out[0], const_cast<const void**>(in), call.opaque.data(),
                              call.opaque.size(), status);
            });
  }
  for (const char* type : {"pred[2]", "u8[2]"}) {
    Compare("bytes", Bytes,
            {{floats, floats, Of<uint8_t>(type, {0, 1}), Of<uint8_t>("pred[2]", {0, 1})},
             {Result("u16[12]")}},
            [](void** in, void** out, auto&&...) {
              before::bytes(out[0], const_cast<const void**>(in));
            });
  }
  for (int16_t kind : {0, 1, 2}) {
    Compare("wide", Wide,
            {{Of<int64_t>("s64[2]", {1LL << 40, 3}), Of<int16_t>("s16[]", {kind})},
             {Result("s64[3]")}},
            [](void** in, void** out, auto&&...) {
              before::wide(out[0], const_cast<const void**>(in));
            });
  }
  Compare("on_device", OnDevice, {{floats, floats}, {Result("f32[6]"), Result("f32[6]")}},
          [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
            void* buffers[] = {in[0], in[1], out[0], out[1]};
            before::on_device(reinterpret_cast<before::CUstream>(buffers), buffers, "", 0, status);
          });
  for (float limit : {2.0f, -1.0f}) {
    Compare("clip", ClipFloat6, {{floats, Of<float>("f32[]", {limit})}, {result}},
            [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
              before::shapes::clip<float, 6>(out[0], const_cast<const void**>(in), status);
            });
  }
  Compare("clip", ClipInt3,
          {{Of<int32_t>("s32[3]", {1, 20, -3}), Of<int32_t>("s32[]", {4})}, {Result("s32[3]")}},
          [](void** in, void** out, const Call&, XlaCustomCallStatus* status) {
            before::shapes::clip<int32_t, 3>(out[0], const_cast<const void**>(in), status);
          });
  return failures;
}
"""
