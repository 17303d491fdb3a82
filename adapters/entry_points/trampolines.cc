#include "callbridge/adapters/entry_points/trampolines.h"

#include <ffi.h>

#include <array>
#include <set>
#include <type_traits>
#include <utility>

#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

// ---- What the trampolines call ------------------------------------------------------------------

void CallUntypedEntry(EntryTarget& entry, void* first, void** pointers, const char* opaque,
                      size_t opaque_len, XlaCustomCallStatus* status) {
  entry.untyped_entry(first, pointers, opaque, opaque_len, status, entry);
}

XLA_FFI_Error* CallTypedEntry(EntryTarget& entry, XLA_FFI_CallFrame* frame) {
  return entry.typed_entry(frame, entry);
}

void CallUntypedToTyped(UntypedToTypedEntry& entry, void* first, void** pointers,
                        const char* opaque, size_t opaque_len, XlaCustomCallStatus* status) {
  entry.Call(first, pointers, opaque, opaque_len, status);
}

XLA_FFI_Error* CallTypedFunction(TypedFunction& function, XLA_FFI_CallFrame* frame) {
  return function.call(function.user, frame);
}

// ---- The pool -----------------------------------------------------------------------------------

using ClosureBody = void (*)(ffi_cif*, void* result, void** arguments, void* user);

// Returns a function of the signature `cif` that calls body(user), or null if the system allows
// none.
void* MakeClosure(ffi_cif& cif, ClosureBody body, void* user) {
  void* code = nullptr;
  auto* closure = static_cast<ffi_closure*>(ffi_closure_alloc(sizeof(ffi_closure), &code));
  if (closure == nullptr) return nullptr;
  if (ffi_prep_closure_loc(closure, &cif, body, user, code) != FFI_OK) {
    ffi_closure_free(closure);
    return nullptr;
  }
  return code;
}

template <typename Type>
ffi_type* FfiType() {
  if constexpr (std::is_void_v<Type>) {
    return &ffi_type_void;
  } else if constexpr (std::is_pointer_v<Type>) {
    return &ffi_type_pointer;
  } else {
    static_assert(std::is_same_v<Type, size_t> && sizeof(size_t) == 8);
    return &ffi_type_uint64;
  }
}

// Trampolines of the signature Result(Arguments...) that each call kCall(callee, arguments...):
// kSize compiled ones, then libffi closures.
template <size_t kSize, auto kCall, typename Function = decltype(kCall)>
class Pool;

template <size_t kSize, auto kCall, typename Result, typename Callee, typename... Arguments>
class Pool<kSize, kCall, Result (*)(Callee&, Arguments...)> {
 public:
  using Trampoline = Result(Arguments...);

  // Returns a trampoline that no other callee has. Returns RESOURCE_EXHAUSTED if there is none.
  static absl::StatusOr<Trampoline*> Take(Callee& callee) {
    static constexpr auto kCompiled = Compiled(std::make_index_sequence<kSize>());
    static size_t used = 0;
    if (used < kSize) {
      callees[used] = &callee;
      return kCompiled[used++];
    }
    static auto& signature = *new Signature;  // closures refer to it
    void* closure = MakeClosure(signature.cif, &CallClosure, &callee);
    if (closure != nullptr) return reinterpret_cast<Trampoline*>(closure);
    return absl::ResourceExhaustedError(
        "this process holds more custom-call targets than callbridge has compiled entry points, "
        "and the system allows no more to be made (libffi closures need executable memory)");
  }

 private:
  struct Signature {
    Signature() {
      ffi_prep_cif(&cif, FFI_DEFAULT_ABI, arguments.size(), FfiType<Result>(), arguments.data());
    }
    std::array<ffi_type*, sizeof...(Arguments)> arguments = {FfiType<Arguments>()...};
    ffi_cif cif;
  };

  template <size_t kIndex>
  static Result CallCompiled(Arguments... arguments) {
    return kCall(*callees[kIndex], arguments...);
  }

  template <size_t... kIndices>
  static constexpr std::array<Trampoline*, kSize> Compiled(std::index_sequence<kIndices...>) {
    return {&CallCompiled<kIndices>...};
  }

  static void CallClosure(ffi_cif*, void* result, void** arguments, void* callee) {
    CallWith(*static_cast<Callee*>(callee), result, arguments,
             std::index_sequence_for<Arguments...>());
  }

  template <size_t... kIndices>
  static void CallWith(Callee& callee, [[maybe_unused]] void* result, void** arguments,
                       std::index_sequence<kIndices...>) {
    if constexpr (std::is_void_v<Result>) {
      kCall(callee, *static_cast<Arguments*>(arguments[kIndices])...);
    } else {
      *static_cast<Result*>(result) =
          kCall(callee, *static_cast<Arguments*>(arguments[kIndices])...);
    }
  }

  inline static Callee* callees[kSize];
};

// Under the TableLock.
std::set<const void*>& TypedFunctionHandlers() {
  static auto& handlers = *new std::set<const void*>;
  return handlers;
}

}  // namespace

absl::StatusOr<EntryPoints> MakeTrampolines(EntryTarget& entry) {
  auto untyped = Pool<kCompiledTrampolines, &CallUntypedEntry>::Take(entry);
  if (!untyped.ok()) return untyped.status();
  auto typed = Pool<kCompiledTrampolines, &CallTypedEntry>::Take(entry);
  if (!typed.ok()) return typed.status();
  return EntryPoints{reinterpret_cast<void*>(*untyped), *typed};
}

absl::StatusOr<EntryPoints> MakeTrampolines(UntypedToTypedEntry& entry) {
  auto untyped = Pool<kCompiledTypedTargetTrampolines, &CallUntypedToTyped>::Take(entry);
  if (!untyped.ok()) return untyped.status();
  return EntryPoints{reinterpret_cast<void*>(*untyped), nullptr};
}

absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(CrossVersionHandler& handler) {
  return Pool<kCompiledCrossVersionTrampolines, &CallCrossVersion>::Take(handler);
}

absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(TypedFunction& function) {
  auto handler = Pool<kCompiledTypedFunctionTrampolines, &CallTypedFunction>::Take(function);
  if (handler.ok()) TypedFunctionHandlers().insert(reinterpret_cast<const void*>(*handler));
  return handler;
}

bool IsTypedFunctionTrampoline(const void* address) {
  const TableLock lock;
  return TypedFunctionHandlers().count(address) > 0;
}

}  // namespace callbridge
