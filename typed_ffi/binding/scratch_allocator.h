// xla::ffi::ScratchAllocator: device memory for the duration of one call,
// `.Ctx<ScratchAllocator>()`.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_SCRATCH_ALLOCATOR_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_SCRATCH_ALLOCATOR_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// Frees all that it allocated when it is destroyed, which must be before the handler returns.
class ScratchAllocator {
 public:
  ScratchAllocator(ScratchAllocator&& other) noexcept
      : api_(other.api_),
        ctx_(other.ctx_),
        used_(std::exchange(other.used_, 0)),
        more_(std::move(other.more_)) {
    for (size_t i = 0; i < used_; ++i) first_[i] = other.first_[i];
  }
  ScratchAllocator& operator=(ScratchAllocator&&) = delete;

  ~ScratchAllocator() {
    for (size_t i = 0; i < used_; ++i) Free(first_[i]);
    for (const Allocation& allocation : more_) Free(allocation);
  }

  // `size` and `alignment` in bytes. Returns nullopt if the runtime has no memory.
  std::optional<void*> Allocate(size_t size, size_t alignment = 1) {
    auto args = internal::MakeArgs<XLA_FFI_DeviceMemory_Allocate_Args>(
        XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE);
    args.ctx = ctx_;
    args.size = size;
    args.alignment = alignment;
    auto* allocate =
        internal::Find<internal::ApiFunction::kScratchAllocate, XLA_FFI_DeviceMemory_Allocate>(
            *api_);
    if (XLA_FFI_Error* error = allocate(&args)) {
      internal::DestroyError(api_, error);
      return std::nullopt;
    }
    if (used_ < kFirst) {
      first_[used_++] = {size, args.data};
    } else {
      more_.push_back({size, args.data});
    }
    return args.data;
  }

 private:
  friend struct CtxDecoding<ScratchAllocator>;

  struct Allocation {
    size_t size;
    void* data;
  };

  ScratchAllocator(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) : api_(api), ctx_(ctx) {}

  void Free(const Allocation& allocation) {
    auto args = internal::MakeArgs<XLA_FFI_DeviceMemory_Free_Args>(
        XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE);
    args.ctx = ctx_;
    args.size = allocation.size;
    args.data = allocation.data;
    auto* free =
        internal::Find<internal::ApiFunction::kScratchFree, XLA_FFI_DeviceMemory_Free>(*api_);
    // Nobody is left to report a failure to.
    if (XLA_FFI_Error* error = free(&args)) internal::DestroyError(api_, error);
  }

  // The number of allocations that are recorded without allocating.
  static constexpr size_t kFirst = 4;

  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
  size_t used_ = 0;
  Allocation first_[kFirst];
  std::vector<Allocation> more_;
};

template <>
struct CtxDecoding<ScratchAllocator> {
  using Type = ScratchAllocator;

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    using internal::ApiFunction;
    using internal::Find;
    const bool complete =
        Find<ApiFunction::kScratchAllocate, XLA_FFI_DeviceMemory_Allocate>(*api) != nullptr &&
        Find<ApiFunction::kScratchFree, XLA_FFI_DeviceMemory_Free>(*api) != nullptr;
    if (XLA_FFI_PREDICT_FALSE(!complete)) {
      internal::EmitMissing(diagnostic, api, "ScratchAllocator", ApiFunction::kScratchAllocate);
      return std::nullopt;
    }
    constexpr const internal::RuntimeVersion& kSafe =
        ::callbridge::typed_ffi::FirstWithCpuContext();
    if (XLA_FFI_PREDICT_FALSE(!::callbridge::typed_ffi::IsSince(*api, kSafe)) &&
        !HasStream(api, ctx)) {
      internal::EmitMissing(diagnostic, api, "ScratchAllocator on the CPU", kSafe);
      return std::nullopt;
    }
    return ScratchAllocator(api, ctx);
  }

 private:
  // An XLA:CPU without context has the functions and crashes in them, but returns an error when
  // asked for a stream.
  static bool HasStream(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx) {
    auto args = internal::MakeArgs<XLA_FFI_Stream_Get_Args>(XLA_FFI_Stream_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    auto* get = internal::Find<internal::ApiFunction::kStream, XLA_FFI_Stream_Get>(*api);
    XLA_FFI_Error* error = get(&args);
    if (error == nullptr) return true;
    internal::DestroyError(api, error);
    return false;
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_SCRATCH_ALLOCATOR_H_
