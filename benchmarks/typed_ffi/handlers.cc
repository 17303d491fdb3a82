// The handlers whose decoding is measured. The same source is compiled with callbridge's headers
// and with XLA's own; what is behind the decoding is as little as a handler can do.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// Both are the measuring program's, so that nothing is inlined and every value is asked for.
extern "C" void measured_function(void* out, const void** in);
extern "C" int64_t measured_value;

namespace {

// ---- Buffers ------------------------------------------------------------------------------------

template <typename T, size_t>
using Repeated = T;

// Calls the function with the pointers of n arguments and of one result.
template <typename Buffer, typename Indices>
struct ForwardEach;
template <typename Buffer, size_t... Is>
struct ForwardEach<Buffer, std::index_sequence<Is...>> {
  static ffi::Error Call(Repeated<Buffer, Is>... args, ffi::Result<Buffer> result) {
    const void* in[] = {args.untyped_data()...};
    measured_function(result->untyped_data(), in);
    return ffi::Error::Success();
  }
};
template <typename Buffer, size_t n>
using Forward = ForwardEach<Buffer, std::make_index_sequence<n>>;

template <size_t n>
struct ForwardRemaining {
  static ffi::Error Call(ffi::RemainingArgs args, ffi::Result<ffi::AnyBuffer> result) {
    if (args.size() != n) return ffi::Error::InvalidArgument("wrong number of arguments");
    const void* in[n];
    for (size_t i = 0; i < n; ++i) {
      auto arg = args.get<ffi::AnyBuffer>(i);
      if (!arg.has_value()) return arg.error();
      in[i] = arg->untyped_data();
    }
    measured_function(result->untyped_data(), in);
    return ffi::Error::Success();
  }
};

// XLA's macros take no commas in a function or a binding.
using Any1 = Forward<ffi::AnyBuffer, 1>;
using Any4 = Forward<ffi::AnyBuffer, 4>;
using Any8 = Forward<ffi::AnyBuffer, 8>;
using Any16 = Forward<ffi::AnyBuffer, 16>;
using F32 = ffi::Buffer<ffi::F32>;
using Typed1 = Forward<F32, 1>;
using Typed4 = Forward<F32, 4>;
using Typed8 = Forward<F32, 8>;
using Typed16 = Forward<F32, 16>;

#define ARGS_4(T) .Arg<T>().Arg<T>().Arg<T>().Arg<T>()
#define ARGS_8(T) ARGS_4(T) ARGS_4(T)
#define ARGS_16(T) ARGS_8(T) ARGS_8(T)

// ---- Attributes ---------------------------------------------------------------------------------

template <typename... Ts>
ffi::Error ForwardAttrs(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result, Ts... attrs) {
  measured_value = (static_cast<int64_t>(attrs) + ...);
  return Any1::Call(arg, result);
}
using I = int32_t;
constexpr auto OneScalar = ForwardAttrs<I>;
constexpr auto FourScalars = ForwardAttrs<I, I, I, I>;
constexpr auto EightScalars = ForwardAttrs<I, I, I, I, I, I, I, I>;

ffi::Error String(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result, std::string_view text) {
  measured_value = static_cast<int64_t>(text.size());
  return Any1::Call(arg, result);
}

ffi::Error EightGets(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result,
                     ffi::Dictionary attrs) {
  int64_t sum = 0;
  for (std::string_view name :
       {"alpha", "axis", "beta", "epsilon", "iterations", "momentum", "scale", "threshold"}) {
    auto value = attrs.get<int32_t>(name);
    if (!value.has_value()) return value.error();
    sum += *value;
  }
  measured_value = sum;
  return Any1::Call(arg, result);
}

// A string and a number in turn, by names that the compiler knows.
ffi::Error MixedGets(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result,
                     ffi::Dictionary attrs) {
  int64_t sum = 0;
  bool found = true;
  const auto text = [&](std::string_view name) {
    auto value = attrs.get<std::string_view>(name);
    found = found && value.has_value();
    if (value.has_value()) sum += static_cast<int64_t>(value->size());
  };
  const auto number = [&](std::string_view name) {
    auto value = attrs.get<int32_t>(name);
    found = found && value.has_value();
    if (value.has_value()) sum += *value;
  };
  text("activation");
  number("axis");
  text("direction");
  number("features");
  text("mode");
  number("padding");
  text("precision");
  number("strides");
  if (!found) return ffi::Error::InvalidArgument("an attribute is missing");
  measured_value = sum;
  return Any1::Call(arg, result);
}

// The same by names of one length that come out of a list.
ffi::Error AlikeGets(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result,
                     ffi::Dictionary attrs) {
  int64_t sum = 0;
  bool is_text = true;
  for (std::string_view name : {"dilate_h", "dilate_w", "kernel_h", "kernel_w", "offset_h",
                                "offset_w", "stride_h", "stride_w"}) {
    if (is_text) {
      auto value = attrs.get<std::string_view>(name);
      if (!value.has_value()) return value.error();
      sum += static_cast<int64_t>(value->size());
    } else {
      auto value = attrs.get<int32_t>(name);
      if (!value.has_value()) return value.error();
      sum += *value;
    }
    is_text = !is_text;
  }
  measured_value = sum;
  return Any1::Call(arg, result);
}

struct Padding {
  int32_t bottom, left, right, top;
};

ffi::Error Struct(ffi::AnyBuffer arg, ffi::Result<ffi::AnyBuffer> result, Padding padding) {
  measured_value = padding.bottom + padding.left + padding.right + padding.top;
  return Any1::Call(arg, result);
}

// ---- Errors -------------------------------------------------------------------------------------

ffi::Error Fail(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  return ffi::Error::InvalidArgument("the first operand must be a matrix");
}

}  // namespace

XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Padding, ffi::StructMember<int32_t>("bottom"),
                                      ffi::StructMember<int32_t>("left"),
                                      ffi::StructMember<int32_t>("right"),
                                      ffi::StructMember<int32_t>("top"));

// ---- Handlers -----------------------------------------------------------------------------------

// XLA's macro leaves that to the compiler's options.
#pragma GCC visibility push(default)

#define BUFFER_TO_BUFFER ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>()

XLA_FFI_DEFINE_HANDLER_SYMBOL(AnyBuffer_1, Any1::Call, BUFFER_TO_BUFFER);
XLA_FFI_DEFINE_HANDLER_SYMBOL(AnyBuffer_4, Any4::Call,
                              ffi::Ffi::Bind() ARGS_4(ffi::AnyBuffer).Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(AnyBuffer_8, Any8::Call,
                              ffi::Ffi::Bind() ARGS_8(ffi::AnyBuffer).Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(AnyBuffer_16, Any16::Call,
                              ffi::Ffi::Bind() ARGS_16(ffi::AnyBuffer).Ret<ffi::AnyBuffer>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(Buffer_1, Typed1::Call, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Buffer_4, Typed4::Call, ffi::Ffi::Bind() ARGS_4(F32).Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Buffer_8, Typed8::Call, ffi::Ffi::Bind() ARGS_8(F32).Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Buffer_16, Typed16::Call, ffi::Ffi::Bind() ARGS_16(F32).Ret<F32>());

#define REMAINING_TO_BUFFER ffi::Ffi::Bind().RemainingArgs().Ret<ffi::AnyBuffer>()

XLA_FFI_DEFINE_HANDLER_SYMBOL(RemainingArgs_1, ForwardRemaining<1>::Call, REMAINING_TO_BUFFER);
XLA_FFI_DEFINE_HANDLER_SYMBOL(RemainingArgs_4, ForwardRemaining<4>::Call, REMAINING_TO_BUFFER);
XLA_FFI_DEFINE_HANDLER_SYMBOL(RemainingArgs_8, ForwardRemaining<8>::Call, REMAINING_TO_BUFFER);
XLA_FFI_DEFINE_HANDLER_SYMBOL(RemainingArgs_16, ForwardRemaining<16>::Call, REMAINING_TO_BUFFER);

XLA_FFI_DEFINE_HANDLER_SYMBOL(Scalars_1, OneScalar, BUFFER_TO_BUFFER.Attr<I>("axis"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Scalars_4, FourScalars,
    BUFFER_TO_BUFFER.Attr<I>("alpha").Attr<I>("axis").Attr<I>("beta").Attr<I>("epsilon"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scalars_8, EightScalars,
                              BUFFER_TO_BUFFER.Attr<I>("alpha")
                                  .Attr<I>("axis")
                                  .Attr<I>("beta")
                                  .Attr<I>("epsilon")
                                  .Attr<I>("iterations")
                                  .Attr<I>("momentum")
                                  .Attr<I>("scale")
                                  .Attr<I>("threshold"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(String_1, String, BUFFER_TO_BUFFER.Attr<std::string_view>("mode"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Dictionary_8, EightGets, BUFFER_TO_BUFFER.Attrs());
XLA_FFI_DEFINE_HANDLER_SYMBOL(MixedDictionary_8, MixedGets, BUFFER_TO_BUFFER.Attrs());
XLA_FFI_DEFINE_HANDLER_SYMBOL(AlikeDictionary_8, AlikeGets, BUFFER_TO_BUFFER.Attrs());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Struct_4, Struct, BUFFER_TO_BUFFER.Attr<Padding>("padding"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Error_1, Fail, BUFFER_TO_BUFFER);

#pragma GCC visibility pop
