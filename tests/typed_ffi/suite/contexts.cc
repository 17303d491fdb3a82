// What the runtime provides: stream, scratch memory, user data, run id, device, extensions,
// options.
#include <cstdint>
#include <string>

#include "suite.h"

struct Weight {
  static ffi::TypeId id;
  double value;
};
ffi::TypeId Weight::id = {};
extern "C" ffi::TypeId* weight_type_id() { return &Weight::id; }

#if SUITE_HEADERS >= 1102
// An extension that the host test provides: XLA_FFI_Extension, then a number.
struct ServiceNumber {
  XLA_FFI_Extension base;
  int64_t number;
};
struct NumberExtension {
  using CExtension = ServiceNumber;
  using Type = int64_t;
  static constexpr auto kName = "ServiceNumber";
  static constexpr int64_t kExtensionType = 777;
  static constexpr int32_t kMajorVersion = 1;
  static constexpr int32_t kMinorVersion = 2;
  static Type Create(const XLA_FFI_Api*, const CExtension* extension) { return extension->number; }
};
struct SupportedExtension : NumberExtension {
  static constexpr int32_t kMinorVersion = 0;
  static bool Support(int32_t major, int32_t) { return major == 1; }
};
#endif

namespace {

ffi::Error Stream(ffi::Result<S64> out, void* stream) {
  Write(*out, {static_cast<double>(reinterpret_cast<uintptr_t>(stream))});
  return Ok();
}

ffi::Error Scratch(F32 a, ffi::Result<F32> copy, ffi::ScratchAllocator allocator) {
  const size_t size = Count(a) * sizeof(float);
  auto plain = allocator.Allocate(size);
  auto aligned = allocator.Allocate(size, 64);
  if (!plain.has_value() || !aligned.has_value()) {
    return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no scratch memory");
  }
  if (reinterpret_cast<uintptr_t>(*aligned) % 64 != 0 || *plain == *aligned) {
    return ffi::Error(ffi::ErrorCode::kInternal, "scratch memory is not aligned");
  }
  std::memcpy(*plain, Data(a), size);
  std::memcpy(*aligned, *plain, size);
  std::memcpy(Data(*copy), *aligned, size);
  return Ok();
}

ffi::Error UseWeight(ffi::Result<F64> out, Weight* weight) {
  Write(*out, {weight->value});
  return Ok();
}

#if SUITE_HEADERS >= 602
ffi::Error GetRunId(ffi::Result<S64> out, ffi::RunId run_id) {
  Write(*out, {run_id.run_id != 0 ? 1.0 : 0.0});
  return Ok();
}

ffi::Error GetOrdinal(ffi::Result<S64> out, int32_t ordinal) {
  Write(*out, {static_cast<double>(ordinal)});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 803
ffi::Error LazyOrdinal(ffi::Result<S64> out, ffi::Context context) {
  auto ordinal = context.get<ffi::DeviceOrdinal>();
  if (!ordinal.has_value()) return ordinal.error();
  Write(*out, {static_cast<double>(*ordinal)});
  return Ok();
}

// A CPU has no stream: asking for it late is an error that the handler may survive.
ffi::Error LazyStream(ffi::Result<S64> out, ffi::Context context) {
  auto stream = context.get<ffi::PlatformStream<void*>>();
  Write(*out, {stream.has_value() ? 1.0 : 0.0});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 1102
ffi::Error UseExtension(ffi::Result<S64> out, int64_t number) {
  Write(*out, {static_cast<double>(number)});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 1200
ffi::Error Options(ffi::Result<S64> out, ffi::Dictionary options) {
  auto depth = options.get<int32_t>("depth");
  Write(*out, {static_cast<double>(options.size()), depth.has_value() ? *depth : -1.0});
  return Ok();
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(stream, Stream,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::PlatformStream<void*>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(scratch, Scratch,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ScratchAllocator>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(user_data, UseWeight,
                              ffi::Ffi::Bind().Ret<F64>().Ctx<ffi::UserData<Weight>>());
#if SUITE_HEADERS >= 602
XLA_FFI_DEFINE_HANDLER_SYMBOL(run_id, GetRunId, ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::RunId>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(device_ordinal, GetOrdinal,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::DeviceOrdinal>());
#endif
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(lazy_ordinal, LazyOrdinal, ffi::Ffi::Bind().Ret<S64>().Ctx());
XLA_FFI_DEFINE_HANDLER_SYMBOL(lazy_stream, LazyStream, ffi::Ffi::Bind().Ret<S64>().Ctx());
#endif
#if SUITE_HEADERS >= 1102
XLA_FFI_DEFINE_HANDLER_SYMBOL(extension, UseExtension,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::Extension<NumberExtension>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    extension_supported, UseExtension,
    ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::Extension<SupportedExtension>>());
#endif
#if SUITE_HEADERS >= 1200
XLA_FFI_DEFINE_HANDLER_SYMBOL(custom_options, Options,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::CustomOptions>());
#endif
