// A library stays open while calls of its handlers, and runs of them, are not done.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What the handler writes as its result.
struct Completer {
  void (*complete)(void* promise);
  void* promise;
};

class LibraryLifetimeTest : public testing::Test {
 protected:
  LibraryLifetimeTest() {
    EXPECT_EQ(ErrorText(callbridge_library_load(OLD_BINARIES "/pending_future.so", &library_)),
              "OK");
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    EXPECT_EQ(ErrorText(callbridge_library_target(library_, 0, &target)), "OK");
    EXPECT_STREQ(target.name, "wait");
    handlers_.struct_size = sizeof(handlers_);
    handlers_.instantiate = reinterpret_cast<callbridge_ffi_handler*>(target.instantiate);
    handlers_.execute = reinterpret_cast<callbridge_ffi_handler*>(target.address);
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes_)), "OK");
    const auto ended = static_cast<int64_t>(reinterpret_cast<intptr_t>(&ended_));
    constexpr int32_t kS64 = 5;
    EXPECT_EQ(
        ErrorText(callbridge_ffi_attributes_set_scalar(attributes_, "ended", 5, kS64, &ended)),
        "OK");
    site_.struct_size = sizeof(site_);
    site_.results = kShapes;
    site_.result_count = 1;
    site_.attributes = attributes_;
  }
  ~LibraryLifetimeTest() override { callbridge_ffi_attributes_destroy(attributes_); }

  callbridge_ffi_call* Create() {
    callbridge_ffi_call* call = nullptr;
    EXPECT_EQ(ErrorText(callbridge_ffi_call_create(&handlers_, &site_, nullptr, &call)), "OK");
    return call;
  }
  void Start(callbridge_ffi_call* call) {
    void* results[] = {&completer_};
    EXPECT_EQ(ErrorText(callbridge_ffi_call_start(
                  call, nullptr, 0, results, 1, nullptr,
                  [](void* user, callbridge_error* error) {
                    *static_cast<std::string*>(user) = ErrorText(error);
                  },
                  &outcome_)),
              "OK");
  }
  std::string Close() { return ErrorText(callbridge_library_close(library_)); }

  static constexpr const char* kShapes[] = {"s64[2]"};
  callbridge_library* library_ = nullptr;
  callbridge_ffi_handlers handlers_ = {};
  callbridge_ffi_site site_ = {};
  callbridge_ffi_attributes* attributes_ = nullptr;
  int ended_ = 0;
  Completer completer_ = {};
  std::string outcome_ = "not yet";
};

TEST_F(LibraryLifetimeTest, CallsKeepItOpen) {
  callbridge_ffi_call* call = Create();
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  Start(call);
  completer_.complete(completer_.promise);
  EXPECT_EQ(outcome_, "OK");
  EXPECT_THAT(Close(), HasSubstr("it stays loaded"));
  EXPECT_EQ(ended_, 0);
  callbridge_ffi_call_destroy(call);
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(Close(), "OK");
}

TEST_F(LibraryLifetimeTest, RunsThatAreNotDoneKeepItOpen) {
  callbridge_ffi_call* call = Create();
  Start(call);
  callbridge_ffi_call_destroy(call);
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  EXPECT_EQ(outcome_, "not yet");
  completer_.complete(completer_.promise);
  EXPECT_EQ(outcome_, "OK");
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(Close(), "OK");
}

TEST_F(LibraryLifetimeTest, RunsThatNobodyWaitsForKeepItOpen) {
  callbridge_ffi_call* call = Create();
  void* results[] = {&completer_};
  EXPECT_THAT(ErrorText(callbridge_ffi_call_execute(call, nullptr, 0, results, 1, nullptr, 0)),
              StartsWith("DEADLINE_EXCEEDED: "));
  callbridge_ffi_call_destroy(call);
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  completer_.complete(completer_.promise);
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(Close(), "OK");
}

// A runtime cannot be asked to forget what it was given.
TEST_F(LibraryLifetimeTest, AdaptedHandlersKeepItOpenForGood) {
  setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, 1);
  callbridge_ffi_handlers adapted = {};
  adapted.struct_size = sizeof(adapted);
  ASSERT_EQ(ErrorText(callbridge_ffi_adapt_handlers(&handlers_, "Host", "0.12.0.1", &adapted)),
            "OK");
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  static auto& open_for_good = *new std::vector<callbridge_library*>;
  open_for_good.push_back(library_);
}

}  // namespace
}  // namespace callbridge
