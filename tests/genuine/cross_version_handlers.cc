// Handlers for XLA's own headers, of any version: one shared library is made of this file for each
// (-DHEADERS=430 for jaxlib 0.4.30, 1200 for 0.12.0), with what that version has.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::DataType::F32>;

// ---- Data, which 0.4.30 has in a public member

template <typename Buffer>
float* Data(Buffer& buffer) {
#if HEADERS >= 431
  return static_cast<float*>(buffer.untyped_data());
#else
  return static_cast<float*>(buffer.data);
#endif
}

template <typename Buffer>
int64_t Count(const Buffer& buffer) {
#if HEADERS >= 431
  const auto dimensions = buffer.dimensions();
#else
  const auto dimensions = buffer.dimensions;
#endif
  int64_t count = 1;
  for (int64_t dimension : dimensions) count *= dimension;
  return count;
}

template <typename Buffer>
void Fill(Buffer& buffer, float value) {
  std::fill_n(Data(buffer), Count(buffer), value);
}

// ---- What all versions have

ffi::Error Add(F32 a, F32 b, ffi::Result<F32> sum) {
  for (int64_t i = 0; i < Count(a); ++i) Data(*sum)[i] = Data(a)[i] + Data(b)[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(add, Add, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());

ffi::Error Any(ffi::AnyBuffer a, ffi::Result<ffi::AnyBuffer> copy) {
  std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(any_buffer, Any,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// The sum of all arguments.
ffi::Error Variadic(ffi::RemainingArgs operands, ffi::Result<F32> sum) {
  Fill(*sum, 0);
  for (size_t i = 0; i < operands.size(); ++i) {
    auto operand = operands.get<F32>(i);
    if (!operand.has_value()) return ffi::Error(ffi::ErrorCode::kInvalidArgument, "no F32");
    for (int64_t k = 0; k < Count(*sum); ++k) Data(*sum)[k] += Data(*operand)[k];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(variadic, Variadic, ffi::Ffi::Bind().RemainingArgs().Ret<F32>());

ffi::Error Scale(F32 a, ffi::Result<F32> scaled, float factor, std::string_view text,
                 ffi::Span<const int32_t> shifts) {
  const float shift = static_cast<float>(std::accumulate(shifts.begin(), shifts.end(), 0)) +
                      static_cast<float>(text.size());
  for (int64_t i = 0; i < Count(a); ++i) Data(*scaled)[i] = Data(a)[i] * factor + shift;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(attribute, Scale,
                              ffi::Ffi::Bind()
                                  .Arg<F32>()
                                  .Ret<F32>()
                                  .Attr<float>("factor")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int32_t>>("shifts"));

// Fills with x + y of the attributes.
ffi::Error Sum(ffi::Result<F32> sum, ffi::Dictionary attributes) {
  auto x = attributes.get<float>("x");
  auto y = attributes.get<int32_t>("y");
  if (!x.has_value() || !y.has_value()) {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, "x or y is missing");
  }
  Fill(*sum, *x + static_cast<float>(*y));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(dictionary, Sum, ffi::Ffi::Bind().Ret<F32>().Attrs());

ffi::Error Fail(F32, ffi::Result<F32>) {
  return ffi::Error(ffi::ErrorCode::kFailedPrecondition, "told to fail");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(error, Fail, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

ffi::Error NoArgument(ffi::Result<F32> result) {
  Fill(*result, 42);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(no_argument, NoArgument, ffi::Ffi::Bind().Ret<F32>());

// Throws: natively the end of the process.
ffi::Error Throw(F32, ffi::Result<F32>) { throw std::runtime_error("thrown"); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(throwing, Throw, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());

ffi::Error Scratch(F32 a, ffi::Result<F32> copy, ffi::ScratchAllocator allocator) {
  const size_t size = Count(a) * sizeof(float);
  auto scratch = allocator.Allocate(size);
  if (!scratch.has_value()) return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no scratch");
  std::memcpy(*scratch, Data(a), size);
  std::memcpy(Data(*copy), *scratch, size);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(scratch, Scratch,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ScratchAllocator>());

struct Weight {
  static ffi::TypeId id;
  float value = 7;
};
ffi::TypeId Weight::id = {};
extern "C" ffi::TypeId* weight_id() { return &Weight::id; }

ffi::Error UseData(ffi::Result<F32> result, Weight* weight) {
  Fill(*result, weight->value);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(user_data, UseData,
                              ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::UserData<Weight>>());

// ---- State, from 0.4.31 on

#if HEADERS >= 431
std::atomic<int> live_states{0};
extern "C" int count_live_states() { return live_states; }

struct Counter {
  static ffi::TypeId id;
#if HEADERS >= 803
  static ffi::TypeInfo info;
#endif
  explicit Counter(int32_t start) : count(start) {
    ++live_states;
    newest = this;
  }
  ~Counter() { --live_states; }
  std::atomic<int32_t> count;
  static inline Counter* newest = nullptr;
};
// All headers let go of a state that the runtime refuses.
extern "C" void delete_newest_state() { delete Counter::newest; }
ffi::TypeId Counter::id = {};
extern "C" ffi::TypeId* counter_id() { return &Counter::id; }
#if HEADERS >= 803
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
extern "C" ffi::TypeInfo* counter_info() { return &Counter::info; }
#endif

ffi::ErrorOr<std::unique_ptr<Counter>> Start(int32_t start) {
  return std::make_unique<Counter>(start);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    state_instantiate, Start,
    ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("start"));

ffi::Error Next(ffi::Result<F32> result, int32_t, Counter* counter) {
  Fill(*result, static_cast<float>(counter->count++));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    state_execute, Next,
    ffi::Ffi::Bind().Ret<F32>().Attr<int32_t>("start").Ctx<ffi::State<Counter>>());
#endif

// ---- Futures and threads, from 0.4.34 on

#if HEADERS >= 434
// `mode`: 0 finishes at once, 1 fails at once, 2 finishes later, 3 fails later.
ffi::Future Later(F32 a, ffi::Result<F32> copy, int32_t mode) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  auto finish = [=]() mutable {
    if (mode % 2 == 1) {
      promise->SetError(ffi::Error(ffi::ErrorCode::kAborted, "told to fail later"));
      return;
    }
    std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
    promise->SetAvailable();
  };
  if (mode < 2) {
    finish();
  } else {
    std::thread([finish]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      finish();
    }).detach();
  }
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(future, Later,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("mode"));

// The C ABI itself: a future, completed already, beside an error.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* error_and_future(
    XLA_FFI_CallFrame* frame) {
  static const auto* handler = ffi::Ffi::Bind().Arg<F32>().Ret<F32>().To(Fail).release();
  XLA_FFI_Error* failed = handler->Call(frame);
  const bool is_call = frame->struct_size >= XLA_FFI_CallFrame_STRUCT_SIZE &&
                       frame->extension_start == nullptr && failed != nullptr;
  if (!is_call) return failed;
  XLA_FFI_Future_Create_Args create = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
  if (XLA_FFI_Error* refused = frame->api->XLA_FFI_Future_Create(&create)) return refused;
  frame->future = create.future;
  XLA_FFI_Future_SetAvailable_Args done = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE, nullptr,
                                           create.future};
  if (XLA_FFI_Error* refused = frame->api->XLA_FFI_Future_SetAvailable(&done)) return refused;
  return failed;
}

// Copies on the runtime's threads, by a task that schedules the next.
ffi::Future OnThreads(F32 a, ffi::Result<F32> copy, ffi::ThreadPool pool) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  pool.Schedule([=]() mutable {
    std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
    promise->SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(thread_pool, OnThreads,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());

// The same, but the task that finishes is scheduled by another, long after the handler returned.
ffi::Future OnThreadsLater(F32 a, ffi::Result<F32> copy, ffi::ThreadPool pool) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  std::thread([=]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool.Schedule([=]() mutable {
      std::memcpy(Data(*copy), Data(a), Count(a) * sizeof(float));
      promise->SetAvailable();
    });
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(thread_pool_later, OnThreadsLater,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());
#endif

#if HEADERS >= 438
ffi::Error NumThreads(ffi::Result<F32> result, ffi::ThreadPool pool) {
  Fill(*result, static_cast<float>(pool.num_threads()));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(num_threads, NumThreads,
                              ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::ThreadPool>());
#endif

// ---- Which run and which device, from 0.6 on

#if HEADERS >= 600
ffi::Error GetRunId(ffi::Result<F32> result, ffi::RunId run_id) {
  Fill(*result, run_id.run_id != 0 ? 1 : 0);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(run_id, GetRunId, ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::RunId>());

ffi::Error Ordinal(ffi::Result<F32> result, int32_t ordinal) {
  Fill(*result, static_cast<float>(ordinal));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(device_ordinal, Ordinal,
                              ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::DeviceOrdinal>());
#endif
