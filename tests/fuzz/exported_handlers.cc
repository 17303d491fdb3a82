// Functions of the untyped ABIs, made handlers by CALLBRIDGE_EXPORT. What they are given must be as
// their declared shapes say; without shapes only a plain call's one operand and result are read.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "callbridge/export.h"
#include "fuzzed_handlers.h"

namespace {

volatile const void* seen;

// Tables of pointers are read; what an array's pointer leads to is not.
void Plain(void* out, const void** in) {
  seen = out;
  seen = in;
}
void ReadOne(void* out, const void** in) {
  seen = out;
  seen = in[0];
}
// "(f32[?],(s32[2,2],token[])), f32[] -> (f32[2],(f32[]))"
void ReadTuple(void* out, const void** in) {
  const auto* outer = static_cast<const void* const*>(in[0]);
  seen = outer[0];
  const auto* inner = static_cast<const void* const*>(outer[1]);
  seen = inner[0];
  if (inner[1] != nullptr) std::abort();
  seen = in[1];
  void** results = static_cast<void**>(out);
  seen = results[0];
  seen = *static_cast<void**>(results[1]);
}
// The same, flat.
void ReadFlat(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) seen = in[i];
  if (in[2] != nullptr) std::abort();
  for (int i = 0; i < 2; ++i) seen = static_cast<void**>(out)[i];
}
void MayFail(void* out, const void** in, XlaCustomCallStatus* status) {
  Plain(out, in);
  const char message[] = "failed\0 on purpose";
  XlaCustomCallStatusSetFailure(status, message, sizeof(message));
}
void ReadOpaque(void* out, const void** in, const char* opaque, size_t opaque_len,
                XlaCustomCallStatus* status) {
  ReadOne(out, in);
  const std::string copy(opaque, opaque_len);
  if (copy == "throw") throw std::runtime_error(copy);
  if (copy.size() % 2 == 1) XlaCustomCallStatusSetFailure(status, copy.data(), copy.size());
}
void OnStream(void* stream, void** buffers, const char* opaque, size_t opaque_len) {
  seen = stream;
  for (int i = 0; i < 3; ++i) seen = buffers[i];
  const std::string copy(opaque, opaque_len);
}
void OnStreamUndeclared(void* stream, void** buffers, const char* opaque, size_t opaque_len) {
  seen = stream;
  seen = buffers;
  const std::string copy(opaque, opaque_len);
}

#define TUPLES "(f32[?],(s32[2,2],token[])), f32[] -> (f32[2],(f32[]))"

using callbridge::ExportOptions;

CALLBRIDGE_EXPORT(FuzzedPlain, Plain);
CALLBRIDGE_EXPORT(FuzzedOne, ReadOne, ExportOptions().Shapes("f32[2] -> f32[2]"));
CALLBRIDGE_EXPORT(FuzzedTuple, ReadTuple, ExportOptions().Shapes(TUPLES));
CALLBRIDGE_EXPORT(FuzzedFlat, ReadFlat, ExportOptions().Shapes(TUPLES).FlatTuples());
CALLBRIDGE_EXPORT(FuzzedStatus, MayFail);
CALLBRIDGE_EXPORT(FuzzedOpaque, ReadOpaque,
                  ExportOptions().Shapes("f32[2] -> f32[2]").OpaqueAttribute("config"));
CALLBRIDGE_EXPORT(FuzzedGpu, OnStream, ExportOptions().Gpu().Shapes("f32[?], f32[?] -> f32[?]"));
CALLBRIDGE_EXPORT(FuzzedGpuUndeclared, OnStreamUndeclared, ExportOptions().Gpu());
// No shapes are checked, so nothing of a table can be read but what a plain call has.
CALLBRIDGE_EXPORT(FuzzedNoOperands, Plain, ExportOptions().Shapes("-> ()"));

}  // namespace

namespace callbridge {

std::vector<FuzzedHandler> ExportedHandlers() {
  constexpr auto kF32 = XLA_FFI_DataType_F32;
  constexpr auto kS32 = XLA_FFI_DataType_S32;
  constexpr auto kToken = XLA_FFI_DataType_TOKEN;
  constexpr auto kExecute = XLA_FFI_ExecutionStage_EXECUTE;
  const WantedCall one = {kExecute, {{kF32, 1}}, {{kF32, 1}}, {}};
  const WantedCall tuples = {
      kExecute, {{kF32, 1}, {kS32, 2}, {kToken, 0}, {kF32, 0}}, {{kF32, 1}, {kF32, 0}}, {}};

  // The trees of abi/site_descriptor.h: tuple layout, operand count, trees. 11 is f32, 13 a tuple.
  using namespace std::string_literals;
  WantedCall site = {kExecute, {{kF32, 1}, {kF32, 1}, {kF32, 1}}, {{kF32, 1}, {kF32, 1}}, {}};
  site.site_tree = "\0\2\0\0\0\x0b\x0d\2\0\0\0\x0b\x0d\1\0\0\0\x0b\x0d\2\0\0\0\x0b\x0b"s;
  WantedCall flat = site;
  flat.site_tree[0] = 1;

  WantedCall opaque = one;
  opaque.attrs = {{"config", XLA_FFI_AttrType_STRING}};
  WantedCall gpu = {kExecute, {{kF32, 1}, {kF32, 1}}, {{kF32, 1}}, {}};
  gpu.attrs = {{"opaque", XLA_FFI_AttrType_ARRAY, XLA_FFI_DataType_U8}};
  return {
      {&FuzzedPlain, one},         {&FuzzedPlain, site},    {&FuzzedPlain, flat},
      {&FuzzedOne, one},           {&FuzzedTuple, tuples},  {&FuzzedFlat, tuples},
      {&FuzzedStatus, site},       {&FuzzedOpaque, opaque}, {&FuzzedGpu, gpu},
      {&FuzzedGpuUndeclared, gpu}, {&FuzzedNoOperands, {}},
  };
}

}  // namespace callbridge
