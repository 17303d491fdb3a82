// What callbridge_ffi_adapt_handlers and callbridge_ffi_register_type refuse; what they do is
// tested with handlers of every version, in tests/genuine.
#include <cstdint>
#include <string>

#include "callbridge/c_api/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string Take(callbridge_error* error) {
  if (error == nullptr) return "OK";
  std::string text = std::string(callbridge_error_code_name(error->code)) + ": " + error->message;
  callbridge_error_destroy(error);
  return text;
}

callbridge_ffi_handlers Handlers(callbridge_ffi_handler* execute) {
  callbridge_ffi_handlers handlers = {};
  handlers.struct_size = sizeof(handlers);
  handlers.execute = execute;
  return handlers;
}

void NeverCalled() { ADD_FAILURE(); }

class AdaptHandlersTest : public testing::Test {
 protected:
  std::string Adapt(const callbridge_ffi_handlers& handlers, const char* platform = "Host") {
    return Take(callbridge_ffi_adapt_handlers(&handlers, platform, "0.10.2", &adapted_));
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
  const std::string name = std::string("a type\0", 7) + "of ffi_adapt_handlers_test";
  int64_t id = 0;
  EXPECT_EQ(Take(callbridge_ffi_register_type(name.data(), name.size(), &id, nullptr)), "OK");
  EXPECT_GT(id, 0);
  const int64_t first = id;
  EXPECT_EQ(Take(callbridge_ffi_register_type(name.data(), name.size(), &id, nullptr)), "OK");
  EXPECT_EQ(id, first);

  int64_t other = 0;
  EXPECT_THAT(Take(callbridge_ffi_register_type(name.data(), name.size(), &other, nullptr)),
              StartsWith("ALREADY_EXISTS: "));
  EXPECT_EQ(other, 0);
  EXPECT_EQ(Take(callbridge_ffi_register_type("a type", 6, &other, nullptr)), "OK");
  EXPECT_NE(other, first);
}

TEST(RegisterTypeTest, NoNameOrVariable) {
  int64_t id = 0;
  EXPECT_EQ(Take(callbridge_ffi_register_type(nullptr, 0, &id, nullptr)),
            "INVALID_ARGUMENT: name is null");
  EXPECT_THAT(Take(callbridge_ffi_register_type("", 0, &id, nullptr)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("a type needs a name")));
  EXPECT_EQ(Take(callbridge_ffi_register_type("a type", 6, nullptr, nullptr)),
            "INVALID_ARGUMENT: type_id is null");
}

}  // namespace
