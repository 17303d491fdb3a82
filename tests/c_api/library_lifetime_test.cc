// A library stays open while calls of its handlers, and runs of them, are not done.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
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
    EXPECT_THAT(ErrorText(callbridge_library_target(library_, 1, &target)),
                AllOf(StartsWith("OUT_OF_RANGE: target index 1 is out of range: " OLD_BINARIES),
                      EndsWith("/pending_future.so has 1")));
    handlers_.instantiate = reinterpret_cast<callbridge_ffi_handler*>(target.instantiate);
    handlers_.execute = reinterpret_cast<callbridge_ffi_handler*>(target.address);
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes_)), "OK");
    const auto ended = static_cast<int64_t>(reinterpret_cast<intptr_t>(&ended_));
    constexpr int32_t kS64 = 5;
    EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_scalar(attributes_, "ended", kS64, &ended)),
              "OK");
    site_ = ResultSite("s64[2]");
    site_.attributes = attributes_;
    site_.release = "newest";
  }
  ~LibraryLifetimeTest() override { callbridge_ffi_attributes_destroy(attributes_); }

  callbridge_call* Create() {
    const callbridge_target target = TypedTarget(handlers_);
    callbridge_call* call = nullptr;
    EXPECT_EQ(ErrorText(callbridge_call_bind(&target, &site_, nullptr, &call)), "OK");
    return call;
  }
  void Start(callbridge_call* call) {
    void* results[] = {&completer_};
    EXPECT_EQ(ErrorText(callbridge_call_start(
                  call, nullptr, 0, results, 1, nullptr,
                  [](void* user, callbridge_error* error) {
                    auto& test = *static_cast<LibraryLifetimeTest*>(user);
                    test.outcome_ = ErrorText(error);
                    test.ended_when_told_ = test.ended_;
                  },
                  this, nullptr)),
              "OK");
  }
  std::string Close() { return ErrorText(callbridge_library_close(library_)); }

  callbridge_library* library_ = nullptr;
  callbridge_ffi_handlers handlers_ = Handlers(nullptr);
  callbridge_site site_ = {};
  callbridge_ffi_attributes* attributes_ = nullptr;
  int ended_ = 0;
  int ended_when_told_ = -1;
  Completer completer_ = {};
  std::string outcome_ = "not yet";
};

TEST_F(LibraryLifetimeTest, CallsKeepItOpen) {
  callbridge_call* call = Create();
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  Start(call);
  completer_.complete(completer_.promise);
  EXPECT_EQ(outcome_, "OK");
  EXPECT_THAT(Close(), HasSubstr("it stays loaded"));
  EXPECT_EQ(ended_, 0);
  callbridge_call_destroy(call);
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(Close(), "OK");
}

TEST_F(LibraryLifetimeTest, RunsThatAreNotDoneKeepItOpen) {
  callbridge_call* call = Create();
  Start(call);
  callbridge_call_destroy(call);
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  EXPECT_EQ(outcome_, "not yet");
  completer_.complete(completer_.promise);
  EXPECT_EQ(outcome_, "OK");
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(ended_when_told_, 1) << "the run is over, and nothing of it left";
  EXPECT_EQ(Close(), "OK");
}

// Also where one of its functions is a stage of somebody else's handler.
TEST_F(LibraryLifetimeTest, CallsOfEachStageKeepItOpen) {
  callbridge_ffi_handler* const its = handlers_.execute;
  site_ = OldSite();
  using Stage = callbridge_ffi_handler* callbridge_ffi_handlers::*;
  for (const Stage stage : {&callbridge_ffi_handlers::prepare, &callbridge_ffi_handlers::initialize,
                            &callbridge_ffi_handlers::execute}) {
    handlers_ = Handlers();
    handlers_.*stage = its;
    callbridge_call* call = Create();
    EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
    callbridge_call_destroy(call);
  }
  EXPECT_EQ(Close(), "OK");
}

// A handler that says what it was built for.
XLA_FFI_Error* Newest(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) return nullptr;
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  query->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  query->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return nullptr;
}

TEST_F(LibraryLifetimeTest, CallsOfStagesThatOldReleasesLackKeepItOpen) {
  const callbridge_ffi_handlers its = handlers_;
  for (bool records : {false, true}) {
    handlers_ = Handlers(&Newest);
    if (records) {
      handlers_.record = its.execute;
    } else {
      handlers_.instantiate = its.instantiate;
    }
    callbridge_call* call = Create();
    EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: ")) << records;
    callbridge_call_destroy(call);
  }
  EXPECT_EQ(Close(), "OK");
}

TEST_F(LibraryLifetimeTest, RunsThatNobodyWaitsForKeepItOpen) {
  callbridge_call* call = Create();
  void* results[] = {&completer_};
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, results, 1, nullptr, nullptr, nullptr,
                                            &run)),
            "OK");
  EXPECT_THAT(ErrorText(callbridge_run_wait(run, 0)), StartsWith("DEADLINE_EXCEEDED: "));
  callbridge_run_destroy(run);
  callbridge_call_destroy(call);
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

class UntypedLibraryTest : public testing::Test {
 protected:
  UntypedLibraryTest() {
    EXPECT_EQ(ErrorText(callbridge_library_load(OLD_BINARIES "/original_unlinked.so", &library_)),
              "OK");
    for (size_t i = 0; i < callbridge_library_target_count(library_); ++i) {
      target_.struct_size = sizeof(target_);
      EXPECT_EQ(ErrorText(callbridge_library_target(library_, i, &target_)), "OK");
      if (std::string(target_.name) == "static_function") break;
    }
  }
  std::string Close() { return ErrorText(callbridge_library_close(library_)); }

  callbridge_library* library_ = nullptr;
  callbridge_target target_ = {};
};

TEST_F(UntypedLibraryTest, BoundCallsKeepItOpen) {
  const callbridge_site site = CopySite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target_, &site, nullptr, &call)), "OK");
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  callbridge_call_destroy(call);
  EXPECT_EQ(Close(), "OK");
}

TEST_F(UntypedLibraryTest, EntryPointsKeepItOpenForGood) {
  callbridge_entry_points points = {sizeof(points), nullptr, nullptr};
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target_, &points)), "OK");
  EXPECT_THAT(Close(), StartsWith("FAILED_PRECONDITION: "));
  static auto& open_for_good = *new std::vector<callbridge_library*>;
  open_for_good.push_back(library_);
}

// ---- Handlers that are not adapted

class RefusedHandlersTest : public testing::Test {
 protected:
  RefusedHandlersTest() {
    setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, 1);
    library_ = dlopen(OLD_BINARIES "/probed.so", RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~RefusedHandlersTest() override { dlclose(library_); }

  callbridge_ffi_handler* Function(const char* name) {
    return reinterpret_cast<callbridge_ffi_handler*>(dlsym(library_, name));
  }
  static std::string Adapt(const callbridge_ffi_handlers& handlers) {
    callbridge_ffi_handlers adapted = Handlers(nullptr);
    return ErrorText(callbridge_ffi_adapt_handlers(&handlers, "Host", "0.10.2", &adapted));
  }

  void* library_;
};

TEST_F(RefusedHandlersTest, TheStageIsNamed) {
  using Stage = callbridge_ffi_handler* callbridge_ffi_handlers::*;
  const std::pair<const char*, Stage> stages[] = {
      {"instantiate", &callbridge_ffi_handlers::instantiate},
      {"prepare", &callbridge_ffi_handlers::prepare},
      {"initialize", &callbridge_ffi_handlers::initialize},
      {"execute", &callbridge_ffi_handlers::execute},
      {"record", &callbridge_ffi_handlers::record}};
  for (const auto& [name, stage] : stages) {
    callbridge_ffi_handlers handlers = Handlers(nullptr);
    handlers.execute = Function("answers_query");
    handlers.*stage = Function("aborts");
    EXPECT_EQ(Adapt(handlers),
              "INVALID_ARGUMENT: the function for the stage " + std::string(name) +
                  " is not a typed FFI handler: asked for its metadata, it ended by "
                  "SIGABRT");
    handlers.*stage = Function("returns");
    EXPECT_EQ(Adapt(handlers),
              "FAILED_PRECONDITION: cannot verify that the function for the stage " +
                  std::string(name) +
                  " is a typed FFI handler: returned without an answer, which proves "
                  "nothing");
  }
}

}  // namespace
}  // namespace callbridge
