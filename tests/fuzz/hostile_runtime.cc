#include "hostile_runtime.h"

#include <cstdlib>
#include <utility>

#include "hostile_frame.h"

namespace callbridge {

XLA_FFI_TypeId FuzzedState::id = {};

namespace {

using typed_ffi::ApiFunction;
using typed_ffi::IndexOf;
using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::RuntimeVersion;
using typed_ffi::testing::FakeRuntime;
using typed_ffi::testing::FakeTable;
using typed_ffi::testing::NewError;

// None that the runtime gives out.
constexpr int64_t kTypeId = int64_t{1} << 40;

void DeleteState(void* state) { delete static_cast<FuzzedState*>(state); }

FuzzedState& SharedState() {
  static FuzzedState state;
  return state;
}

}  // namespace

HostileRuntime::HostileRuntime(Bytes& bytes, Memory& memory) : bytes_(&bytes), memory_(&memory) {
  // The newest where the input has no more.
  const int row =
      kRuntimeVersionCount - 1 - bytes.ConsumeIntegralInRange(0, kRuntimeVersionCount - 1);
  const RuntimeVersion& version = typed_ffi::kRuntimeVersions[row];
  FakeTable table = {version.table_size, version.stated_size, XLA_FFI_API_MAJOR, version.minor};
  // One newer than all that are known, which has more slots.
  if (row == IndexOf(kNewestVersion) && bytes.Lies()) {
    table.minor = bytes.ConsumeIntegralInRange(kNewestVersion.minor + 1, 1000);
    table.size += sizeof(void*) * bytes.ConsumeIntegralInRange<size_t>(1, 8);
    table.stated_size = table.size;
  }
  if (version.table_has_version && bytes.Lies()) table.major = bytes.Any<int>();
  runtime_.emplace(row, table);
  FuzzedState::id = {bytes.Lies() ? 0 : kTypeId};
  auto& types = FakeRuntime::registry().types;
  if (types.empty()) types.push_back({"fuzzed", kTypeId, &DeleteState});
  typed_ffi::testing::before_answer = [this](ApiFunction function) { return Lie(function); };
}

HostileRuntime::~HostileRuntime() { typed_ffi::testing::before_answer = nullptr; }

XLA_FFI_Error* HostileRuntime::Lie(ApiFunction function) {
  if (bytes_->Lies()) return NewError(XLA_FFI_Error_Code_INTERNAL, "refused");
  typed_ffi::testing::FakeCall& call = runtime_->call;
  switch (function) {
    case ApiFunction::kStream:
      call.stream = reinterpret_cast<void*>(bytes_->Any<uintptr_t>());
      break;
    case ApiFunction::kUserData:
      call.user_data[FuzzedState::id.type_id] = bytes_->ConsumeBool() ? nullptr : &SharedState();
      break;
    case ApiFunction::kRunId:
      call.run_id = bytes_->Any<int64_t>();
      break;
    case ApiFunction::kDeviceOrdinal:
      call.device_ordinal = bytes_->Any<int32_t>();
      break;
    case ApiFunction::kExtensions:
      AttachExtension();
      break;
    case ApiFunction::kCustomOptions:
      call.custom_options = nullptr;
      if (!bytes_->ConsumeBool()) {
        call.custom_options = memory_->New(HostileAttrs(
            *bytes_, *memory_, {{"option", XLA_FFI_AttrType_SCALAR, XLA_FFI_DataType_S32, {}}}));
      }
      break;
    case ApiFunction::kStateGet:
      ProvideState();
      break;
    case ApiFunction::kScratchAllocate:
      call.has_scratch = !bytes_->Lies();
      break;
    case ApiFunction::kThreadPoolSchedule:
      // Without futures a call waits for its tasks, and nothing runs them after it.
      call.run_tasks_at_once = bytes_->ConsumeBool() || !version().frame_has_future;
      break;
    case ApiFunction::kThreadPoolNumThreads:
      call.num_threads = bytes_->Any<int64_t>();
      break;
    default:
      break;
  }
  return nullptr;
}

void HostileRuntime::AttachExtension() {
  typed_ffi::testing::FakeCall& call = runtime_->call;
  call.extensions = nullptr;
  if (bytes_->ConsumeBool()) return;
  XLA_FFI_Extension base = {sizeof(FuzzedExtension), {kFuzzedExtensionType, 1, 0}, nullptr};
  call.checks_extension_types = !bytes_->Lies();
  if (call.checks_extension_types) {
    call.extensions = &memory_->New(FuzzedExtension{base, 1})->base;
    return;
  }
  base.struct_size = sizeof(base);
  base.id = {bytes_->Any<int64_t>(), bytes_->OneOf<int32_t>({0, 1, 2, -1}),
             bytes_->ConsumeIntegralInRange<int32_t>(1, 5)};
  call.extensions = memory_->New(base);
}

// A state at all stages, which may be null. Those that a handler has set stay.
void HostileRuntime::ProvideState() {
  void* state = bytes_->ConsumeBool() ? nullptr : &SharedState();
  for (int stage = 0; stage <= XLA_FFI_ExecutionStage_RECORD; ++stage) {
    auto& state_of_stage = runtime_->call.states[stage];
    if (state_of_stage.deleter == nullptr)
      state_of_stage = {FuzzedState::id.type_id, state, nullptr};
  }
}

void HostileRuntime::FinishCall() {
  std::vector<std::pair<XLA_FFI_Task*, void*>>& tasks = runtime_->call.tasks;
  while (!tasks.empty()) {
    const auto [task, data] = tasks.front();
    tasks.erase(tasks.begin());
    task(data);
  }
}

}  // namespace callbridge
