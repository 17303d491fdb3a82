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
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/ffi_handlers.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/releases.h"

using callbridge::Attributes;
using callbridge::CallBuffers;
using callbridge::FfiContext;
using callbridge::FromC;
using callbridge::PrimitiveType;
using callbridge::Shape;
using callbridge::ToC;
using callbridge::WithoutExceptions;
using callbridge::host::AsyncRun;
using callbridge::host::CallFrame;
using callbridge::host::HandlerInstance;
using callbridge::host::HandlerMetadata;
using callbridge::host::RuntimeVersion;

// Runs that are not done keep the instance.
struct callbridge_ffi_call {
  std::shared_ptr<const HandlerInstance> instance;
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
  return WithoutExceptions([&] {
    *attributes = new callbridge_ffi_attributes;
    return absl::OkStatus();
  });
}

void callbridge_ffi_attributes_destroy(callbridge_ffi_attributes* attributes) { delete attributes; }

callbridge_error* callbridge_ffi_attributes_set_scalar(callbridge_ffi_attributes* attributes,
                                                       const char* name, size_t name_size,
                                                       int32_t element_type, const void* value) {
  return WithoutExceptions([&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (type.ok()) attributes->attributes.SetScalar({name, name_size}, *type, value);
    return type.status();
  });
}

callbridge_error* callbridge_ffi_attributes_set_array(callbridge_ffi_attributes* attributes,
                                                      const char* name, size_t name_size,
                                                      int32_t element_type, const void* data,
                                                      size_t count) {
  return WithoutExceptions([&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (type.ok()) attributes->attributes.SetArray({name, name_size}, *type, data, count);
    return type.status();
  });
}

callbridge_error* callbridge_ffi_attributes_set_string(callbridge_ffi_attributes* attributes,
                                                       const char* name, size_t name_size,
                                                       const char* text, size_t text_size) {
  return WithoutExceptions([&] {
    attributes->attributes.SetString({name, name_size}, {text, text_size});
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_dictionary(
    callbridge_ffi_attributes* attributes, const char* name, size_t name_size,
    const callbridge_ffi_attributes* dictionary) {
  return WithoutExceptions([&] {
    attributes->attributes.SetDictionary({name, name_size}, dictionary->attributes);
    return absl::OkStatus();
  });
}

// ---- Calling a handler --------------------------------------------------------------------------

namespace {

absl::StatusOr<std::vector<Shape>> ParseShapes(const char* const* texts, size_t count) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<Shape> shape = callbridge::ParseShape(texts[i]);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

absl::StatusOr<CallFrame> FrameOf(const callbridge_ffi_site& site) {
  absl::StatusOr<std::vector<Shape>> operands = ParseShapes(site.operands, site.operand_count);
  if (!operands.ok()) return operands.status();
  absl::StatusOr<std::vector<Shape>> results = ParseShapes(site.results, site.result_count);
  if (!results.ok()) return results.status();
  return CallFrame(*operands, *results,
                   site.attributes != nullptr ? site.attributes->attributes : Attributes());
}

absl::StatusOr<std::unique_ptr<HandlerInstance>> Instantiate(
    const callbridge_ffi_handlers& handlers, const callbridge_ffi_site& site,
    const callbridge_ffi_context* lent) {
  absl::Status size =
      callbridge::CheckStructSize("callbridge_ffi_site", site.struct_size, sizeof(site));
  if (!size.ok()) return size;
  const absl::StatusOr<XLA_FFI_Handler_Bundle> bundle = FromC(handlers);
  if (!bundle.ok()) return bundle.status();
  const absl::StatusOr<const RuntimeVersion*> version =
      callbridge::host::VersionOfRelease(site.release != nullptr ? site.release : "");
  if (!version.ok()) return version.status();
  absl::StatusOr<CallFrame> frame = FrameOf(site);
  if (!frame.ok()) return frame.status();
  FfiContext context;
  absl::Status copied = context.Copy(lent);
  if (!copied.ok()) return copied;
  absl::StatusOr<HandlerMetadata> metadata = callbridge::host::QueryMetadata(**version, *bundle);
  if (!metadata.ok()) return metadata.status();
  return HandlerInstance::Create(**version, *bundle, *std::move(frame), context.lent());
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
      : instance_(call.instance), run_(*instance_), done_(done), user_(user) {}

  static absl::Status Start(std::unique_ptr<StartedRun> run, const CallBuffers& buffers,
                            const callbridge_ffi_context* context) {
    absl::Status copied = run->context_.Copy(context);
    if (!copied.ok()) return copied;
    StartedRun* started = run.release();
    started->run_.Start(buffers, started->context_.lent(), &Done, started);
    return absl::OkStatus();
  }

 private:
  // NOLINTNEXTLINE(performance-unnecessary-value-param): HandlerInstance::Done is so
  static void Done(void* user, absl::Status status) {
    std::unique_ptr<StartedRun> run(static_cast<StartedRun*>(user));
    callbridge_ffi_done* const done = run->done_;
    void* const done_user = run->user_;
    run.reset();
    done(done_user, ToC(status));
  }

  const std::shared_ptr<const HandlerInstance> instance_;
  FfiContext context_;
  AsyncRun run_;
  callbridge_ffi_done* const done_;
  void* const user_;
};

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

callbridge_error* Wait(Outcome& outcome, int64_t timeout_milliseconds) {
  std::unique_lock<std::mutex> lock(outcome.mutex);
  const auto is_there = [&] { return outcome.is_there; };
  if (timeout_milliseconds < 0) {
    outcome.changed.wait(lock, is_there);
  } else if (!outcome.changed.wait_for(lock, std::chrono::milliseconds(timeout_milliseconds),
                                       is_there)) {
    return ToC(absl::DeadlineExceededError(
        absl::StrCat("the handler returned a future and has not completed it in ",
                     timeout_milliseconds, " ms")));
  }
  return std::exchange(outcome.error, nullptr);
}

}  // namespace

callbridge_error* callbridge_ffi_call_create(const callbridge_ffi_handlers* handlers,
                                             const callbridge_ffi_site* site,
                                             const callbridge_ffi_context* context,
                                             callbridge_ffi_call** call) {
  return WithoutExceptions([&] {
    absl::StatusOr<std::unique_ptr<HandlerInstance>> made = Instantiate(*handlers, *site, context);
    if (!made.ok()) return made.status();
    *call = new callbridge_ffi_call{*std::move(made)};
    return absl::OkStatus();
  });
}

void callbridge_ffi_call_destroy(callbridge_ffi_call* call) { delete call; }

callbridge_error* callbridge_ffi_call_start(const callbridge_ffi_call* call, void* const* operands,
                                            size_t operand_count, void* const* results,
                                            size_t result_count,
                                            const callbridge_ffi_context* context,
                                            callbridge_ffi_done* done, void* user) {
  return WithoutExceptions([&] {
    return StartedRun::Start(std::make_unique<StartedRun>(*call, done, user),
                             Buffers(operands, operand_count, results, result_count), context);
  });
}

callbridge_error* callbridge_ffi_call_execute(const callbridge_ffi_call* call,
                                              void* const* operands, size_t operand_count,
                                              void* const* results, size_t result_count,
                                              const callbridge_ffi_context* context,
                                              int64_t timeout_milliseconds) {
  auto outcome = std::make_shared<Outcome>();
  auto told = std::make_unique<std::shared_ptr<Outcome>>(outcome);
  if (callbridge_error* error = callbridge_ffi_call_start(
          call, operands, operand_count, results, result_count, context, &Tell, told.get())) {
    return error;
  }
  static_cast<void>(told.release());
  return Wait(*outcome, timeout_milliseconds);
}
