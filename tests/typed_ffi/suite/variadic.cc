// Arguments and results of which there may be more or less: remaining and optional ones.
#include <optional>

#include "suite.h"

namespace {

template <typename Operands>
double Sum(Operands& operands) {
  double sum = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto operand = operands.template get<F32>(i);
    if (!operand.has_value()) return -1000;
    sum += Data(*operand)[0];
  }
  return sum;
}

ffi::Error AllRemaining(ffi::RemainingArgs operands, ffi::Result<F32> out) {
  Write(*out, {static_cast<double>(operands.size()), operands.empty() ? 1.0 : 0.0, Sum(operands)});
  return Ok();
}

ffi::Error RemainingAfter(F32 first, ffi::RemainingArgs operands, ffi::Result<F32> out) {
  Write(*out, {Data(first)[0], static_cast<double>(operands.size()), Sum(operands)});
  return Ok();
}

// What asking wrongly gives: past the end, another type, another rank.
ffi::Error RemainingMisuse(ffi::RemainingArgs operands, ffi::Result<S32> out) {
  Write(*out, {operands.get<ffi::AnyBuffer>(0).has_value() ? 1.0 : 0.0,
               operands.get<ffi::AnyBuffer>(1).has_value() ? 1.0 : 0.0,
               operands.get<S64>(0).has_value() ? 1.0 : 0.0,
               operands.get<ffi::BufferR3<DataType::F32>>(0).has_value() ? 1.0 : 0.0});
  return Ok();
}

// The message, as an error.
ffi::Error RemainingMessage(ffi::RemainingArgs operands, ffi::Result<S32>) {
  auto wrong = operands.get<S64>(0);
#if SUITE_HEADERS >= 434
  return Invalid(wrong.error().message());
#else
  return Invalid(wrong.error());
#endif
}

#if SUITE_HEADERS >= 434
using RemainingRets = ffi::RemainingRets;
#else
using RemainingRets = ffi::RemainingResults;
#endif

// Each result gets its number.
ffi::Error Results(F32, RemainingRets results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto result = results.get<F32>(i);
    if (!result.has_value()) return Invalid("a result is no F32");
#if SUITE_HEADERS >= 434
    Fill(**result, static_cast<double>(i));
#else
    Fill(*result, static_cast<double>(i));
#endif
  }
  return Ok();
}

#if SUITE_HEADERS >= 803
ffi::Error Isa(ffi::RemainingArgs operands, ffi::Result<S32> out, ffi::RemainingRets results) {
  Write(*out, {operands.isa<F32>(0) ? 1.0 : 0.0, operands.isa<S32>(0) ? 1.0 : 0.0,
               operands.isa<ffi::AnyBuffer>(1) ? 1.0 : 0.0,
               operands.isa<ffi::BufferR2<DataType::S64>>(1) ? 1.0 : 0.0,
               operands.isa<ffi::BufferR1<DataType::S64>>(1) ? 1.0 : 0.0,
               results.isa<F64>(0) ? 1.0 : 0.0, results.isa<F32>(0) ? 1.0 : 0.0});
  auto result = results.get<F64>(0);
  if (result.has_value()) Fill(**result, 7);
  return Ok();
}
#endif

#if SUITE_HEADERS >= 434
ffi::Error OptionalArgs(F32 first, std::optional<F32> second, std::optional<F32> third,
                        ffi::Result<F32> out) {
  Write(*out, {Data(first)[0], second.has_value() ? Data(*second)[0] : 0.0,
               third.has_value() ? Data(*third)[0] : 0.0});
  return Ok();
}

ffi::Error OptionalRets(F32 a, ffi::Result<F32> first, std::optional<ffi::Result<F32>> second,
                        std::optional<ffi::Result<S32>> third) {
  Fill(*first, Data(a)[0]);
  if (second.has_value()) Fill(**second, 2);
  if (third.has_value()) Fill(**third, 3);
  return Ok();
}

ffi::Error OptionalThenRemaining(std::optional<F32> first, ffi::RemainingArgs operands,
                                 ffi::Result<F32> out) {
  Write(*out, {first.has_value() ? Data(*first)[0] : 0.0, static_cast<double>(operands.size())});
  return Ok();
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(all_remaining, AllRemaining,
                              ffi::Ffi::Bind().RemainingArgs().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(remaining_after, RemainingAfter,
                              ffi::Ffi::Bind().Arg<F32>().RemainingArgs().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(remaining_misuse, RemainingMisuse,
                              ffi::Ffi::Bind().RemainingArgs().Ret<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(remaining_message, RemainingMessage,
                              ffi::Ffi::Bind().RemainingArgs().Ret<S32>());
#if SUITE_HEADERS >= 434
XLA_FFI_DEFINE_HANDLER_SYMBOL(remaining_rets, Results, ffi::Ffi::Bind().Arg<F32>().RemainingRets());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    optional_args, OptionalArgs,
    ffi::Ffi::Bind().Arg<F32>().OptionalArg<F32>().OptionalArg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    optional_rets, OptionalRets,
    ffi::Ffi::Bind().Arg<F32>().Ret<F32>().OptionalRet<F32>().OptionalRet<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(optional_then_remaining, OptionalThenRemaining,
                              ffi::Ffi::Bind().OptionalArg<F32>().RemainingArgs().Ret<F32>());
#else
XLA_FFI_DEFINE_HANDLER_SYMBOL(remaining_rets, Results,
                              ffi::Ffi::Bind().Arg<F32>().RemainingResults());
#endif
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(isa, Isa,
                              ffi::Ffi::Bind().RemainingArgs().Ret<S32>().RemainingRets());
#endif
