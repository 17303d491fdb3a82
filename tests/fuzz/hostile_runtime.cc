#include "hostile_runtime.h"

#include <cstdlib>
#include <cstring>

#include "callbridge/typed_ffi/old_layouts.h"
#include "hostile_frame.h"

namespace callbridge {

XLA_FFI_TypeId FuzzedState::id = {};

namespace {

using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::StateLayout;
namespace old = typed_ffi::old;

HostileRuntime* current = nullptr;

// An error where the struct is too small, or where the input wants one.
template <typename Args>
XLA_FFI_Error* Check(const Args* args, size_t size, const char* name) {
  if (args->struct_size < size) {
    return new XLA_FFI_Error{std::string("Unexpected ") + name + "_Args size"};
  }
  if (current->bytes().Lies()) return new XLA_FFI_Error{std::string(name) + " is refused"};
  return nullptr;
}

// What XLA does not let fail.
template <typename Args>
void Require(const Args* args, size_t size) {
  if (args->struct_size < size) std::abort();
}

#define CHECK_ARGS(name) \
  if (XLA_FFI_Error* error = Check(args, name##_Args_STRUCT_SIZE, #name)) return error

// ---- Errors -------------------------------------------------------------------------------------

XLA_FFI_Error* CreateError(XLA_FFI_Error_Create_Args* args) {
  Require(args, XLA_FFI_Error_Create_Args_STRUCT_SIZE);
  if (args->errc <= XLA_FFI_Error_Code_OK || args->errc > XLA_FFI_Error_Code_UNAUTHENTICATED) {
    std::abort();
  }
  return new XLA_FFI_Error{args->message};
}
void GetMessage(old::XLA_FFI_Error_GetMessage_Args* args) {
  Require(args, old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE);
  args->message = args->error->message.c_str();
}
void GetDetails(XLA_FFI_Error_GetDetails_Args* args) {
  Require(args, XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE);
  args->message = args->error->message.c_str();
  args->errc = XLA_FFI_Error_Code_INTERNAL;
}
void DestroyError(XLA_FFI_Error_Destroy_Args* args) {
  Require(args, XLA_FFI_Error_Destroy_Args_STRUCT_SIZE);
  delete args->error;
}

// ---- Questions ----------------------------------------------------------------------------------

XLA_FFI_Error* GetStream(XLA_FFI_Stream_Get_Args* args) {
  CHECK_ARGS(XLA_FFI_Stream_Get);
  args->stream = reinterpret_cast<void*>(current->bytes().Any<uintptr_t>());
  return nullptr;
}
XLA_FFI_Error* GetUserData(XLA_FFI_InvokeContext_Get_Args* args) {
  CHECK_ARGS(XLA_FFI_InvokeContext_Get);
  if (args->type_id->type_id == 0) std::abort();
  static FuzzedState data;
  args->data = current->bytes().ConsumeBool() ? nullptr : &data;
  return nullptr;
}
XLA_FFI_Error* GetRunId(XLA_FFI_RunId_Get_Args* args) {
  CHECK_ARGS(XLA_FFI_RunId_Get);
  args->run_id = current->bytes().Any<int64_t>();
  return nullptr;
}
XLA_FFI_Error* GetDeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  CHECK_ARGS(XLA_FFI_DeviceOrdinal_Get);
  args->device_ordinal = current->bytes().Any<int32_t>();
  return nullptr;
}
XLA_FFI_Error* FindExtension(XLA_FFI_InvokeContext_FindExtension_Args* args) {
  CHECK_ARGS(XLA_FFI_InvokeContext_FindExtension);
  Bytes& bytes = current->bytes();
  args->extension = nullptr;
  if (bytes.ConsumeBool()) return nullptr;
  XLA_FFI_Extension base = {sizeof(FuzzedExtension), {args->extension_type, 1, 0}, nullptr};
  if (!bytes.Lies()) {
    args->extension = &current->memory().New(FuzzedExtension{base, 1})->base;
    return nullptr;
  }
  base.struct_size = sizeof(base);
  base.id = {bytes.Any<int64_t>(), bytes.OneOf<int32_t>({0, 1, 2, -1}),
             bytes.ConsumeIntegralInRange<int32_t>(1, 5)};
  args->extension = current->memory().New(base);
  return nullptr;
}
XLA_FFI_Error* GetCustomOptions(XLA_FFI_CustomOptions_Get_Args* args) {
  CHECK_ARGS(XLA_FFI_CustomOptions_Get);
  args->attrs = nullptr;
  if (current->bytes().ConsumeBool()) return nullptr;
  const std::vector<WantedAttr> wanted = {
      {"option", XLA_FFI_AttrType_SCALAR, XLA_FFI_DataType_S32, {}}};
  args->attrs = current->memory().New(HostileAttrs(current->bytes(), current->memory(), wanted));
  return nullptr;
}

// ---- State --------------------------------------------------------------------------------------

void DeleteState(void* state) { delete static_cast<FuzzedState*>(state); }

XLA_FFI_Error* SetState(XLA_FFI_State_Set_Args* args) {
  CHECK_ARGS(XLA_FFI_State_Set);
  current->Keep(args->state, &DeleteState);
  return nullptr;
}
XLA_FFI_Error* SetStateWithDeleter(old::XLA_FFI_State_Set_Args_0_4_31* args) {
  if (auto* error = Check(args, sizeof(*args), "XLA_FFI_State_Set")) return error;
  current->Keep(args->state, args->deleter);
  return nullptr;
}
XLA_FFI_Error* SetTypedState(old::XLA_FFI_State_Set_Args_0_8_3* args) {
  if (auto* error = Check(args, sizeof(*args), "XLA_FFI_State_Set")) return error;
  current->Keep(args->state, &DeleteState);
  return nullptr;
}
template <typename Args>
XLA_FFI_Error* GetState(Args* args) {
  if (auto* error = Check(args, sizeof(*args), "XLA_FFI_State_Get")) return error;
  static FuzzedState state;
  args->state = current->bytes().ConsumeBool() ? nullptr : &state;
  return nullptr;
}

// ---- Memory and threads -------------------------------------------------------------------------

XLA_FFI_Error* Allocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  CHECK_ARGS(XLA_FFI_DeviceMemory_Allocate);
  args->data = current->bytes().Lies() ? nullptr : std::malloc(1);
  return nullptr;
}
XLA_FFI_Error* Free(XLA_FFI_DeviceMemory_Free_Args* args) {
  Require(args, XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE);
  std::free(args->data);
  return current->bytes().Lies() ? new XLA_FFI_Error{"not freed"} : nullptr;
}
XLA_FFI_Error* Schedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  CHECK_ARGS(XLA_FFI_ThreadPool_Schedule);
  if (current->bytes().ConsumeBool()) {
    args->task(args->data);
  } else {
    current->Schedule([task = args->task, data = args->data] { task(data); });
  }
  return nullptr;
}
XLA_FFI_Error* CountThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  CHECK_ARGS(XLA_FFI_ThreadPool_NumThreads);
  *args->num_threads = current->bytes().Any<int64_t>();
  return nullptr;
}

// ---- Futures ------------------------------------------------------------------------------------

XLA_FFI_Error* CreateFuture(XLA_FFI_Future_Create_Args* args) {
  CHECK_ARGS(XLA_FFI_Future_Create);
  args->future = current->NewFuture();
  return nullptr;
}
// A completion is never refused but for its size: who completes could do nothing but end the
// process.
XLA_FFI_Error* SetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  if (args->struct_size < XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE) {
    return new XLA_FFI_Error{"Unexpected XLA_FFI_Future_SetAvailable_Args size"};
  }
  if (args->future->is_complete) std::abort();
  args->future->is_complete = true;
  return nullptr;
}
XLA_FFI_Error* SetError(XLA_FFI_Future_SetError_Args* args) {
  Require(args, XLA_FFI_Future_SetError_Args_STRUCT_SIZE);
  if (args->future->is_complete || args->error == nullptr) std::abort();
  args->future->is_complete = true;
  delete args->error;
  return nullptr;
}

// ---- The table ----------------------------------------------------------------------------------

void Unexpected() { std::abort(); }

using Function = void (*)();

template <typename F>
Function Erase(F* function) {
  return reinterpret_cast<Function>(function);
}

Function FunctionFor(ApiFunction function, StateLayout state) {
  switch (function) {
    case ApiFunction::kErrorCreate:
      return Erase(&CreateError);
    case ApiFunction::kErrorGetMessage:
      return Erase(&GetMessage);
    case ApiFunction::kErrorGetDetails:
      return Erase(&GetDetails);
    case ApiFunction::kErrorDestroy:
      return Erase(&DestroyError);
    case ApiFunction::kStream:
      return Erase(&GetStream);
    case ApiFunction::kUserData:
      return Erase(&GetUserData);
    case ApiFunction::kStateSet:
      if (state == StateLayout::kWithDeleter) return Erase(&SetStateWithDeleter);
      return state == StateLayout::kStaged ? Erase(&SetState) : Erase(&SetTypedState);
    case ApiFunction::kStateGet:
      return state == StateLayout::kStaged ? Erase(&GetState<XLA_FFI_State_Get_Args>)
                                           : Erase(&GetState<old::XLA_FFI_State_Get_Args_0_4_31>);
    case ApiFunction::kScratchAllocate:
      return Erase(&Allocate);
    case ApiFunction::kScratchFree:
      return Erase(&Free);
    case ApiFunction::kThreadPoolSchedule:
      return Erase(&Schedule);
    case ApiFunction::kThreadPoolNumThreads:
      return Erase(&CountThreads);
    case ApiFunction::kFutureCreate:
      return Erase(&CreateFuture);
    case ApiFunction::kFutureSetAvailable:
      return Erase(&SetAvailable);
    case ApiFunction::kFutureSetError:
      return Erase(&SetError);
    case ApiFunction::kRunId:
      return Erase(&GetRunId);
    case ApiFunction::kDeviceOrdinal:
      return Erase(&GetDeviceOrdinal);
    case ApiFunction::kExtensions:
      return Erase(&FindExtension);
    case ApiFunction::kCustomOptions:
      return Erase(&GetCustomOptions);
    case ApiFunction::kHandlerRegister:
    case ApiFunction::kTypeIdRegister:
    case ApiFunction::kTypeRegister:
      return &Unexpected;
  }
  return nullptr;
}

}  // namespace

HostileRuntime::HostileRuntime(Bytes& bytes, Memory& memory) : bytes_(&bytes), memory_(&memory) {
  // The newest where the input has no more.
  version_ = &kRuntimeVersions[kRuntimeVersionCount - 1 -
                               bytes.ConsumeIntegralInRange(0, kRuntimeVersionCount - 1)];
  size_t size = version_->table_size;
  int minor = version_->minor;
  size_t stated_size = version_->stated_size;
  // One newer than all that are known, which has more slots.
  if (version_ == &typed_ffi::kNewestVersion && bytes.Lies()) {
    minor = bytes.ConsumeIntegralInRange(6, 1000);
    size = stated_size = 208 + 8 * bytes.ConsumeIntegralInRange<size_t>(1, 8);
  }
  char* table = static_cast<char*>(memory.Block(size));
  for (size_t at = 48; at < size; at += sizeof(Function)) {
    const Function unexpected = &Unexpected;
    memcpy(table + at, &unexpected, sizeof(unexpected));
  }
  memcpy(table, &stated_size, sizeof(stated_size));
  if (version_ != &kRuntimeVersions[0]) {
    const XLA_FFI_Api_Version api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr,
                                             bytes.Lies() ? bytes.Any<int>() : 0, minor};
    memcpy(table + 16, &api_version, sizeof(api_version));
  }
  for (int i = 0; i < typed_ffi::kApiFunctionCount; ++i) {
    if (version_->slots[i] == 0) continue;
    const Function function = FunctionFor(static_cast<ApiFunction>(i), version_->state);
    memcpy(table + version_->slots[i], &function, sizeof(function));
  }
  api_ = reinterpret_cast<const XLA_FFI_Api*>(table);
  FuzzedState::id = {bytes.Lies() ? 0 : 7};
  current = this;
}

HostileRuntime::~HostileRuntime() { current = nullptr; }

XLA_FFI_Future* HostileRuntime::NewFuture() {
  futures_.push_back(std::make_unique<XLA_FFI_Future>());
  return futures_.back().get();
}

bool HostileRuntime::IsComplete(const XLA_FFI_Future* future) const {
  for (const auto& each : futures_) {
    if (each.get() == future) return future->is_complete;
  }
  return false;
}

void HostileRuntime::FinishCall() {
  while (!tasks_.empty()) {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
  }
  for (const auto& [state, deleter] : states_) deleter(state);
  states_.clear();
}

}  // namespace callbridge
