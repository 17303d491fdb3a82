// What callbridge_ffi_adapt_handlers and callbridge_ffi_register_type refuse; what they do is
// tested with handlers of every version, in tests/genuine.
#include <cstdint>
#include <string>

#include "callbridge/c_api/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

XLA_FFI_Error* NeverCalled(XLA_FFI_CallFrame*) {
  ADD_FAILURE();
  return nullptr;
}

class AdaptHandlersTest : public testing::Test {
 protected:
  std::string Adapt(const callbridge_ffi_handlers& handlers, const char* platform = "Host") {
    return ErrorText(callbridge_ffi_adapt_handlers(&handlers, platform, "0.10.2", &adapted_));
  }
  // Nothing is written.
  ~AdaptHandlersTest() override { EXPECT_EQ(adapted_.execute, nullptr); }

 private:
  callbridge_ffi_handlers adapted_ = Handlers(nullptr);
};

TEST_F(AdaptHandlersTest, StructOfNoSize) {
  callbridge_ffi_handlers handlers = Handlers(&NeverCalled);
  handlers.struct_size = sizeof(size_t);
  EXPECT_THAT(Adapt(handlers), AllOf(StartsWith("INVALID_ARGUMENT: "),
                                     HasSubstr("callbridge_ffi_handlers.struct_size")));
}

TEST_F(AdaptHandlersTest, NoHandlerToExecute) {
  EXPECT_EQ(Adapt(Handlers(nullptr)), "INVALID_ARGUMENT: callbridge_ffi_handlers.execute is null");
}

TEST_F(AdaptHandlersTest, NoPlatform) {
  EXPECT_EQ(Adapt(Handlers(&NeverCalled), nullptr), "INVALID_ARGUMENT: platform is null");
  EXPECT_THAT(Adapt(Handlers(&NeverCalled), "tpu"),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("tpu")));
}

// A process of its own is to ask it, and cannot open the program twice.
TEST_F(AdaptHandlersTest, FunctionThatCannotBeAsked) {
  EXPECT_THAT(Adapt(Handlers(&NeverCalled)),
              AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("the stage execute")));
}

TEST(RegisterTypeTest, NamesAndIds) {
  const char* const name = "a type of ffi_adapt_handlers_test";
  int64_t id = 0;
  EXPECT_EQ(ErrorText(callbridge_ffi_register_type(name, &id, nullptr)), "OK");
  EXPECT_GT(id, 0);
  const int64_t first = id;
  EXPECT_EQ(ErrorText(callbridge_ffi_register_type(name, &id, nullptr)), "OK");
  EXPECT_EQ(id, first);

  int64_t other = 0;
  EXPECT_THAT(ErrorText(callbridge_ffi_register_type(name, &other, nullptr)),
              StartsWith("ALREADY_EXISTS: "));
  EXPECT_EQ(other, 0);
  EXPECT_EQ(ErrorText(callbridge_ffi_register_type("a type", &other, nullptr)), "OK");
  EXPECT_NE(other, first);
}

TEST(RegisterTypeTest, NoNameOrVariable) {
  int64_t id = 0;
  EXPECT_EQ(ErrorText(callbridge_ffi_register_type(nullptr, &id, nullptr)),
            "INVALID_ARGUMENT: name is null");
  EXPECT_THAT(ErrorText(callbridge_ffi_register_type("", &id, nullptr)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("a type needs a name")));
  EXPECT_EQ(ErrorText(callbridge_ffi_register_type("a type", nullptr, nullptr)),
            "INVALID_ARGUMENT: type_id is null");
}

}  // namespace
}  // namespace callbridge
