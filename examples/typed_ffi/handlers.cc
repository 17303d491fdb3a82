// Typed FFI handlers for the CPU, one for each kind of parameter. XLA's include path, callbridge's
// headers: the library runs on every XLA since jaxlib 0.4.30.
//
//   g++ -std=c++17 -shared -fPIC -I <callbridge's include> handlers.cc -o handlers.so -lcallbridge
#include "handlers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace ffi = xla::ffi;

using Vector = ffi::BufferR1<ffi::F32>;
using Floats = ffi::Buffer<ffi::F32>;

// ---- Buffers whose element type and rank are checked: a[i] = b[i % size of b] + c[i]

static ffi::Error AddRepeatedImpl(Vector b, Vector c, ffi::Result<Vector> a) {
  if (b.element_count() == 0 || c.element_count() != a->element_count()) {
    return ffi::Error::InvalidArgument("b must not be empty, and c must be of the result's size");
  }
  const float* repeated = b.typed_data();
  for (size_t i = 0; i < a->element_count(); ++i) {
    a->typed_data()[i] = repeated[i % b.element_count()] + c.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AddRepeated, AddRepeatedImpl,
                              ffi::Ffi::Bind().Arg<Vector>().Arg<Vector>().Ret<Vector>());

// Makes it known by name to this process. Python registers the symbol with jax.ffi instead.
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "add_repeated", "Host", AddRepeated);

// ---- A buffer of anything: its elements in reverse order

static ffi::Error ReverseImpl(ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  const size_t width = ffi::ByteWidth(in.element_type());
  if (width == 0 || in.size_bytes() != out->size_bytes()) {
    return ffi::Error::InvalidArgument("the result must be like the argument, an array");
  }
  const char* from = static_cast<const char*>(in.untyped_data());
  char* to = static_cast<char*>(out->untyped_data()) + out->size_bytes();
  for (size_t i = 0; i < in.element_count(); ++i) memcpy(to -= width, from + i * width, width);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Reverse, ReverseImpl,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// ---- Any number of arguments and results: the first result is the sum of all arguments, each
// further one a copy of it

static ffi::Error SumImpl(Floats first, ffi::RemainingArgs terms, ffi::Result<Floats> sum,
                          ffi::RemainingRets copies) {
  const size_t size = first.element_count();
  if (sum->element_count() != size) return ffi::Error::InvalidArgument("the sum has another size");
  std::copy_n(first.typed_data(), size, sum->typed_data());
  for (size_t i = 0; i < terms.size(); ++i) {
    const ffi::ErrorOr<Floats> term = terms.get<Floats>(i);
    if (!term.has_value()) return term.error();
    if (term->element_count() != size) return ffi::Error::InvalidArgument("a term's size differs");
    for (size_t j = 0; j < size; ++j) sum->typed_data()[j] += term->typed_data()[j];
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    const ffi::ErrorOr<ffi::Result<Floats>> copy = copies.get<Floats>(i);
    if (!copy.has_value()) return copy.error();
    if ((*copy)->element_count() != size) {
      return ffi::Error::InvalidArgument("a copy has another size");
    }
    std::copy_n(sum->typed_data(), size, (*copy)->typed_data());
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Sum, SumImpl, ffi::Ffi::Bind().Arg<Floats>().RemainingArgs().Ret<Floats>().RemainingRets());

// ---- An enum and a string as attributes: all elements combined, or all but the first

enum class Operation : int32_t { kPlus = 0, kTimes = 1 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Operation);

static ffi::Error CombineImpl(Vector in, ffi::Result<ffi::BufferR0<ffi::F32>> out,
                              Operation operation, std::string_view skip) {
  if (skip != "first" && skip != "none") {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, "skip must be \"first\" or \"none\"");
  }
  float combined = operation == Operation::kPlus ? 0 : 1;
  for (size_t i = skip == "first" ? 1 : 0; i < in.element_count(); ++i) {
    const float element = in.typed_data()[i];
    combined = operation == Operation::kPlus ? combined + element : combined * element;
  }
  *out->typed_data() = combined;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Combine, CombineImpl,
                              ffi::Ffi::Bind()
                                  .Arg<Vector>()
                                  .Ret<ffi::BufferR0<ffi::F32>>()
                                  .Attr<Operation>("operation")
                                  .Attr<std::string_view>("skip"));

// ---- A struct as an attribute, which is a dictionary in the module

struct Interval {
  float least;
  float greatest;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Interval, StructMember<float>("least"),
                                      StructMember<float>("greatest"));

static ffi::Error ClampImpl(Floats in, ffi::Result<Floats> out, Interval interval) {
  if (in.element_count() != out->element_count() || interval.least > interval.greatest) {
    return ffi::Error::InvalidArgument("an interval must not be empty, nor the sizes differ");
  }
  std::transform(in.typed_data(), in.typed_data() + in.element_count(), out->typed_data(),
                 [=](float x) { return std::clamp(x, interval.least, interval.greatest); });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Clamp, ClampImpl, ffi::Ffi::Bind().Arg<Floats>().Ret<Floats>().Attr<Interval>("interval"));

// ---- All attributes as a dictionary, of which each may be missing: out = slope * in + offset, and
// clamped where there is an interval

static ffi::Error AffineImpl(Floats in, ffi::Result<Floats> out, ffi::Dictionary attributes) {
  if (in.element_count() != out->element_count()) {
    return ffi::Error::InvalidArgument("the result has another size than the argument");
  }
  float slope = 1, offset = 0;
  for (auto [name, value] : {std::pair("slope", &slope), std::pair("offset", &offset)}) {
    if (!attributes.contains(name)) continue;
    const ffi::ErrorOr<float> given = attributes.get<float>(name);
    if (!given.has_value()) return given.error();
    *value = *given;
  }
  std::transform(in.typed_data(), in.typed_data() + in.element_count(), out->typed_data(),
                 [=](float x) { return slope * x + offset; });
  if (!attributes.contains("interval")) return ffi::Error::Success();
  const ffi::ErrorOr<Interval> interval = attributes.get<Interval>("interval");
  if (!interval.has_value()) return interval.error();
  return ClampImpl(*out, out, *interval);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Affine, AffineImpl,
                              ffi::Ffi::Bind().Arg<Floats>().Ret<Floats>().Attrs());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "affine", "Host", Affine);
