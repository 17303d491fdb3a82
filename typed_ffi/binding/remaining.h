// xla::ffi::RemainingArgs and RemainingRets: arguments and results of a variable number.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_REMAINING_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_REMAINING_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/text.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

CALLBRIDGE_FFI_COLD inline Error NoSuchIndex(const char* what, size_t index, size_t size) {
  Text text;
  text << "Index out of range: " << static_cast<int64_t>(index) << " of "
       << static_cast<int64_t>(size) << " remaining " << what << "s";
  return Error::InvalidArgument(text.c_str());
}

// `index` counts from the first of the call.
CALLBRIDGE_FFI_COLD inline Error NotDecoded(const char* what, size_t index,
                                            const DiagnosticEngine& diagnostic) {
  Text text;
  text << what << " " << static_cast<int64_t>(index) << ": " << diagnostic.Result();
  return Error::Internal(text.c_str());
}

CALLBRIDGE_FFI_COLD inline Error NotWanted(const Wanted& wanted, const XLA_FFI_Args& args,
                                           size_t index) {
  DiagnosticEngine diagnostic;
  ExplainArg(wanted, args.types[index], args.args[index], diagnostic);
  return NotDecoded("argument", index, diagnostic);
}
CALLBRIDGE_FFI_COLD inline Error NotWanted(const Wanted& wanted, const XLA_FFI_Rets& rets,
                                           size_t index) {
  DiagnosticEngine diagnostic;
  ExplainRet(wanted, rets.types[index], rets.rets[index], diagnostic);
  return NotDecoded("result", index, diagnostic);
}

}  // namespace internal

// The arguments after those that are parameters. Valid for the duration of the call.
class RemainingArgs {
 public:
  // `offset` must be at most the number of all arguments.
  RemainingArgs(const XLA_FFI_Args* args, size_t offset) : args_(args), offset_(offset) {}

  // Returns the number of remaining arguments.
  size_t size() const { return static_cast<size_t>(args_->size) - offset_; }
  // Returns whether there are none.
  bool empty() const { return size() == 0; }

  // Returns INVALID_ARGUMENT if `index` is not below size(), and INTERNAL if the argument is no T.
  template <typename T>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE ErrorOr<T> get(size_t index) const {
    using Decoding = ArgDecoding<T>;
    if (XLA_FFI_PREDICT_FALSE(index >= size())) {
      return internal::NoSuchIndex("argument", index, size());
    }
    const size_t at = offset_ + index;
    if constexpr (internal::kIsDirect<Decoding>) {
      if (XLA_FFI_PREDICT_FALSE(!Decoding::Isa(args_->types[at], args_->args[at]))) {
        return internal::NotWanted(Decoding::kWanted, *args_, at);
      }
      return Decoding::Get(args_->args[at]);
    } else {
      DiagnosticEngine diagnostic;
      auto value = Decoding::Decode(args_->types[at], args_->args[at], diagnostic);
      if (XLA_FFI_PREDICT_FALSE(!value.has_value())) {
        return internal::NotDecoded("argument", at, diagnostic);
      }
      return std::move(*value);
    }
  }

  // `index` must be below size().
  template <typename T>
  bool isa(size_t index) const {
    assert(index < size() && "isa() of an argument that is not there");
    return ArgDecoding<T>::Isa(args_->types[offset_ + index], args_->args[offset_ + index]);
  }

 private:
  const XLA_FFI_Args* args_;
  size_t offset_;
};

// The results after those that are parameters. Valid for the duration of the call.
class RemainingRets {
 public:
  // `offset` must be at most the number of all results.
  RemainingRets(const XLA_FFI_Rets* rets, size_t offset) : rets_(rets), offset_(offset) {}

  // Returns the number of remaining results.
  size_t size() const { return static_cast<size_t>(rets_->size) - offset_; }
  // Returns whether there are none.
  bool empty() const { return size() == 0; }

  // Returns the result at `index`; errors as those of RemainingArgs.
  template <typename T>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE ErrorOr<Result<T>> get(size_t index) const {
    using Decoding = RetDecoding<T>;
    if (XLA_FFI_PREDICT_FALSE(index >= size())) {
      return internal::NoSuchIndex("result", index, size());
    }
    const size_t at = offset_ + index;
    if constexpr (internal::kIsDirect<Decoding>) {
      if (XLA_FFI_PREDICT_FALSE(!Decoding::Isa(rets_->types[at], rets_->rets[at]))) {
        return internal::NotWanted(Decoding::kWanted, *rets_, at);
      }
      return Result<T>(Decoding::Get(rets_->rets[at]));
    } else {
      DiagnosticEngine diagnostic;
      auto value = Decoding::Decode(rets_->types[at], rets_->rets[at], diagnostic);
      if (XLA_FFI_PREDICT_FALSE(!value.has_value())) {
        return internal::NotDecoded("result", at, diagnostic);
      }
      return std::move(*value);
    }
  }

  // `index` must be below size().
  template <typename T>
  bool isa(size_t index) const {
    assert(index < size() && "isa() of a result that is not there");
    return RetDecoding<T>::Isa(rets_->types[offset_ + index], rets_->rets[offset_ + index]);
  }

 private:
  const XLA_FFI_Rets* rets_;
  size_t offset_;
};

// The name before API version 0.1.
using RemainingResults = RemainingRets;

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_REMAINING_H_
