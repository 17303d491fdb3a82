#include "callbridge/c_api/callbridge_ffi.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "callbridge/abi/caught_status.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/ffi_handlers.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/releases.h"

using callbridge::Attributes;
using callbridge::CallBuffers;
using callbridge::CaughtStatus;
using callbridge::CheckArray;
using callbridge::CheckPointers;
using callbridge::FfiContext;
using callbridge::FromC;
using callbridge::PrimitiveType;
using callbridge::Shape;
using callbridge::TargetLibrary;
using callbridge::ToC;
using callbridge::WithoutExceptions;
using callbridge::host::AsyncRun;
using callbridge::host::CallFrame;
using callbridge::host::HandlerInstance;
using callbridge::host::HandlerMetadata;
using callbridge::host::RuntimeVersion;

// Runs that are not done keep the instance.
struct callbridge_ffi_call {
  // An instance and the libraries that callbridge loaded and that its handlers are in, which its
  // end still calls into.
  struct HeldInstance {
    std::vector<std::shared_ptr<const TargetLibrary>> libraries;
    std::unique_ptr<const HandlerInstance> instance;
  };
  std::shared_ptr<const HeldInstance> held;
};

// ---- Attributes ---------------------------------------------------------------------------------

namespace {

absl::StatusOr<PrimitiveType> ElementType(int32_t number) {
  const auto type = static_cast<PrimitiveType>(number);
  if (callbridge::IsPrimitiveType(number) && callbridge::IsArrayElement(type)) return type;
  return absl::InvalidArgumentError(
      absl::StrCat(number, " is not the number of an element type (xla.PrimitiveType)"));
}

}  // namespace

callbridge_error* callbridge_ffi_attributes_create(callbridge_ffi_attributes** attributes) {
  return WithoutExceptions({{"attributes", attributes}}, [&] {
    *attributes = new callbridge_ffi_attributes;
    return absl::OkStatus();
  });
}

void callbridge_ffi_attributes_destroy(callbridge_ffi_attributes* attributes) { delete attributes; }

callbridge_error* callbridge_ffi_attributes_set_scalar(callbridge_ffi_attributes* attributes,
                                                       const char* name, int32_t element_type,
                                                       const void* value) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}, {"value", value}}, [&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (!type.ok()) return type.status();
    attributes->Set([&](Attributes& all) { all.SetScalar(name, *type, value); });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_array(callbridge_ffi_attributes* attributes,
                                                      const char* name, int32_t element_type,
                                                      const void* data, size_t count) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}}, [&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (!type.ok()) return type.status();
    absl::Status checked =
        CheckArray("data", data, "count", count, callbridge::AttributeElementBytes(*type));
    if (!checked.ok()) return checked;
    attributes->Set([&](Attributes& all) { all.SetArray(name, *type, data, count); });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_string(callbridge_ffi_attributes* attributes,
                                                       const char* name, const char* text,
                                                       size_t text_size) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}}, [&] {
    absl::Status checked = CheckArray("text", text, "text_size", text_size);
    if (!checked.ok()) return checked;
    attributes->Set([&](Attributes& all) {
      all.SetString(name, {text_size > 0 ? text : "", text_size});
    });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_dictionary(
    callbridge_ffi_attributes* attributes, const char* name,
    const callbridge_ffi_attributes* dictionary) {
  return WithoutExceptions(
      {{"attributes", attributes}, {"name", name}, {"dictionary", dictionary}}, [&] {
        Attributes value = dictionary->Get();  // first: it may be this very object
        attributes->Set([&](Attributes& all) { all.SetDictionary(name, std::move(value)); });
        return absl::OkStatus();
      });
}

// ---- Calling a handler --------------------------------------------------------------------------

namespace {

using HeldInstance = callbridge_ffi_call::HeldInstance;

absl::StatusOr<std::vector<Shape>> ParseShapes(const std::string& field, const char* const* texts,
                                               size_t count) {
  absl::Status list =
      CheckArray(field, texts, absl::StrCat("the count of ", field), count, sizeof(*texts));
  if (!list.ok()) return list;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return callbridge::NullError(absl::StrCat(field, "[", i, "]"));
    absl::StatusOr<Shape> shape = callbridge::ParseShape(texts[i]);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

absl::StatusOr<CallFrame> FrameOf(const callbridge_ffi_site& site) {
  absl::StatusOr<std::vector<Shape>> operands =
      ParseShapes("callbridge_ffi_site.operands", site.operands, site.operand_count);
  if (!operands.ok()) return operands.status();
  absl::StatusOr<std::vector<Shape>> results =
      ParseShapes("callbridge_ffi_site.results", site.results, site.result_count);
  if (!results.ok()) return results.status();
  return CallFrame(*operands, *results,
                   site.attributes != nullptr ? site.attributes->Get() : Attributes());
}

// Each library that holds one of the handlers.
std::vector<std::shared_ptr<const TargetLibrary>> LibrariesOf(
    const XLA_FFI_Handler_Bundle& handlers) {
  std::vector<std::shared_ptr<const TargetLibrary>> libraries;
  for (XLA_FFI_Handler* handler : {handlers.instantiate, handlers.prepare, handlers.initialize,
                                   handlers.execute, handlers.record}) {
    auto library = TargetLibrary::Holding(reinterpret_cast<const void*>(handler));
    if (library != nullptr) libraries.push_back(std::move(library));
  }
  return libraries;
}

absl::StatusOr<HeldInstance> Instantiate(const callbridge_ffi_handlers& handlers,
                                         const callbridge_ffi_site& site,
                                         const callbridge_runtime_services* services) {
  absl::Status size = callbridge::CheckStructSize("callbridge_ffi_site", site);
  if (!size.ok()) return size;
  const absl::StatusOr<XLA_FFI_Handler_Bundle> bundle = FromC(handlers);
  if (!bundle.ok()) return bundle.status();
  const absl::StatusOr<const RuntimeVersion*> version =
      callbridge::host::VersionOfRelease(site.release != nullptr ? site.release : "");
  if (!version.ok()) return version.status();
  absl::StatusOr<CallFrame> frame = FrameOf(site);
  if (!frame.ok()) return frame.status();
  FfiContext context;
  absl::Status copied = context.Copy(services);
  if (!copied.ok()) return copied;
  absl::StatusOr<HandlerMetadata> metadata = callbridge::host::QueryMetadata(**version, *bundle);
  if (!metadata.ok()) return metadata.status();
  HeldInstance held = {LibrariesOf(*bundle), nullptr};
  absl::StatusOr<std::unique_ptr<HandlerInstance>> instance =
      HandlerInstance::Create(**version, *bundle, *std::move(frame), context.services());
  if (!instance.ok()) return instance.status();
  held.instance = *std::move(instance);
  return held;
}

CallBuffers Buffers(void* const* operands, size_t operand_count, void* const* results,
                    size_t result_count) {
  // The host reads the lists only.
  return {{const_cast<void**>(operands), operand_count},
          {const_cast<void**>(results), result_count}};
}

// Lives until it has called `done`.
class StartedRun {
 public:
  StartedRun(const callbridge_ffi_call& call, callbridge_ffi_done* done, void* user)
      : held_(call.held), run_(*held_->instance), done_(done), user_(user) {}

  static absl::Status Start(std::unique_ptr<StartedRun> run, const CallBuffers& buffers,
                            const callbridge_runtime_services* context) {
    absl::Status copied = run->context_.Copy(context);
    if (!copied.ok()) return copied;
    StartedRun* started = run.release();
    started->run_.Start(buffers, started->context_.services(), &Done, started);
    return absl::OkStatus();
  }

 private:
  // NOLINTNEXTLINE(performance-unnecessary-value-param): HandlerInstance::Done is so
  static void Done(void* user, absl::Status status) {
    std::unique_ptr<StartedRun> run(static_cast<StartedRun*>(user));
    callbridge_ffi_done* const done = run->done_;
    void* const done_user = run->user_;
    run.reset();
    try {
      done(done_user, ToC(status));
    } catch (...) {
      // The run is over, and nobody waits for what could be said. A thread's cancellation goes on.
      static_cast<void>(CaughtStatus());
    }
  }

  const std::shared_ptr<const HeldInstance> held_;
  FfiContext context_;
  AsyncRun run_;
  callbridge_ffi_done* const done_;
  void* const user_;
};

absl::Status Start(const callbridge_ffi_call* call, void* const* operands, size_t operand_count,
                   void* const* results, size_t result_count,
                   const callbridge_runtime_services* context, callbridge_ffi_done* done,
                   void* user) {
  absl::Status checked = CheckPointers({{"call", call}, {"done", done}});
  if (checked.ok()) {
    checked = CheckArray("operands", operands, "operand_count", operand_count, sizeof(*operands));
  }
  if (checked.ok()) {
    checked = CheckArray("results", results, "result_count", result_count, sizeof(*results));
  }
  if (!checked.ok()) return checked;
  return StartedRun::Start(std::make_unique<StartedRun>(*call, done, user),
                           Buffers(operands, operand_count, results, result_count), context);
}

// What a run writes to and a waiting thread reads from, whichever goes last.
struct Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_there = false;
  callbridge_error* error = nullptr;

  ~Outcome() { callbridge_error_destroy(error); }
};

void Tell(void* user, callbridge_error* error) {
  std::unique_ptr<std::shared_ptr<Outcome>> outcome(static_cast<std::shared_ptr<Outcome>*>(user));
  std::lock_guard<std::mutex> lock((*outcome)->mutex);
  (*outcome)->is_there = true;
  (*outcome)->error = error;
  (*outcome)->changed.notify_one();
}

// Whether it is there before the time is up. Times that the clock cannot hold, 292 years, are
// never.
bool WaitUntilThere(Outcome& outcome, std::unique_lock<std::mutex>& lock, int64_t milliseconds) {
  using std::chrono::steady_clock;
  const auto is_there = [&] { return outcome.is_there; };
  const steady_clock::time_point now = steady_clock::now();
  const auto longest =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::time_point::max() - now);
  if (milliseconds >= 0 && milliseconds < longest.count()) {
    return outcome.changed.wait_until(lock, now + std::chrono::milliseconds(milliseconds),
                                      is_there);
  }
  outcome.changed.wait(lock, is_there);
  return true;
}

callbridge_error* Wait(Outcome& outcome, int64_t timeout_milliseconds) {
  std::unique_lock<std::mutex> lock(outcome.mutex);
  if (WaitUntilThere(outcome, lock, timeout_milliseconds)) {
    return std::exchange(outcome.error, nullptr);
  }
  return WithoutExceptions([&] {
    return absl::DeadlineExceededError(absl::StrCat(
        "the handler returned a future and has not completed it in ", timeout_milliseconds, " ms"));
  });
}

}  // namespace

callbridge_error* callbridge_ffi_call_create(const callbridge_ffi_handlers* handlers,
                                             const callbridge_ffi_site* site,
                                             const callbridge_runtime_services* context,
                                             callbridge_ffi_call** call) {
  return WithoutExceptions({{"handlers", handlers}, {"site", site}, {"call", call}}, [&] {
    absl::StatusOr<HeldInstance> made = Instantiate(*handlers, *site, context);
    if (!made.ok()) return made.status();
    *call = new callbridge_ffi_call{std::make_shared<const HeldInstance>(*std::move(made))};
    return absl::OkStatus();
  });
}

void callbridge_ffi_call_destroy(callbridge_ffi_call* call) { delete call; }

callbridge_error* callbridge_ffi_call_start(const callbridge_ffi_call* call, void* const* operands,
                                            size_t operand_count, void* const* results,
                                            size_t result_count,
                                            const callbridge_runtime_services* context,
                                            callbridge_ffi_done* done, void* user) {
  return WithoutExceptions([&] {
    return Start(call, operands, operand_count, results, result_count, context, done, user);
  });
}

callbridge_error* callbridge_ffi_call_execute(const callbridge_ffi_call* call,
                                              void* const* operands, size_t operand_count,
                                              void* const* results, size_t result_count,
                                              const callbridge_runtime_services* context,
                                              int64_t timeout_milliseconds) {
  std::shared_ptr<Outcome> outcome;
  callbridge_error* error = WithoutExceptions([&] {
    outcome = std::make_shared<Outcome>();
    auto told = std::make_unique<std::shared_ptr<Outcome>>(outcome);
    absl::Status started =
        Start(call, operands, operand_count, results, result_count, context, &Tell, told.get());
    if (started.ok()) static_cast<void>(told.release());
    return started;
  });
  return error != nullptr ? error : Wait(*outcome, timeout_milliseconds);
}
