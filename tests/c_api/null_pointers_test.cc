// Each C function that libcallbridge.so exports, called with each of its pointers null.
#include "tests/c_api/null_pointers.h"

#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_device.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/callbridge_operator_info.h"
#include "callbridge/callbridge_pjrt.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace {

using callbridge::ErrorText;
using callbridge::null_pointers::Of;
using callbridge::null_pointers::Row;

// Arguments of which each is good. Lives as long as the process.
struct Valid {
  Valid() {
    EXPECT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
    EXPECT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
    EXPECT_EQ(ErrorText(callbridge_call_start(call, pointers, 1, pointers, 1, nullptr, nullptr,
                                              nullptr, &run)),
              "OK");
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes)), "OK");
    const std::string json = R"({"inputs": [], "outputs": [], "dtype_format": [[]],
                                 "target": "CPU"})";
    EXPECT_EQ(ErrorText(callbridge_operator_info_create(json.data(), json.size(), &info)), "OK");
  }

  int32_t number = 0;
  void* pointers[1] = {&number};
  callbridge_array array = {&number, sizeof(number)};
  int64_t dimension = 1;
  callbridge_dimensions dimensions = {&dimension, 1};
  callbridge_target target = callbridge::OriginalTarget();
  callbridge_target_abi target_abi = {sizeof(target_abi), 0, 0, 0, 0, nullptr, nullptr};
  callbridge_site site = callbridge::CopySite();
  callbridge_execution_context context = {};
  callbridge_pjrt_options pjrt_options = {sizeof(pjrt_options), "CUDA", 0, 0};
  callbridge_entry_points entry_points = {sizeof(entry_points), nullptr, nullptr};
  callbridge_ffi_handlers handlers = callbridge::Handlers();
  callbridge_ffi_handlers adapted = callbridge::Handlers(nullptr);
  int64_t type_id = 0;
  callbridge_library* library = nullptr;
  callbridge_call* call = nullptr;
  callbridge_run* run = nullptr;
  callbridge_ffi_attributes* attributes = nullptr;
  callbridge_operator_info* info = nullptr;
  // No PJRT_Api, as its size says.
  int64_t no_table[16] = {};
  const PJRT_Api* table() const { return reinterpret_cast<const PJRT_Api*>(no_table); }
  // Where a function writes what it must not make here.
  callbridge_library* no_library = nullptr;
  callbridge_call* no_call = nullptr;
  char* no_bytes = nullptr;
  void* no_data = nullptr;
  callbridge_device* no_device = nullptr;
  size_t size = 0;
  int64_t scratch_bytes = 0;
  // For functions that check their other pointers before they use it.
  callbridge_device* device = reinterpret_cast<callbridge_device*>(&number);
};

void Done(void*, callbridge_error* error) { callbridge_error_destroy(error); }
void Visit(void*, const char*, size_t, const char*, size_t, void*, int) {}
// What is made where a null is allowed is not to leak.
callbridge_error* BindAndDestroy(const callbridge_target* target, const callbridge_site* site,
                                 const callbridge_execution_context* context,
                                 callbridge_call** call) {
  callbridge_error* error = callbridge_call_bind(target, site, context, call);
  if (error == nullptr) callbridge_call_destroy(*call);
  return error;
}
callbridge_error* StartAndDestroy(const callbridge_call* call, void** operands,
                                  size_t operand_count, void** results, size_t result_count,
                                  const callbridge_execution_context* context,
                                  callbridge_done* done, void* user, callbridge_run** run) {
  callbridge_error* error = callbridge_call_start(call, operands, operand_count, results,
                                                  result_count, context, done, user, run);
  if (error == nullptr && run != nullptr) callbridge_run_destroy(*run);
  return error;
}

std::vector<Row> Rows() {
  static auto& v = *new Valid;
  static callbridge_run* started = nullptr;
  v.context.struct_size = sizeof(v.context);
  return {
      Of("XlaCustomCallStatusSetFailure", &XlaCustomCallStatusSetFailure, "status message len",
         nullptr, "x", 1),
      Of("XlaCustomCallStatusSetSuccess", &XlaCustomCallStatusSetSuccess, "status", nullptr),
      Of("callbridge_bytes_free", &callbridge_bytes_free, "bytes", nullptr),
      Of("callbridge_call_bind", &BindAndDestroy, "target site context? call", &v.target, &v.site,
         &v.context, &v.no_call),
      Of("callbridge_call_destroy", &callbridge_call_destroy, "call", nullptr),
      Of("callbridge_call_execute", &callbridge_call_execute,
         "call operands operand_count results result_count context?", v.call, v.pointers, 1,
         v.pointers, 1, &v.context),
      Of("callbridge_call_execute_unchecked", &callbridge_call_execute_unchecked,
         "call! operands! results!", v.call, v.pointers, v.pointers),
      Of("callbridge_call_execute_with_copies", &callbridge_call_execute_with_copies,
         "call operands operand_count results result_count context", v.call, &v.array, 1, &v.array,
         1, &v.context),
      Of("callbridge_call_start", &StartAndDestroy,
         "call operands operand_count results result_count context? done? user? run?", v.call,
         v.pointers, 1, v.pointers, 1, &v.context, &Done, &v, &started),
      Of("callbridge_device_allocate", &callbridge_device_allocate, "device size data", v.device, 8,
         &v.no_data),
      Of("callbridge_device_check_pointer", &callbridge_device_check_pointer, "device data?",
         nullptr, &v),
      Of("callbridge_device_check_stream", &callbridge_device_check_stream, "device stream?",
         nullptr, nullptr),
      Of("callbridge_device_close", &callbridge_device_close, "device", nullptr),
      Of("callbridge_device_copy", &callbridge_device_copy, "device to from size", v.device, &v, &v,
         8),
      Of("callbridge_device_copy_in", &callbridge_device_copy_in, "device to from size", v.device,
         &v, &v, 8),
      Of("callbridge_device_copy_out", &callbridge_device_copy_out, "device to from size", v.device,
         &v, &v, 8),
      Of("callbridge_device_free", &callbridge_device_free, "device data?", nullptr, &v),
      Of("callbridge_device_open", &callbridge_device_open, "ordinal device", 0, &v.no_device),
      Of("callbridge_device_stream", &callbridge_device_stream, "device", nullptr),
      Of("callbridge_device_synchronize", &callbridge_device_synchronize, "device", nullptr),
      Of("callbridge_device_synchronize_stream", &callbridge_device_synchronize_stream,
         "device stream?", nullptr, &v),
      Of("callbridge_error_code_name", &callbridge_error_code_name, "code", 0),
      Of("callbridge_error_create", &callbridge_error_create, "code message message_size", 5, "x",
         1),
      Of("callbridge_error_destroy", &callbridge_error_destroy, "error", nullptr),
      Of("callbridge_execute", &callbridge_execute,
         "target site operands operand_count results result_count context?", &v.target, &v.site,
         &v.array, 1, &v.array, 1, &v.context),
      Of("callbridge_ffi_adapt_handlers", &callbridge_ffi_adapt_handlers,
         "handlers platform release? adapted", &v.handlers, "Host", "0.10.2", &v.adapted),
      Of("callbridge_ffi_attributes_create", &callbridge_ffi_attributes_create, "attributes",
         &v.attributes),
      Of("callbridge_ffi_attributes_destroy", &callbridge_ffi_attributes_destroy, "attributes",
         nullptr),
      Of("callbridge_ffi_attributes_set_array", &callbridge_ffi_attributes_set_array,
         "attributes name element_type data count", v.attributes, "n", 4, &v.number, 1),
      Of("callbridge_ffi_attributes_set_dictionary", &callbridge_ffi_attributes_set_dictionary,
         "attributes name dictionary", v.attributes, "n", v.attributes),
      Of("callbridge_ffi_attributes_set_scalar", &callbridge_ffi_attributes_set_scalar,
         "attributes name element_type value", v.attributes, "n", 4, &v.number),
      Of("callbridge_ffi_attributes_set_string", &callbridge_ffi_attributes_set_string,
         "attributes name text text_size", v.attributes, "n", "x", 1),
      Of("callbridge_ffi_explain_errors", &callbridge_ffi_explain_errors,
         "handlers explanation explained", &v.handlers, "x", &v.adapted),
      Of("callbridge_ffi_find_handlers", &callbridge_ffi_find_handlers, "name platform handlers",
         "null_pointers", "Host", &v.adapted),
      Of("callbridge_ffi_host_memory", &callbridge_ffi_host_memory, ""),
      Of("callbridge_ffi_new_run_id", &callbridge_ffi_new_run_id, ""),
      Of("callbridge_ffi_process_threads", &callbridge_ffi_process_threads, ""),
      Of("callbridge_ffi_register_type", &callbridge_ffi_register_type, "name type_id deleter?",
         "null_pointers", &v.type_id, [](void*) {}),
      Of("callbridge_ffi_register_with_loaded_xla", &callbridge_ffi_register_with_loaded_xla,
         "path name platform handlers", "/nowhere.so", "name", "Host", &v.handlers),
      Of("callbridge_ffi_runtime_versions", &callbridge_ffi_runtime_versions, "json", &v.no_bytes),
      Of(
          "callbridge_ffi_visit_handlers", &callbridge_ffi_visit_handlers, "visit user?",
          [](void*, const char*, const char*, const callbridge_ffi_handlers*, uint32_t) {}, &v),
      Of(
          "callbridge_infer_dimensions", &callbridge_infer_dimensions,
          "target attributes? operands operand_count result_count visit user?", &v.target,
          v.attributes, &v.dimensions, 1, 1, [](void*, const callbridge_dimensions*) {}, &v),
      Of("callbridge_infer_scratch_bytes", &callbridge_infer_scratch_bytes, "target site bytes",
         &v.target, &v.site, &v.scratch_bytes),
      Of("callbridge_inspect", &callbridge_inspect, "path probes json", "/no/such/file.so", 0,
         &v.no_bytes),
      Of("callbridge_library_close", &callbridge_library_close, "library?", nullptr),
      Of("callbridge_library_function", &callbridge_library_function,
         "library symbol platform target", v.library, "no_such_function", "Host", &v.target),
      Of("callbridge_library_load", &callbridge_library_load, "path library", "/no/such/file.so",
         &v.no_library),
      Of("callbridge_library_load_isolated", &callbridge_library_load_isolated, "path library",
         "/no/such/file.so", &v.no_library),
      Of("callbridge_library_of_process", &callbridge_library_of_process, "library", &v.no_library),
      Of("callbridge_library_target", &callbridge_library_target, "library index target", v.library,
         0, &v.target),
      Of("callbridge_library_target_count", &callbridge_library_target_count, "library", v.library),
      Of("callbridge_lookup_target", &callbridge_lookup_target,
         "name name_size platform platform_size", "no such target", 14, "Host", 4),
      Of("callbridge_operator_info_check", &callbridge_operator_info_check, "target site",
         &v.target, &v.site),
      Of("callbridge_operator_info_create", &callbridge_operator_info_create, "json json_size info",
         "{}", 2, &v.info),
      Of("callbridge_operator_info_destroy", &callbridge_operator_info_destroy, "info", nullptr),
      Of(
          "callbridge_operator_info_visit_defaults", &callbridge_operator_info_visit_defaults,
          "info visit user?", v.info,
          [](void*, const char*, int32_t, int32_t, const void*, size_t) {}, &v),
      Of("callbridge_pjrt_register", &callbridge_pjrt_register, "api target options? api_version?",
         v.table(), &v.target, &v.pjrt_options, &v.number),
      Of("callbridge_pjrt_register_library", &callbridge_pjrt_register_library,
         "api library options? count? api_version?", v.table(), v.library, &v.pjrt_options, &v.size,
         &v.number),
      Of("callbridge_pjrt_register_type", &callbridge_pjrt_register_type,
         "api name type_id deleter?", v.table(), "null_pointers", &v.type_id, [](void*) {}),
      Of("callbridge_probe_typed", &callbridge_probe_typed, "address verdict evidence?", &v,
         &v.number, &v.no_bytes),
      Of("callbridge_register_target", &callbridge_register_target,
         "name name_size address platform platform_size api_version", "null_pointers_registered",
         24, &v, "Host", 4, 1),
      Of("callbridge_register_with_loaded_xla", &callbridge_register_with_loaded_xla,
         "path name platform function", "/nowhere.so", "name", "Host", &v),
      Of("callbridge_run_destroy", &callbridge_run_destroy, "run", nullptr),
      Of("callbridge_run_wait", &callbridge_run_wait, "run timeout_milliseconds", v.run, -1),
      Of(
          "callbridge_shape_visit", &callbridge_shape_visit, "shape visit user?", "s32[]",
          [](void*, int32_t, const int64_t*, size_t, int64_t) {}, &v),
      Of("callbridge_site_encode", &callbridge_site_encode, "site bytes size", &v.site, &v.no_bytes,
         &v.size),
      Of("callbridge_target_abi_at", &callbridge_target_abi_at, "index platform abi", 0, "Host",
         &v.target_abi),
      Of("callbridge_target_abi_count", &callbridge_target_abi_count, ""),
      Of("callbridge_target_entry_points", &callbridge_target_entry_points, "target entry_points",
         &v.target, &v.entry_points),
      Of("callbridge_version", &callbridge_version, ""),
      Of("callbridge_visit_targets", &callbridge_visit_targets, "visit user", &Visit, &v),
      Of("callbridge_xla_ffi_api", &callbridge_xla_ffi_api, ""),
  };
}

class NullPointersTest : public testing::TestWithParam<Row> {};

TEST_P(NullPointersTest, AreRefusedByName) { GetParam().call_with_nulls(); }

INSTANTIATE_TEST_SUITE_P(Exported, NullPointersTest, testing::ValuesIn(Rows()),
                         [](const auto& info) { return info.param.symbol; });

TEST(NullPointersTableTest, EachExportedFunctionHasARow) {
  EXPECT_EQ(callbridge::null_pointers::Symbols(Rows()),
            callbridge::null_pointers::ExportedC(EXPORTED_SYMBOLS));
}

}  // namespace
