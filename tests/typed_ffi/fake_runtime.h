// The tests' XLA FFI runtime, of any row of typed_ffi/runtime_versions.h. Its API table ends at the
// end of a page, and reads beyond it crash. Like XLA it checks the size of each argument struct
// before it reads anything else of it.
//
//   FakeRuntime runtime(row);
//   runtime.call.stream = ...;
//   CtxDecoding<...>::Decode(runtime.api(), runtime.ctx(), diagnostic);
//
// `live_errors` counts the errors that it made and that nobody destroyed. `before_answer` lets a
// fuzzer change or refuse what it answers.
#ifndef CALLBRIDGE_TESTS_TYPED_FFI_FAKE_RUNTIME_H_
#define CALLBRIDGE_TESTS_TYPED_FFI_FAKE_RUNTIME_H_

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_versions.h"

struct XLA_FFI_Error {
  int code;
  std::string message;
};

// Completed exactly once. Owns `error`.
struct XLA_FFI_Future {
  std::mutex mutex;
  bool done = false;
  XLA_FFI_Error* error = nullptr;
};

#pragma GCC visibility push(hidden)
namespace callbridge::typed_ffi::testing {

inline std::atomic<int> live_errors{0};

inline XLA_FFI_Error* NewError(int code, std::string message) {
  ++live_errors;
  return new XLA_FFI_Error{code, std::move(message)};
}

inline void DeleteError(XLA_FFI_Error* error) {
  --live_errors;
  delete error;
}

// Called before each function for calls, and Future_Create, answers, unless it is empty: may change
// what the call has. An error that it returns is the answer. Of all runtimes, since futures are
// created without a context.
inline std::function<XLA_FFI_Error*(ApiFunction)> before_answer;

// What a call's context has, and what handlers left in it.
struct FakeCall {
  const RuntimeVersion* version = nullptr;
  void* stream = nullptr;
  int64_t num_threads = 5;
  bool has_thread_pool = true;
  bool run_tasks_at_once = true;
  int32_t device_ordinal = 0;
  std::vector<std::pair<XLA_FFI_Task*, void*>> tasks;  // those that are not run at once
  int64_t run_id = 0;
  std::map<int64_t, void*> user_data;  // by type id
  struct StateOf {
    int64_t type_id;
    void* state;
    void (*deleter)(void* state);  // null: not the call's
  };
  std::map<int, StateOf> states;  // by stage; 0 where a runtime does not tell them apart
  std::map<void*, size_t> scratch;
  const XLA_FFI_Attrs* custom_options = nullptr;
  const XLA_FFI_Extension* extensions = nullptr;
  bool checks_extension_types = true;  // false: finds the first of any type
  bool has_scratch = true;             // false: allocations succeed and return null
  int refusal_code = XLA_FFI_Error_Code_FAILED_PRECONDITION;
  std::string refusal;  // not empty: the message of the error that all functions return
};

// What was registered, with whichever of the API's types.
struct FakeRegistry {
  struct Handler {
    std::string name, platform;
    XLA_FFI_Handler_Bundle bundle;
    XLA_FFI_Handler_Traits traits;
  };
  struct Type {
    std::string name;
    int64_t id;
    void (*deleter)(void* object);
  };
  std::vector<Handler> handlers;
  std::vector<Type> types;
  std::map<std::string, int64_t> taken;  // names that the program registered by itself, by ids
};

// What a runtime's API table says of itself.
struct FakeTable {
  size_t size;
  size_t stated_size;
  int major;
  int minor;
};

class FakeRuntime {
 public:
  explicit FakeRuntime(int row)
      : FakeRuntime(row, {kRuntimeVersions[row].table_size, kRuntimeVersions[row].stated_size,
                          XLA_FFI_API_MAJOR, kRuntimeVersions[row].minor}) {}
  // With another table than the row's, which must be at least as large.
  FakeRuntime(int row, const FakeTable& table) : version_(kRuntimeVersions[row]) {
    call.version = &version_;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    pages_ = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages_ == MAP_FAILED || mprotect(pages_ + page, page, PROT_NONE) != 0) abort();
    table_ = reinterpret_cast<ApiSlot*>(pages_ + page - table.size);
    for (size_t at = offsetof(XLA_FFI_Api, XLA_FFI_Error_Create); at < table.size; at += 8) {
      SlotAt(table_, at) = &abort;  // functions that no row has
    }
    WriteApiTable(table_, version_, [](ApiFunction) { return ApiSlot(); });
    WriteTableEnd(table_, version_);
    SlotAt(table_, 0) = ApiSlot(table.stated_size);
    if (version_.table_has_version) WriteApiVersion(table_, table.major, table.minor);
    Fill();
  }
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;
  ~FakeRuntime() {
    for (auto& [stage, state] : call.states) {
      if (state.deleter != nullptr) state.deleter(state.state);
    }
    munmap(pages_, 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  }

  const XLA_FFI_Api* api() const { return reinterpret_cast<const XLA_FFI_Api*>(table_); }
  XLA_FFI_InvokeContext* ctx() { return reinterpret_cast<XLA_FFI_InvokeContext*>(&call); }
  const RuntimeVersion& version() const { return version_; }
  bool Has(ApiFunction function) const { return version_.slots[static_cast<int>(function)] != 0; }

  // Makes a function null.
  void LeaveOut(ApiFunction function) { SlotOf(table_, version_, function) = ApiSlot(); }

  FakeCall call;
  // Of all runtimes, since registration has no context. Emptied by who looks at it.
  static FakeRegistry& registry() {
    static FakeRegistry& registry = *new FakeRegistry();
    return registry;
  }

 private:
  void Put(ApiFunction which, ApiSlot function) {
    if (Has(which)) SlotOf(table_, version_, which) = function;
  }

  static FakeCall& CallOf(XLA_FFI_InvokeContext* ctx) { return *reinterpret_cast<FakeCall*>(ctx); }

  static XLA_FFI_Error* BeforeAnswer(ApiFunction function) {
    return before_answer ? before_answer(function) : nullptr;
  }
  // As XLA, which reads nothing else of a struct that is too small.
  static XLA_FFI_Error* CheckSize(const char* name, size_t expected, size_t actual) {
    if (actual >= expected) return nullptr;
    return NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT,
                    std::string("Unexpected ") + name + " size: expected at least " +
                        std::to_string(expected) + " but got " + std::to_string(actual));
  }
  template <typename Args>
  static XLA_FFI_Error* Check(ApiFunction function, const char* name, size_t expected,
                              const Args* args) {
    if (XLA_FFI_Error* error = CheckSize(name, expected, args->struct_size)) return error;
    if (XLA_FFI_Error* error = BeforeAnswer(function)) return error;
    const FakeCall& call = CallOf(args->ctx);
    return call.refusal.empty() ? nullptr : NewError(call.refusal_code, call.refusal);
  }

  template <typename Args>
  static XLA_FFI_Error* SetState(FakeCall& call, int stage, const Args* args,
                                 void (*deleter)(void*)) {
    const auto inserted =
        call.states.insert({stage, {args->type_id->type_id, args->state, deleter}}).second;
    return inserted ? nullptr
                    : NewError(XLA_FFI_Error_Code_FAILED_PRECONDITION, "the state is already set");
  }
  template <typename Args>
  static XLA_FFI_Error* GetState(FakeCall& call, int stage, Args* args) {
    const auto found = call.states.find(stage);
    if (found == call.states.end()) {
      return NewError(XLA_FFI_Error_Code_NOT_FOUND, "the state is not set");
    }
    if (found->second.type_id != args->type_id->type_id) {
      return NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the state has another type");
    }
    args->state = found->second.state;
    return nullptr;
  }
  // Since 0.8 a state without a registered deleter is refused.
  template <typename Args>
  static XLA_FFI_Error* SetTypedState(int stage, const Args* args) {
    for (const FakeRegistry::Type& type : registry().types) {
      if (type.id == args->type_id->type_id && type.deleter != nullptr) {
        return SetState(CallOf(args->ctx), stage, args, type.deleter);
      }
    }
    return NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the state's type has no deleter");
  }

  static std::string Text(XLA_FFI_ByteSpan span) { return std::string(span.ptr, span.len); }

  static XLA_FFI_Error* RegisterType(XLA_FFI_ByteSpan name, XLA_FFI_TypeId* type_id,
                                     void (*deleter)(void*)) {
    const auto taken = registry().taken.find(Text(name));
    if (taken != registry().taken.end()) {
      if (taken->second == type_id->type_id) return nullptr;
      return NewError(XLA_FFI_Error_Code_INTERNAL, "type name already registered");
    }
    if (type_id->type_id == 0) {
      static std::atomic<int64_t> last{0};
      type_id->type_id = ++last;
    }
    registry().types.push_back({Text(name), type_id->type_id, deleter});
    return nullptr;
  }

  void Fill() {
    using namespace old;  // NOLINT(google-build-using-namespace)
    Put(
        ApiFunction::kErrorCreate, +[](XLA_FFI_Error_Create_Args* args) {
          XLA_FFI_Error* error = CheckSize("XLA_FFI_Error_Create_Args", 28, args->struct_size);
          if (error != nullptr) return error;
          const bool is_code = args->errc > 0 && args->errc <= XLA_FFI_Error_Code_UNAUTHENTICATED;
          if (!is_code) abort();
          return NewError(args->errc, args->message);
        });
    Put(
        ApiFunction::kErrorGetMessage, +[](XLA_FFI_Error_GetMessage_Args* args) {
          if (args->struct_size < 32) abort();
          args->message = args->error->message.c_str();
        });
    Put(
        ApiFunction::kErrorGetDetails, +[](XLA_FFI_Error_GetDetails_Args* args) {
          if (args->struct_size < 36) abort();
          args->message = args->error->message.c_str();
          args->errc = static_cast<XLA_FFI_Error_Code>(args->error->code);
        });
    Put(
        ApiFunction::kErrorDestroy, +[](XLA_FFI_Error_Destroy_Args* args) {
          if (args->struct_size < 24) abort();
          DeleteError(args->error);
        });
    FillRegistration();
    FillContext();
    FillState();
    FillFutures();
  }

  template <typename Args>
  static XLA_FFI_Error* RegisterHandler(Args* args) {
    constexpr size_t kSize = offsetof(Args, traits) + sizeof(XLA_FFI_Handler_Traits);
    if (auto* error = CheckSize("XLA_FFI_Handler_Register_Args", kSize, args->struct_size)) {
      return error;
    }
    XLA_FFI_Handler_Bundle bundle = {};
    using Bundle = decltype(args->bundle);
    if constexpr (sizeof(Bundle) == 24) {
      bundle = {nullptr, args->bundle.prepare, args->bundle.initialize, args->bundle.execute,
                nullptr};
    } else {
      memcpy(&bundle, &args->bundle, sizeof(Bundle));
    }
    if (Text(args->name).empty()) {
      return NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT, "a handler needs a name");
    }
    registry().handlers.push_back({Text(args->name), Text(args->platform), bundle, args->traits});
    return nullptr;
  }

  void FillRegistration() {
    using namespace old;  // NOLINT(google-build-using-namespace)
    if (version_.bundle_size == 24) {
      Put(ApiFunction::kHandlerRegister, &RegisterHandler<XLA_FFI_Handler_Register_Args_0_4_30>);
    } else if (version_.bundle_size == 32) {
      Put(ApiFunction::kHandlerRegister, &RegisterHandler<XLA_FFI_Handler_Register_Args_0_4_31>);
    } else {
      Put(ApiFunction::kHandlerRegister, &RegisterHandler<XLA_FFI_Handler_Register_Args>);
    }
    Put(
        ApiFunction::kTypeIdRegister, +[](XLA_FFI_TypeId_Register_Args* args) {
          auto* error = CheckSize("XLA_FFI_TypeId_Register_Args", 40, args->struct_size);
          return error != nullptr ? error : RegisterType(args->name, args->type_id, nullptr);
        });
    Put(
        ApiFunction::kTypeRegister, +[](XLA_FFI_Type_Register_Args* args) {
          auto* error = CheckSize("XLA_FFI_Type_Register_Args", 40, args->struct_size);
          if (error != nullptr) return error;
          return RegisterType(args->name, args->type_id,
                              args->type_info == nullptr ? nullptr : args->type_info->deleter);
        });
  }

  void FillContext() {
    Put(
        ApiFunction::kStream, +[](XLA_FFI_Stream_Get_Args* args) {
          if (auto* error = Check(ApiFunction::kStream, "XLA_FFI_Stream_Get_Args", 32, args))
            return error;
          args->stream = CallOf(args->ctx).stream;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kUserData, +[](XLA_FFI_InvokeContext_Get_Args* args) {
          if (auto* error =
                  Check(ApiFunction::kUserData, "XLA_FFI_ExecutionContext_Get_Args", 40, args))
            return error;
          if (args->type_id->type_id == 0) abort();
          const auto& data = CallOf(args->ctx).user_data;
          const auto found = data.find(args->type_id->type_id);
          if (found == data.end()) {
            return NewError(XLA_FFI_Error_Code_NOT_FOUND, "no user data of this type");
          }
          args->data = found->second;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kScratchAllocate, +[](XLA_FFI_DeviceMemory_Allocate_Args* args) {
          if (auto* error = Check(ApiFunction::kScratchAllocate,
                                  "XLA_FFI_DeviceMemory_Allocate_Args", 48, args))
            return error;
          args->data = nullptr;
          if (!CallOf(args->ctx).has_scratch) return static_cast<XLA_FFI_Error*>(nullptr);
          args->data =
              aligned_alloc(args->alignment < 8 ? 8 : args->alignment, (args->size + 63) / 64 * 64);
          CallOf(args->ctx).scratch[args->data] = args->size;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kScratchFree, +[](XLA_FFI_DeviceMemory_Free_Args* args) {
          if (auto* error = CheckSize("XLA_FFI_DeviceMemory_Free_Args", 40, args->struct_size)) {
            return error;
          }
          auto& scratch = CallOf(args->ctx).scratch;
          const auto found = scratch.find(args->data);
          if (args->data != nullptr) {
            if (found == scratch.end() || found->second != args->size) abort();
            free(args->data);
            scratch.erase(found);
          }
          return BeforeAnswer(ApiFunction::kScratchFree);
        });
    Put(
        ApiFunction::kThreadPoolSchedule, +[](XLA_FFI_ThreadPool_Schedule_Args* args) {
          if (auto* error = Check(ApiFunction::kThreadPoolSchedule,
                                  "XLA_FFI_ThreadPool_Schedule_Args", 40, args))
            return error;
          FakeCall& call = CallOf(args->ctx);
          if (!call.has_thread_pool) {
            return NewError(XLA_FFI_Error_Code_UNIMPLEMENTED, "no thread pool for this call");
          }
          if (call.run_tasks_at_once) {
            args->task(args->data);
          } else {
            call.tasks.push_back({args->task, args->data});
          }
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kThreadPoolNumThreads, +[](XLA_FFI_ThreadPool_NumThreads_Args* args) {
          if (auto* error = Check(ApiFunction::kThreadPoolNumThreads,
                                  "XLA_FFI_ThreadPool_NumThreads_Args", 32, args))
            return error;
          if (!CallOf(args->ctx).has_thread_pool) {
            return NewError(XLA_FFI_Error_Code_UNIMPLEMENTED, "no thread pool for this call");
          }
          *args->num_threads = CallOf(args->ctx).num_threads;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kRunId, +[](XLA_FFI_RunId_Get_Args* args) {
          if (auto* error = Check(ApiFunction::kRunId, "XLA_FFI_RunId_Get_Args", 32, args))
            return error;
          args->run_id = CallOf(args->ctx).run_id;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kDeviceOrdinal, +[](XLA_FFI_DeviceOrdinal_Get_Args* args) {
          if (auto* error =
                  Check(ApiFunction::kDeviceOrdinal, "XLA_FFI_DeviceOrdinal_Get_Args", 28, args))
            return error;
          args->device_ordinal = CallOf(args->ctx).device_ordinal;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kExtensions, +[](XLA_FFI_InvokeContext_FindExtension_Args* args) {
          if (auto* error = Check(ApiFunction::kExtensions,
                                  "XLA_FFI_InvokeContext_FindExtension_Args", 40, args))
            return error;
          const FakeCall& call = CallOf(args->ctx);
          args->extension = call.extensions;
          while (call.checks_extension_types && args->extension != nullptr &&
                 args->extension->id.extension_type != args->extension_type) {
            args->extension = args->extension->next;
          }
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kCustomOptions, +[](XLA_FFI_CustomOptions_Get_Args* args) {
          if (auto* error =
                  Check(ApiFunction::kCustomOptions, "XLA_FFI_CustomOptions_Get_Args", 32, args))
            return error;
          args->attrs = CallOf(args->ctx).custom_options;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
  }

  void FillState() {
    using namespace old;  // NOLINT(google-build-using-namespace)
    if (version_.state == StateLayout::kStaged) {
      Put(
          ApiFunction::kStateSet, +[](XLA_FFI_State_Set_Args* args) {
            if (auto* error = Check(ApiFunction::kStateSet, "XLA_FFI_State_Set_Args", 48, args))
              return error;
            return SetTypedState(args->stage, args);
          });
      Put(
          ApiFunction::kStateGet, +[](XLA_FFI_State_Get_Args* args) {
            if (auto* error = Check(ApiFunction::kStateGet, "XLA_FFI_State_Get_Args", 48, args))
              return error;
            return GetState(CallOf(args->ctx), args->stage, args);
          });
      return;
    }
    if (version_.state == StateLayout::kTypedDeleter) {
      Put(
          ApiFunction::kStateSet, +[](XLA_FFI_State_Set_Args_0_8_3* args) {
            if (auto* error = Check(ApiFunction::kStateSet, "XLA_FFI_State_Set_Args", 40, args))
              return error;
            return SetTypedState(0, args);
          });
    } else {
      Put(
          ApiFunction::kStateSet, +[](XLA_FFI_State_Set_Args_0_4_31* args) {
            if (auto* error = Check(ApiFunction::kStateSet, "XLA_FFI_State_Set_Args", 48, args))
              return error;
            return SetState(CallOf(args->ctx), 0, args, args->deleter);
          });
    }
    Put(
        ApiFunction::kStateGet, +[](XLA_FFI_State_Get_Args_0_4_31* args) {
          if (auto* error = Check(ApiFunction::kStateGet, "XLA_FFI_State_Get_Args", 40, args))
            return error;
          return GetState(CallOf(args->ctx), 0, args);
        });
  }

  void FillFutures() {
    Put(
        ApiFunction::kFutureCreate, +[](XLA_FFI_Future_Create_Args* args) {
          if (auto* error = CheckSize("XLA_FFI_Future_Create_Args", 16, args->struct_size)) {
            return error;
          }
          if (XLA_FFI_Error* error = BeforeAnswer(ApiFunction::kFutureCreate)) return error;
          args->future = new XLA_FFI_Future();
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kFutureSetAvailable, +[](XLA_FFI_Future_SetAvailable_Args* args) {
          if (auto* error = CheckSize("XLA_FFI_Future_SetAvailable_Args", 24, args->struct_size)) {
            return error;
          }
          std::lock_guard<std::mutex> lock(args->future->mutex);
          if (args->future->done) abort();
          args->future->done = true;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
    Put(
        ApiFunction::kFutureSetError, +[](XLA_FFI_Future_SetError_Args* args) {
          if (auto* error = CheckSize("XLA_FFI_Future_SetError_Args", 32, args->struct_size)) {
            return error;
          }
          std::lock_guard<std::mutex> lock(args->future->mutex);
          if (args->future->done || args->error == nullptr) abort();
          args->future->done = true;
          args->future->error = args->error;
          return static_cast<XLA_FFI_Error*>(nullptr);
        });
  }

  const RuntimeVersion& version_;
  char* pages_;
  ApiSlot* table_;
};

// The code and text of an error, which is gone afterwards. "" for null.
inline std::string TakeText(XLA_FFI_Error* error) {
  if (error == nullptr) return "";
  std::string text = std::to_string(error->code) + ": " + error->message;
  DeleteError(error);
  return text;
}

// "jaxlib_0_4_34", for the names of tests over all rows.
inline std::string RowName(int row) {
  std::string name = kRuntimeVersions[row].releases;
  name = name.substr(0, name.find(" to "));
  for (char& c : name) {
    if (c == ' ' || c == '.') c = '_';
  }
  return name;
}

}  // namespace callbridge::typed_ffi::testing
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TESTS_TYPED_FFI_FAKE_RUNTIME_H_
