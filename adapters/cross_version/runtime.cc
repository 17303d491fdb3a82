#include "callbridge/adapters/cross_version/runtime.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_texts.h"

namespace callbridge {
namespace {

namespace old = typed_ffi::old;
using typed_ffi::ApiFunction;
using typed_ffi::RuntimeVersion;

// In the order of ApiFunction.
constexpr const char* kApiFunctionNames[] = {
    "XLA_FFI_Error_Create",
    "XLA_FFI_Error_GetMessage",
    "XLA_FFI_Error_GetDetails",
    "XLA_FFI_Error_Destroy",
    "XLA_FFI_Handler_Register",
    "XLA_FFI_Stream_Get",
    "XLA_FFI_TypeId_Register",
    "XLA_FFI_Type_Register",
    "XLA_FFI_InvokeContext_Get",
    "XLA_FFI_State_Set",
    "XLA_FFI_State_Get",
    "XLA_FFI_DeviceMemory_Allocate",
    "XLA_FFI_DeviceMemory_Free",
    "XLA_FFI_ThreadPool_Schedule",
    "XLA_FFI_ThreadPool_NumThreads",
    "XLA_FFI_Future_Create",
    "XLA_FFI_Future_SetAvailable",
    "XLA_FFI_Future_SetError",
    "XLA_FFI_RunId_Get",
    "XLA_FFI_DeviceOrdinal_Get",
    "XLA_FFI_InvokeContext_FindExtension",
    "XLA_FFI_CustomOptions_Get",
};
static_assert(std::size(kApiFunctionNames) == typed_ffi::kApiFunctionCount, "one name for each");

XLA_FFI_ByteSpan ToSpan(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

const char* ApiFunctionName(ApiFunction function) {
  return kApiFunctionNames[static_cast<int>(function)];
}

CrossVersionRuntime& CrossVersionRuntime::Of(const XLA_FFI_Api* api) {
  const TableLock lock;
  static auto& runtimes = *new std::map<const XLA_FFI_Api*, CrossVersionRuntime*>;
  CrossVersionRuntime*& runtime = runtimes[api];
  if (runtime == nullptr) runtime = new CrossVersionRuntime(api);
  return *runtime;
}

// The two rows of equal size and version differ in futures.
CrossVersionRuntime::CrossVersionRuntime(const XLA_FFI_Api* api)
    : api_(api),
      version_(&typed_ffi::VersionFor(*api, ApiFunction::kFutureCreate)),
      execute_(static_cast<XLA_FFI_ExecutionStage>(version_->execute)),
      is_callbridge_(api == &host::ApiTable(*version_)) {}

XLA_FFI_Error* CrossVersionRuntime::FindType(absl::string_view name, void (*deleter)(void*),
                                             XLA_FFI_TypeId* id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = types_.find(name);
  if (found != types_.end()) {
    *id = found->second;
    return nullptr;
  }
  XLA_FFI_TypeId made = XLA_FFI_UNKNOWN_TYPE_ID;
  if (XLA_FFI_Error* error = RegisterType(name, deleter, &made)) {
    if (id->type_id == 0) return error;
    made = *id;
    XLA_FFI_Error* other = RegisterType(name, deleter, &made);
    DestroyError(other != nullptr ? other : error);
    if (other != nullptr) return error;
  }
  types_.emplace(name, made);
  *id = made;
  return nullptr;
}

XLA_FFI_Error* CrossVersionRuntime::FindOwnType(absl::string_view name, void (*deleter)(void*),
                                                XLA_FFI_TypeId* id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (types_.find(name) == types_.end() &&
        version_->state != typed_ffi::StateLayout::kWithDeleter) {
      XLA_FFI_TypeId own = *id;
      XLA_FFI_Error* error = RegisterType(name, deleter, &own);
      if (error == nullptr) {
        types_.emplace(name, own);
      } else {
        DestroyError(error);
      }
    }
  }
  id->type_id = 0;
  return FindType(name, deleter, id);
}

XLA_FFI_Error* CrossVersionRuntime::RegisterType(absl::string_view name, void (*deleter)(void*),
                                                 XLA_FFI_TypeId* id) {
  if (auto* register_type = Find<XLA_FFI_Type_Register>(ApiFunction::kTypeRegister)) {
    // Kept, since the runtime may not copy it.
    infos_.push_back({XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, deleter});
    XLA_FFI_Type_Register_Args args = {sizeof(args), nullptr, ToSpan(name), id, &infos_.back()};
    return register_type(&args);
  }
  if (auto* register_id = Find<old::XLA_FFI_TypeId_Register>(ApiFunction::kTypeIdRegister)) {
    old::XLA_FFI_TypeId_Register_Args args = {sizeof(args), nullptr, ToSpan(name), id};
    return register_id(&args);
  }
  return MakeError(XLA_FFI_Error_Code_UNIMPLEMENTED,
                   DescribeMissing(ApiFunction::kTypeIdRegister).c_str());
}

XLA_FFI_Error* CrossVersionRuntime::MakeError(XLA_FFI_Error_Code code, const char* message) const {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message, code};
  return Find<XLA_FFI_Error_Create>(ApiFunction::kErrorCreate)(&args);
}

void CrossVersionRuntime::DestroyError(XLA_FFI_Error* error) const {
  XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  Find<XLA_FFI_Error_Destroy>(ApiFunction::kErrorDestroy)(&args);
}

std::string CrossVersionRuntime::DescribeMissing(absl::string_view what,
                                                 const RuntimeVersion& first_that_has_it) const {
  return absl::StrCat(what, " needs ", typed_ffi::DescribeSince(first_that_has_it),
                      "; this runtime speaks 0.", static_cast<int>(version_->minor), " (",
                      version_->releases, ")");
}

std::string CrossVersionRuntime::DescribeMissing(ApiFunction function) const {
  return DescribeMissing(ApiFunctionName(function), typed_ffi::FirstWith(function));
}

}  // namespace callbridge
