// Handlers built with XLA's genuine headers, once with those of each release; HEADERS is the
// release as a number: 430 for 0.4.30, 1200 for 0.12.0. Each uses one thing that a host serves.
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

using F32 = ffi::Buffer<ffi::DataType::F32>;
using S32 = ffi::Buffer<ffi::DataType::S32>;
using S64 = ffi::Buffer<ffi::DataType::S64>;

#if HEADERS < 431
template <typename Buffer>
auto* Data(Buffer& buffer) {
  return buffer.data;
}
template <typename Buffer>
size_t Size(Buffer& buffer) {
  size_t size = 1;
  for (int64_t dimension : buffer.dimensions) size *= dimension;
  return size;
}
#else
template <typename Buffer>
auto* Data(Buffer& buffer) {
  return buffer.typed_data();
}
template <typename Buffer>
size_t Size(Buffer& buffer) {
  return buffer.element_count();
}
#endif

ffi::Error Wrong(const std::string& what) {
  return ffi::Error(ffi::ErrorCode::kInternal, "wrong: " + what);
}

// ---- Arguments, attributes, errors

ffi::Error AddImpl(F32 x, F32 y, ffi::Result<F32> sum, float scale) {
  if (Size(x) != Size(y)) return ffi::Error(ffi::ErrorCode::kInvalidArgument, "sizes differ");
  for (size_t i = 0; i < Size(x); ++i) Data(*sum)[i] = scale * (Data(x)[i] + Data(y)[i]);
  return ffi::Error::Success();
}

ffi::Error AttributesImpl(bool b, int8_t i8, int32_t i32, int64_t i64, uint8_t u8, uint64_t u64,
                          float f32, double f64, std::complex<float> c64, std::string_view text,
                          ffi::Span<const int64_t> array, ffi::Span<const float> empty,
                          ffi::Dictionary dictionary) {
  if (!b || i8 != -8 || i32 != -32 || i64 != -(int64_t{1} << 40)) return Wrong("signed");
  if (u8 != 200 || u64 != uint64_t{1} << 63) return Wrong("unsigned");
  if (f32 != 0.5f || f64 != 0.25 || c64 != std::complex<float>(1, -1)) return Wrong("floating");
  if (text != std::string_view("a\0b", 3)) return Wrong("text");
  if (array.size() != 3 || array.begin()[2] != 30) return Wrong("array");
  if (empty.size() != 0) return Wrong("empty array");
  auto n = dictionary.get<int32_t>("n");
  auto inner = dictionary.get<ffi::Dictionary>("inner");
  if (!n.has_value() || *n != 7 || !inner.has_value()) return Wrong("dictionary");
  auto x = inner->get<float>("x");
  if (!x.has_value() || *x != 1.5f) return Wrong("nested dictionary");
  return ffi::Error::Success();
}

ffi::Error FailImpl() { return ffi::Error(ffi::ErrorCode::kInvalidArgument, "as asked"); }

ffi::Error ThrowImpl() { throw std::runtime_error("thrown"); }

// ---- What the context provides

ffi::Error StreamImpl(ffi::Result<S64> out, void* stream) {
  *Data(*out) = reinterpret_cast<int64_t>(stream);
  return ffi::Error::Success();
}

ffi::Error ScratchImpl(ffi::ScratchAllocator scratch) {
  for (size_t alignment : {1, 8, 64, 4096}) {
    auto memory = scratch.Allocate(1000, alignment);
    if (!memory.has_value()) return Wrong("no memory");
    if (reinterpret_cast<uintptr_t>(*memory) % alignment != 0) return Wrong("alignment");
    std::memset(*memory, 1, 1000);
  }
  return ffi::Error::Success();
}

struct Counted {
  static XLA_FFI_TypeId id;
  static int alive;

  explicit Counted(int32_t value) : value(value) { ++alive; }
  ~Counted() { --alive; }

  int32_t value;
};
XLA_FFI_TypeId Counted::id = {};
int Counted::alive = 0;

ffi::Error UserImpl(ffi::Result<S32> out, Counted* user) {
  *Data(*out) = user->value;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Add, AddImpl, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>().Attr<float>("scale"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, AttributesImpl,
                              ffi::Ffi::Bind()
                                  .Attr<bool>("b")
                                  .Attr<int8_t>("i8")
                                  .Attr<int32_t>("i32")
                                  .Attr<int64_t>("i64")
                                  .Attr<uint8_t>("u8")
                                  .Attr<uint64_t>("u64")
                                  .Attr<float>("f32")
                                  .Attr<double>("f64")
                                  .Attr<std::complex<float>>("c64")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("array")
                                  .Attr<ffi::Span<const float>>("empty")
                                  .Attr<ffi::Dictionary>("dictionary"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Fail, FailImpl, ffi::Ffi::Bind());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Throw, ThrowImpl, ffi::Ffi::Bind());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Stream, StreamImpl,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::PlatformStream<void*>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scratch, ScratchImpl, ffi::Ffi::Bind().Ctx<ffi::ScratchAllocator>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(User, UserImpl,
                              ffi::Ffi::Bind().Ret<S32>().Ctx<ffi::UserData<Counted>>());

extern "C" __attribute__((visibility("default"))) int* Alive() { return &Counted::alive; }
extern "C" __attribute__((visibility("default"))) XLA_FFI_TypeId* CountedId() {
  return &Counted::id;
}
extern "C" __attribute__((visibility("default"))) void* NewCounted(int32_t value) {
  return new Counted(value);
}
extern "C" __attribute__((visibility("default"))) void DeleteCounted(void* counted) {
  delete static_cast<Counted*>(counted);
}

// Registers Counted under `name` by the API's own function.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* RegisterCounted(
    const XLA_FFI_Api* api, const char* name) {
#if HEADERS >= 803
  XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Counted>();
  return ffi::Ffi::RegisterTypeId(api, name, &Counted::id, info);
#else
  XLA_FFI_TypeId_Register_Args args = {};
  args.struct_size = XLA_FFI_TypeId_Register_Args_STRUCT_SIZE;
  args.name = {name, std::strlen(name)};
  args.type_id = &Counted::id;
  return api->XLA_FFI_TypeId_Register(&args);
#endif
}

// Registers Add on "Host" by the API's own function.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* RegisterAdd(const XLA_FFI_Api* api,
                                                                             const char* name) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = Add;
  return ffi::Ffi::RegisterStaticHandler(api, name, "Host", bundle, 0);
}

// ---- State

#if HEADERS >= 431
namespace {

ffi::ErrorOr<std::unique_ptr<Counted>> InstantiateImpl(int32_t start) {
  if (start < 0) {
    return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kOutOfRange, "start is below 0"));
  }
  return std::make_unique<Counted>(start);
}
ffi::Error ExecuteImpl(ffi::Result<S32> out, Counted* state, int32_t) {
  *Data(*out) = state->value++;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(Instantiate, InstantiateImpl,
                              ffi::Ffi::BindInstantiate().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Execute, ExecuteImpl,
    ffi::Ffi::Bind().Ret<S32>().Ctx<ffi::State<Counted>>().Attr<int32_t>("start"));
#endif

#if HEADERS >= 1002
namespace {

ffi::ErrorOr<std::unique_ptr<Counted>> PrepareImpl(Counted* state, int32_t) {
  return std::make_unique<Counted>(state->value + 10);
}
ffi::ErrorOr<std::unique_ptr<Counted>> InitializeImpl(Counted* prepared, int32_t) {
  return std::make_unique<Counted>(prepared->value + 100);
}
ffi::Error StagedImpl(ffi::Result<S32> out, Counted* state, Counted* prepared, Counted* initialized,
                      int32_t) {
  if (Counted::alive != 3) return Wrong("number of states");
  *Data(*out) = state->value++ + 1000 * prepared->value + 1000000 * initialized->value;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Prepare, PrepareImpl,
    ffi::Ffi::BindPrepare().Ctx<ffi::State<Counted>>().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Initialize, InitializeImpl,
    ffi::Ffi::BindInitialize().Ctx<ffi::Prepared<Counted>>().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Staged, StagedImpl,
                              ffi::Ffi::Bind()
                                  .Ret<S32>()
                                  .Ctx<ffi::State<Counted>>()
                                  .Ctx<ffi::Prepared<Counted>>()
                                  .Ctx<ffi::Initialized<Counted>>()
                                  .Attr<int32_t>("start"));
#endif

// ---- Threads and futures

#if HEADERS >= 434
namespace {

ffi::Future AsyncImpl(ffi::ThreadPool threads, ffi::Result<S32> out, std::string_view how) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  int32_t* data = Data(*out);
  auto finish = [data, how, promise] {
    *data = 42;
    if (how == "never") return;
    if (how == "error") {
      promise->SetError(ffi::Error(ffi::ErrorCode::kDataLoss, "later"));
    } else {
      promise->SetAvailable();
    }
  };
  if (how == "before") {
    finish();
  } else {
    threads.Schedule(std::move(finish));
  }
  return future;
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Async, AsyncImpl,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Ret<S32>().Attr<std::string_view>("how"));

#if HEADERS == 1200
// The C ABI itself: a future beside an error.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* ErrorAndFuture(
    XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) {
    auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    query->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return nullptr;
  }
  const XLA_FFI_Api* api = frame->api;
  XLA_FFI_Future_Create_Args create = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
  if (XLA_FFI_Error* error = api->XLA_FFI_Future_Create(&create)) return error;
  frame->future = create.future;
  XLA_FFI_ThreadPool_Schedule_Args schedule = {};
  schedule.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
  schedule.ctx = frame->ctx;
  struct Later {
    const XLA_FFI_Api* api;
    XLA_FFI_Future* future;
  };
  schedule.data = new Later{api, create.future};
  schedule.task = [](void* data) {
    std::unique_ptr<Later> later(static_cast<Later*>(data));
    XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE, nullptr,
                                             later->future};
    later->api->XLA_FFI_Future_SetAvailable(&args);
  };
  if (XLA_FFI_Error* error = api->XLA_FFI_ThreadPool_Schedule(&schedule)) return error;
  XLA_FFI_Error_Create_Args both = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, "both",
                                    XLA_FFI_Error_Code_ABORTED};
  return api->XLA_FFI_Error_Create(&both);
}
#endif
#endif

#if HEADERS >= 438
namespace {

ffi::Error NumThreadsImpl(ffi::ThreadPool threads, ffi::Result<S64> out) {
  *Data(*out) = threads.num_threads();
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(NumThreads, NumThreadsImpl,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Ret<S64>());
#endif

// ---- Numbers, extensions, options

#if HEADERS >= 602
namespace {

ffi::Error NumbersImpl(ffi::Result<S64> out, ffi::RunId run_id, int32_t ordinal) {
  *Data(*out) = 1000 * run_id.run_id + ordinal;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Numbers, NumbersImpl, ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::RunId>().Ctx<ffi::DeviceOrdinal>());
#endif

#if HEADERS >= 1102
namespace {

struct Answer {
  XLA_FFI_Extension base;
  int32_t value;
};
struct AnswerExtension {
  using CExtension = Answer;
  using Type = int32_t;
  static constexpr auto kName = "Answer";
  static constexpr int64_t kExtensionType = 4242;
  static constexpr int32_t kMajorVersion = 1;
  static constexpr int32_t kMinorVersion = 2;
  static Type Create(const XLA_FFI_Api*, const Answer* answer) { return answer->value; }
};

ffi::Error ExtensionImpl(ffi::Result<S32> out, int32_t answer) {
  *Data(*out) = answer;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(Extension, ExtensionImpl,
                              ffi::Ffi::Bind().Ret<S32>().Ctx<ffi::Extension<AnswerExtension>>());
#endif

#if HEADERS >= 1200
namespace {

ffi::Error OptionsImpl(ffi::Result<S32> out, ffi::Dictionary options) {
  auto n = options.get<int32_t>("n");
  *Data(*out) = n.has_value() ? *n : -static_cast<int32_t>(options.size()) - 1;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(Options, OptionsImpl,
                              ffi::Ffi::Bind().Ret<S32>().Ctx<ffi::CustomOptions>());
#endif
