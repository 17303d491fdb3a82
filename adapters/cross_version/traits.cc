#include "callbridge/adapters/cross_version/traits.h"

#include <dlfcn.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/adapters/entry_points/typed_to_untyped.h"
#include "callbridge/adapters/recorded_call.h"
#include "callbridge/adapters/typed_frame.h"

namespace callbridge {
namespace {

struct HandlerWithTraits {
  XLA_FFI_Handler* handler;
  XLA_FFI_Handler_Traits traits;
  XLA_FFI_Handler* recorded;
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

// What errors call a handler, whose name only its library has.
std::string DescribeHandler(XLA_FFI_Handler* handler) {
  const auto* address = reinterpret_cast<const void*>(handler);
  Dl_info info;
  if (dladdr(address, &info) == 0) {
    return absl::StrCat("the typed handler at 0x", absl::Hex(reinterpret_cast<uintptr_t>(address)));
  }
  if (info.dli_sname == nullptr || info.dli_saddr != address) {
    const uintptr_t offset =
        reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_fbase);
    return absl::StrCat("the typed handler at 0x", absl::Hex(offset), " of ", info.dli_fname);
  }
  return absl::StrCat("the typed handler ", info.dli_sname, " of ", info.dli_fname);
}

XLA_FFI_Error* CallRecorded(const void* user, XLA_FFI_CallFrame* frame) {
  if (ABSL_PREDICT_FALSE(frame->stage != XLA_FFI_ExecutionStage_EXECUTE) ||
      (frame->extension_start != nullptr && MetadataQuery(*frame) != nullptr)) {
    return CallWithTraits(user, frame);
  }
  const auto& with_traits = *static_cast<const HandlerWithTraits*>(user);
  void* stream;
  if (XLA_FFI_Error* error = GetStream(*frame, stream)) return error;
  const RecordedCall call(stream);
  XLA_FFI_Error* const error = with_traits.handler(frame);
  if (ABSL_PREDICT_TRUE(!call.is_captured()) || error != nullptr) return error;
  const absl::Status status = call.Check(*frame, DescribeHandler(with_traits.recorded));
  return status.ok() ? nullptr : MakeError(*frame->api, status);
}

}  // namespace

absl::StatusOr<XLA_FFI_Handler*> GetHandlerWithTraits(XLA_FFI_Handler* handler,
                                                      XLA_FFI_Handler_Traits traits,
                                                      XLA_FFI_Handler* recorded) {
  using Key = std::tuple<XLA_FFI_Handler*, XLA_FFI_Handler_Traits, XLA_FFI_Handler*>;
  const TableLock lock;
  // Never destroyed, because runtimes keep handlers.
  static auto& all = *new std::map<Key, std::unique_ptr<HandlerWithTraits>>;
  return KeptTrampoline(all[{handler, traits, recorded}], [&] {
    auto made = std::make_unique<HandlerWithTraits>();
    auto* const call = recorded != nullptr ? &CallRecorded : &CallWithTraits;
    *made = {handler, traits, recorded, {call, made.get()}, nullptr};
    return made;
  });
}

}  // namespace callbridge
