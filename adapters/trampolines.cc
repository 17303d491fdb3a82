#include "callbridge/adapters/trampolines.h"

#include <ffi.h>

#include <array>
#include <set>
#include <utility>

#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

// ---- Compiled ----

EntryTarget* entries[kCompiledTrampolines];

template <size_t kIndex>
void Untyped(void* first, void** pointers, const char* opaque, size_t opaque_len,
             XlaCustomCallStatus* status) {
  EntryTarget& entry = *entries[kIndex];
  entry.untyped_entry(first, pointers, opaque, opaque_len, status, entry);
}

template <size_t kIndex>
XLA_FFI_Error* Typed(XLA_FFI_CallFrame* frame) {
  EntryTarget& entry = *entries[kIndex];
  return entry.typed_entry(frame, entry);
}

template <size_t... kIndices>
std::array<EntryPoints, sizeof...(kIndices)> CompiledTrampolines(std::index_sequence<kIndices...>) {
  return {EntryPoints{reinterpret_cast<void*>(&Untyped<kIndices>), &Typed<kIndices>}...};
}

UntypedToTypedEntry* typed_target_entries[kCompiledTypedTargetTrampolines];

template <size_t kIndex>
void UntypedToTyped(void* first, void** pointers, const char* opaque, size_t opaque_len,
                    XlaCustomCallStatus* status) {
  typed_target_entries[kIndex]->Call(first, pointers, opaque, opaque_len, status);
}

template <size_t... kIndices>
std::array<void*, sizeof...(kIndices)> CompiledToTyped(std::index_sequence<kIndices...>) {
  return {reinterpret_cast<void*>(&UntypedToTyped<kIndices>)...};
}

CrossVersionHandler* cross_version_handlers[kCompiledCrossVersionTrampolines];

template <size_t kIndex>
XLA_FFI_Error* CrossVersion(XLA_FFI_CallFrame* frame) {
  return CallCrossVersion(*cross_version_handlers[kIndex], frame);
}

template <size_t... kIndices>
std::array<XLA_FFI_Handler*, sizeof...(kIndices)> CompiledCrossVersion(
    std::index_sequence<kIndices...>) {
  return {&CrossVersion<kIndices>...};
}

const TypedFunction* typed_functions[kCompiledTypedFunctionTrampolines];

template <size_t kIndex>
XLA_FFI_Error* CallTypedFunction(XLA_FFI_CallFrame* frame) {
  const TypedFunction& function = *typed_functions[kIndex];
  return function.call(function.user, frame);
}

template <size_t... kIndices>
std::array<XLA_FFI_Handler*, sizeof...(kIndices)> CompiledTypedFunctions(
    std::index_sequence<kIndices...>) {
  return {&CallTypedFunction<kIndices>...};
}

// Under the TableLock.
std::set<const void*>& TypedFunctionHandlers() {
  static auto& handlers = *new std::set<const void*>;
  return handlers;
}

// ---- Closures ----

void UntypedClosure(ffi_cif*, void* /*result*/, void** arguments, void* user) {
  auto argument = [&](int i) { return *static_cast<void**>(arguments[i]); };
  EntryTarget& entry = *static_cast<EntryTarget*>(user);
  entry.untyped_entry(argument(0), static_cast<void**>(argument(1)),
                      static_cast<const char*>(argument(2)), *static_cast<size_t*>(arguments[3]),
                      static_cast<XlaCustomCallStatus*>(argument(4)), entry);
}

void UntypedToTypedClosure(ffi_cif*, void* /*result*/, void** arguments, void* entry) {
  auto argument = [&](int i) { return *static_cast<void**>(arguments[i]); };
  static_cast<UntypedToTypedEntry*>(entry)->Call(
      argument(0), static_cast<void**>(argument(1)), static_cast<const char*>(argument(2)),
      *static_cast<size_t*>(arguments[3]), static_cast<XlaCustomCallStatus*>(argument(4)));
}

void TypedClosure(ffi_cif*, void* result, void** arguments, void* user) {
  EntryTarget& entry = *static_cast<EntryTarget*>(user);
  *static_cast<XLA_FFI_Error**>(result) =
      entry.typed_entry(*static_cast<XLA_FFI_CallFrame**>(arguments[0]), entry);
}

void CrossVersionClosure(ffi_cif*, void* result, void** arguments, void* handler) {
  *static_cast<XLA_FFI_Error**>(result) = CallCrossVersion(
      *static_cast<CrossVersionHandler*>(handler), *static_cast<XLA_FFI_CallFrame**>(arguments[0]));
}

void TypedFunctionClosure(ffi_cif*, void* result, void** arguments, void* user) {
  const auto& function = *static_cast<const TypedFunction*>(user);
  *static_cast<XLA_FFI_Error**>(result) =
      function.call(function.user, *static_cast<XLA_FFI_CallFrame**>(arguments[0]));
}

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

// The call interfaces. Closures refer to them for as long as they live.
struct ClosureSignatures {
  ClosureSignatures() {
    ffi_prep_cif(&untyped, FFI_DEFAULT_ABI, untyped_arguments.size(), &ffi_type_void,
                 untyped_arguments.data());
    ffi_prep_cif(&typed, FFI_DEFAULT_ABI, 1, &ffi_type_pointer, untyped_arguments.data());
  }
  std::array<ffi_type*, 5> untyped_arguments = {
      &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer, &ffi_type_uint64, &ffi_type_pointer};
  ffi_cif untyped;
  ffi_cif typed;
};

ClosureSignatures& Signatures() {
  static auto& signatures = *new ClosureSignatures;
  return signatures;
}

absl::Status NoMoreClosures() {
  return absl::ResourceExhaustedError(
      "this process holds more custom-call targets than callbridge has compiled entry points, and "
      "the system allows no more to be made (libffi closures need executable memory)");
}

absl::StatusOr<EntryPoints> MakeClosures(EntryTarget& entry) {
  void* untyped = MakeClosure(Signatures().untyped, &UntypedClosure, &entry);
  void* typed = MakeClosure(Signatures().typed, &TypedClosure, &entry);
  if (untyped == nullptr || typed == nullptr) return NoMoreClosures();
  return EntryPoints{untyped, reinterpret_cast<XLA_FFI_Handler*>(typed)};
}

}  // namespace

absl::StatusOr<EntryPoints> MakeTrampolines(EntryTarget& entry) {
  static const auto compiled =
      CompiledTrampolines(std::make_index_sequence<kCompiledTrampolines>());
  static size_t used = 0;
  if (used == kCompiledTrampolines) return MakeClosures(entry);
  entries[used] = &entry;
  return compiled[used++];
}

absl::StatusOr<EntryPoints> MakeTrampolines(UntypedToTypedEntry& entry) {
  static const auto compiled =
      CompiledToTyped(std::make_index_sequence<kCompiledTypedTargetTrampolines>());
  static size_t used = 0;
  if (used == kCompiledTypedTargetTrampolines) {
    void* closure = MakeClosure(Signatures().untyped, &UntypedToTypedClosure, &entry);
    if (closure == nullptr) return NoMoreClosures();
    return EntryPoints{closure, nullptr};
  }
  typed_target_entries[used] = &entry;
  return EntryPoints{compiled[used++], nullptr};
}

absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(CrossVersionHandler& handler) {
  static const auto compiled =
      CompiledCrossVersion(std::make_index_sequence<kCompiledCrossVersionTrampolines>());
  static size_t used = 0;
  if (used == kCompiledCrossVersionTrampolines) {
    void* closure = MakeClosure(Signatures().typed, &CrossVersionClosure, &handler);
    if (closure == nullptr) return NoMoreClosures();
    return reinterpret_cast<XLA_FFI_Handler*>(closure);
  }
  cross_version_handlers[used] = &handler;
  return compiled[used++];
}

absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(TypedFunction& function) {
  static const auto compiled =
      CompiledTypedFunctions(std::make_index_sequence<kCompiledTypedFunctionTrampolines>());
  static size_t used = 0;
  XLA_FFI_Handler* handler = nullptr;
  if (used == kCompiledTypedFunctionTrampolines) {
    void* closure = MakeClosure(Signatures().typed, &TypedFunctionClosure, &function);
    if (closure == nullptr) return NoMoreClosures();
    handler = reinterpret_cast<XLA_FFI_Handler*>(closure);
  } else {
    typed_functions[used] = &function;
    handler = compiled[used++];
  }
  TypedFunctionHandlers().insert(reinterpret_cast<const void*>(handler));
  return handler;
}

bool IsTypedFunctionTrampoline(const void* address) {
  const TableLock lock;
  return TypedFunctionHandlers().count(address) > 0;
}

}  // namespace callbridge
