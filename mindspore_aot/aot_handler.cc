#include "callbridge/mindspore_aot/aot_handler.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/adapters/entry_points/typed_to_untyped.h"
#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/adapters/exports/call_state.h"
#include "callbridge/adapters/exports/exported_handler.h"
#include "callbridge/mindspore_aot/dtype_name.h"
#include "callbridge/mindspore_aot/read_attributes.h"
#include "callbridge/typed_ffi/binding/context.h"
#include "callbridge/typed_ffi/binding/scratch_allocator.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using State = exports::CallState<AotSite>;

// Calls of up to this many parameters allocate no lists.
constexpr size_t kFewParameters = 64;
// What vector instructions ask for.
constexpr std::align_val_t kAlignment{64};

// The lists of a call, on the stack or in one block each.
class Lists {
 public:
  explicit Lists(size_t size) {
    if (size > kFewParameters) {
      blocks_.emplace(size);
      tensors.data = blocks_->data.data();
      tensors.ndims = blocks_->ndims.data();
      tensors.shapes = blocks_->shapes.data();
      tensors.dtypes = blocks_->dtypes.data();
    }
  }
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;

 private:
  struct Blocks {
    explicit Blocks(size_t size) : data(size), ndims(size), shapes(size), dtypes(size) {}

    std::vector<void*> data;
    std::vector<int> ndims;
    std::vector<int64_t*> shapes;
    std::vector<const char*> dtypes;
  };

  void* data_[kFewParameters];
  int ndims_[kFewParameters];
  int64_t* shapes_[kFewParameters];
  const char* dtypes_[kFewParameters];
  std::optional<Blocks> blocks_;

 public:
  AotTensors tensors{0, data_, ndims_, shapes_, dtypes_};
};

// Writes one list of a frame into `tensors`. Returns null or the error.
template <typename Type>
XLA_FFI_Error* Gather(const XLA_FFI_Api& api, int64_t size, const Type* types, void* const* buffers,
                      AotTensors& tensors) {
  for (int64_t i = 0; i < size; ++i) {
    if (static_cast<int>(types[i]) != XLA_FFI_ArgType_BUFFER) {
      return exports::InvalidArgument(api, "expected arguments and results that are buffers");
    }
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    const auto type = static_cast<PrimitiveType>(buffer.dtype);
    const char* dtype = IsPrimitiveType(buffer.dtype) ? DtypeName(type) : nullptr;
    if (ABSL_PREDICT_FALSE(dtype == nullptr)) {
      const absl::string_view name =
          IsPrimitiveType(buffer.dtype) ? PrimitiveTypeName(type) : "another type";
      return MakeError(api, absl::InvalidArgumentError(absl::StrCat(
                                "MindSpore has no tensors of ", name, ", which parameter ",
                                tensors.count, " of this AOT operator is of")));
    }
    tensors.data[tensors.count] = buffer.data;
    tensors.ndims[tensors.count] = static_cast<int>(buffer.rank);
    tensors.shapes[tensors.count] = buffer.dims;
    tensors.dtypes[tensors.count] = dtype;
    ++tensors.count;
  }
  return nullptr;
}

XLA_FFI_Error* Gather(const XLA_FFI_CallFrame& frame, AotTensors& tensors) {
  const XLA_FFI_Api& api = *frame.api;
  XLA_FFI_Error* error = Gather(api, frame.args.size, frame.args.types, frame.args.args, tensors);
  if (error != nullptr) return error;
  return Gather(api, frame.rets.size, frame.rets.types, frame.rets.rets, tensors);
}

// The workspaces of one call.
class Workspaces {
 public:
  Workspaces() = default;
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces() { ::operator delete(block_, kAlignment); }

  // Writes them behind the tensors.
  absl::Status Allocate(const XLA_FFI_CallFrame& frame, Platform platform,
                        absl::Span<const size_t> sizes, AotTensors& tensors) {
    if (sizes.empty()) return absl::OkStatus();
    for (size_t at = tensors.count; at < tensors.count + sizes.size(); ++at) {
      tensors.ndims[at] = 0;
      tensors.shapes[at] = nullptr;
      tensors.dtypes[at] = nullptr;
    }
    void** data = tensors.data + tensors.count;
    return platform == Platform::kHost ? AllocateOnHost(sizes, data)
                                       : AllocateScratch(frame, sizes, data);
  }

 private:
  // Up to a multiple of the alignment.
  static constexpr size_t Rounded(size_t size) {
    constexpr size_t kUnit = static_cast<size_t>(kAlignment);
    return (size + kUnit - 1) / kUnit * kUnit;
  }

  absl::Status AllocateOnHost(absl::Span<const size_t> sizes, void** data) {
    constexpr size_t kMost = std::numeric_limits<ptrdiff_t>::max();
    size_t total = 0;
    for (const size_t size : sizes) {
      if (Rounded(size) > kMost - total) return NoMemory(size);
      total += Rounded(size);
    }
    block_ = ::operator new(total, kAlignment, std::nothrow);
    if (block_ == nullptr) return NoMemory(total);
    auto* next = static_cast<char*>(block_);
    for (size_t i = 0; i < sizes.size(); ++i) {
      data[i] = next;
      next += Rounded(sizes[i]);
    }
    return absl::OkStatus();
  }

  absl::Status AllocateScratch(const XLA_FFI_CallFrame& frame, absl::Span<const size_t> sizes,
                               void** data) {
    auto scratch = xla::ffi::Context(frame.api, frame.ctx).get<xla::ffi::ScratchAllocator>();
    if (!scratch.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("the workspaces of an AOT operator: ", scratch.error().message()));
    }
    scratch_.emplace(*std::move(scratch));
    for (size_t i = 0; i < sizes.size(); ++i) {
      // A GPU's allocators align to more than kAlignment anyway, and XLA's refuses to be asked for
      // it.
      const std::optional<void*> memory = scratch_->Allocate(sizes[i]);
      if (!memory.has_value()) return NoMemory(sizes[i]);
      data[i] = *memory;
    }
    return absl::OkStatus();
  }

  static absl::Status NoMemory(size_t size) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for workspaces of ", size, " bytes"));
  }

  void* block_ = nullptr;
  std::optional<xla::ffi::ScratchAllocator> scratch_;
};

struct Handler {
  AotOperator aot;
  Platform platform;
  TypedFunction function;
  XLA_FFI_Handler* address = nullptr;
};

XLA_FFI_Error* Instantiate(const Handler& handler, const XLA_FFI_CallFrame& frame) {
  absl::StatusOr<AttributeValues> attributes = ReadAttributes(frame.attrs);
  if (!attributes.ok()) return MakeError(*frame.api, attributes.status());
  return State::Keep(frame, std::make_unique<AotSite>(handler.aot, *std::move(attributes)));
}

XLA_FFI_Error* Execute(const Handler& handler, const XLA_FFI_CallFrame& frame) {
  XLA_FFI_Error* error = nullptr;
  AotSite* site = State::Get(frame, error);
  if (ABSL_PREDICT_FALSE(site == nullptr)) return error;
  if (ABSL_PREDICT_FALSE(frame.args.size < 0 || frame.rets.size < 0)) {
    return exports::InvalidArgument(*frame.api, "expected counts of arguments and of results");
  }
  const auto count = static_cast<size_t>(frame.args.size + frame.rets.size);
  if (ABSL_PREDICT_FALSE(!site->is_initialized())) {
    Lists lists(count);
    if ((error = Gather(frame, lists.tensors)) != nullptr) return error;
    const absl::Status status = site->Initialize(lists.tensors);
    if (!status.ok()) return MakeError(*frame.api, status);
  }
  Lists lists(count + site->workspaces().size());
  if ((error = Gather(frame, lists.tensors)) != nullptr) return error;
  Workspaces workspaces;
  absl::Status status =
      workspaces.Allocate(frame, handler.platform, site->workspaces(), lists.tensors);
  void* stream = nullptr;
  if (IsGpu(handler.platform) && (error = exports::GetStream(frame, stream)) != nullptr) {
    return error;
  }
  if (status.ok()) status = site->Run(lists.tensors, stream);
  return ABSL_PREDICT_TRUE(status.ok()) ? nullptr : MakeError(*frame.api, status);
}

XLA_FFI_Error* Call(const void* user, XLA_FFI_CallFrame* frame) {
  const Handler& handler = *static_cast<const Handler*>(user);
  if (ABSL_PREDICT_FALSE(frame->struct_size < exports::kCallFrameSize)) {
    return exports::RefuseFrame(*frame, /*takes_state=*/true);
  }
  if (ABSL_PREDICT_FALSE(frame->extension_start != nullptr) &&
      exports::AnswerMetadataQuery(*frame, /*traits=*/0)) {
    return nullptr;
  }
  try {
    if (ABSL_PREDICT_TRUE(typed_ffi::IsExecuteStage(*frame))) return Execute(handler, *frame);
    if (exports::IsInstantiateStage(*frame)) return Instantiate(handler, *frame);
  } catch (...) {  // out of memory, a thread's end; the operator's own exceptions are its errors
    const bool is_xla = typed_ffi::IsXla(*frame->api);
    return MakeError(*frame->api,
                     CaughtStatus(is_xla ? ThreadEnd::kEndsProcess : ThreadEnd::kGoesOn));
  }
  return exports::RefuseFrame(*frame, /*takes_state=*/true);
}

// Never destroyed, because runtimes keep handlers.
using Handlers = std::map<std::pair<AotOperator::Function*, Platform>, std::unique_ptr<Handler>>;

// Guarded by TableLock.
Handlers& AllHandlers() {
  static Handlers& handlers = *new Handlers;
  return handlers;
}

}  // namespace

absl::StatusOr<Target> MakeTypedTarget(const AotOperator& aot, Platform platform) {
  const TableLock lock;
  std::unique_ptr<Handler>& handler = AllHandlers()[{aot.function, platform}];
  if (handler == nullptr) {
    auto made = std::make_unique<Handler>();
    made->aot = aot;
    made->platform = platform;
    made->function = {&Call, made.get()};
    absl::StatusOr<XLA_FFI_Handler*> address = MakeTrampoline(made->function);
    if (!address.ok()) return address.status();
    made->address = *address;
    handler = std::move(made);
  }
  Target target;
  target.name = aot.name;
  target.platform = platform;
  target.api_version = ApiVersion::kTypedFfi;
  target.api_version_is_proved = true;
  target.address = reinterpret_cast<void*>(handler->address);
  target.stages.instantiate = handler->address;
  target.stages.execute = handler->address;
  return target;
}

const AotOperator* FindAotOperator(const void* address) {
  const TableLock lock;
  for (const auto& [key, handler] : AllHandlers()) {
    if (handler != nullptr && reinterpret_cast<const void*>(handler->address) == address) {
      return &handler->aot;
    }
  }
  return nullptr;
}

}  // namespace mindspore_aot
}  // namespace callbridge
