// Buffers: of known and unknown type and rank, their dimensions, results, tokens.
#include "suite.h"

namespace {

ffi::Error Add(F32 a, F32 b, ffi::Result<F32> sum) {
  for (int64_t i = 0; i < Count(a); ++i) Data(*sum)[i] = Data(a)[i] + Data(b)[i];
  return Ok();
}

// Type, rank, then the dimensions.
ffi::Error Describe(ffi::AnyBuffer a, ffi::ResultBufferR1<DataType::S32> out) {
  Write(*out, {static_cast<double>(TypeOf(a)), static_cast<double>(Dimensions(a).size())});
  for (size_t i = 0; i < Dimensions(a).size(); ++i) {
    Data(*out)[2 + i] = static_cast<int32_t>(Dimensions(a)[i]);
  }
  return Ok();
}

ffi::Error CopyBytes(ffi::AnyBuffer a, ffi::Result<ffi::AnyBuffer> copy, int64_t size) {
  std::memcpy(Untyped(*copy), Untyped(a), size);
  return Ok();
}

ffi::Error Ranks(ffi::BufferR0<DataType::F32> r0, ffi::BufferR1<DataType::F32> r1,
                 ffi::BufferR2<DataType::F32> r2, ffi::BufferR3<DataType::F32> r3,
                 ffi::BufferR4<DataType::F32> r4, ffi::ResultBufferR1<DataType::F32> out) {
  Write(*out, {Data(r0)[0], Data(r1)[Count(r1) - 1], Data(r2)[Count(r2) - 1],
               Data(r3)[Count(r3) - 1], Data(r4)[Count(r4) - 1]});
  return Ok();
}

// What a span of dimensions says of itself.
ffi::Error SpanOfDimensions(ffi::AnyBuffer a, ffi::Result<S64> out) {
  const auto all = Dimensions(a);
  int64_t sum = 0;
  for (int64_t dimension : all) sum += dimension;
  const bool same = all == Dimensions(a) && !(all.first(1) == all.last(2));
  Write(*out, {static_cast<double>(all.size()), static_cast<double>(all.front()),
               static_cast<double>(all.back()), static_cast<double>(all[1]),
               static_cast<double>(all.first(2).back()), static_cast<double>(all.last(2).front()),
               static_cast<double>(sum), same ? 1.0 : 0.0});
  return Ok();
}

ffi::Error ResultShapes(ffi::ResultBufferR0<DataType::F32> r0,
                        ffi::ResultBufferR2<DataType::F32> r2,
                        ffi::ResultBuffer<DataType::F64> any_rank) {
  Fill(*r0, static_cast<double>(Dimensions(*r0).size()));
  Fill(*r2, static_cast<double>(Dimensions(*r2)[1]));
  Fill(*any_rank, static_cast<double>(Dimensions(*any_rank).size()));
  return Ok();
}

ffi::Error NoOperands(ffi::Result<F32> out) {
  Fill(*out, 42);
  return Ok();
}

ffi::Error NoResults(F32) { return Ok(); }

#if SUITE_HEADERS >= 438
ffi::Error AnyMethods(ffi::AnyBuffer a, ffi::Result<S64> out) {
  Write(*out, {static_cast<double>(a.size_bytes()), static_cast<double>(a.element_count()),
               a.typed_data<float>()[1], static_cast<double>(a.reinterpret_data<uint32_t>()[0]),
               a.untyped_data() == a.typed_data<float>() ? 1.0 : 0.0});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 431
#if SUITE_HEADERS >= 1102
using ConstCopy = const ffi::Result<F32>;
#else
using ConstCopy = ffi::Result<F32>;
#endif
ffi::Error BufferMethods(ffi::BufferR2<DataType::F32> a, ConstCopy copy, ffi::Result<S64> out) {
  std::memcpy(copy->untyped_data(), a.untyped_data(), a.size_bytes());
  Write(*out, {static_cast<double>(a.size_bytes()), static_cast<double>(a.element_count()),
               a.element_type() == DataType::F32 ? 1.0 : 0.0,
               static_cast<double>((*copy).dimensions().size()), a.typed_data()[2]});
  return Ok();
}
#endif

ffi::Error TokenIn(ffi::Token, F32 a, ffi::Result<F32> copy) {
  std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
  return Ok();
}

ffi::Error TokenOut(F32 a, ffi::Result<F32> copy, ffi::Result<ffi::Token>) {
  std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
  return Ok();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(add, Add, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    describe, Describe, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::BufferR1<DataType::S32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    copy_bytes, CopyBytes,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Attr<int64_t>("size"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ranks, Ranks,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::BufferR0<DataType::F32>>()
                                  .Arg<ffi::BufferR1<DataType::F32>>()
                                  .Arg<ffi::BufferR2<DataType::F32>>()
                                  .Arg<ffi::BufferR3<DataType::F32>>()
                                  .Arg<ffi::BufferR4<DataType::F32>>()
                                  .Ret<ffi::BufferR1<DataType::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(span_of_dimensions, SpanOfDimensions,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<S64>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(result_shapes, ResultShapes,
                              ffi::Ffi::Bind()
                                  .Ret<ffi::BufferR0<DataType::F32>>()
                                  .Ret<ffi::BufferR2<DataType::F32>>()
                                  .Ret<F64>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(no_operands, NoOperands, ffi::Ffi::Bind().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(no_results, NoResults, ffi::Ffi::Bind().Arg<F32>());
#if SUITE_HEADERS >= 438
XLA_FFI_DEFINE_HANDLER_SYMBOL(any_methods, AnyMethods,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<S64>());
#endif
#if SUITE_HEADERS >= 431
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    buffer_methods, BufferMethods,
    ffi::Ffi::Bind().Arg<ffi::BufferR2<DataType::F32>>().Ret<F32>().Ret<S64>());
#endif
XLA_FFI_DEFINE_HANDLER_SYMBOL(token_in, TokenIn,
                              ffi::Ffi::Bind().Arg<ffi::Token>().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(token_out, TokenOut,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ret<ffi::Token>());
