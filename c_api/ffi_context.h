// What a callbridge_runtime_services provides, as typed_ffi/host takes it, and a
// callbridge_execution_context, as a BoundCall takes it.
#ifndef CALLBRIDGE_C_API_FFI_CONTEXT_H_
#define CALLBRIDGE_C_API_FFI_CONTEXT_H_

#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/typed_ffi/host/attributes.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

// Thread-safe.
struct callbridge_ffi_attributes {
 public:
  callbridge::Attributes Get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return attributes_;
  }
  // Calls set(attributes), which must use no other object of this type.
  template <typename Function>
  void Set(Function set) {
    std::lock_guard<std::mutex> lock(mutex_);
    set(attributes_);
  }

 private:
  mutable std::mutex mutex_;
  callbridge::Attributes attributes_;
};

namespace callbridge {

// A copy, which must outlive the run that uses it. Not movable.
class FfiContext {
 public:
  FfiContext() = default;
  FfiContext(const FfiContext&) = delete;
  FfiContext& operator=(const FfiContext&) = delete;

  // Call at most once. Null provides nothing. Returns INVALID_ARGUMENT if a struct is smaller than
  // its first version.
  absl::Status Copy(const callbridge_runtime_services* context);

  const host::RuntimeServices& services() const { return services_; }

 private:
  class Threads : public host::ThreadPool {
   public:
    void Schedule(XLA_FFI_Task* task, void* data) override { pool.schedule(pool.user, task, data); }
    int64_t num_threads() const override { return pool.num_threads(pool.user); }

    callbridge_ffi_thread_pool pool = {};
  };
  class Scratch : public host::ScratchAllocator {
   public:
    void* Allocate(size_t size, size_t alignment) override {
      return memory.allocate(memory.user, size, alignment);
    }
    void Free(void* data, size_t size) override;

    callbridge_ffi_scratch memory = {};
  };

  Threads threads_;
  Scratch scratch_;
  std::vector<host::UserData> user_data_;
  absl::optional<host::EncodedAttributes> custom_options_;
  host::RuntimeServices services_;
};

// What a callbridge_execution_context provides, as a BoundCall takes it: a copy, which must outlive
// the run that uses it. Not movable.
class CallContext {
 public:
  // Call at most once. Null is the default context. Returns INVALID_ARGUMENT if a struct is smaller
  // than its first version.
  absl::Status Copy(const callbridge_execution_context* context);

  const ExecutionContext& get() const { return context_; }
  bool as_xla_cpu() const { return as_xla_cpu_; }

 private:
  ExecutionContext context_;
  bool as_xla_cpu_ = false;
  absl::optional<FfiContext> services_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_FFI_CONTEXT_H_
