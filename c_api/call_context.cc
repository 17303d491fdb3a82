#include "callbridge/c_api/call_context.h"

#include <cstddef>

#include "callbridge/c_api/struct_size.h"

namespace callbridge {

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
