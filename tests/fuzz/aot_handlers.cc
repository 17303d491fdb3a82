// AOT operators, which read all that they are given.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "callbridge/mindspore_aot/aot_handler.h"
#include "callbridge/mindspore_aot/custom_aot_extra.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "fuzzed_handlers.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge {
namespace {

using mindspore_aot::AotOperator;

volatile int64_t seen;

void See(int count, const int* ndims, int64_t* const* shapes, const char* const* dtypes) {
  for (int i = 0; i < count; ++i) {
    seen = static_cast<int64_t>(std::strlen(dtypes[i]));
    for (int j = 0; j < ndims[i]; ++j) seen = shapes[i][j];
  }
}

struct Kept : AotKernelData {
  std::string text;
};

// Takes an attribute of each type, and as many workspaces as "sizes" says.
int Init(int* ndims, int64_t** shapes, const char** dtypes, void* extra) {
  See(2, ndims, shapes, dtypes);
  auto& site = *static_cast<AotExtra*>(extra);
  std::vector<size_t> sizes;
  if (site.HasAttr("sizes")) {
    for (int64_t size : site.Attr<std::vector<int64_t>>("sizes")) {
      sizes.push_back(static_cast<size_t>(size) % 4096);
    }
  }
  site.SetWorkSpace(sizes);
  auto* kept = new Kept;
  site.SetKernelData(kept);
  kept->text = site.Attr<std::string>("text");
  seen = site.Attr<bool>("flag") ? site.Attr<int64_t>("number") : 0;
  for (const std::vector<float>& list : site.Attr<std::vector<std::vector<float>>>("lists")) {
    seen = static_cast<int64_t>(list.size());
  }
  return 0;
}

int Operator(int nparam, void** params, int* ndims, int64_t** shapes, const char** dtypes, void*,
             void* extra) {
  const auto& site = *static_cast<AotExtra*>(extra);
  const int workspaces = static_cast<int>(site.WorkSpace().size());
  See(nparam - workspaces, ndims, shapes, dtypes);
  for (int i = 0; i < workspaces; ++i) {
    std::memset(params[nparam - workspaces + i], 1, site.WorkSpace()[static_cast<size_t>(i)]);
  }
  return static_cast<int>(static_cast<const Kept*>(site.KernelData())->text.size()) % 2;
}

XLA_FFI_Handler* handler;

// The handler keeps what it registers with a runtime for as long as that lives, the process's end;
// a hostile one is gone after a call, and the next, of another version, may have its address.
XLA_FFI_Error* OnTheNewest(XLA_FFI_CallFrame* frame) {
  const bool is_newest =
      frame->api == nullptr || &typed_ffi::VersionOf(*frame->api) == &typed_ffi::kNewestVersion;
  return is_newest ? handler(frame) : nullptr;
}

// Makes the state before it is used.
XLA_FFI_Error* BothStages(XLA_FFI_CallFrame* frame) {
  const bool is_call = frame->struct_size >= offsetof(XLA_FFI_CallFrame, future) &&
                       frame->extension_start == nullptr && typed_ffi::IsExecuteStage(*frame);
  if (is_call) {
    const XLA_FFI_ExecutionStage stage = frame->stage;
    frame->stage = XLA_FFI_ExecutionStage_INSTANTIATE;
    XLA_FFI_Error* error = OnTheNewest(frame);
    frame->stage = stage;
    if (error != nullptr) return error;
  }
  return OnTheNewest(frame);
}

}  // namespace

std::vector<FuzzedHandler> AotHandlers() {
  AotOperator aot;
  aot.path = "fuzzed.so";
  aot.name = "Operator";
  aot.function = &Operator;
  aot.init = &Init;
  aot.has_old_string = false;
  handler = mindspore_aot::MakeTypedTarget(aot, Platform::kHost)->stages.execute;
  constexpr auto kF32 = XLA_FFI_DataType_F32;
  constexpr auto kS64 = XLA_FFI_DataType_S64;
  const WantedAttr list = {"0", XLA_FFI_AttrType_ARRAY, kF32};
  WantedCall call = {XLA_FFI_ExecutionStage_EXECUTE, {{kF32, 1}, {kS64, 2}}, {{kF32, 3}}, {}};
  call.attrs = {{"flag", XLA_FFI_AttrType_SCALAR, XLA_FFI_DataType_PRED},
                {"lists", XLA_FFI_AttrType_DICTIONARY, XLA_FFI_DataType_INVALID, {list}},
                {"number", XLA_FFI_AttrType_SCALAR, kS64},
                {"sizes", XLA_FFI_AttrType_ARRAY, kS64},
                {"text", XLA_FFI_AttrType_STRING}};
  WantedCall instantiate = call;
  instantiate.stage = XLA_FFI_ExecutionStage_INSTANTIATE;
  return {{&BothStages, call}, {&OnTheNewest, call}, {&OnTheNewest, instantiate}};
}

}  // namespace callbridge
