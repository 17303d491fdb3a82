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

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
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
void RegisterHandlerType(std::string_view name, TypeId* id, void (*deleter)(void*) = nullptr) {
  handler_call::Check(
      callbridge_ffi_register_type(name.data(), name.size(), &id->type_id, deleter));
}

// One call site of one handler. First it is told what there is; the first Run() instantiates the
// handler, and all runs share the state that INSTANTIATE leaves. Throws HandlerCallError where what
// it is told makes no sense. Not thread-safe.
class HandlerCall {
 public:
  // The handler of the EXECUTE stage.
  template <typename Error, typename Frame>
  explicit HandlerCall(Error* (*execute)(Frame*)) {
    handlers_.execute = reinterpret_cast<callbridge_ffi_handler*>(execute);
  }
  // What was registered through callbridge_xla_ffi_api() under that name.
  static HandlerCall Registered(const std::string& name, const std::string& platform = "Host") {
    HandlerCall call;
    handler_call::Check(
        callbridge_ffi_find_handlers(name.c_str(), platform.c_str(), &call.handlers_));
    return call;
  }

  // ---- The handler's other stages

  template <typename Error, typename Frame>
  HandlerCall& Instantiate(Error* (*handler)(Frame*)) {
    return Set(handlers_.instantiate, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }
  template <typename Error, typename Frame>
  HandlerCall& Prepare(Error* (*handler)(Frame*)) {
    return Set(handlers_.prepare, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }
  template <typename Error, typename Frame>
  HandlerCall& Initialize(Error* (*handler)(Frame*)) {
    return Set(handlers_.initialize, reinterpret_cast<callbridge_ffi_handler*>(handler));
  }

  // ---- What the program says

  // The release of jaxlib whose XLA is imitated, "0.4.30" to "0.12"; the newest by default. A
  // handler runs on those that its headers are good for.
  HandlerCall& OnJaxlib(std::string release) { return Set(release_, std::move(release)); }

  // An argument: an array of the elements' own type, lent for the runs, of these dimensions or of
  // one dimension. Nothing is copied.
  template <typename T>
  HandlerCall& Arg(const std::vector<T>& data) {
    return Arg(data, {static_cast<int64_t>(data.size())});
  }
  template <typename T>
  HandlerCall& Arg(const std::vector<T>& data, const std::vector<int64_t>& dimensions) {
    CheckSize(data.size(), dimensions);
    return Arg(ShapeText<T>(dimensions), data.data());
  }
  // Of a scalar.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  HandlerCall& Arg(const T& scalar) {
    return Arg(ShapeText<T>({}), &scalar);
  }
  // Of any type, by XLA's name of its shape: "bf16[2,3]", "pred[]", "token[]".
  HandlerCall& Arg(const std::string& shape, const void* data) {
    arguments_.push_back({shape, const_cast<void*>(data)});
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
    results_.push_back({shape, data});
    return Reset();
  }

  // As HandlerAttributes::Set().
  template <typename T>
  HandlerCall& Attr(std::string_view name, const T& value) {
    attributes_.Set(name, value);
    return Reset();
  }

  // ---- What the runtime lends, from the next run on

  HandlerCall& Stream(void* stream) { return Lend(stream_, stream); }
  HandlerCall& DeviceOrdinal(int32_t ordinal) { return Lend(device_ordinal_, ordinal); }
  HandlerCall& RunId(int64_t run_id) { return Lend(run_id_, run_id); }
  // The objects are read when a run starts, and what they lead to must live until it is done.
  HandlerCall& ThreadPool(const callbridge_ffi_thread_pool& pool) { return Lend(threads_, &pool); }
  HandlerCall& Scratch(const callbridge_ffi_scratch& scratch) { return Lend(scratch_, &scratch); }
  // Memory of the host.
  HandlerCall& Scratch() { return Scratch(*callbridge_ffi_host_memory()); }
  // An object whose type was registered (RegisterHandlerType).
  template <typename TypeId>
  HandlerCall& UserData(const TypeId& id, void* data) {
    user_data_types_.push_back(id.type_id);
    user_data_.push_back(data);
    return *this;
  }
  template <typename T>
  HandlerCall& Option(std::string_view name, const T& value) {
    options_.Set(name, value);
    return *this;
  }
  // The first XLA_FFI_Extension of a chain.
  HandlerCall& Extensions(const void* first) { return Lend(extensions_, first); }
  // Nothing at all but what is lent after this.
  HandlerCall& LendNothing() {
    device_ordinal_.reset();
    run_id_.reset();
    lends_run_id_ = false;
    return Lend(threads_, nullptr);
  }

  // How long a run waits for a handler that returned a future; 60 seconds by default.
  HandlerCall& Timeout(std::chrono::milliseconds timeout) { return Lend(timeout_, timeout); }

  // ---- Calling

  // INSTANTIATE in the first run; then PREPARE, INITIALIZE and EXECUTE, and waits for a future.
  // What the handler returned; INVALID_ARGUMENT where the chosen release cannot run it;
  // DEADLINE_EXCEEDED where it completes its future too late, in which case its buffers must live
  // on.
  HandlerResult Run() {
    const callbridge_ffi_context context = Context();
    if (call_ == nullptr) {
      HandlerResult instantiated = InstantiateCall(context);
      if (!instantiated.ok()) return instantiated;
    }
    const std::vector<void*> arguments = Pointers(arguments_);
    const std::vector<void*> results = Pointers(results_);
    return HandlerResult(callbridge_ffi_call_execute(call_.get(), arguments.data(),
                                                     arguments.size(), results.data(),
                                                     results.size(), &context, timeout_.count()));
  }

 private:
  struct Buffer {
    std::string shape;
    void* data;
  };
  struct Destroy {
    void operator()(callbridge_ffi_call* call) const { callbridge_ffi_call_destroy(call); }
  };

  HandlerCall() = default;

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
  static int64_t NextRunId() {
    static std::atomic<int64_t> next{1};
    return next++;
  }

  // The call site has changed: the next run is of a new instance.
  HandlerCall& Reset() {
    call_.reset();
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

  callbridge_ffi_context Context() {
    if (lends_run_id_ && !run_id_.has_value()) run_id_ = NextRunId();
    callbridge_ffi_context context = {};
    context.struct_size = sizeof(context);
    if (stream_.has_value()) context.stream = &*stream_;
    if (device_ordinal_.has_value()) context.device_ordinal = &*device_ordinal_;
    if (run_id_.has_value()) context.run_id = &*run_id_;
    context.thread_pool = threads_;
    context.scratch = scratch_;
    context.user_data_types = user_data_types_.data();
    context.user_data = user_data_.data();
    context.user_data_count = user_data_.size();
    context.custom_options = options_.get();
    context.extensions = extensions_;
    return context;
  }

  HandlerResult InstantiateCall(const callbridge_ffi_context& context) {
    const std::vector<const char*> operands = Shapes(arguments_);
    const std::vector<const char*> results = Shapes(results_);
    callbridge_ffi_site site = {};
    site.struct_size = sizeof(site);
    site.release = release_.c_str();
    site.operands = operands.data();
    site.operand_count = operands.size();
    site.results = results.data();
    site.result_count = results.size();
    site.attributes = attributes_.get();
    callbridge_ffi_call* call = nullptr;
    HandlerResult made(callbridge_ffi_call_create(&handlers_, &site, &context, &call));
    call_.reset(call);
    return made;
  }

  callbridge_ffi_handlers handlers_ = {
      sizeof(callbridge_ffi_handlers), nullptr, nullptr, nullptr, nullptr, nullptr};
  std::string release_;
  std::vector<Buffer> arguments_;
  std::vector<Buffer> results_;
  HandlerAttributes attributes_;

  std::optional<void*> stream_;
  std::optional<int32_t> device_ordinal_ = 0;
  std::optional<int64_t> run_id_;
  bool lends_run_id_ = true;
  const callbridge_ffi_thread_pool* threads_ = callbridge_ffi_process_threads();
  const callbridge_ffi_scratch* scratch_ = nullptr;
  std::vector<int64_t> user_data_types_;
  std::vector<void*> user_data_;
  HandlerAttributes options_;
  const void* extensions_ = nullptr;
  std::chrono::milliseconds timeout_{60000};

  std::unique_ptr<callbridge_ffi_call, Destroy> call_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_HANDLER_CALL_H_
