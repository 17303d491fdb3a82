#include "callbridge/c_api/ffi_context.h"

#include "callbridge/abi/failure_status.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {

absl::Status FfiContext::Copy(const callbridge_runtime_services* context) {
  if (context == nullptr) return absl::OkStatus();
  absl::Status checked = CheckStructSize("callbridge_runtime_services", *context);
  if (!checked.ok()) return checked;
  if (context->stream != nullptr) services_.stream = *context->stream;
  if (context->device_ordinal != nullptr) services_.device_ordinal = *context->device_ordinal;
  if (context->run_id != nullptr) services_.run_id = *context->run_id;
  if (const callbridge_ffi_thread_pool* pool = context->thread_pool) {
    checked = CheckStructSize("callbridge_ffi_thread_pool", *pool);
    if (checked.ok()) {
      checked = CheckPointers({{"callbridge_ffi_thread_pool.schedule", pool->schedule},
                               {"callbridge_ffi_thread_pool.num_threads", pool->num_threads}});
    }
    if (!checked.ok()) return checked;
    threads_.pool = *pool;
    services_.thread_pool = &threads_;
  }
  if (const callbridge_ffi_scratch* memory = context->scratch) {
    checked = CheckStructSize("callbridge_ffi_scratch", *memory);
    if (checked.ok()) {
      checked = CheckPointers({{"callbridge_ffi_scratch.allocate", memory->allocate},
                               {"callbridge_ffi_scratch.free", memory->free}});
    }
    if (!checked.ok()) return checked;
    scratch_.memory = *memory;
    services_.scratch = &scratch_;
  }
  constexpr char kCount[] = "callbridge_runtime_services.user_data_count";
  checked = CheckArray("callbridge_runtime_services.user_data_types", context->user_data_types,
                       kCount, context->user_data_count, sizeof(*context->user_data_types));
  if (checked.ok()) {
    checked = CheckArray("callbridge_runtime_services.user_data", context->user_data, kCount,
                         context->user_data_count, sizeof(*context->user_data));
  }
  if (!checked.ok()) return checked;
  for (size_t i = 0; i < context->user_data_count; ++i) {
    user_data_.push_back({{context->user_data_types[i]}, context->user_data[i]});
  }
  services_.user_data = user_data_;
  if (context->custom_options != nullptr) {
    custom_options_.emplace(context->custom_options->Get());
    services_.custom_options = &custom_options_->get();
  }
  services_.extensions = static_cast<const XLA_FFI_Extension*>(context->extensions);
  return absl::OkStatus();
}

void FfiContext::Scratch::Free(void* data, size_t size) {
  try {
    memory.free(memory.user, data, size);
  } catch (...) {
    static_cast<void>(CaughtStatus());  // a thread's cancellation goes on
  }
}

namespace {

host::HostScratchAllocator& HostMemory() {
  static auto& memory = *new host::HostScratchAllocator;  // handlers may run when the process ends
  return memory;
}

}  // namespace
absl::Status CallContext::Copy(const callbridge_execution_context* context) {
  if (context == nullptr) return absl::OkStatus();
  absl::Status size = CheckStructSize("callbridge_execution_context", *context);
  if (!size.ok()) return size;
  context_.stream = context->stream;
  as_xla_cpu_ = KnowsField(*context, context->as_xla_cpu) && context->as_xla_cpu != 0;
  if (!KnowsField(*context, context->services) || context->services == nullptr)
    return absl::OkStatus();
  services_.emplace();
  context_.services = &services_->services();
  return services_->Copy(context->services);
}

}  // namespace callbridge

const callbridge_ffi_thread_pool* callbridge_ffi_process_threads() {
  static const callbridge_ffi_thread_pool pool = {
      sizeof(pool), nullptr,
      [](void*, void (*task)(void*), void* data) {
        callbridge::host::ProcessThreads().Schedule(task, data);
      },
      [](void*) { return callbridge::host::ProcessThreads().num_threads(); }};
  return &pool;
}

const callbridge_ffi_scratch* callbridge_ffi_host_memory() {
  static const callbridge_ffi_scratch memory = {
      sizeof(memory), nullptr,
      [](void*, size_t size, size_t alignment) {
        return callbridge::HostMemory().Allocate(size, alignment);
      },
      [](void*, void* data, size_t size) { callbridge::HostMemory().Free(data, size); }};
  return &memory;
}

int64_t callbridge_ffi_new_run_id() { return callbridge::host::NewRunId(); }
