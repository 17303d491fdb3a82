// Handlers that handler_test.cc calls: one source for callbridge's headers and, with GENUINE, for
// XLA's own. Those that compute write int64_t results.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using ffi::Ffi;
using Out = ffi::Result<ffi::Buffer<ffi::S64>>;

struct Range {
  int64_t lo;
  int64_t hi;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
                                      StructMember<int64_t>("hi"));

enum class Mode : int32_t { kFast = 0, kExact = 7 };
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Mode);

// A type of the user's own, in all places where there can be one.
struct Rows {
  int64_t count;
};
namespace xla::ffi {
template <>
struct ArgDecoding<Rows> {
  static std::optional<Rows> Decode(XLA_FFI_ArgType type, void* arg, DiagnosticEngine& diagnostic) {
    auto* buffer = static_cast<XLA_FFI_Buffer*>(arg);
    if (type != XLA_FFI_ArgType_BUFFER || buffer->rank == 0) {
      return diagnostic.Emit("no rows in rank ") << buffer->rank;
    }
    return Rows{buffer->dims[0]};
  }
};
template <>
struct RetDecoding<Rows> {
  static std::optional<Result<Rows>> Decode(XLA_FFI_RetType, void* ret, DiagnosticEngine&) {
    return Result<Rows>(Rows{static_cast<XLA_FFI_Buffer*>(ret)->dims[0]});
  }
};
template <>
struct AttrDecoding<Rows> {
  using Type = Rows;
  static std::optional<Rows> Decode(XLA_FFI_AttrType type, void*, DiagnosticEngine& diagnostic) {
    if (type == XLA_FFI_AttrType_STRING) return diagnostic.Emit("a string has no rows");
    return Rows{5};
  }
};
template <>
struct CtxDecoding<Rows> {
  using Type = int;
  static std::optional<int> Decode(const XLA_FFI_Api*, XLA_FFI_ExecutionContext* ctx,
                                   DiagnosticEngine& diagnostic) {
    if (ctx == nullptr) return diagnostic.Emit("no context");
    return 11;
  }
};
}  // namespace xla::ffi

static ffi::Error Store(Out& out, std::initializer_list<int64_t> values) {
  std::copy(values.begin(), values.end(), out->typed_data());
  return ffi::Error::Success();
}

// ---- Buffers

static ffi::Error DoAdd(ffi::Buffer<ffi::F32> a, ffi::BufferR1<ffi::F32> b,
                        ffi::ResultBuffer<ffi::F32> out) {
  for (size_t i = 0; i < a.element_count(); ++i) {
    out->typed_data()[i] = a.typed_data()[i] + b.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Add, DoAdd,
                              Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Arg<ffi::BufferR1<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error DoDescribe(ffi::AnyBuffer a, Out out) {
  const auto dimensions = a.dimensions();
  return Store(out,
               {static_cast<int64_t>(a.element_type()), static_cast<int64_t>(a.size_bytes()),
                static_cast<int64_t>(a.element_count()), static_cast<int64_t>(dimensions.size()),
                dimensions[0], dimensions.back(), a.untyped_data() != nullptr});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Describe, DoDescribe,
                              Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::S64>>());
// The same, inferred.
XLA_FFI_DEFINE_HANDLER_SYMBOL(DescribeInferred, DoDescribe);
XLA_FFI_DEFINE_HANDLER_SYMBOL(DescribeWrapped, Ffi::Wrapper<DoDescribe>());

static ffi::Error DoToken(ffi::Token, Out out) { return Store(out, {1}); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(TakeToken, DoToken,
                              Ffi::Bind().Arg<ffi::Token>().Ret<ffi::Buffer<ffi::S64>>());

static ffi::Error DoVariadic(ffi::AnyBuffer first, ffi::RemainingArgs rest, Out out,
                             ffi::RemainingRets more) {
  int64_t sum = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    auto arg = rest.get<ffi::Buffer<ffi::S32>>(i);
    if (!arg.has_value()) return arg.error();
    sum += arg->typed_data()[0];
  }
  const bool is = !rest.empty() && rest.isa<ffi::AnyBuffer>(0) && !rest.isa<ffi::Token>(0);
  const bool beyond = rest.get<ffi::AnyBuffer>(rest.size()).has_error();
  if (!more.empty()) {
    auto result = more.get<ffi::AnyBuffer>(0);
    if (!result.has_value()) return result.error();
    *static_cast<int32_t*>((*result)->untyped_data()) = 99;
  }
  (void)first;
  return Store(
      out, {static_cast<int64_t>(rest.size()), static_cast<int64_t>(more.size()), sum, is, beyond});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Variadic, DoVariadic,
    Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::Buffer<ffi::S64>>().RemainingRets());

static ffi::Error DoOptional(ffi::AnyBuffer, std::optional<ffi::Buffer<ffi::S32>> a,
                             std::optional<Rows> b, Out out,
                             std::optional<ffi::ResultBuffer<ffi::F32>> more) {
  return Store(out, {a.has_value(), a.has_value() ? a->typed_data()[0] : -1, b.has_value(),
                     b.has_value() ? b->count : -1, more.has_value()});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Optional, DoOptional,
                              Ffi::Bind()
                                  .Arg<ffi::AnyBuffer>()
                                  .OptionalArg<ffi::Buffer<ffi::S32>>()
                                  .OptionalArg<Rows>()
                                  .Ret<ffi::Buffer<ffi::S64>>()
                                  .OptionalRet<ffi::Buffer<ffi::F32>>());

// ---- Attributes

static ffi::Error DoScalars(Out out, bool b, int8_t s8, uint64_t u64, double f64,
                            std::complex<float> c, Mode mode, int64_t* pointer,
                            std::string_view text, ffi::Span<const int64_t> array) {
  return Store(out, {b, s8, static_cast<int64_t>(u64), static_cast<int64_t>(f64),
                     static_cast<int64_t>(c.imag()), static_cast<int64_t>(mode), *pointer,
                     static_cast<int64_t>(text.size()), static_cast<int64_t>(array.size()),
                     array.begin() == array.end() ? -1 : array[array.size() - 1]});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scalars, DoScalars,
                              Ffi::Bind()
                                  .Ret<ffi::Buffer<ffi::S64>>()
                                  .Attr<bool>("zz")
                                  .Attr<int8_t>("int8")
                                  .Attr<uint64_t>("a_name_that_is_longer_than_32_characters")
                                  .Attr<double>("m")
                                  .Attr<std::complex<float>>("complex")
                                  .Attr<Mode>("mode")
                                  .Attr<ffi::Pointer<int64_t>>("pointer_")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("array_of_numbers"));

static ffi::Error DoStruct(Out out, Range range) { return Store(out, {range.lo, range.hi}); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(AllAsStruct, DoStruct,
                              Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attrs<Range>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StructInferred, DoStruct);
XLA_FFI_DEFINE_HANDLER_SYMBOL(OneStruct, DoStruct,
                              Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attr<Range>("range"));

static constexpr char kFactor[] = "factor";
static ffi::Error DoNamed(Out out, ffi::Attr<int32_t, kFactor> factor) {
  return Store(out, {*factor});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Named, DoNamed);

using NumberOrText = std::variant<int32_t, std::string_view>;
static ffi::Error DoVariant(Out out, NumberOrText value) {
  return Store(out, {static_cast<int64_t>(value.index())});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Variant, DoVariant,
                              Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attr<NumberOrText>("v"));

static ffi::Error DoDictionary(Out out, ffi::Dictionary all) {
  int64_t length = 0;
  for (std::string_view name : all) length += static_cast<int64_t>(name.size());
  auto nested = all.get<ffi::Dictionary>("nested");
  if (!nested.has_value()) return nested.error();
  auto range = nested->get<Range>("range");
  if (!range.has_value()) return range.error();
  auto missing = all.get<int32_t>("missing");
  return Store(out,
               {static_cast<int64_t>(all.size()), length, range->hi, missing.has_error(),
                all.contains("nested"), all.contains<int32_t>("nested"), all.contains<int32_t>("a"),
                all.isa<int32_t>(all.begin()), all.empty(), all.contains("x18")});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AllAsDictionary, DoDictionary,
                              Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attrs());

// ---- The user's own types, results and failures

static ffi::Error DoOwn(int ctx, Rows arg, Out out, ffi::Result<Rows> ret, Rows attr) {
  return Store(out, {ctx, arg.count, ret->count, attr.count});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Own, DoOwn,
    Ffi::Bind().Ctx<Rows>().Arg<Rows>().Ret<ffi::Buffer<ffi::S64>>().Ret<Rows>().Attr<Rows>(
        "rows"));

static ffi::Error DoFail(ffi::AnyBuffer) {
  return ffi::Error(ffi::ErrorCode::kDataLoss, "the message");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Fail, DoFail, Ffi::Bind().Arg<ffi::AnyBuffer>());

static ffi::Error DoNothing() { return ffi::Error::Success(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Nothing, DoNothing, Ffi::Bind());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Compatible, DoNothing, Ffi::Bind(),
                              {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_DEFINE_HANDLER_SYMBOL(Instantiate, DoNothing, Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Prepare, DoNothing, Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Initialize, DoNothing, Ffi::Bind<ffi::ExecutionStage::kInitialize>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Record, DoNothing, Ffi::BindRecord());

// A handler as an object: names and captures that are not constants.
extern "C" XLA_FFI_Error* Boxed(XLA_FFI_CallFrame* frame) {
  static const std::string* name = new std::string("na" + std::string("me"));
  int64_t captured = 40;
  auto handler = Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attr<int32_t>(*name).To(
      [captured](Out out, int32_t value) { return Store(out, {captured + value}); });
  const Ffi& base = *handler;
  return base.Call(frame);
}

#ifndef GENUINE
// What XLA's own headers cannot do.

struct S4 {
  int32_t a;
  Range range;
  std::variant<int32_t, float> either;
  Mode mode;
};
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(S4, StructMember<int32_t>("a"), StructMember<Range>("range"),
                                      StructMember<std::variant<int32_t, float>>("either"),
                                      StructMember<Mode>("mode"));
static ffi::Error DoDeepStruct(Out out, S4 s) {
  return Store(out, {s.a, s.range.lo, s.range.hi, static_cast<int64_t>(s.either.index()),
                     static_cast<int64_t>(s.mode)});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(DeepStruct, DoDeepStruct,
                              Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Attrs<S4>());

// A comma in the binding and in the function; the fields of 2024; a plain result.
template <typename A, typename B>
ffi::Error DoOfTheDocumentation(A in, B out) {
  const size_t d0 = in.dimensions[0];
  for (size_t i = 0; i < d0; ++i) out.data[i] = in.data[i % in.dimensions[0]] * 2;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    OfTheDocumentation, DoOfTheDocumentation<ffi::Buffer<ffi::F32, 1>, ffi::Buffer<ffi::F32, 1>>,
    Ffi::Bind().Arg<ffi::Buffer<ffi::F32, 1>>().Ret<ffi::Buffer<ffi::F32, 1>>(),
    {ffi::Traits::kCmdBufferCompatible});

static ffi::Error DoThrow(ffi::AnyBuffer) { throw std::string("a string"); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Throw, DoThrow, Ffi::Bind().Arg<ffi::AnyBuffer>());
static ffi::Error DoThrowException(ffi::Dictionary attributes) {
  std::string().at(attributes.size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(ThrowException, DoThrowException, Ffi::Bind().Attrs());

struct NoSuchExtension {
  using CExtension = XLA_FFI_Extension;
  using Type = int;
  static constexpr auto kName = "NoSuchExtension";
  static constexpr int64_t kExtensionType = 12345;
  static constexpr int32_t kMajorVersion = 1;
  static constexpr int32_t kMinorVersion = 0;
  static int Create(const XLA_FFI_Api*, const CExtension*) { return 0; }
};
static ffi::Error DoNeedExtension(int) { return ffi::Error::Success(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(NeedsExtension, DoNeedExtension,
                              Ffi::Bind().Ctx<ffi::Extension<NoSuchExtension>>());

static ffi::Error DoNeedFloatsAndExtension(ffi::Buffer<ffi::F32>, int) {
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    NeedsFloatsAndExtension, DoNeedFloatsAndExtension,
    Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ctx<ffi::Extension<NoSuchExtension>>());

struct Made {
  static ffi::TypeId id;
};
ffi::TypeId Made::id = {};
ffi::TypeId& state_type_id = Made::id;
static ffi::ErrorOr<std::unique_ptr<Made>> DoMakeState() { return std::make_unique<Made>(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(MakesState, DoMakeState, Ffi::BindInstantiate());
#endif
