// Handlers of every kind of parameter that typed_ffi/binding has. Each reads all that it is given.
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fuzzed_handlers.h"
#include "hostile_runtime.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

enum class Mode : int32_t {};
struct Range {
  int64_t high;
  int64_t low;
};
// Of members that have to be decoded.
struct Options {
  std::variant<int32_t, std::string_view> either;
  Range range;
};

}  // namespace

XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Mode);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, ffi::StructMember<int64_t>("high"),
                                      ffi::StructMember<int64_t>("low"));
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(
    Options, ffi::StructMember<std::variant<int32_t, std::string_view>>("either"),
    ffi::StructMember<Range>("range"));

namespace {

using callbridge::FuzzedState;

// ---- Reading all that there is ------------------------------------------------------------------

volatile uint64_t seen;

template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>> See(T value) {
  seen = static_cast<uint64_t>(value != 0);
}
void See(const void* value) { seen = reinterpret_cast<uintptr_t>(value); }
void See(std::string_view text) {
  for (char c : text) seen = static_cast<unsigned char>(c);
}
void See(Mode mode) { See(static_cast<int32_t>(mode)); }
void See(const Range& range) { See(range.high > range.low); }
template <typename T>
void See(std::complex<T> number) {
  See(number.real());
  See(number.imag());
}
template <typename T>
void See(ffi::Span<const T> span) {
  for (const T& each : span) See(each);
}
void See(ffi::Dictionary dictionary);
template <typename... Ts>
void See(const std::variant<Ts...>& value) {
  std::visit([](const auto& each) { See(each); }, value);
}
void See(const Options& options) {
  See(options.either);
  See(options.range);
}

template <typename Buffer>
void SeeBuffer(const Buffer& buffer) {
  See(static_cast<int>(buffer.element_type()));
  See(buffer.dimensions());
  See(buffer.element_count());
  See(buffer.size_bytes());
  See(buffer.untyped_data());
}

template <typename T>
bool SeeIf(const ffi::Dictionary& dictionary, std::string_view name) {
  const bool there = dictionary.contains<T>(name);
  auto value = dictionary.get<T>(name);
  if (value.has_value()) See(*value);
  return there;
}

void See(ffi::Dictionary dictionary) {
  for (std::string_view name : dictionary) {
    See(name);
    SeeIf<bool>(dictionary, name);
    SeeIf<int32_t>(dictionary, name);
    SeeIf<double>(dictionary, name);
    SeeIf<std::complex<double>>(dictionary, name);
    SeeIf<std::string_view>(dictionary, name);
    SeeIf<ffi::Span<const int16_t>>(dictionary, name);
    SeeIf<Mode>(dictionary, name);
    SeeIf<Range>(dictionary, name);
    SeeIf<Options>(dictionary, name);
    SeeIf<ffi::Pointer<int>>(dictionary, name);
    SeeIf<ffi::Dictionary>(dictionary, name);
  }
  for (auto it = dictionary.begin(); it != dictionary.end(); ++it) {
    if (dictionary.isa<float>(it)) See(*dictionary.get<float>(it));
    dictionary.get<ffi::Span<const float>>(it);
  }
  for (std::string_view name : {"", "a", "alpha", "mode", "zz"}) {
    See(dictionary.contains(name));
    SeeIf<int32_t>(dictionary, name);
  }
}

ffi::Error Ok() { return ffi::Error::Success(); }

// ---- Buffers ------------------------------------------------------------------------------------

using F32 = ffi::Buffer<ffi::F32>;
using Matrix = ffi::BufferR2<ffi::S32>;

ffi::Error Buffers(ffi::AnyBuffer any, F32 typed, Matrix ranked, ffi::Token,
                   ffi::Result<ffi::BufferR1<ffi::F32>> vector, ffi::Result<ffi::AnyBuffer> more) {
  SeeBuffer(any);
  SeeBuffer(typed);
  SeeBuffer(ranked);
  SeeBuffer(*vector);
  SeeBuffer(*more);
  return Ok();
}

ffi::Error Optional(ffi::AnyBuffer any, std::optional<F32> typed, std::optional<Matrix> ranked,
                    ffi::RemainingArgs args, std::optional<ffi::Result<F32>> result,
                    ffi::RemainingRets rets) {
  SeeBuffer(any);
  if (typed.has_value()) SeeBuffer(*typed);
  if (ranked.has_value()) SeeBuffer(*ranked);
  if (result.has_value()) SeeBuffer(**result);
  for (size_t i = 0; i <= args.size(); ++i) {
    if (auto arg = args.get<ffi::AnyBuffer>(i); arg.has_value()) SeeBuffer(*arg);
    if (auto arg = args.get<Matrix>(i); arg.has_value()) SeeBuffer(*arg);
    if (i < args.size()) See(args.isa<F32>(i));
  }
  for (size_t i = 0; i <= rets.size(); ++i) {
    if (auto ret = rets.get<ffi::AnyBuffer>(i); ret.has_value()) SeeBuffer(**ret);
    if (auto ret = rets.get<Matrix>(i); ret.has_value()) SeeBuffer(**ret);
    if (i < rets.size()) See(rets.isa<F32>(i));
  }
  return Ok();
}

ffi::Error Nothing() { return Ok(); }

// ---- Attributes ---------------------------------------------------------------------------------

template <typename... Ts>
ffi::Error SeeAll(Ts... values) {
  (See(values), ...);
  return Ok();
}

// ---- Contexts -----------------------------------------------------------------------------------

struct Number {
  using CExtension = callbridge::FuzzedExtension;
  using Type = int64_t;
  static constexpr auto kName = "Number";
  static constexpr int64_t kExtensionType = callbridge::kFuzzedExtensionType;
  static constexpr int32_t kMajorVersion = 1;
  static constexpr int32_t kMinorVersion = 0;
  static Type Create(const XLA_FFI_Api*, const CExtension* extension) { return extension->number; }
};

void SeeState(const FuzzedState* state) {
  if (state != nullptr) See(state->text);
}

ffi::Error AskContext(ffi::Context context) {
  if (auto value = context.get<ffi::PlatformStream<void*>>(); value.has_value()) See(*value);
  if (auto value = context.get<ffi::RunId>(); value.has_value()) See(value->run_id);
  if (auto value = context.get<ffi::DeviceOrdinal>(); value.has_value()) See(*value);
  if (auto value = context.get<ffi::UserData<FuzzedState>>(); value.has_value()) SeeState(*value);
  if (auto value = context.get<ffi::State<FuzzedState>>(); value.has_value()) SeeState(*value);
  if (auto value = context.get<ffi::Prepared<FuzzedState>>(); value.has_value()) SeeState(*value);
  if (auto value = context.get<ffi::Initialized<FuzzedState>>(); value.has_value()) {
    SeeState(*value);
  }
  if (auto value = context.get<ffi::Extension<Number>>(); value.has_value()) See(*value);
  if (auto value = context.get<ffi::CustomOptions>(); value.has_value()) See(*value);
  return Ok();
}

ffi::Error UseContexts(void* stream, ffi::ScratchAllocator scratch, ffi::ThreadPool pool,
                       FuzzedState* data, F32 buffer) {
  See(stream);
  SeeState(data);
  SeeBuffer(buffer);
  for (size_t i = 0; i < 6; ++i) {
    if (auto memory = scratch.Allocate(16 * i, 16); memory.has_value()) See(*memory);
  }
  See(pool.num_threads());
  for (int i = 0; i < 3; ++i) {
    pool.Schedule([text = std::string(40, 'x')] { See(text); });
  }
  return Ok();
}

// ---- Stages and state ---------------------------------------------------------------------------

ffi::ErrorOr<std::unique_ptr<FuzzedState>> MakeState(int32_t mode) {
  if (mode == 1) return ffi::Error::Internal("there is no state for this mode, says the handler");
  return std::make_unique<FuzzedState>();
}
ffi::Error UseStates(FuzzedState* instantiated, int32_t mode) {
  SeeState(instantiated);
  See(mode);
  return Ok();
}

// ---- Results ------------------------------------------------------------------------------------

ffi::Future FinishLater(ffi::ThreadPool pool, F32 buffer) {
  SeeBuffer(buffer);
  ffi::CountDownPromise promise(3);
  ffi::Future future(promise);
  for (int i = 0; i < 3; ++i) {
    pool.Schedule([promise, i]() mutable {
      promise.CountDown(i == 2 ? ffi::Error::Internal("one of three tasks has failed") : Ok());
    });
  }
  return future;
}
ffi::Future FinishNow(int32_t mode) {
  ffi::Promise promise;
  ffi::Future future(promise);
  if (mode == 1) promise.SetError(ffi::Error::InvalidArgument("a mode that is not served"));
  if (mode == 2) return future;  // the promise is dropped
  if (mode != 1) promise.SetAvailable();
  return future;
}
ffi::Error Fail(int32_t mode) {
  if (mode == 1) throw std::runtime_error("thrown on purpose, with a text");
  if (mode == 2) throw 1;
  return ffi::Error(ffi::ErrorCode::kDataLoss, std::string("a NUL \0 in it", 13));
}

// ---- Handlers -----------------------------------------------------------------------------------

using callbridge::FuzzedHandler;
using callbridge::WantedAttr;
using callbridge::WantedCall;
using Either = std::variant<int32_t, std::string_view, ffi::Dictionary>;

XLA_FFI_DEFINE_HANDLER(kBuffers, Buffers,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<F32>()
                           .Arg<Matrix>()
                           .Arg<ffi::Token>()
                           .Ret<ffi::BufferR1<ffi::F32>>()
                           .Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(kOptional, Optional,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .OptionalArg<F32>()
                           .OptionalArg<Matrix>()
                           .RemainingArgs()
                           .OptionalRet<F32>()
                           .RemainingRets());
XLA_FFI_DEFINE_HANDLER(kNothing, Nothing, ffi::Ffi::Bind());
XLA_FFI_DEFINE_HANDLER(
    kScalars, (SeeAll<int32_t, bool, double, std::complex<float>, Mode, int*, std::string_view>),
    ffi::Ffi::Bind()
        .Attr<int32_t>("zeta")
        .Attr<bool>("alpha")
        .Attr<double>("beta")
        .Attr<std::complex<float>>("gamma")
        .Attr<Mode>("mode")
        .Attr<ffi::Pointer<int>>("pointer")
        .Attr<std::string_view>("text"));
XLA_FFI_DEFINE_HANDLER(
    kStructured, (SeeAll<ffi::Span<const int64_t>, Range, Options, Either, ffi::Dictionary, Range>),
    ffi::Ffi::Bind()
        .Attr<ffi::Span<const int64_t>>("dims")
        .Attr<Range>("range")
        .Attr<Options>("options")
        .Attr<Either>("either")
        .Attr<ffi::Dictionary>("dictionary")
        .Attr<Range>("range"));
XLA_FFI_DEFINE_HANDLER(kDictionary, SeeAll<ffi::Dictionary>, ffi::Ffi::Bind().Attrs());
XLA_FFI_DEFINE_HANDLER(kStruct, SeeAll<Options>, ffi::Ffi::Bind().Attrs<Options>());
XLA_FFI_DEFINE_HANDLER(kAskContext, AskContext, ffi::Ffi::Bind().Ctx());
XLA_FFI_DEFINE_HANDLER(kUseContexts, UseContexts,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::ScratchAllocator>()
                           .Ctx<ffi::ThreadPool>()
                           .Ctx<ffi::UserData<FuzzedState>>()
                           .Arg<F32>());
XLA_FFI_DEFINE_HANDLER(kInstantiate, MakeState, ffi::Ffi::BindInstantiate().Attr<int32_t>("mode"));
XLA_FFI_DEFINE_HANDLER(kPrepare, MakeState, ffi::Ffi::BindPrepare().Attr<int32_t>("mode"));
XLA_FFI_DEFINE_HANDLER(
    kInitialize, UseStates,
    ffi::Ffi::BindInitialize().Ctx<ffi::State<FuzzedState>>().Attr<int32_t>("mode"));
XLA_FFI_DEFINE_HANDLER(kLater, FinishLater, ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<F32>());
XLA_FFI_DEFINE_HANDLER(kNow, FinishNow, ffi::Ffi::Bind().Attr<int32_t>("mode"));
XLA_FFI_DEFINE_HANDLER(kFail, Fail, ffi::Ffi::Bind().Attr<int32_t>("mode"));

}  // namespace

namespace callbridge {

std::vector<FuzzedHandler> BoundHandlers() {
  constexpr auto kF32 = XLA_FFI_DataType_F32;
  constexpr auto kS32 = XLA_FFI_DataType_S32;
  constexpr auto kS64 = XLA_FFI_DataType_S64;
  constexpr auto kToken = XLA_FFI_DataType_TOKEN;
  constexpr auto kExecute = XLA_FFI_ExecutionStage_EXECUTE;
  const auto scalar = [](const char* name, XLA_FFI_DataType dtype) {
    return WantedAttr{name, XLA_FFI_AttrType_SCALAR, dtype};
  };
  const auto dictionary = [](const char* name, std::vector<WantedAttr> elements) {
    return WantedAttr{name, XLA_FFI_AttrType_DICTIONARY, XLA_FFI_DataType_INVALID,
                      std::move(elements)};
  };
  const WantedAttr range = dictionary("range", {scalar("high", kS64), scalar("low", kS64)});
  const std::vector<WantedAttr> options = {scalar("either", kS32), range};
  const std::vector<WantedAttr> mode = {scalar("mode", kS32)};
  const std::vector<WantedAttr> scalars = {scalar("zeta", kS32),
                                           scalar("alpha", XLA_FFI_DataType_PRED),
                                           scalar("beta", XLA_FFI_DataType_F64),
                                           scalar("gamma", XLA_FFI_DataType_C64),
                                           scalar("mode", kS32),
                                           scalar("pointer", kS64),
                                           {"text", XLA_FFI_AttrType_STRING}};
  const std::vector<WantedAttr> structured = {{"dims", XLA_FFI_AttrType_ARRAY, kS64},
                                              range,
                                              dictionary("options", options),
                                              {"either", XLA_FFI_AttrType_STRING},
                                              dictionary("dictionary", scalars)};
  return {
      {kBuffers,
       {kExecute, {{kF32, 1}, {kF32, 3}, {kS32, 2}, {kToken, 0}}, {{kF32, 1}, {kS32, 0}}}},
      {kOptional,
       {kExecute, {{kF32, 1}, {kF32, 2}, {kS32, 2}, {kF32, 0}, {kS32, 2}}, {{kF32, 1}, {kS32, 2}}}},
      {kNothing, {}},
      {kScalars, {kExecute, {}, {}, scalars}},
      {kStructured, {kExecute, {}, {}, structured}},
      {kDictionary, {kExecute, {}, {}, scalars}},
      {kDictionary, {kExecute, {}, {}, structured}},
      {kStruct, {kExecute, {}, {}, options}},
      {kAskContext, {}},
      {kUseContexts, {kExecute, {{kF32, 1}}}},
      {kInstantiate, {XLA_FFI_ExecutionStage_INSTANTIATE, {}, {}, mode}},
      {kPrepare, {XLA_FFI_ExecutionStage_PREPARE, {}, {}, mode}},
      {kInitialize, {XLA_FFI_ExecutionStage_INITIALIZE, {}, {}, mode}},
      {kLater, {kExecute, {{kF32, 1}}}},
      {kNow, {kExecute, {}, {}, mode}},
      {kFail, {kExecute, {}, {}, mode}},
  };
}

}  // namespace callbridge
