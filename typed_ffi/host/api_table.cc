#include "callbridge/typed_ffi/host/api_table.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/invocation.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace host {
namespace {

namespace old = typed_ffi::old;
using typed_ffi::ApiFunction;
using typed_ffi::ApiSlot;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;
using typed_ffi::StateLayout;

absl::string_view View(const XLA_FFI_ByteSpan& span) { return {span.ptr, span.len}; }

XLA_FFI_Error* SizeError(const char* name, size_t expected, size_t got, int minor) {
  return ErrorObject::Make(
      XLA_FFI_Error_Code_INVALID_ARGUMENT,
      absl::StrCat("Unexpected ", name, " size: expected ", expected, ", got ", got,
                   ". Check installed software versions. The framework XLA FFI API version is 0.",
                   minor, "."));
}

// Writes the value to `out` and returns null, or returns its error.
template <typename Value, typename Out>
XLA_FFI_Error* Answer(const absl::StatusOr<Value>& value, Out& out) {
  if (!value.ok()) return ErrorObject::Make(value.status());
  out = *value;
  return nullptr;
}

// Calls a function that calls the caller's services, and returns an exception of theirs as an
// error: the handler may be in C.
template <auto kFunction>
struct Caught;
template <typename Args, XLA_FFI_Error* (*kFunction)(Args*)>
struct Caught<kFunction> {
  static XLA_FFI_Error* Call(Args* args) {
    try {
      return kFunction(args);
    } catch (...) {
      return ErrorObject::Make(CaughtStatus());
    }
  }
};

// The functions of one row's table, a template since the row chooses the structs that they take.
// Like XLA they check sizes first, and errors name structs as XLA's do.
template <int kRow>
class Table {
 public:
  static const XLA_FFI_Api* Make() {
    // Of the row's true size, so that sanitizers report reads beyond it.
    static ApiSlot table[kVersion.table_size / sizeof(ApiSlot)];
    WriteApiTable(table, kVersion, &FunctionFor);
    WriteTableEnd(table, kVersion);
    return reinterpret_cast<const XLA_FFI_Api*>(table);
  }

 private:
  static constexpr const RuntimeVersion& kVersion = kRuntimeVersions[kRow];

  static ApiSlot FunctionFor(ApiFunction function) {
    switch (function) {
      case ApiFunction::kErrorCreate:
        return &ErrorCreate;
      case ApiFunction::kErrorGetMessage:
        return &ErrorGetMessage;
      case ApiFunction::kErrorGetDetails:
        return &ErrorGetDetails;
      case ApiFunction::kErrorDestroy:
        return &ErrorDestroy;
      case ApiFunction::kHandlerRegister:
        return &HandlerRegister;
      case ApiFunction::kStream:
        return &Stream;
      case ApiFunction::kTypeIdRegister:
        return &TypeIdRegister;
      case ApiFunction::kTypeRegister:
        return &TypeRegister;
      case ApiFunction::kUserData:
        return &UserDataGet;
      case ApiFunction::kStateSet:
        return &StateSet;
      case ApiFunction::kStateGet:
        return &StateGet;
      case ApiFunction::kScratchAllocate:
        return &Caught<&ScratchAllocate>::Call;
      case ApiFunction::kScratchFree:
        return &Caught<&ScratchFree>::Call;
      case ApiFunction::kThreadPoolSchedule:
        return &Caught<&ThreadPoolSchedule>::Call;
      case ApiFunction::kThreadPoolNumThreads:
        return &Caught<&ThreadPoolNumThreads>::Call;
      case ApiFunction::kFutureCreate:
        return &FutureCreate;
      case ApiFunction::kFutureSetAvailable:
        return &FutureSetAvailable;
      case ApiFunction::kFutureSetError:
        return &FutureSetError;
      case ApiFunction::kRunId:
        return &RunId;
      case ApiFunction::kDeviceOrdinal:
        return &DeviceOrdinal;
      case ApiFunction::kExtensions:
        return &FindExtension;
      case ApiFunction::kCustomOptions:
        return &CustomOptions;
    }
    return {};
  }

  // Returns null if the struct is large enough.
  template <typename Args>
  static XLA_FFI_Error* Check(const Args& args, const char* name, size_t expected) {
    if (args.struct_size >= expected) return nullptr;
    return SizeError(name, expected, args.struct_size, kVersion.minor);
  }

  static XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Error_Create", kNeeded)) return error;
    return ErrorObject::Make(args->errc, args->message);
  }
  static void ErrorGetMessage(old::XLA_FFI_Error_GetMessage_Args* args) {
    args->message = nullptr;
    if (args->struct_size < old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE) return;
    args->message = ErrorObject::Of(args->error).message();
  }
  static void ErrorGetDetails(XLA_FFI_Error_GetDetails_Args* args) {
    if (args->struct_size < XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE) return;
    args->message = ErrorObject::Of(args->error).message();
    args->errc = ErrorObject::Of(args->error).code();
  }
  static void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) {
    if (args->struct_size < XLA_FFI_Error_Destroy_Args_STRUCT_SIZE) return;
    ErrorObject::Destroy(args->error);
  }

  // The bundle comes before the traits, and its size depends on the row.
  static XLA_FFI_Error* HandlerRegister(XLA_FFI_Handler_Register_Args* args) {
    constexpr size_t kBundle = offsetof(XLA_FFI_Handler_Register_Args, bundle);
    constexpr size_t kTraits = kBundle + kVersion.bundle_size;
    XLA_FFI_Handler_Traits traits = 0;
    constexpr size_t kNeeded = kTraits + sizeof(traits);
    if (auto* error = Check(*args, "XLA_FFI_Handler_Register", kNeeded)) return error;
    const char* bytes = reinterpret_cast<const char*>(args);
    std::memcpy(&traits, bytes + kTraits, sizeof(traits));
    XLA_FFI_Handler_Bundle bundle = {};
    std::memcpy(reinterpret_cast<char*>(&bundle) + kFirstHandler, bytes + kBundle,
                kVersion.bundle_size);
    return ErrorObject::Make(
        RegistryOf(kVersion).Register(View(args->name), View(args->platform), bundle, traits));
  }
  // The first handler of a bundle is PREPARE's in rows without INSTANTIATE.
  static constexpr size_t kFirstHandler = kVersion.instantiate == typed_ffi::kNoStage
                                              ? offsetof(XLA_FFI_Handler_Bundle, prepare)
                                              : offsetof(XLA_FFI_Handler_Bundle, instantiate);

  static XLA_FFI_Error* TypeIdRegister(old::XLA_FFI_TypeId_Register_Args* args) {
    constexpr size_t kNeeded = old::XLA_FFI_TypeId_Register_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_TypeId_Register_Args", kNeeded)) return error;
    return ErrorObject::Make(
        TypeRegistry::OfProcess().Register(View(args->name), *args->type_id, nullptr));
  }
  static XLA_FFI_Error* TypeRegister(XLA_FFI_Type_Register_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Type_Register_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Type_Register_Args", kNeeded)) return error;
    return ErrorObject::Make(
        TypeRegistry::OfProcess().Register(View(args->name), *args->type_id, args->type_info));
  }

  static XLA_FFI_Error* Stream(XLA_FFI_Stream_Get_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Stream_Get", kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).Stream(), args->stream);
  }
  static XLA_FFI_Error* UserDataGet(XLA_FFI_InvokeContext_Get_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE;
    constexpr const char* kName = kVersion.has_invoke_context ? "XLA_FFI_InvokeContext_Get_Args"
                                                              : "XLA_FFI_ExecutionContext_Get_Args";
    if (auto* error = Check(*args, kName, kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).FindUserData(*args->type_id), args->data);
  }
  static XLA_FFI_Error* RunId(XLA_FFI_RunId_Get_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_RunId_Get_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_RunId_Get", kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).RunId(), args->run_id);
  }
  static XLA_FFI_Error* DeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_DeviceOrdinal_Get", kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).DeviceOrdinal(), args->device_ordinal);
  }
  static XLA_FFI_Error* FindExtension(XLA_FFI_InvokeContext_FindExtension_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_InvokeContext_FindExtension_Args", kNeeded)) {
      return error;
    }
    return Answer(Invocation::Of(args->ctx).FindExtension(args->extension_type), args->extension);
  }
  static XLA_FFI_Error* CustomOptions(XLA_FFI_CustomOptions_Get_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_CustomOptions_Get_Args", kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).CustomOptions(), args->attrs);
  }

  // `args` must be the struct of the row's StateLayout.
  static XLA_FFI_Error* StateSet(void* args) {
    if constexpr (kVersion.state == StateLayout::kWithDeleter) {
      return SetInstantiate(*static_cast<old::XLA_FFI_State_Set_Args_0_4_31*>(args));
    } else if constexpr (kVersion.state == StateLayout::kTypedDeleter) {
      return SetTyped(*static_cast<old::XLA_FFI_State_Set_Args_0_8_3*>(args),
                      old::XLA_FFI_State_Set_Args_0_8_3_STRUCT_SIZE,
                      XLA_FFI_ExecutionStage_INSTANTIATE);
    } else {
      auto& staged = *static_cast<XLA_FFI_State_Set_Args*>(args);
      return SetTyped(staged, XLA_FFI_State_Set_Args_STRUCT_SIZE, staged.stage);
    }
  }
  static XLA_FFI_Error* SetInstantiate(old::XLA_FFI_State_Set_Args_0_4_31& args) {
    constexpr size_t kNeeded = old::XLA_FFI_State_Set_Args_0_4_31_STRUCT_SIZE;
    if (auto* error = Check(args, "XLA_FFI_State_Set_Args", kNeeded)) return error;
    return ErrorObject::Make(Invocation::Of(args.ctx).SetState(
        XLA_FFI_ExecutionStage_INSTANTIATE, *args.type_id, args.state, args.deleter));
  }
  template <typename Args>
  static XLA_FFI_Error* SetTyped(Args& args, size_t needed, XLA_FFI_ExecutionStage stage) {
    if (auto* error = Check(args, "XLA_FFI_State_Set_Args", needed)) return error;
    const auto type = TypeRegistry::OfProcess().Find(*args.type_id);
    if (!type.has_value()) {
      return ErrorObject::Make(absl::InternalError(absl::StrCat(
          "Type id ", args.type_id->type_id, " is not registered with a static registry")));
    }
    return ErrorObject::Make(
        Invocation::Of(args.ctx).SetState(stage, *args.type_id, args.state, type->deleter));
  }
  static XLA_FFI_Error* StateGet(void* args) {
    if constexpr (kVersion.state == StateLayout::kStaged) {
      auto& staged = *static_cast<XLA_FFI_State_Get_Args*>(args);
      return GetState(staged, XLA_FFI_State_Get_Args_STRUCT_SIZE, staged.stage);
    } else {
      return GetState(*static_cast<old::XLA_FFI_State_Get_Args_0_4_31*>(args),
                      old::XLA_FFI_State_Get_Args_0_4_31_STRUCT_SIZE,
                      XLA_FFI_ExecutionStage_INSTANTIATE);
    }
  }
  template <typename Args>
  static XLA_FFI_Error* GetState(Args& args, size_t needed, XLA_FFI_ExecutionStage stage) {
    if (auto* error = Check(args, "XLA_FFI_State_Get_Args", needed)) return error;
    return Answer(Invocation::Of(args.ctx).GetState(stage, *args.type_id), args.state);
  }

  static XLA_FFI_Error* ScratchAllocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_DeviceMemory_Allocate_Args", kNeeded)) return error;
    return Answer(Invocation::Of(args->ctx).AllocateScratch(args->size, args->alignment),
                  args->data);
  }
  static XLA_FFI_Error* ScratchFree(XLA_FFI_DeviceMemory_Free_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_DeviceMemory_Free_Args", kNeeded)) return error;
    return ErrorObject::Make(Invocation::Of(args->ctx).FreeScratch(args->data));
  }

  static XLA_FFI_Error* ThreadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_ThreadPool_Schedule_Args", kNeeded)) return error;
    const Invocation& invocation = Invocation::Of(args->ctx);
    if (invocation.MustRunTasksHere()) {
      args->task(args->data);
      return nullptr;
    }
    const absl::StatusOr<ThreadPool*> threads = invocation.Threads();
    if (!threads.ok()) return ErrorObject::Make(threads.status());
    (*threads)->Schedule(args->task, args->data);
    return nullptr;
  }
  static XLA_FFI_Error* ThreadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_ThreadPool_NumThreads_Args", kNeeded)) return error;
    const absl::StatusOr<ThreadPool*> threads = Invocation::Of(args->ctx).Threads();
    if (!threads.ok()) return ErrorObject::Make(threads.status());
    *args->num_threads = (*threads)->num_threads();
    return nullptr;
  }

  static XLA_FFI_Error* FutureCreate(XLA_FFI_Future_Create_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Future_Create_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Future_Create", kNeeded)) return error;
    args->future = FutureObject::Create();
    return nullptr;
  }
  static XLA_FFI_Error* FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Future_SetAvailable", kNeeded)) return error;
    return ErrorObject::Make(FutureObject::Complete(args->future, absl::OkStatus()));
  }
  static XLA_FFI_Error* FutureSetError(XLA_FFI_Future_SetError_Args* args) {
    constexpr size_t kNeeded = XLA_FFI_Future_SetError_Args_STRUCT_SIZE;
    if (auto* error = Check(*args, "XLA_FFI_Future_SetError", kNeeded)) return error;
    return ErrorObject::Make(
        FutureObject::Complete(args->future, ErrorObject::TakeStatus(args->error)));
  }
};

using Tables = std::array<const XLA_FFI_Api*, kRuntimeVersionCount>;

template <size_t... kRows>
Tables MakeTables(std::index_sequence<kRows...>) {
  return {Table<kRows>::Make()...};
}

}  // namespace

const XLA_FFI_Api& ApiTable(const RuntimeVersion& version) {
  static const Tables tables = MakeTables(std::make_index_sequence<kRuntimeVersionCount>());
  return *tables[IndexOf(version)];
}

}  // namespace host
}  // namespace callbridge

const XLA_FFI_Api* callbridge_xla_ffi_api() {
  return &callbridge::host::ApiTable(callbridge::typed_ffi::kNewestVersion);
}
