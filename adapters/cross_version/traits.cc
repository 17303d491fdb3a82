#include "callbridge/adapters/cross_version/traits.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/base/optimization.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/metadata_query.h"
#include "callbridge/adapters/trampolines.h"

namespace callbridge {
namespace {

struct HandlerWithTraits {
  XLA_FFI_Handler* handler;
  XLA_FFI_Handler_Traits traits;
  TypedFunction function;
  XLA_FFI_Handler* trampoline;
};

XLA_FFI_Error* CallWithTraits(const void* user, XLA_FFI_CallFrame* frame) {
  const auto& with_traits = *static_cast<const HandlerWithTraits*>(user);
  if (ABSL_PREDICT_TRUE(frame->extension_start == nullptr)) return with_traits.handler(frame);
  XLA_FFI_Metadata* const metadata = MetadataQuery(*frame);
  XLA_FFI_Error* const error = with_traits.handler(frame);
  if (metadata != nullptr && error == nullptr) metadata->traits |= with_traits.traits;
  return error;
}

}  // namespace

absl::StatusOr<XLA_FFI_Handler*> GetHandlerWithTraits(XLA_FFI_Handler* handler,
                                                      XLA_FFI_Handler_Traits traits) {
  using Key = std::pair<XLA_FFI_Handler*, XLA_FFI_Handler_Traits>;
  const TableLock lock;
  // Never destroyed, because runtimes keep handlers.
  static auto& all = *new std::map<Key, std::unique_ptr<HandlerWithTraits>>;
  std::unique_ptr<HandlerWithTraits>& known = all[{handler, traits}];
  if (known == nullptr) {
    auto made = std::make_unique<HandlerWithTraits>();
    *made = {handler, traits, {&CallWithTraits, made.get()}, nullptr};
    absl::StatusOr<XLA_FFI_Handler*> trampoline = MakeTrampoline(made->function);
    if (!trampoline.ok()) return trampoline;
    made->trampoline = *trampoline;
    known = std::move(made);
  }
  return known->trampoline;
}

}  // namespace callbridge
