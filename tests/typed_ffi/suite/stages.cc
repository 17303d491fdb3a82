// Stages, and the state that they keep, from 0.4.31 on.
#include <atomic>
#include <memory>

#include "suite.h"

#if SUITE_HEADERS >= 431

// Counts from where the program says; how many live, the caller can ask.
struct Counter {
  static ffi::TypeId id;
#if SUITE_HEADERS >= 803
  static ffi::TypeInfo info;
#endif
  explicit Counter(int32_t start);
  ~Counter();
  std::atomic<int32_t> count;
};

// Of PREPARE and of INITIALIZE, and of a handler beside Counter's.
struct Note {
  static ffi::TypeId id;
#if SUITE_HEADERS >= 803
  static ffi::TypeInfo info;
#endif
  explicit Note(int32_t n) : number(n) {}
  int32_t number;
};

static std::atomic<int> live_counters{0};
Counter::Counter(int32_t start) : count(start) { ++live_counters; }
Counter::~Counter() { --live_counters; }
ffi::TypeId Counter::id = {};
ffi::TypeId Note::id = {};
extern "C" int count_live_counters() { return live_counters; }
extern "C" ffi::TypeId* counter_type_id() { return &Counter::id; }
extern "C" ffi::TypeId* note_type_id() { return &Note::id; }
extern "C" void delete_counter(void* counter) { delete static_cast<Counter*>(counter); }
extern "C" void delete_note(void* note) { delete static_cast<Note*>(note); }
#if SUITE_HEADERS >= 803
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
ffi::TypeInfo Note::info = ffi::MakeTypeInfo<Note>();
extern "C" ffi::TypeInfo* counter_type_info() { return &Counter::info; }
extern "C" ffi::TypeInfo* note_type_info() { return &Note::info; }
#endif

namespace {

ffi::ErrorOr<std::unique_ptr<Counter>> Start(int32_t start) {
  if (start < 0) {
    return ffi::Unexpected<ffi::Error>(
        ffi::Error(ffi::ErrorCode::kOutOfRange, "a counter starts at 0 or more"));
  }
  return std::make_unique<Counter>(start);
}

ffi::Error Next(ffi::Result<S32> out, int32_t, Counter* counter) {
  Write(*out, {static_cast<double>(counter->count++)});
  return Ok();
}

ffi::ErrorOr<std::unique_ptr<Note>> WriteDown(int32_t start) {
  return std::make_unique<Note>(start);
}

ffi::Error Read(ffi::Result<S32> out, int32_t, Note* note) {
  Write(*out, {static_cast<double>(note->number)});
  return Ok();
}

ffi::Error AttributesOnly(int32_t start) {
  return start == 13 ? ffi::Error(ffi::ErrorCode::kUnavailable, "not with 13") : Ok();
}

ffi::Error Same(ffi::Result<S32> out, int32_t start) {
  Write(*out, {static_cast<double>(start)});
  return Ok();
}

#if SUITE_HEADERS >= 1002
ffi::ErrorOr<std::unique_ptr<Note>> MakeNote(int32_t start) {
  return std::make_unique<Note>(start * 10);
}

ffi::ErrorOr<std::unique_ptr<Note>> MakeNoteAgain(int32_t start, Note* prepared) {
  return std::make_unique<Note>(prepared->number + start);
}

ffi::Error UseNotes(ffi::Result<S32> out, int32_t, Note* prepared, Note* initialized) {
  Write(*out, {static_cast<double>(prepared->number), static_cast<double>(initialized->number)});
  return Ok();
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    state_instantiate, Start,
    ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    state_execute, Next,
    ffi::Ffi::Bind().Ret<S32>().Attr<int32_t>("start").Ctx<ffi::State<Counter>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    note_instantiate, WriteDown,
    ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    note_execute, Read, ffi::Ffi::Bind().Ret<S32>().Attr<int32_t>("start").Ctx<ffi::State<Note>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(stage_instantiate, AttributesOnly,
                              ffi::Ffi::BindInstantiate().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    stage_execute, Same,
    ffi::Ffi::Bind<ffi::ExecutionStage::kExecute>().Ret<S32>().Attr<int32_t>("start"));
#if SUITE_HEADERS >= 1102
XLA_FFI_DEFINE_HANDLER_SYMBOL(stage_bind_execute, Same,
                              ffi::Ffi::BindExecute().Ret<S32>().Attr<int32_t>("start"));
#endif
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(stage_prepare, AttributesOnly,
                              ffi::Ffi::BindPrepare().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(stage_initialize, AttributesOnly,
                              ffi::Ffi::BindInitialize().Attr<int32_t>("start"));
#endif
#if SUITE_HEADERS >= 1002
XLA_FFI_DEFINE_HANDLER_SYMBOL(notes_prepare, MakeNote,
                              ffi::Ffi::BindPrepare().Attr<int32_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    notes_initialize, MakeNoteAgain,
    ffi::Ffi::BindInitialize().Attr<int32_t>("start").Ctx<ffi::Prepared<Note>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(notes_execute, UseNotes,
                              ffi::Ffi::Bind()
                                  .Ret<S32>()
                                  .Attr<int32_t>("start")
                                  .Ctx<ffi::Prepared<Note>>()
                                  .Ctx<ffi::Initialized<Note>>());
#endif

#endif  // SUITE_HEADERS >= 431
