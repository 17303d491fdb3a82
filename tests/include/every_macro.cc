// A library that uses every macro of the header-only part: what users compile with flags of their
// own. test_flags.py compiles it with many of them, and fails if a macro is not here.
//
// As users write it: a semicolon after each macro, functions with and without exceptions.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "callbridge/export.h"
#include "callbridge/register.h"
#include "xla/ffi/api/collectives_api.h"
#include "xla/ffi/api/ffi.h"
#include "xla/ffi/api/record_api.h"
#include "xla/service/custom_call_status.h"

namespace ffi = xla::ffi;

// ---- CALLBRIDGE_EXPORT ----

namespace {

struct Plan {
  float factor;
};

std::unique_ptr<Plan> MakePlan(const char* opaque, size_t opaque_len) {
  if (opaque_len != sizeof(Plan)) return nullptr;
  auto plan = std::make_unique<Plan>();
  std::memcpy(plan.get(), opaque, sizeof(Plan));
  return plan;
}

void Add(void* out, const void** in) {
  const auto* x = static_cast<const float*>(in[0]);
  const auto* y = static_cast<const float*>(in[1]);
  for (int i = 0; i < 8; ++i) static_cast<float*>(out)[i] = x[i] + y[i];
}
void Check(void* /*out*/, const void** /*in*/, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "no", 2);
}
void Copy(void* out, const void** in, const char* opaque, size_t opaque_len,
          XlaCustomCallStatus* status) {
  if (opaque_len != 0 && opaque[0] == '!')
    XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
  std::memcpy(out, in[0], 4);
}
void Scale(const Plan& plan, void* out, const void** in) {
  *static_cast<float*>(out) = plan.factor * *static_cast<const float*>(in[0]);
}
void Quiet(void* /*out*/, const void** /*in*/) noexcept {}
void Launch(void* /*stream*/, void** /*buffers*/, const char* /*opaque*/, size_t /*opaque_len*/) {}

}  // namespace

CALLBRIDGE_EXPORT(ExportedAdd, Add);
CALLBRIDGE_EXPORT(ExportedCheck, Check);
CALLBRIDGE_EXPORT(ExportedQuiet, Quiet);
CALLBRIDGE_EXPORT(ExportedAddOfShapes, Add,
                  callbridge::ExportOptions().Shapes("f32[8], f32[8] -> f32[8]"));
CALLBRIDGE_EXPORT(ExportedAddOfTuples, Add,
                  callbridge::ExportOptions().Shapes("(f32[8],f32[?]) -> f32[8]").FlatTuples());
CALLBRIDGE_EXPORT(ExportedCopy, Copy, callbridge::ExportOptions().OpaqueAttribute("config"));
CALLBRIDGE_EXPORT(ExportedScale, Scale, callbridge::ExportOptions().State<&MakePlan>());
CALLBRIDGE_EXPORT(ExportedLaunch, Launch,
                  callbridge::ExportOptions().Gpu().CommandBufferCompatible());

// ---- XLA's macros of registration ----

XLA_REGISTER_CUSTOM_CALL_TARGET(Add, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("check", Check, "Host");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(Quiet);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("copy", Copy);

// ---- Typed handlers ----

enum class Mode : int32_t { kFirst, kSecond };
struct Range {
  int64_t first;
  int64_t last;
};
XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Mode);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, ffi::StructMember<int64_t>("first"),
                                      ffi::StructMember<int64_t>("last"));

struct Cache {
  static ffi::TypeId id;
  int64_t size = 0;
};
ffi::TypeId Cache::id = {};

namespace {

constexpr XLA_FFI_TypeInfo kCacheInfo = ffi::MakeTypeInfo<Cache>();

ffi::ErrorOr<std::unique_ptr<Cache>> MakeCache() { return std::make_unique<Cache>(); }

ffi::Error Everything(Cache* cache, ffi::AnyBuffer any, ffi::Buffer<ffi::F32> x,
                      ffi::BufferR1<ffi::C64> complex, ffi::Token /*token*/,
                      ffi::RemainingArgs rest, ffi::ResultBuffer<ffi::F32> y,
                      ffi::Result<ffi::AnyBuffer> z, ffi::RemainingRets more, bool flag,
                      int32_t number, double real, std::string_view text,
                      ffi::Span<const int64_t> numbers, Mode mode, Range range,
                      ffi::Dictionary dictionary, ffi::ScratchAllocator scratch,
                      ffi::ThreadPool pool, ffi::RunId run) {
  static_cast<void>(pool);
  if (x.element_count() != y->element_count()) {
    return ffi::Error::InvalidArgument("sizes differ: " + std::string(text));
  }
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = x.typed_data()[i];
  const auto first = rest.get<ffi::AnyBuffer>(0);
  const auto result = more.get<ffi::AnyBuffer>(0);
  const auto entry = dictionary.get<float>("entry");
  if (first.has_error() || result.has_error() || entry.has_error()) return first.error();
  const bool odd = flag && number > 0 && real > 0 && !numbers.empty() && mode == Mode::kFirst;
  if (odd && range.first < range.last && any.size_bytes() == z->size_bytes()) ++cache->size;
  if (!scratch.Allocate(64).has_value()) return ffi::Error(ffi::ErrorCode::kResourceExhausted, "");
  return complex.dimensions().empty() && run.run_id == 0 ? ffi::Error::Internal("odd")
                                                         : ffi::Error::Success();
}

ffi::Error Twice(ffi::Buffer<ffi::S32> x, ffi::ResultBuffer<ffi::S32> y) {
  *y->typed_data() = 2 * *x.typed_data();
  return ffi::Error::Success();
}

ffi::Future Later(ffi::ThreadPool pool, ffi::ResultBuffer<ffi::S32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  pool.Schedule([owned = std::move(promise), y]() mutable {
    *y->typed_data() = 1;
    owned.SetAvailable();
  });
  return future;
}

}  // namespace

XLA_FFI_DECLARE_HANDLER_SYMBOL(MakeCacheHandler);
XLA_FFI_DEFINE_HANDLER_SYMBOL(MakeCacheHandler, MakeCache, ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(EverythingHandler, Everything,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Cache>>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Arg<ffi::BufferR1<ffi::C64>>()
                                  .Arg<ffi::Token>()
                                  .RemainingArgs()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::AnyBuffer>()
                                  .RemainingRets()
                                  .Attr<bool>("flag")
                                  .Attr<int32_t>("number")
                                  .Attr<double>("real")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("numbers")
                                  .Attr<Mode>("mode")
                                  .Attr<Range>("range")
                                  .Attr<ffi::Dictionary>("dictionary")
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::ThreadPool>()
                                  .Ctx<ffi::RunId>(),
                              {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_DEFINE_HANDLER(kTwice, Twice);
XLA_FFI_DEFINE_HANDLER_AUTO(kTwiceInferred, Twice);
XLA_FFI_DEFINE_HANDLER_EXPLICIT(
    kTwiceBound, Twice, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER_EXPLICIT_WITH_TRAITS(
    kTwiceRecorded, Twice,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::S32>>(),
    {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_DEFINE_HANDLER(kLater, Later,
                       ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Ret<ffi::Buffer<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER(kLambda, [](ffi::Buffer<ffi::S32> x, ffi::ResultBuffer<ffi::S32> y) {
  *y->typed_data() = -*x.typed_data();
  return ffi::Error::Success();
});
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    LambdaHandler,
    [](ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
      std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

XLA_FFI_DECLARE_TYPE_ID_SYMBOL(CacheTypeId);
XLA_FFI_DECLARE_TYPE_ID_SYMBOL(CacheTypeId) { return &Cache::id; }
XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(CacheTypeInfo);
XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(CacheTypeInfo) { return &kCacheInfo; }

XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "twice", "Host", kTwice);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "later", "Host", kLater);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "lambda", "Host", kLambda);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "everything", "Host",
                         {MakeCacheHandler, nullptr, nullptr, EverythingHandler, nullptr});
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "twice_inferred", "Host", kTwiceInferred);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "twice_bound", "Host", kTwiceBound);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "twice_recorded", "CUDA", kTwiceRecorded,
                         XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "Cache", &Cache::id, &kCacheInfo);

CALLBRIDGE_EXPORT_UNTYPED(UntypedTwice, LambdaHandler,
                          callbridge::ExportOptions().Shapes("s32[1] -> s32[1]"));
