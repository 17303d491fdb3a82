// Attributes by name: scalars, strings, arrays, enums, structs, pointers, variants.
#include <complex>
#include <cstdint>
#include <string_view>
#include <variant>

#include "suite.h"

enum class Level : int32_t { kLow = 1, kHigh = 2 };
enum class Small : uint8_t { kOne = 1, kTwoHundred = 200 };
struct Inner {
  int32_t x;
  double y;
};
struct Config {
  int64_t number;
  float factor;
  std::string_view text;
  ffi::Span<const int64_t> list;
};
struct Outer {
  Inner inner;
  bool flag;
};

// Up to 0.4.33 the macros want to stand in XLA's namespace, and g++ does not take the one for
// enums.
#if SUITE_HEADERS >= 434
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Level);
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Small);
#else
namespace xla::ffi {
#endif
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Inner, ::xla::ffi::StructMember<int32_t>("x"),
                                      ::xla::ffi::StructMember<double>("y"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(
    Config, ::xla::ffi::StructMember<int64_t>("number"), ::xla::ffi::StructMember<float>("factor"),
    ::xla::ffi::StructMember<std::string_view>("text"),
    ::xla::ffi::StructMember<::xla::ffi::Span<const int64_t>>("list"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Outer, ::xla::ffi::StructMember<Inner>("inner"),
                                      ::xla::ffi::StructMember<bool>("flag"));
#if SUITE_HEADERS < 434
}  // namespace xla::ffi
#endif

extern "C" {
// A pointer attribute leads here.
__attribute__((visibility("default"))) int32_t pointed_at[2] = {1234, 5678};
}

namespace {

ffi::Error Scalars(ffi::Result<F64> out, bool b, int8_t s8, int16_t s16, int32_t s32, int64_t s64,
                   uint8_t u8, uint16_t u16, uint32_t u32, uint64_t u64, float f32, double f64) {
  Write(*out,
        {b ? 1.0 : 0.0, static_cast<double>(s8), static_cast<double>(s16), static_cast<double>(s32),
         static_cast<double>(s64), static_cast<double>(u8), static_cast<double>(u16),
         static_cast<double>(u32), static_cast<double>(u64), f32, f64});
  return Ok();
}

ffi::Error Complex(ffi::Result<F64> out, std::complex<float> c64, std::complex<double> c128) {
  Write(*out, {c64.real(), c64.imag(), c128.real(), c128.imag()});
  return Ok();
}

// Size, then the bytes.
ffi::Error String(ffi::Result<S32> out, std::string_view text) {
  Write(*out, {static_cast<double>(text.size())});
  for (size_t i = 0; i < text.size(); ++i) {
    Data(*out)[1 + i] = static_cast<unsigned char>(text[i]);
  }
  return Ok();
}

template <typename T>
ffi::Error Array(ffi::Result<F64> out, ffi::Span<const T> values) {
  Write(*out, {static_cast<double>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) Data(*out)[1 + i] = static_cast<double>(values[i]);
  return Ok();
}

ffi::Error Unsorted(ffi::Result<F64> out, int32_t b, float a, double c) {
  Write(*out, {static_cast<double>(b), a, c});
  return Ok();
}

#if SUITE_HEADERS >= 434
ffi::Error Enums(ffi::Result<S32> out, Level level, Small small) {
  Write(*out, {level == Level::kHigh ? 1.0 : 0.0, static_cast<double>(small)});
  return Ok();
}
#endif

ffi::Error Struct(ffi::Result<F64> out, const Config& config) {
  double sum = 0;
  for (int64_t value : config.list) sum += static_cast<double>(value);
  Write(*out, {static_cast<double>(config.number), config.factor,
               static_cast<double>(config.text.size()), sum});
  return Ok();
}

ffi::Error StructInStruct(ffi::Result<F64> out, Outer outer) {
  Write(*out, {static_cast<double>(outer.inner.x), outer.inner.y, outer.flag ? 1.0 : 0.0});
  return Ok();
}

ffi::Error Pointed(ffi::Result<S32> out, int32_t* pointer) {
  Write(*out, {static_cast<double>(pointer[1])});
  return Ok();
}

#if SUITE_HEADERS >= 803
using Variant = std::variant<int32_t, float, std::string_view>;
ffi::Error OneOf(ffi::Result<F64> out, Variant value) {
  double number = 0;
  if (auto* s32 = std::get_if<int32_t>(&value)) number = *s32;
  if (auto* f32 = std::get_if<float>(&value)) number = *f32;
  if (auto* text = std::get_if<std::string_view>(&value)) number = text->size();
  Write(*out, {static_cast<double>(value.index()), number});
  return Ok();
}
#endif

ffi::Error WithoutAttributes(ffi::Result<F32> out) {
  Fill(*out, 1);
  return Ok();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_scalars, Scalars,
                              ffi::Ffi::Bind()
                                  .Ret<F64>()
                                  .Attr<bool>("b")
                                  .Attr<int8_t>("s8")
                                  .Attr<int16_t>("s16")
                                  .Attr<int32_t>("s32")
                                  .Attr<int64_t>("s64")
                                  .Attr<uint8_t>("u8")
                                  .Attr<uint16_t>("u16")
                                  .Attr<uint32_t>("u32")
                                  .Attr<uint64_t>("u64")
                                  .Attr<float>("f32")
                                  .Attr<double>("f64"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    attr_complex, Complex,
    ffi::Ffi::Bind().Ret<F64>().Attr<std::complex<float>>("c64").Attr<std::complex<double>>(
        "c128"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_string, String,
                              ffi::Ffi::Bind().Ret<S32>().Attr<std::string_view>("text"));
#define ARRAY(name, T)                          \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(name, Array<T>, \
                                ffi::Ffi::Bind().Ret<F64>().Attr<ffi::Span<const T>>("values"))
ARRAY(attr_array_s8, int8_t);
ARRAY(attr_array_s16, int16_t);
ARRAY(attr_array_s32, int32_t);
ARRAY(attr_array_s64, int64_t);
ARRAY(attr_array_f32, float);
ARRAY(attr_array_f64, double);
#if SUITE_HEADERS >= 434
ARRAY(attr_array_u8, uint8_t);
ARRAY(attr_array_u16, uint16_t);
ARRAY(attr_array_u32, uint32_t);
ARRAY(attr_array_u64, uint64_t);
#endif
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    attr_unsorted, Unsorted,
    ffi::Ffi::Bind().Ret<F64>().Attr<int32_t>("b").Attr<float>("a").Attr<double>("c"));
#if SUITE_HEADERS >= 434
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    attr_enum, Enums, ffi::Ffi::Bind().Ret<S32>().Attr<Level>("level").Attr<Small>("small"));
#endif
XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_struct, Struct,
                              ffi::Ffi::Bind().Ret<F64>().Attr<Config>("config"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(attrs_as_struct, Struct, ffi::Ffi::Bind().Ret<F64>().Attrs<Config>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_struct_in_struct, StructInStruct,
                              ffi::Ffi::Bind().Ret<F64>().Attrs<Outer>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_pointer, Pointed,
                              ffi::Ffi::Bind().Ret<S32>().Attr<ffi::Pointer<int32_t>>("pointer"));
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(attr_variant, OneOf,
                              ffi::Ffi::Bind().Ret<F64>().Attr<Variant>("value"));
#endif
XLA_FFI_DEFINE_HANDLER_SYMBOL(without_attributes, WithoutAttributes, ffi::Ffi::Bind().Ret<F32>());
