// HandlerCall: calls a typed FFI handler without XLA, as a chosen release of XLA calls it; what an
// author unit-tests a handler with.
//
//   std::vector<float> x = {1, 2, 3}, y(3);
//   callbridge::HandlerCall call(AddHandler);
//   call.Arg(x).Ret(y).Attr("n", 3);
//   const callbridge::HandlerResult result = call.Run();
//   EXPECT_TRUE(result.ok()) << result;
//
// A handler is built with XLA's own headers or with callbridge's; this header needs neither, and is
// included before or after them. Programs link to libcallbridge.so.
//
// By default a call is lent what XLA:CPU lends: a thread pool, a run id of its own, device ordinal
// 0.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_HANDLER_CALL_H_
#define CALLBRIDGE_C_API_HANDLER_CALL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/handler_values.h"

namespace callbridge {

// What a run came to.
class HandlerResult {
 public:
  HandlerResult() = default;
  // Takes `error`, null being success.
  explicit HandlerResult(callbridge_error* error) {
    if (error == nullptr) return;
    code_ = error->code;
    message_.assign(error->message, error->message_size);
    callbridge_error_destroy(error);
  }

  bool ok() const { return code_ == 0; }
  // The numbers of XLA_FFI_Error_Code and absl::StatusCode.
  int code() const { return code_; }
  // "INVALID_ARGUMENT" and so on.
  std::string code_name() const { return callbridge_error_code_name(code_); }
  const std::string& message() const { return message_; }

  friend std::ostream& operator<<(std::ostream& out, const HandlerResult& result) {
    return result.ok() ? out << "OK" : out << result.code_name() << ": " << result.message();
  }

 private:
  int code_ = 0;
  std::string message_;
};

// Gives a type of state or user data its id, once for a process: `id` is an `XLA_FFI_TypeId` or
// `xla::ffi::TypeId`. `deleter` ends a state of the type; it may be null. Throws HandlerCallError
// where the name has another id.
template <typename TypeId>
void RegisterHandlerType(const std::string& name, TypeId* id, void (*deleter)(void*) = nullptr) {
  handler_call::Check(
      callbridge_ffi_register_type(handler_call::Name(name), &id->type_id, deleter));
}

// One call site of one handler. First it is told what there is; the first Run() instantiates the
// handler, and all runs share the state that INSTANTIATE leaves. Throws HandlerCallError where what
// it is told makes no sense, and from every member where it was moved from. Not thread-safe.
class HandlerCall {
 public:
  // The handler of the EXECUTE stage.
  template <typename Error, typename Frame>
  explicit HandlerCall(Error* (*execute)(Frame*)) {
    state().handlers.execute = reinterpret_cast<callbridge_ffi_handler*>(execute);
  }
  // What was registered through callbridge_xla_ffi_api() under that name.
  static HandlerCall Registered(const std::string& name, const std::string& platform = "Host") {
    HandlerCall call;
    handler_call::Check(
        callbridge_ffi_find_handlers(name.c_str(), platform.c_str(), &call.state().handlers));
    return call;
  }

  // ---- The handler's other stages

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

  // ---- What the program says

  // The release of jaxlib whose XLA is imitated, "0.4.30" to "0.12"; the newest by default. A
  // handler runs on those that its headers are good for.
  HandlerCall& OnJaxlib(std::string release) { return Set(state().release, std::move(release)); }

  // An argument: an array of the elements' own type, of these dimensions or of one dimension. A
  // variable is borrowed for the runs, which see its present elements; of a temporary, a copy is
  // kept.
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
  // Of a scalar, likewise.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Arg(const T& scalar) {
    return Arg(ShapeText<T>({}), &scalar);
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Arg(const T&& scalar) {
    return Arg(Keep(T(scalar)));
  }
  // Of any type, by XLA's name of its shape: "bf16[2,3]", "pred[]", "token[]".
  // `data` is borrowed for the runs.
  HandlerCall& Arg(const std::string& shape, const void* data) {
    state().arguments.push_back({shape, const_cast<void*>(data)});
    return Reset();
  }

  // A result, which the handler writes.
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
  HandlerCall& Ret(const std::string& shape, void* data) {
    state().results.push_back({shape, data});
    return Reset();
  }

  // As HandlerAttributes::Set().
  template <typename T>
  HandlerCall& Attr(const std::string& name, const T& value) {
    state().attributes.Set(name, value);
    return Reset();
  }

  // ---- What the runtime lends, from the next run on

  HandlerCall& Stream(void* stream) { return Lend(state().stream, stream); }
  HandlerCall& DeviceOrdinal(int32_t ordinal) { return Lend(state().device_ordinal, ordinal); }
  // The same for all runs.
  HandlerCall& RunId(int64_t run_id) { return Lend(state().run_id, run_id); }
  // The objects are read when a run starts, and what they lead to must live until it is done.
  HandlerCall& ThreadPool(const callbridge_ffi_thread_pool& pool) {
    return Lend(state().threads, &pool);
  }
  HandlerCall& ThreadPool(const callbridge_ffi_thread_pool&&) = delete;  // would be gone by then
  HandlerCall& Scratch(const callbridge_ffi_scratch& scratch) {
    return Lend(state().scratch, &scratch);
  }
  HandlerCall& Scratch(const callbridge_ffi_scratch&&) = delete;  // would be gone by then
  // Memory of the host.
  HandlerCall& Scratch() { return Scratch(*callbridge_ffi_host_memory()); }
  // An object whose type was registered (RegisterHandlerType).
  template <typename TypeId>
  HandlerCall& UserData(const TypeId& id, void* data) {
    state().user_data_types.push_back(id.type_id);
    state().user_data.push_back(data);
    return *this;
  }
  template <typename T>
  HandlerCall& Option(const std::string& name, const T& value) {
    state().options.Set(name, value);
    return *this;
  }
  // The first XLA_FFI_Extension of a chain.
  HandlerCall& Extensions(const void* first) { return Lend(state().extensions, first); }
  // Nothing at all but what is lent after this.
  HandlerCall& LendNothing() {
    State& services = state();
    services.stream.reset();
    services.device_ordinal.reset();
    services.run_id.reset();
    services.lends_run_id = false;
    services.threads = nullptr;
    services.scratch = nullptr;
    services.user_data_types.clear();
    services.user_data.clear();
    services.options = HandlerAttributes();
    services.extensions = nullptr;
    return *this;
  }

  // How long a run waits for a handler that returned a future; 60 seconds by default. Less than 0
  // is forever, and so is more than 292 years. Rounded up to milliseconds.
  template <typename Number, typename Unit>
  HandlerCall& Timeout(std::chrono::duration<Number, Unit> timeout) {
    using std::chrono::milliseconds;
    using Rough = std::chrono::duration<double, std::milli>;  // holds all that milliseconds cannot
    const Rough rough(timeout);
    const bool is_forever = rough < Rough(0) || rough >= Rough(milliseconds::max());
    return Lend(state().timeout,
                is_forever ? milliseconds(-1) : std::chrono::ceil<milliseconds>(timeout));
  }

  // ---- Calling

  // INSTANTIATE in the first run; then PREPARE, INITIALIZE and EXECUTE, and waits for a future.
  // What the handler returned; INVALID_ARGUMENT where the chosen release cannot run it;
  // DEADLINE_EXCEEDED where it completes its future too late, in which case its buffers must live
  // on, and this object where it keeps some.
  HandlerResult Run() {
    const int64_t run_id =
        state().run_id.has_value() ? *state().run_id : callbridge_ffi_new_run_id();
    const callbridge_runtime_services context = Context(run_id);
    if (state().call == nullptr) {
      HandlerResult instantiated = InstantiateCall(context);
      if (!instantiated.ok()) return instantiated;
    }
    const std::vector<void*> arguments = Pointers(state().arguments);
    const std::vector<void*> results = Pointers(state().results);
    return HandlerResult(callbridge_ffi_call_execute(
        state().call.get(), arguments.data(), arguments.size(), results.data(), results.size(),
        &context, state().timeout.count()));
  }

 private:
  struct Buffer {
    std::string shape;
    void* data;
  };
  struct Destroy {
    void operator()(callbridge_ffi_call* call) const { callbridge_ffi_call_destroy(call); }
  };
  struct State {
    callbridge_ffi_handlers handlers = {
        sizeof(callbridge_ffi_handlers), nullptr, nullptr, nullptr, nullptr, nullptr};
    std::string release;
    std::vector<Buffer> arguments;
    std::vector<Buffer> results;
    HandlerAttributes attributes;
    std::vector<std::shared_ptr<const void>> kept;  // of temporaries

    std::optional<void*> stream;
    std::optional<int32_t> device_ordinal = 0;
    std::optional<int64_t> run_id;
    bool lends_run_id = true;
    const callbridge_ffi_thread_pool* threads = callbridge_ffi_process_threads();
    const callbridge_ffi_scratch* scratch = nullptr;
    std::vector<int64_t> user_data_types;
    std::vector<void*> user_data;
    HandlerAttributes options;
    const void* extensions = nullptr;
    std::chrono::milliseconds timeout{60000};

    std::unique_ptr<callbridge_ffi_call, Destroy> call;
  };

  HandlerCall() = default;

  State& state() const {
    if (state_ != nullptr) return *state_;
    throw HandlerCallError("this HandlerCall was moved from: use what it was moved to");
  }
  // The value, where it lives as long as this object.
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
  HandlerCall& Lend(T& field, const Value& value) {
    field = value;
    return *this;
  }

  // Refers to `run_id`, which is lent unless the caller said otherwise.
  callbridge_runtime_services Context(const int64_t& run_id) const {
    const State& services = state();
    callbridge_runtime_services context = {};
    context.struct_size = sizeof(context);
    if (services.stream.has_value()) context.stream = &*services.stream;
    if (services.device_ordinal.has_value()) context.device_ordinal = &*services.device_ordinal;
    if (services.lends_run_id || services.run_id.has_value()) context.run_id = &run_id;
    context.thread_pool = services.threads;
    context.scratch = services.scratch;
    context.user_data_types = services.user_data_types.data();
    context.user_data = services.user_data.data();
    context.user_data_count = services.user_data.size();
    context.custom_options = services.options.get();
    context.extensions = services.extensions;
    return context;
  }

  HandlerResult InstantiateCall(const callbridge_runtime_services& context) {
    const std::vector<const char*> operands = Shapes(state().arguments);
    const std::vector<const char*> results = Shapes(state().results);
    callbridge_ffi_site site = {};
    site.struct_size = sizeof(site);
    site.release = state().release.c_str();
    site.operands = operands.data();
    site.operand_count = operands.size();
    site.results = results.data();
    site.result_count = results.size();
    site.attributes = state().attributes.get();
    callbridge_ffi_call* call = nullptr;
    HandlerResult made(callbridge_ffi_call_create(&state().handlers, &site, &context, &call));
    state().call.reset(call);
    return made;
  }

  std::unique_ptr<State> state_ = std::make_unique<State>();  // null where it was moved from
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_HANDLER_CALL_H_
