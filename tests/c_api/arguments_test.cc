// Arguments that contradict themselves: nulls within structs, sizes and counts that no object has.
#include "callbridge/c_api/arguments.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kHuge = std::numeric_limits<size_t>::max();
constexpr int32_t kS4 = 21, kS64 = 5;

class AttributesTest : public testing::Test {
 protected:
  AttributesTest() { EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes_)), "OK"); }
  ~AttributesTest() override { callbridge_ffi_attributes_destroy(attributes_); }

  callbridge_ffi_attributes* attributes_ = nullptr;
  const int64_t number_ = 7;
};

TEST_F(AttributesTest, ArraysThatNoMemoryHoldsAreRefused) {
  // 2^61 elements of 8 bytes are 0 bytes to who multiplies.
  for (size_t count : {size_t{1} << 61, (size_t{1} << 61) + 1, size_t{1} << 60, kHuge}) {
    EXPECT_EQ(
        ErrorText(callbridge_ffi_attributes_set_array(attributes_, "n", kS64, &number_, count)),
        "INVALID_ARGUMENT: count is " + std::to_string(count) +
            ", but memory holds at most 1152921504606846975 elements of 8 "
            "bytes");
  }
  EXPECT_THAT(
      ErrorText(callbridge_ffi_attributes_set_array(attributes_, "n", kS4, &number_, kHuge)),
      StartsWith("INVALID_ARGUMENT: count is"));
  EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_array(attributes_, "n", kS64, nullptr, 0)),
            "OK");
}

// Of XLA's numbers, those that an array may be of.
TEST_F(AttributesTest, ElementTypesHaveNumbers) {
  const std::set<int32_t> between = {13, 14, 17};  // tuple, opaque, token
  for (int32_t number = -1; number < 40; ++number) {
    const bool is_one = number >= 1 && number <= 33 && between.count(number) == 0;
    const std::string expected = is_one ? "OK"
                                        : "INVALID_ARGUMENT: " + std::to_string(number) +
                                              " is not the number of an element type "
                                              "(xla.PrimitiveType)";
    const int64_t value[2] = {};
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_scalar(attributes_, "n", number, value)),
              expected);
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_array(attributes_, "n", number, value, 1)),
              expected);
  }
}

// As many as an object in memory may have.
TEST(CheckArrayTest, TheLargestArrayIsGood) {
  const char x = 0;
  const auto most = static_cast<size_t>(PTRDIFF_MAX);
  EXPECT_TRUE(CheckArray("x", &x, "n", most).ok());
  EXPECT_TRUE(CheckArray("x", &x, "n", most / 8, 8).ok());
  EXPECT_FALSE(CheckArray("x", &x, "n", most / 8 + 1, 8).ok());
  EXPECT_EQ(CheckArray("x", &x, "n", most + 1).message(),
            "n is 9223372036854775808, but memory holds at most 9223372036854775807 "
            "elements of 1 bytes");
}

TEST_F(AttributesTest, TextsThatNoMemoryHoldsAreRefused) {
  for (size_t size : {kHuge, size_t{1} << 63}) {
    EXPECT_THAT(ErrorText(callbridge_ffi_attributes_set_string(attributes_, "n", "x", size)),
                StartsWith("INVALID_ARGUMENT: text_size is"));
    EXPECT_THAT(ErrorText(callbridge_error_create(5, "x", size)),
                StartsWith("INVALID_ARGUMENT: message_size is"));
  }
  EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_string(attributes_, "n", nullptr, 0)), "OK");
}

TEST_F(AttributesTest, ADictionaryMayHoldWhatItWas) {
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_set_dictionary(attributes_, "self", attributes_)),
            "OK");
}

TEST(RegisterTypeTest, TheIdIsAVariable) {
  int64_t id = 0;
  EXPECT_THAT(ErrorText(callbridge_ffi_register_type("arguments.Type",
                                                     reinterpret_cast<int64_t*>(5), nullptr)),
              StartsWith("INVALID_ARGUMENT: type_id is 5, but must be the address of an int64_t"));
  EXPECT_EQ(id, 0);
}

// ---- Call sites of untyped targets

class SiteTest : public testing::Test {
 protected:
  std::string Bind() {
    callbridge_call* call = nullptr;
    std::string text = ErrorText(callbridge_call_bind(&target_, &site_, nullptr, &call));
    callbridge_call_destroy(call);
    return text;
  }

  const char* shapes_[1] = {"s32[]"};
  const callbridge_target target_ = OriginalTarget();
  callbridge_site site_ = Site(shapes_, "s32[]");
};

TEST_F(SiteTest, NullsAndSizesAreNamed) {
  EXPECT_EQ(Bind(), "OK");
  shapes_[0] = nullptr;
  EXPECT_EQ(Bind(), "INVALID_ARGUMENT: operand 0 is null");
  shapes_[0] = "s32[]";
  site_.operand_count = kHuge;
  EXPECT_THAT(Bind(), StartsWith("INVALID_ARGUMENT: callbridge_site.operand_count is"));
  site_.operand_count = 1;
  site_.opaque = "x";
  site_.opaque_size = kHuge;
  EXPECT_THAT(Bind(), StartsWith("INVALID_ARGUMENT: callbridge_site.opaque_size is"));
}

TEST_F(SiteTest, ArraysWithSizesHaveData) {
  int32_t in = 3, out = 0;
  callbridge_array operand = {&in, 4}, result = {&out, 4};
  const auto execute = [&] {
    return ErrorText(callbridge_execute(&target_, &site_, &operand, 1, &result, 1, nullptr));
  };
  EXPECT_EQ(execute(), "OK");
  operand.data = nullptr;
  EXPECT_EQ(execute(), "INVALID_ARGUMENT: operands[0].data is null");
  operand.data = &in;
  result.data = nullptr;
  EXPECT_EQ(execute(), "INVALID_ARGUMENT: results[0].data is null");
  result.data = &out;
  EXPECT_THAT(ErrorText(callbridge_execute(&target_, &site_, &operand, kHuge, &result, 1, nullptr)),
              StartsWith("INVALID_ARGUMENT: the count of operands is"));
  EXPECT_THAT(ErrorText(callbridge_execute(&target_, &site_, &operand, 1, &result, kHuge, nullptr)),
              StartsWith("INVALID_ARGUMENT: the count of results is"));
}

// ---- Calls of handlers

class FfiCallTest : public testing::Test {
 protected:
  std::string Create() {
    const callbridge_target target = TypedTarget(handlers_);
    const callbridge_execution_context context = Lending(services_);
    callbridge_call* call = nullptr;
    std::string text = ErrorText(callbridge_call_bind(&target, &site_, &context, &call));
    callbridge_call_destroy(call);
    return text;
  }

  callbridge_ffi_handlers handlers_ = Handlers();
  callbridge_site site_ = OldSite();
  callbridge_runtime_services services_ = NoServices();
};

TEST_F(FfiCallTest, NullsInTheSiteAreNamed) {
  EXPECT_EQ(Create(), "OK");
  site_.operand_count = 1;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_site.operands is null");
  const char* const shapes[] = {"s32[]", nullptr};
  site_.operands = shapes;
  site_.operand_count = 2;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: operand 1 is null");
  site_.operand_count = 1;
  site_.result = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: result is null");
  site_.result = shapes[0];
  EXPECT_EQ(Create(), "OK");
  site_.operand_count = kHuge;
  EXPECT_THAT(Create(), StartsWith("INVALID_ARGUMENT: callbridge_site.operand_count is"));
  site_.operand_count = 1;
  site_.result = "s33[]";
  EXPECT_THAT(Create(), AllOf(StartsWith("INVALID_ARGUMENT: result: "), HasSubstr("s33[]")));
  site_.result = shapes[0];
  handlers_.execute = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: custom call \"handler\" has a null address");
}

TEST_F(FfiCallTest, NullsInTheContextAreNamed) {
  callbridge_ffi_thread_pool pool = *callbridge_ffi_process_threads();
  callbridge_ffi_scratch scratch = *callbridge_ffi_host_memory();
  services_.thread_pool = &pool;
  services_.scratch = &scratch;
  EXPECT_EQ(Create(), "OK");
  pool.schedule = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_ffi_thread_pool.schedule is null");
  pool = *callbridge_ffi_process_threads();
  pool.num_threads = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_ffi_thread_pool.num_threads is null");
  services_.thread_pool = nullptr;
  scratch.allocate = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_ffi_scratch.allocate is null");
  scratch = *callbridge_ffi_host_memory();
  scratch.free = nullptr;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_ffi_scratch.free is null");
  services_.scratch = nullptr;
  services_.user_data_count = 1;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_runtime_services.user_data_types is null");
  const int64_t types[] = {1};
  services_.user_data_types = types;
  EXPECT_EQ(Create(), "INVALID_ARGUMENT: callbridge_runtime_services.user_data is null");
  void* const data[] = {nullptr};
  services_.user_data = data;
  EXPECT_EQ(Create(), "OK");
  services_.user_data_count = kHuge;
  EXPECT_THAT(Create(),
              StartsWith("INVALID_ARGUMENT: callbridge_runtime_services.user_data_count is"));
}

TEST_F(FfiCallTest, StructsHaveTheirFirstVersionAtLeast) {
  callbridge_ffi_thread_pool pool = *callbridge_ffi_process_threads();
  callbridge_ffi_scratch scratch = *callbridge_ffi_host_memory();
  services_.thread_pool = &pool;
  services_.scratch = &scratch;
  struct {
    size_t& size;
    const char* name;
  } structs[] = {{services_.struct_size, "callbridge_runtime_services"},
                 {pool.struct_size, "callbridge_ffi_thread_pool"},
                 {scratch.struct_size, "callbridge_ffi_scratch"}};
  for (const auto& s : structs) {
    const size_t whole = std::exchange(s.size, s.size - 1);
    EXPECT_EQ(Create(), "INVALID_ARGUMENT: " + std::string(s.name) + ".struct_size is " +
                            std::to_string(whole - 1) + ", but must be at least " +
                            std::to_string(whole) + ": set it to sizeof(" + s.name + ")");
    s.size = whole;
  }
  EXPECT_EQ(Create(), "OK");
}

// Then nothing runs, and nobody is told.
TEST_F(FfiCallTest, RunsThatAreRefusedAreNotDone) {
  const callbridge_target target = TypedTarget(handlers_);
  const callbridge_execution_context context = Lending(services_);
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site_, &context, &call)), "OK");
  const auto start = [&](size_t operands, size_t results) {
    void* pointers[] = {nullptr};
    return ErrorText(callbridge_call_start(
        call, pointers, operands, pointers, results, &context,
        [](void*, callbridge_error* error) {
          callbridge_error_destroy(error);
          ADD_FAILURE();
        },
        nullptr, nullptr));
  };
  EXPECT_THAT(start(kHuge, 0), StartsWith("INVALID_ARGUMENT: operand_count is"));
  EXPECT_THAT(start(0, kHuge), StartsWith("INVALID_ARGUMENT: result_count is"));
  services_.struct_size = 8;
  EXPECT_THAT(start(0, 0),
              StartsWith("INVALID_ARGUMENT: callbridge_runtime_services.struct_size is 8"));
  callbridge_call_destroy(call);
}

}  // namespace
}  // namespace callbridge
