// What handlers answer: what their functions return, the metadata query, and calls that they are
// not for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "callbridge/typed_ffi/binding/ffi.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

// Returned by handlers whose results are a runtime's own futures.
struct OwnFuture {
  XLA_FFI_Future* future;
};
struct FutureOrError {
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;
};
namespace xla::ffi {
template <ExecutionStage stage>
struct ResultEncoding<stage, OwnFuture> {
  static XLA_FFI_Future* Encode(const XLA_FFI_Api*, XLA_FFI_InvokeContext*, OwnFuture own) {
    return own.future;
  }
};
template <ExecutionStage stage>
struct ResultEncoding<stage, FutureOrError> {
  static std::variant<XLA_FFI_Error*, XLA_FFI_Future*> Encode(const XLA_FFI_Api*,
                                                              XLA_FFI_InvokeContext*,
                                                              FutureOrError own) {
    if (own.error != nullptr) return own.error;
    return own.future;
  }
};
}  // namespace xla::ffi

namespace callbridge::typed_ffi::testing {
namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

class AnswersTest : public ::testing::Test {
 protected:
  ~AnswersTest() override { EXPECT_EQ(live_errors, 0); }

  Answer Call(XLA_FFI_Handler* handler) { return Take(handler(frame.ForCall(runtime))); }
  void Args(int count) {
    for (int i = 0; i < count; ++i) frame.Arg(XLA_FFI_DataType_F32, {1}, data);
  }
  void Rets(int count) {
    for (int i = 0; i < count; ++i) frame.Ret(XLA_FFI_DataType_F32, {1}, data);
  }

  FakeRuntime runtime{kRuntimeVersionCount - 1};
  CallFrame frame;
  float data[1] = {};
};

// A name of a handler that is bound at run time may be gone by the first call.
TEST_F(AnswersTest, NamesAreKept) {
  const auto bind = [](const char* name) {
    std::string gone = std::string("the name of an attribute: ") + name;
    auto handler = Ffi::Bind().Attr<int32_t>(gone).To(
        [](int32_t value) { return Error(ErrorCode::kAborted, std::to_string(value)); });
    gone.assign(gone.size(), '?');
    return handler;
  };
  const auto one = bind("one"), two = bind("two"), one_again = bind("one");
  const auto call = [&](const Ffi& handler, const char* name) {
    CallFrame attribute;
    attribute.attributes().S32(std::string("the name of an attribute: ") + name, 7);
    return Take(handler.Call(attribute.ForCall(runtime))).message;
  };
  EXPECT_EQ(call(*one, "one"), "7");
  EXPECT_EQ(call(*two, "two"), "7");
  EXPECT_EQ(call(*one_again, "one"), "7");
  EXPECT_THAT(call(*two, "one"),
              HasSubstr("Attribute name mismatch: not found among the name of an attribute: one"));
}

// ---- What is bound by a function's type ---------------------------------------------------------

constexpr char kText[] = "text";
XLA_FFI_DEFINE_HANDLER(kInferred, [](AnyBuffer a, const RemainingArgs& args, Result<AnyBuffer>,
                                     RemainingRets rets,
                                     Attr<std::string_view, kText> text) noexcept {
  const Attr<std::string_view, kText> copy = text;
  const bool same = text->size() == copy->size() && *text == *copy;
  return Error(ErrorCode::kAborted, std::to_string(a.dimensions()[0]) +
                                        std::to_string(args.size()) + std::to_string(rets.size()) +
                                        (same ? std::string(*copy) : "differs"));
});

TEST_F(AnswersTest, EveryKindOfParameterIsInferred) {
  frame.Arg(XLA_FFI_DataType_F32, {8}, data);
  Args(2);
  Rets(4);
  frame.attributes().String("text", "of the attribute");
  EXPECT_EQ(Call(kInferred).message, "823of the attribute");
}

// ---- What is returned ---------------------------------------------------------------------------

XLA_FFI_Future returned_future;
bool returns_an_error = false;
XLA_FFI_DEFINE_HANDLER(kOwnFuture, [] { return OwnFuture{&returned_future}; });
XLA_FFI_DEFINE_HANDLER(kFutureOrError, [] {
  return FutureOrError{&returned_future, returns_an_error
                                             ? NewError(XLA_FFI_Error_Code_ABORTED, "an error")
                                             : nullptr};
});

TEST_F(AnswersTest, FuturesAreWrittenToTheFrame) {
  for (XLA_FFI_Handler* handler : {kOwnFuture, kFutureOrError}) {
    XLA_FFI_CallFrame* call = frame.ForCall(runtime);
    EXPECT_EQ(Take(handler(call)).code, 0);
    EXPECT_EQ(call->future, &returned_future);
  }
  returns_an_error = true;
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  EXPECT_EQ(Take(kFutureOrError(call)).message, "an error");
  EXPECT_EQ(call->future, nullptr);
}

// ---- The metadata query -------------------------------------------------------------------------

struct OfPrepare {
  static TypeId id;
};
TypeId OfPrepare::id = {12};

XLA_FFI_DEFINE_HANDLER(kNothing, [] { return Error::Success(); });
XLA_FFI_DEFINE_HANDLER(
    kRunIdAndOptions, [](RunId, Dictionary, int32_t) { return Error::Success(); },
    Ffi::Bind().Ctx<RunId>().Ctx<CustomOptions>().Ctx<DeviceOrdinal>());
XLA_FFI_DEFINE_HANDLER(
    kMakesStateOfPrepare,
    []() -> ErrorOr<std::unique_ptr<OfPrepare>> { return std::make_unique<OfPrepare>(); },
    Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER(
    kReadsState, [](OfPrepare*, OfPrepare*) { return Error::Success(); },
    Ffi::Bind().Ctx<Prepared<OfPrepare>>().Ctx<State<OfPrepare>>());
XLA_FFI_DEFINE_HANDLER(
    kThreads, [](ThreadPool) { return Error::Success(); }, Ffi::Bind().Ctx<ThreadPool>());

class MetadataTest : public AnswersTest {
 protected:
  MetadataTest() {
    metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
    extension = {{XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr},
                 &metadata};
  }

  XLA_FFI_Metadata metadata = {};
  XLA_FFI_Metadata_Extension extension = {};
};

TEST_F(MetadataTest, TellsTheNewestThatIsNeeded) {
  const std::pair<XLA_FFI_Handler*, int> handlers[] = {{kNothing, 1},
                                                       {kThreads, 1},
                                                       {kReadsState, 3},
                                                       {kMakesStateOfPrepare, 3},
                                                       {kRunIdAndOptions, 5}};
  for (const auto& [handler, minor] : handlers) {
    XLA_FFI_CallFrame* call = frame.ForCall(runtime);
    call->extension_start = &extension.extension_base;
    EXPECT_EQ(Take(handler(call)).message, "");
    EXPECT_EQ(metadata.api_version.minor_version, minor);
    EXPECT_EQ(metadata.state_type_id.type_id, handler == kMakesStateOfPrepare ? 12 : 0);
  }
}

TEST_F(MetadataTest, TellsAllTraits) {
  const auto handler = Ffi::Bind().To([] { return Error::Success(); },
                                      {Traits::kCmdBufferCompatible, static_cast<Traits>(4)});
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->extension_start = &extension.extension_base;
  EXPECT_EQ(Take(handler->Call(call)).message, "");
  EXPECT_EQ(metadata.traits, 5u);
}

TEST_F(MetadataTest, IsFoundBehindOtherExtensions) {
  XLA_FFI_InternalExtension unknown = {XLA_FFI_InternalExtension_STRUCT_SIZE,
                                       static_cast<XLA_FFI_InternalExtension_Type>(1000),
                                       &extension.extension_base};
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->extension_start = &unknown;
  EXPECT_EQ(Take(kNothing(call)).message, "");
  EXPECT_EQ(metadata.api_version.minor_version, 1);
}

// Where there is no API, there is nothing to make an error with; nothing is written all the same.
TEST_F(MetadataTest, StructsThatAreTooSmall) {
  for (const XLA_FFI_Api* api : {runtime.api(), static_cast<const XLA_FFI_Api*>(nullptr)}) {
    XLA_FFI_CallFrame* call = frame.ForCall(runtime);
    call->api = api;
    call->extension_start = &extension.extension_base;
    extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE - 1;
    EXPECT_EQ(
        Take(kNothing(call)).message,
        api == nullptr
            ? ""
            : "Unexpected XLA_FFI_Metadata_Extension size: expected at least 32 got 31. Check "
              "installed software versions.");
    extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
    metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE - 1;
    EXPECT_EQ(Take(kNothing(call)).message,
              api == nullptr ? ""
                             : "Unexpected XLA_FFI_Metadata size: expected at least 36 got 35. "
                               "Check installed software versions.");
    metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
    EXPECT_EQ(metadata.api_version.struct_size, 0u);
  }
}

// Its object ends before the state's type, whether or not it provides its API.
TEST_F(MetadataTest, ARuntimeOf01HasNoStateTypes) {
  FakeRuntime old(kRuntimeVersionCount - 5);
  ASSERT_EQ(old.version().metadata_size, 40u);
  metadata.state_type_id.type_id = 99;
  XLA_FFI_CallFrame* call = frame.ForCall(old);
  call->extension_start = &extension.extension_base;
  EXPECT_EQ(Take(kMakesStateOfPrepare(call)).message, "");
  EXPECT_EQ(metadata.state_type_id.type_id, 99);
  EXPECT_EQ(metadata.api_version.minor_version, 1);
}

TEST_F(MetadataTest, ATypeThatIsNotRegistered) {
  OfPrepare::id = {0};
  XLA_FFI_CallFrame* call = frame.ForCall(runtime);
  call->extension_start = &extension.extension_base;
  const Answer answer = Take(kMakesStateOfPrepare(call));
  OfPrepare::id = {12};
  EXPECT_EQ(answer.code, XLA_FFI_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(answer.message,
            "Types used by FFI handlers must be registered before the handler registration");
}

TEST_F(AnswersTest, AStageThatHasNoNumber) {
  FakeRuntime first(0);
  EXPECT_EQ(Take(kNothing(frame.ForCall(first, -1))).message,
            "Wrong execution stage: expected `execute` but got `-1`");
}

// What the runtime lacks is no excuse for a call that is wrong by itself.
XLA_FFI_DEFINE_HANDLER(
    kOneAndOptions, [](AnyBuffer, Dictionary) { return Error::Success(); },
    Ffi::Bind().Arg<AnyBuffer>().Ctx<CustomOptions>());
TEST_F(AnswersTest, AWrongCountOutweighsWhatTheRuntimeLacks) {
  FakeRuntime old(kRuntimeVersionCount - 2);
  const Answer count = Take(kOneAndOptions(frame.ForCall(old)));
  EXPECT_EQ(count.code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(count.message,
              HasSubstr("Wrong number of arguments: expected 1 but got 0\nFailed to decode"));
  EXPECT_THAT(count.message,
              HasSubstr("(bad operands at: 1)\nDiagnostics:\nCustomOptions needs XLA FFI 0.5"));
  Args(1);
  EXPECT_EQ(Take(kOneAndOptions(frame.ForCall(old))).code, XLA_FFI_Error_Code_UNIMPLEMENTED);
}

}  // namespace
}  // namespace callbridge::typed_ffi::testing
