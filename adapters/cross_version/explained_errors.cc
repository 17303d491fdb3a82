#include "callbridge/adapters/cross_version/explained_errors.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

// What the handlers that this thread is in add to their errors, of the innermost one.
thread_local const std::string* explanation_of_thread = nullptr;

// A handler may make an error on a thread of its own, or after its call: that one is as it is.
XLA_FFI_Error* CreateExplained(const CrossVersionRuntime& runtime,
                               XLA_FFI_Error_Create_Args* args) {
  auto* const create = runtime.Find<XLA_FFI_Error_Create>(typed_ffi::ApiFunction::kErrorCreate);
  if (explanation_of_thread == nullptr) return create(args);
  const std::string message =
      absl::StrCat(args->message == nullptr ? "" : args->message, "; ", *explanation_of_thread);
  XLA_FFI_Error_Create_Args explained = *args;
  explained.message = message.c_str();
  return create(&explained);
}

// ---- Tables

// A runtime, and the copy of its table.
struct Table {
  const CrossVersionRuntime* runtime;
  alignas(XLA_FFI_Api) std::array<char, sizeof(XLA_FFI_Api)> copy;
};

// The function has no argument that tells the runtime, so each has one of its own. A process seldom
// has more than three: XLA:CPU's, a plugin's and callbridge's.
constexpr size_t kTables = 16;
Table tables[kTables];

template <size_t kTable>
XLA_FFI_Error* CreateInTable(XLA_FFI_Error_Create_Args* args) {
  return CreateExplained(*tables[kTable].runtime, args);
}

template <size_t... kTable>
constexpr std::array<XLA_FFI_Error_Create*, kTables> CreateInTables(
    std::index_sequence<kTable...>) {
  return {&CreateInTable<kTable>...};
}

// Returns null if more runtimes than there are tables have called.
const Table* TableOf(const XLA_FFI_Api* api) {
  constexpr auto kCreate = CreateInTables(std::make_index_sequence<kTables>());
  constexpr auto kSlot = static_cast<int>(typed_ffi::ApiFunction::kErrorCreate);
  const CrossVersionRuntime& runtime = CrossVersionRuntime::Of(api);
  const TableLock lock;
  for (size_t i = 0; i < kTables; ++i) {
    Table& table = tables[i];
    if (table.runtime == nullptr) {
      table.runtime = &runtime;
      std::memcpy(table.copy.data(), api, runtime.version().table_size);
      std::memcpy(table.copy.data() + runtime.version().slots[kSlot], &kCreate[i],
                  sizeof(kCreate[i]));
    }
    if (table.runtime == &runtime) return &table;
  }
  return nullptr;
}

// ---- Handlers

struct ExplainedHandler {
  XLA_FFI_Handler* handler;
  const std::string* explanation;
  TypedFunction function;
  XLA_FFI_Handler* trampoline;
  mutable std::atomic<const Table*> table;  // of the runtime that called it last
};

// What a call of a handler changes, until it ends by whatever.
class Explained {
 public:
  Explained(XLA_FFI_CallFrame& frame, const Table& table, const std::string& explanation)
      : frame_(frame), api_(frame.api), outer_(explanation_of_thread) {
    frame.api = reinterpret_cast<const XLA_FFI_Api*>(table.copy.data());
    explanation_of_thread = &explanation;
  }
  ~Explained() {
    frame_.api = api_;
    explanation_of_thread = outer_;
  }

 private:
  XLA_FFI_CallFrame& frame_;
  const XLA_FFI_Api* const api_;
  const std::string* const outer_;
};

XLA_FFI_Error* CallExplained(const void* user, XLA_FFI_CallFrame* frame) {
  const auto& explained = *static_cast<const ExplainedHandler*>(user);
  // A query for metadata of XLA's up to jaxlib 0.7.2.
  if (frame->api == nullptr) return explained.handler(frame);
  const Table* table = explained.table.load(std::memory_order_acquire);
  if (table == nullptr || table->runtime->api() != frame->api) {
    table = TableOf(frame->api);
    if (table == nullptr) return explained.handler(frame);
    explained.table.store(table, std::memory_order_release);
  }
  const Explained call(*frame, *table, *explained.explanation);
  return explained.handler(frame);
}

}  // namespace

absl::StatusOr<XLA_FFI_Handler*> GetHandlerWithExplainedErrors(XLA_FFI_Handler* handler,
                                                               absl::string_view explanation) {
  const TableLock lock;
  // Never destroyed, because runtimes keep handlers.
  using Key = std::pair<XLA_FFI_Handler*, std::string>;
  static auto& all = *new std::map<Key, std::unique_ptr<ExplainedHandler>>;
  const auto entry = all.try_emplace({handler, std::string(explanation)}).first;
  return KeptTrampoline(entry->second, [&] {
    auto made = std::make_unique<ExplainedHandler>();
    made->handler = handler;
    made->explanation = &entry->first.second;
    made->function = {&CallExplained, made.get()};
    return made;
  });
}

}  // namespace callbridge
