#include "callbridge/c_api/ffi_context.h"

#include "callbridge/c_api/struct_size.h"

namespace callbridge {

absl::Status FfiContext::Copy(const callbridge_ffi_context* context) {
  if (context == nullptr) return absl::OkStatus();
  absl::Status size =
      CheckStructSize("callbridge_ffi_context", context->struct_size, sizeof(*context));
  if (!size.ok()) return size;
  if (context->stream != nullptr) lent_.stream = *context->stream;
  if (context->device_ordinal != nullptr) lent_.device_ordinal = *context->device_ordinal;
  if (context->run_id != nullptr) lent_.run_id = *context->run_id;
  if (const callbridge_ffi_thread_pool* pool = context->thread_pool) {
    size = CheckStructSize("callbridge_ffi_thread_pool", pool->struct_size, sizeof(*pool));
    if (!size.ok()) return size;
    threads_.pool = *pool;
    lent_.thread_pool = &threads_;
  }
  if (const callbridge_ffi_scratch* memory = context->scratch) {
    size = CheckStructSize("callbridge_ffi_scratch", memory->struct_size, sizeof(*memory));
    if (!size.ok()) return size;
    scratch_.memory = *memory;
    lent_.scratch = &scratch_;
  }
  for (size_t i = 0; i < context->user_data_count; ++i) {
    user_data_.push_back({{context->user_data_types[i]}, context->user_data[i]});
  }
  lent_.user_data = user_data_;
  if (context->custom_options != nullptr) {
    custom_options_.emplace(context->custom_options->attributes);
    lent_.custom_options = &custom_options_->get();
  }
  lent_.extensions = static_cast<const XLA_FFI_Extension*>(context->extensions);
  return absl::OkStatus();
}

namespace {

host::HostScratchAllocator& HostMemory() {
  static auto& memory = *new host::HostScratchAllocator;  // handlers may run when the process ends
  return memory;
}

}  // namespace
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
