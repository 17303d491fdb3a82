// HandlerCall: calls a typed FFI handler without XLA, to unit-test it. Emulates the XLA of the
// release that you choose.
//
//   std::vector<float> x = {1, 2, 3}, y(3);
//   callbridge::HandlerCall call(AddHandler);
//   call.Arg(x).Ret(y).Attr("n", 3);
//   const callbridge::HandlerResult result = call.Run();
//   EXPECT_TRUE(result.ok()) << result;
//
// The handler may be built with XLA's own headers or with callbridge's. This header needs neither,
// and may be included before or after them. Link to libcallbridge.so.
//
// By default a call provides what XLA:CPU provides: a thread pool, a run id of its own, device
// ordinal 0. OnCudaDevice() calls a GPU handler on a device.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_HANDLER_CALL_H_
#define CALLBRIDGE_C_API_HANDLER_CALL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/handler_values.h"

namespace callbridge {

// One call site of one handler. Describe the call first. The first Run() instantiates the handler,
// and all runs share the state that INSTANTIATE makes. Throws HandlerCallError if the description
// is invalid, and from every member if this object was moved from. Not thread-safe.
class HandlerCall {
 public:
  // `execute` is the handler of the EXECUTE stage.
  template <typename Error, typename Frame>
  explicit HandlerCall(Error* (*execute)(Frame*)) {
    state().handlers.execute = reinterpret_cast<callbridge_ffi_handler*>(execute);
  }
  // Returns a call of the handler that was registered through callbridge_xla_ffi_api() under
  // `name`.
  static HandlerCall Registered(const std::string& name, const std::string& platform = "Host") {
    HandlerCall call;
    handler_call::Check(callbridge_ffi_find_handlers(handler_call::Text("a name", name),
                                                     handler_call::Text("a platform", platform),
                                                     &call.state().handlers));
    return call;
  }

  // ---- The handler's other stages

  // Adds the handler of another stage. Run() says when it calls each.
  template <typename Error, typename Frame>
  HandlerCall& Instantiate(Error* (*handler)(Frame*)) {
    return Set(state().handlers.instantiate, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }
  template <typename Error, typename Frame>
  HandlerCall& Prepare(Error* (*handler)(Frame*)) {
    return Set(state().handlers.prepare, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }
  template <typename Error, typename Frame>
  HandlerCall& Initialize(Error* (*handler)(Frame*)) {
    return Set(state().handlers.initialize, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }

  // ---- The call site

  // Emulates the XLA of a jaxlib release, "0.4.30" to "0.12"; by default the newest. A handler runs
  // on the releases that its headers support.
  HandlerCall& OnJaxlib(std::string release) {
    handler_call::Text("a release", release);
    return Set(state().release, std::move(release));
  }

  // Adds an argument: an array of the elements' type, of `dimensions` or of one dimension. Borrows
  // a variable, whose elements each run reads anew; keeps a copy of a temporary.
  template <typename T>
  HandlerCall& Arg(const std::vector<T>& data) {
    return Arg(data, {static_cast<int64_t>(data.size())});
  }
  template <typename T>
  HandlerCall& Arg(const std::vector<T>& data, const std::vector<int64_t>& dimensions) {
    CheckSize(data.size(), dimensions);
    return Arg(ShapeText<T>(dimensions), data.data());
  }
  template <typename T>
  HandlerCall& Arg(std::vector<T>&& data) {
    return Arg(Keep(std::move(data)));
  }
  template <typename T>
  HandlerCall& Arg(std::vector<T>&& data, const std::vector<int64_t>& dimensions) {
    return Arg(Keep(std::move(data)), dimensions);
  }
  template <typename T>
  HandlerCall& Arg(const std::vector<T>&& data) {
    return Arg(std::vector<T>(data));
  }
  template <typename T>
  HandlerCall& Arg(const std::vector<T>&& data, const std::vector<int64_t>& dimensions) {
    return Arg(std::vector<T>(data), dimensions);
  }
  // Adds a scalar argument. Borrows or copies it, as above.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Arg(const T& scalar) {
    return Arg(ShapeText<T>({}), &scalar);
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Arg(const T&& scalar) {
    return Arg(Keep(T(scalar)));
  }
  // Adds an argument of any type, whose shape is written as XLA writes it: "bf16[2,3]", "pred[]",
  // "token[]". Borrows `data`.
  HandlerCall& Arg(const std::string& shape, const void* data) {
    handler_call::Text("a shape", shape);
    state().arguments.push_back({shape, const_cast<void*>(data)});
    return Reset();
  }

  // Adds a result, which the handler writes. Borrows it.
  template <typename T>
  HandlerCall& Ret(std::vector<T>& data) {
    return Ret(data, {static_cast<int64_t>(data.size())});
  }
  template <typename T>
  HandlerCall& Ret(std::vector<T>& data, const std::vector<int64_t>& dimensions) {
    CheckSize(data.size(), dimensions);
    return Ret(ShapeText<T>(dimensions), data.data());
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Ret(T& scalar) {
    return Ret(ShapeText<T>({}), &scalar);
  }
  // Adds a result of any type, as Arg(shape, data) does. Borrows `data`.
  HandlerCall& Ret(const std::string& shape, void* data) {
    handler_call::Text("a shape", shape);
    state().results.push_back({shape, data});
    return Reset();
  }

  // Sets an attribute. Same as HandlerAttributes::Set().
  template <typename T>
  HandlerCall& Attr(const std::string& name, const T& value) {
    state().attributes.Set(name, value);
    return Reset();
  }

  // ---- What the runtime provides, from the next run on

  // Provides the stream of a GPU handler.
  HandlerCall& Stream(void* stream) { return Provide(state().stream, stream); }
  // Provides the device ordinal, which is 0 without this.
  HandlerCall& DeviceOrdinal(int32_t ordinal) { return Provide(state().device_ordinal, ordinal); }
  // Gives all runs this id, instead of a new one each.
  HandlerCall& RunId(int64_t run_id) { return Provide(state().run_id, run_id); }
  // Borrows a thread pool or scratch memory. A run reads the object when it starts; what the object
  // points to must live until the run is over.
  HandlerCall& ThreadPool(const callbridge_ffi_thread_pool& pool) {
    return Provide(state().threads, &pool);
  }
  HandlerCall& ThreadPool(const callbridge_ffi_thread_pool&&) =
      delete;  // would be destroyed by then
  HandlerCall& Scratch(const callbridge_ffi_scratch& scratch) {
    return Provide(state().scratch, &scratch);
  }
  HandlerCall& Scratch(const callbridge_ffi_scratch&&) = delete;  // would be destroyed by then
  // Provides host memory as scratch memory.
  HandlerCall& Scratch() { return Scratch(*callbridge_ffi_host_memory()); }
  // Adds user data: an object whose type was registered (RegisterHandlerType).
  template <typename TypeId>
  HandlerCall& UserData(const TypeId& id, void* data) {
    state().user_data_types.push_back(id.type_id);
    state().user_data.push_back(data);
    return *this;
  }
  // Sets a custom option. Same as HandlerAttributes::Set().
  template <typename T>
  HandlerCall& Option(const std::string& name, const T& value) {
    state().options.Set(name, value);
    return *this;
  }
  // Provides a chain of XLA_FFI_Extension, by its first.
  HandlerCall& Extensions(const void* first) { return Provide(state().extensions, first); }
  // Provides nothing but what is set after this.
  HandlerCall& ProvideNothing() {
    State& services = state();
    services.stream.reset();
    services.device_ordinal.reset();
    services.run_id.reset();
    services.has_run_id = false;
    services.threads = nullptr;
    services.scratch = nullptr;
    services.user_data_types.clear();
    services.user_data.clear();
    services.options = HandlerAttributes();
    services.extensions = nullptr;
    return *this;
  }

  // Calls a GPU handler on the CUDA device `ordinal`: each run copies the arguments to the device
  // and the results back, and provides what XLA:GPU does: a stream, the device ordinal, a run id,
  // and the device's memory as scratch memory. An asynchronous error comes with the run that caused
  // it. Timeout() means nothing then. Run() returns UNAVAILABLE if there is no such device.
  HandlerCall& OnCudaDevice(int32_t ordinal) {
    Set(state().cuda_device, std::optional<int32_t>(ordinal));
    state().device.reset();
    state().device_ordinal = ordinal;
    state().threads = nullptr;
    return *this;
  }

  // Sets how long a run waits for a handler that returned a future; by default 60 seconds. Less
  // than 0 waits forever, and so does more than 292 years. Rounds up to milliseconds.
  template <typename Number, typename Unit>
  HandlerCall& Timeout(std::chrono::duration<Number, Unit> timeout) {
    using std::chrono::milliseconds;
    using Rough = std::chrono::duration<double, std::milli>;  // holds all that milliseconds cannot
    const Rough rough(timeout);
    const bool is_forever = rough < Rough(0) || rough >= Rough(milliseconds::max());
    return Provide(state().timeout,
                   is_forever ? milliseconds(-1) : std::chrono::ceil<milliseconds>(timeout));
  }

  // ---- Calling

  // Calls INSTANTIATE in the first run; then PREPARE, INITIALIZE and EXECUTE; then waits for a
  // future. Returns what the handler returned; INVALID_ARGUMENT if the chosen release cannot run
  // it; DEADLINE_EXCEEDED if it does not complete its future in time. Then it may still use the
  // buffers, and this object must live on if it keeps some.
  HandlerResult Run() {
    const int64_t run_id =
        state().run_id.has_value() ? *state().run_id : callbridge_ffi_new_run_id();
    const callbridge_runtime_services services = Services(run_id);
    callbridge_execution_context context = {};
    context.struct_size = sizeof(context);
    context.services = &services;
    if (state().cuda_device.has_value()) {
      HandlerResult opened = state().device.Open(*state().cuda_device);
      if (!opened.ok()) return opened;
      context.device = state().device.get();
      context.synchronizes = 1;
    }
    if (state().call == nullptr) {
      HandlerResult instantiated = InstantiateCall(context);
      if (!instantiated.ok()) return instantiated;
    }
    if (context.device != nullptr) return RunOnDevice(context);
    std::vector<void*> arguments = Pointers(state().arguments);
    std::vector<void*> results = Pointers(state().results);
    callbridge_run* run = nullptr;
    HandlerResult started(callbridge_call_start(state().call.get(), arguments.data(),
                                                arguments.size(), results.data(), results.size(),
                                                &context, nullptr, nullptr, &run));
    if (!started.ok()) return started;
    HandlerResult result(callbridge_run_wait(run, state().timeout.count()));
    callbridge_run_destroy(run);
    return result;
  }

 private:
  struct Buffer {
    std::string shape;
    void* data;
  };
  struct Destroy {
    void operator()(callbridge_call* call) const { callbridge_call_destroy(call); }
  };
  struct State {
    callbridge_ffi_handlers handlers = {
        sizeof(callbridge_ffi_handlers), nullptr, nullptr, nullptr, nullptr, nullptr, 0};
    std::string release;
    std::vector<Buffer> arguments;
    std::vector<Buffer> results;
    HandlerAttributes attributes;
    std::vector<std::shared_ptr<const void>> kept;  // of temporaries

    std::optional<void*> stream;
    std::optional<int32_t> device_ordinal = 0;
    std::optional<int64_t> run_id;
    bool has_run_id = true;  // a new one for each run, unless `run_id` is set
    const callbridge_ffi_thread_pool* threads = callbridge_ffi_process_threads();
    const callbridge_ffi_scratch* scratch = nullptr;
    std::vector<int64_t> user_data_types;
    std::vector<void*> user_data;
    HandlerAttributes options;
    const void* extensions = nullptr;
    std::chrono::milliseconds timeout{60000};

    std::optional<int32_t> cuda_device;
    handler_call::DeviceHandle device;
    std::unique_ptr<callbridge_call, Destroy> call;  // destroyed before the device
  };

  HandlerCall() = default;

  State& state() const {
    if (state_ != nullptr) return *state_;
    throw HandlerCallError("this HandlerCall was moved from: use what it was moved to");
  }
  // Keeps `value` as long as this object lives.
  template <typename T>
  const T& Keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    state().kept.push_back(kept);
    return *kept;
  }

  template <typename T>
  static std::string ShapeText(const std::vector<int64_t>& dimensions) {
    std::string text = std::string(ElementTypeOf<T>().name) + "[";
    for (size_t i = 0; i < dimensions.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(dimensions[i]);
    }
    return text + "]";
  }
  static void CheckSize(size_t size, const std::vector<int64_t>& dimensions) {
    int64_t elements = 1;
    for (int64_t dimension : dimensions) elements *= dimension;
    if (elements >= 0 && static_cast<size_t>(elements) == size) return;
    throw HandlerCallError("the dimensions have " + std::to_string(elements) +
                           " elements, but the vector has " + std::to_string(size));
  }
  static std::vector<void*> Pointers(const std::vector<Buffer>& buffers) {
    std::vector<void*> pointers;
    pointers.reserve(buffers.size());
    for (const Buffer& buffer : buffers) pointers.push_back(buffer.data);
    return pointers;
  }
  static std::vector<const char*> Shapes(const std::vector<Buffer>& buffers) {
    std::vector<const char*> shapes;
    shapes.reserve(buffers.size());
    for (const Buffer& buffer : buffers) shapes.push_back(buffer.shape.c_str());
    return shapes;
  }
  static std::string TupleShape(const std::vector<Buffer>& buffers) {
    std::string text = "(";
    for (const Buffer& buffer : buffers) text += (text.size() > 1 ? "," : "") + buffer.shape;
    return text + ")";
  }
  static std::vector<callbridge_array> Arrays(const std::vector<Buffer>& buffers) {
    std::vector<callbridge_array> arrays;
    arrays.reserve(buffers.size());
    for (const Buffer& buffer : buffers) {
      arrays.push_back({buffer.data, handler_call::SizeOf(buffer.shape)});
    }
    return arrays;
  }
  // The call site has changed: the next run is of a new instance.
  HandlerCall& Reset() {
    state().call.reset();
    return *this;
  }
  template <typename T, typename Value>
  HandlerCall& Set(T& field, Value&& value) {
    field = std::forward<Value>(value);
    return Reset();
  }
  template <typename T, typename Value>
  HandlerCall& Provide(T& field, const Value& value) {
    field = value;
    return *this;
  }

  // Refers to `run_id`, which is provided unless the caller said otherwise.
  callbridge_runtime_services Services(const int64_t& run_id) const {
    const State& provided = state();
    callbridge_runtime_services services = {};
    services.struct_size = sizeof(services);
    if (provided.stream.has_value()) services.stream = &*provided.stream;
    if (provided.device_ordinal.has_value()) services.device_ordinal = &*provided.device_ordinal;
    if (provided.has_run_id || provided.run_id.has_value()) services.run_id = &run_id;
    services.thread_pool = provided.threads;
    services.scratch = provided.scratch;
    services.user_data_types = provided.user_data_types.data();
    services.user_data = provided.user_data.data();
    services.user_data_count = provided.user_data.size();
    services.custom_options = provided.options.get();
    services.extensions = provided.extensions;
    return services;
  }

  callbridge_target Target() const {
    const callbridge_ffi_handlers& handlers = state().handlers;
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    target.name = "handler";
    target.platform = state().cuda_device.has_value() ? "CUDA" : "Host";
    target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
    target.address = reinterpret_cast<void*>(handlers.execute);
    target.instantiate = reinterpret_cast<void*>(handlers.instantiate);
    target.prepare = reinterpret_cast<void*>(handlers.prepare);
    target.initialize = reinterpret_cast<void*>(handlers.initialize);
    target.record = reinterpret_cast<void*>(handlers.record);
    return target;
  }

  HandlerResult InstantiateCall(const callbridge_execution_context& context) {
    const callbridge_target target = Target();
    const std::vector<const char*> operands = Shapes(state().arguments);
    const std::string result = TupleShape(state().results);
    callbridge_site site = {};
    site.struct_size = sizeof(site);
    site.operands = operands.data();
    site.operand_count = operands.size();
    site.result = result.c_str();
    site.attributes = state().attributes.get();
    site.release = state().release.empty() ? "newest" : state().release.c_str();
    callbridge_call* call = nullptr;
    HandlerResult made(callbridge_call_bind(&target, &site, &context, &call));
    state().call.reset(call);
    return made;
  }

  HandlerResult RunOnDevice(const callbridge_execution_context& context) const {
    const std::vector<callbridge_array> arguments = Arrays(state().arguments);
    const std::vector<callbridge_array> results = Arrays(state().results);
    return HandlerResult(callbridge_call_execute_with_copies(state().call.get(), arguments.data(),
                                                             arguments.size(), results.data(),
                                                             results.size(), &context));
  }

  std::unique_ptr<State> state_ = std::make_unique<State>();  // null if it was moved from
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_HANDLER_CALL_H_
