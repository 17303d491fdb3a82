// Each element type: as the type of a buffer, and what the headers know of it.
#include <complex>
#include <type_traits>

#include "suite.h"

static_assert(ffi::ToComplex(DataType::F64) == DataType::C128 &&
              ffi::ToReal(DataType::C64) == DataType::F32 &&
              ffi::ToImag(DataType::C128) == DataType::F64 &&
              ffi::ToComplex(DataType::S8) == DataType::INVALID);
static_assert(std::is_same_v<ffi::NativeType<DataType::C64>, std::complex<float>> &&
              std::is_same_v<ffi::NativeType<DataType::BF16>, uint16_t> &&
              std::is_same_v<ffi::NativeType<DataType::PRED>, bool>);
static_assert(ffi::IsComplexType<DataType::C128>() && !ffi::IsComplexType<DataType::F64>());
#if SUITE_HEADERS >= 431
static_assert(ffi::ByteWidth(DataType::TOKEN) == 0 && ffi::ByteWidth(DataType::PRED) == 1 &&
              ffi::ByteWidth(DataType::F8E5M2) == 1 && ffi::ByteWidth(DataType::BF16) == 2 &&
              ffi::ByteWidth(DataType::C64) == 8 && ffi::ByteWidth(DataType::C128) == 16);
#endif
#if SUITE_HEADERS >= 602
static_assert(ffi::ByteWidth(DataType::S4) == 1 && ffi::ByteWidth(DataType::F8E8M0FNU) == 1);
#endif

namespace {

// Element by element, in the reverse order.
template <DataType dtype>
ffi::Error Reverse(ffi::Buffer<dtype> a, ffi::Result<ffi::Buffer<dtype>> out) {
  ffi::NativeType<dtype>* from = Data(a);
  ffi::NativeType<dtype>* to = Data(*out);
  for (int64_t i = 0; i < Count(a); ++i) to[i] = from[Count(a) - 1 - i];
  return Ok();
}

// For types that C++ lacks, whose elements take a byte here.
ffi::Error ReverseBytes(ffi::AnyBuffer a, ffi::Result<ffi::AnyBuffer> out, int32_t dtype) {
  if (TypeOf(a) != static_cast<DataType>(dtype)) return Invalid("another type was declared");
  auto* from = static_cast<uint8_t*>(Untyped(a));
  auto* to = static_cast<uint8_t*>(Untyped(*out));
  for (int64_t i = 0; i < Count(a); ++i) to[i] = from[Count(a) - 1 - i];
  return Ok();
}

}  // namespace

#define REVERSE(name, dtype)          \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(      \
      name, Reverse<DataType::dtype>, \
      ffi::Ffi::Bind().Arg<ffi::Buffer<DataType::dtype>>().Ret<ffi::Buffer<DataType::dtype>>())

REVERSE(reverse_pred, PRED);
REVERSE(reverse_s8, S8);
REVERSE(reverse_s16, S16);
REVERSE(reverse_s32, S32);
REVERSE(reverse_s64, S64);
REVERSE(reverse_u8, U8);
REVERSE(reverse_u16, U16);
REVERSE(reverse_u32, U32);
REVERSE(reverse_u64, U64);
REVERSE(reverse_f16, F16);
REVERSE(reverse_f32, F32);
REVERSE(reverse_f64, F64);
REVERSE(reverse_bf16, BF16);
REVERSE(reverse_c64, C64);
REVERSE(reverse_c128, C128);
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    reverse_bytes, ReverseBytes,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Attr<int32_t>("dtype"));
