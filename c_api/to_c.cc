#include "callbridge/c_api/to_c.h"

#include <iterator>
#include <new>
#include <string>

#include "callbridge/abi/failure_status.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/loader/python_interpreter.h"

namespace callbridge {
namespace {

// The struct first, so that a pointer to it is a pointer to the whole.
struct OwnedError {
  callbridge_error error;
  std::string message;
};
static_assert(offsetof(OwnedError, error) == 0, "");

// What says that there is no memory must not need any. Nobody writes to errors.
constexpr absl::string_view kOutOfMemory = "out of memory";
callbridge_error out_of_memory = {sizeof(callbridge_error),
                                  static_cast<int32_t>(absl::StatusCode::kResourceExhausted),
                                  kOutOfMemory.data(), kOutOfMemory.size()};

static_assert(CALLBRIDGE_PROVIDES_STATUS == provides::kStatus &&
              CALLBRIDGE_PROVIDES_OPAQUE == provides::kOpaque &&
              CALLBRIDGE_PROVIDES_STREAM == provides::kStream &&
              CALLBRIDGE_PROVIDES_TUPLES == provides::kTuples &&
              CALLBRIDGE_PROVIDES_COUNTS == provides::kCounts &&
              CALLBRIDGE_PROVIDES_SHAPES == provides::kShapes &&
              CALLBRIDGE_PROVIDES_ATTRIBUTES == provides::kAttributes);

// Whether Python's interpreter runs on this thread. It would wait forever for what the thread
// holds. An interpreter that ends is not initialized any more, and ends its threads itself.
bool IsPythonsThread() {
  auto* get_thread_state = PythonFunction<void*()>("PyGILState_GetThisThreadState");
  return get_thread_state != nullptr && get_thread_state() != nullptr;
}

}  // namespace

callbridge_error* MakeError(int32_t code, absl::string_view message) noexcept {
  try {
    auto* owned = new OwnedError{{}, std::string(message)};
    owned->error = {sizeof(callbridge_error), code, owned->message.c_str(), owned->message.size()};
    return &owned->error;
  } catch (const std::bad_alloc&) {
    return &out_of_memory;
  }
}

callbridge_error* ErrorOf(const absl::Status& status) {
  return MakeError(static_cast<int32_t>(status.code()), status.message());
}

callbridge_error* CaughtError() {
  const absl::Status caught =
      CaughtStatus(IsPythonsThread() ? ThreadEnd::kEndsProcess : ThreadEnd::kGoesOn);
  return absl::IsResourceExhausted(caught) ? &out_of_memory : ErrorOf(caught);
}

void DestroyError(callbridge_error* error) {
  if (error != &out_of_memory) delete reinterpret_cast<OwnedError*>(error);
}

const char* CodeName(int32_t code) {
  static const char* const kNames[] = {"OK",
                                       "CANCELLED",
                                       "UNKNOWN",
                                       "INVALID_ARGUMENT",
                                       "DEADLINE_EXCEEDED",
                                       "NOT_FOUND",
                                       "ALREADY_EXISTS",
                                       "PERMISSION_DENIED",
                                       "RESOURCE_EXHAUSTED",
                                       "FAILED_PRECONDITION",
                                       "ABORTED",
                                       "OUT_OF_RANGE",
                                       "UNIMPLEMENTED",
                                       "INTERNAL",
                                       "UNAVAILABLE",
                                       "DATA_LOSS",
                                       "UNAUTHENTICATED"};
  const bool known = code >= 0 && static_cast<size_t>(code) < std::size(kNames);
  return known ? kNames[code] : "UNKNOWN";
}

absl::Status ToC(const LibraryTarget& target, callbridge_target* out) {
  absl::Status size = CheckStructSize("callbridge_target", *out);
  if (!size.ok()) return size;
  out->name = target.registered.name.c_str();
  out->platform = target.registered.platform.c_str();
  out->api_version = static_cast<int32_t>(target.api_version);
  out->api_version_is_proved = target.api_version != ApiVersion::kUnspecified;
  out->address = target.registered.address;
  out->evidence = target.evidence.c_str();
  if (KnowsField(*out, out->record)) {
    out->instantiate = reinterpret_cast<void*>(target.stages.instantiate);
    out->prepare = reinterpret_cast<void*>(target.stages.prepare);
    out->initialize = reinterpret_cast<void*>(target.stages.initialize);
    out->record = reinterpret_cast<void*>(target.stages.record);
  }
  if (KnowsField(*out, out->command_buffer_compatible)) {
    out->command_buffer_compatible =
        (target.traits & XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE) != 0;
  }
  if (KnowsField(*out, out->content)) out->content = target.content.c_str();
  return absl::OkStatus();
}

absl::Status ToC(const TargetAbi& abi, Platform platform, callbridge_target_abi* out) {
  absl::Status size = CheckStructSize("callbridge_target_abi", *out);
  if (!size.ok()) return size;
  const PlatformAbi& on_platform = On(platform, abi);
  out->api_version = static_cast<int32_t>(abi.number);
  out->called_as = static_cast<int32_t>(on_platform.called_as);
  out->provides = on_platform.provides;
  out->serves_unspecified = on_platform.serves_unknown ? 1 : 0;
  out->name = abi.name;
  out->enumerator = abi.c_name;
  return absl::OkStatus();
}

absl::Status ToC(const EntryPoints& entry_points, callbridge_entry_points* out) {
  absl::Status size = CheckStructSize("callbridge_entry_points", *out);
  if (!size.ok()) return size;
  out->untyped = entry_points.untyped;
  out->typed = reinterpret_cast<void*>(entry_points.typed);
  return absl::OkStatus();
}

absl::Status VisitShape(const Shape& shape, callbridge_shape_visitor* visit, void* user) {
  const auto type = static_cast<int32_t>(shape.element_type());
  if (shape.IsTuple()) {
    visit(user, type, nullptr, shape.tuple_elements().size(), 0);
    for (const Shape& element : shape.tuple_elements()) {
      absl::Status visited = VisitShape(element, visit, user);
      if (!visited.ok()) return visited;
    }
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> size = shape.ByteSize();
  if (!size.ok()) return size.status();
  visit(user, type, shape.dimensions().data(), shape.dimensions().size(), *size);
  return absl::OkStatus();
}

}  // namespace callbridge
