// AOT operators of MindSpore that need memory on the GPU: what they copy goes through workspaces.
#include <cstdint>
#include <vector>

#include "custom_aot_extra.h"
#include "tests/gpu/targets/driver_calls.h"

#define PARAMETERS                                                                            \
  int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, \
      void *extra
#define EXPORTED extern "C" __attribute__((visibility("default")))

static size_t SizeOf(int ndims, const int64_t* shape) {
  size_t size = sizeof(float);
  for (int i = 0; i < ndims; ++i) size *= static_cast<size_t>(shape[i]);
  return size;
}

// x -> x, f32[...], through all workspaces.
EXPORTED int CopyThrough(PARAMETERS) {
  (void)dtypes;
  const size_t workspaces = static_cast<AotExtra*>(extra)->WorkSpace().size();
  const size_t size = SizeOf(ndims[0], shapes[0]);
  if (nparam != static_cast<int>(workspaces) + 2) return 1;
  const void* from = params[0];
  for (size_t i = 0; i <= workspaces; ++i) {
    void* to = params[i < workspaces ? i + 2 : 1];
    if (to == nullptr || to == from) return 2;
    gpu::Driver::Get().copy(gpu::ToAddress(to), gpu::ToAddress(from), size,
                            static_cast<CUstream>(stream));
    from = to;
  }
  return 0;
}
// As many workspaces as the attribute `count` says, each of the operand's size. With the attribute
// `grows`, each call of this function asks for more than the one before.
EXPORTED int CopyThroughInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra) {
  (void)dtypes;
  static size_t calls = 0;
  const size_t more = extra->HasAttr("grows") ? 4096 * calls++ : 0;
  const auto count = static_cast<size_t>(extra->Attr<int64_t>("count"));
  extra->SetWorkSpace(std::vector<size_t>(count, SizeOf(ndims[0], shapes[0]) + more));
  return 0;
}
