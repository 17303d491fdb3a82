// Each allocation of a C function fails in turn: the function says so, and leaks nothing.
#include <cstddef>
#include <functional>
#include <string>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/callbridge_operator_info.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/simple_calls.h"
#include "tests/counted_allocations.h"

namespace callbridge {
namespace {

// Calls `function` with no memory, with memory for one allocation and so on, until it has its way:
// then it returns `code`. Returns how often it failed.
int Starve(int32_t code, const std::function<callbridge_error*()>& function) {
  for (int count = 0; count < 10000; ++count) {
    most_allocations = allocations + count;
    callbridge_error* error = function();
    most_allocations = kNoLimit;
    const int32_t came = error != nullptr ? error->code : 0;
    const std::string message = error != nullptr ? error->message : "";
    callbridge_error_destroy(error);
    if (came == code) return count;
    EXPECT_EQ(came, 8) << message << ", with " << count;
    EXPECT_EQ(message, "out of memory");
    if (testing::Test::HasFailure()) break;
  }
  return -1;
}

constexpr int32_t kNotFound = 5, kInvalidArgument = 3;

// The analyzer does not see that the operators above belong together.
// NOLINTBEGIN(clang-analyzer-unix.Malloc)
TEST(OutOfMemoryTest, ErrorsAreThere) {
  const std::string text(100, 'x');
  EXPECT_EQ(Starve(kNotFound,
                   [&] { return callbridge_error_create(kNotFound, text.data(), text.size()); }),
            2);
  EXPECT_GT(Starve(kInvalidArgument,
                   [] {
                     return callbridge_shape_visit(
                         "f33[]", [](void*, int32_t, const int64_t*, size_t, int64_t) {}, nullptr);
                   }),
            0);
  EXPECT_GT(Starve(kInvalidArgument, [] { return callbridge_library_of_process(nullptr); }), 0);
}

TEST(OutOfMemoryTest, Targets) {
  const char* const shapes[] = {"(s32[],f32[8,4])", "s32[]"};
  const callbridge_target target =
      OriginalTarget(&CopyS32, "a name that no string holds without an allocation");
  const callbridge_site site = Site(shapes, "s32[]");
  callbridge_call* call = nullptr;
  EXPECT_GT(Starve(0, [&] { return callbridge_call_bind(&target, &site, nullptr, &call); }), 0);
  callbridge_call_destroy(call);
  char* bytes = nullptr;
  size_t size = 0;
  EXPECT_GT(Starve(0, [&] { return callbridge_site_encode(&site, &bytes, &size); }), 0);
  callbridge_bytes_free(bytes);
  callbridge_library* library = nullptr;
  EXPECT_GT(Starve(0, [&] { return callbridge_library_of_process(&library); }), 0);
  EXPECT_EQ(callbridge_library_close(library), nullptr);
}

TEST(OutOfMemoryTest, Handlers) {
  callbridge_ffi_attributes* attributes = nullptr;
  EXPECT_EQ(Starve(0, [&] { return callbridge_ffi_attributes_create(&attributes); }), 1);
  const std::string name(100, 'n');
  const int32_t number = 1;
  const auto set = [&](const std::function<callbridge_error*()>& function) {
    EXPECT_GT(Starve(0, function), 0);
  };
  set([&] { return callbridge_ffi_attributes_set_scalar(attributes, name.c_str(), 4, &number); });
  set([&] {
    return callbridge_ffi_attributes_set_array(attributes, name.c_str() + 1, 4, &number, 1);
  });
  set([&] {
    return callbridge_ffi_attributes_set_string(attributes, name.c_str() + 2, name.data(), 100);
  });
  set([&] {
    return callbridge_ffi_attributes_set_dictionary(attributes, name.c_str() + 3, attributes);
  });
  const callbridge_target target = TypedTarget(Handlers());
  callbridge_site site = OldSite();
  site.operands = kS32;
  site.operand_count = 1;
  site.attributes = attributes;
  callbridge_runtime_services services = NoServices();
  services.custom_options = attributes;
  const callbridge_execution_context context = Lending(services);
  callbridge_call* call = nullptr;
  set([&] { return callbridge_call_bind(&target, &site, &context, &call); });
  void* pointers[] = {&call};
  callbridge_run* run = nullptr;
  set([&] {
    return callbridge_call_start(call, pointers, 1, nullptr, 0, &context, nullptr, nullptr, &run);
  });
  EXPECT_EQ(callbridge_run_wait(run, 1000), nullptr);
  set([&] { return callbridge_call_execute(call, pointers, 1, nullptr, 0, &context); });
  callbridge_run_destroy(run);
  callbridge_call_destroy(call);
  callbridge_ffi_attributes_destroy(attributes);
}

TEST(OutOfMemoryTest, OperatorInfo) {
  const std::string json = R"({"op_name": "a name that no string holds without an allocation",
      "inputs": [{"index": 0, "name": "x"}], "outputs": [{"index": 0, "name": "y"}],
      "dtype_format": [[["float32", "NCHW"], ["", ""]], [["int32", "DefaultFormat"], ["", ""]]],
      "attr": [{"name": "a", "type": "all", "value": [[1, 2], [3]]},
               {"name": "b", "type": "listInt", "defaultValue": "1,2"},
               {"name": "c", "type": "str", "value": "a text of more than a few characters"}],
      "target": "CPU"})";
  callbridge_operator_info* info = nullptr;
  const auto create = [&] {
    return callbridge_operator_info_create(json.data(), json.size(), &info);
  };
  EXPECT_GT(Starve(0, create), 0);
  const callbridge_target target = TypedTarget(Handlers());
  callbridge_site site = CopySite();
  site.release = "0.4.30";
  site.operator_info = info;
  callbridge_call* call = nullptr;
  EXPECT_GT(Starve(0, [&] { return callbridge_call_bind(&target, &site, nullptr, &call); }), 0);
  callbridge_call_destroy(call);
  site.result = "()";
  EXPECT_GT(
      Starve(kInvalidArgument, [&] { return callbridge_operator_info_check(&target, &site); }), 0);
  callbridge_operator_info_destroy(info);
  const std::string wrong = json.substr(0, json.size() - 1);
  EXPECT_GT(
      Starve(kInvalidArgument,
             [&] { return callbridge_operator_info_create(wrong.data(), wrong.size(), &info); }),
      0);
}

// NOLINTEND(clang-analyzer-unix.Malloc)

}  // namespace
}  // namespace callbridge
