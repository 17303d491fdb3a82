// Functions that leave by what is no C++ exception, as they are told: by the end of their thread
// ("thread"), or by an exception of another language (its place in kForeignLanguages). A target, a
// typed handler, and an operator whose three functions do so.
#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "custom_aot_extra.h"
#include "tests/foreign_exception.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace ffi = xla::ffi;

static void Leave(const std::string& way) {
  if (way == "thread") pthread_exit(nullptr);
  callbridge::RaiseForeign(callbridge::kForeignLanguages[std::atoi(way.c_str())]);
}

static void Leaves(void* /*out*/, const void** /*in*/, const char* opaque, size_t opaque_len,
                   XlaCustomCallStatus* /*status*/) {
  Leave(std::string(opaque, opaque_len));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("leaves", Leaves, "Host");

static ffi::Error LeavesTyped(ffi::RemainingArgs, ffi::RemainingRets, std::string_view way) {
  Leave(std::string(way));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kLeaves, LeavesTyped,
    ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attr<std::string_view>("way"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "leaves_typed", "Host", kLeaves);

extern "C" {

int Operator(int, void**, int*, int64_t**, const char**, void*, void* extra) {
  auto* attributes = static_cast<AotExtra*>(extra);
  if (attributes->HasAttr("call")) Leave(attributes->Attr<std::string>("call"));
  return 0;
}

int OperatorInit(int*, int64_t**, const char**, AotExtra* attributes) {
  if (attributes->HasAttr("init")) Leave(attributes->Attr<std::string>("init"));
  return 0;
}

std::vector<int64_t> OperatorInferShape(int* ndims, int64_t** shapes, AotExtra* attributes) {
  if (attributes->HasAttr("infer")) Leave(attributes->Attr<std::string>("infer"));
  return std::vector<int64_t>(shapes[0], shapes[0] + ndims[0]);
}

}  // extern "C"
