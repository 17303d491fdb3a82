// Wrappers of handlers of each version (imitated_headers.h), called by a hand-made runtime of each
// version.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_CALL_FIXTURE_H_
#define CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_CALL_FIXTURE_H_

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "gtest/gtest.h"
#include "tests/adapters/imitated_headers.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge {

using typed_ffi::testing::FakeRuntime;
using typed_ffi::testing::TakeText;

// The parameters are rows of kRuntimeVersions: the handler's headers, and the runtime.
class ForeignCallTest : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  ForeignCallTest() {
    // Like XLA's API tables it lives as long as the process.
    static auto& runtimes = *new std::vector<std::unique_ptr<FakeRuntime>>;
    runtime = runtimes.emplace_back(std::make_unique<FakeRuntime>(std::get<1>(GetParam()))).get();
    imitated::says = {};
  }
  ~ForeignCallTest() override {
    imitated::in_the_call = nullptr;
    DeleteStates();
    EXPECT_EQ(typed_ffi::testing::live_errors, 0);
  }

  static const typed_ffi::RuntimeVersion& headers() {
    return typed_ffi::kRuntimeVersions[std::get<0>(GetParam())];
  }
  // Which they are taken for.
  static const typed_ffi::RuntimeVersion& recognized_headers() {
    return typed_ffi::kRuntimeVersions[imitated::RowTakenFor(std::get<0>(GetParam()))];
  }
  const typed_ffi::RuntimeVersion& version() const { return runtime->version(); }
  // "0.2 (jaxlib 0.8.1 to 0.9.0)"
  std::string Speaks() const {
    return "0." + std::to_string(version().minor) + " (" + version().releases + ")";
  }
  static bool HeadersHave(typed_ffi::ApiFunction function) {
    return headers().slots[static_cast<int>(function)] != 0;
  }

  static XLA_FFI_Handler* Wrapper(Platform platform = Platform::kHost) {
    return GetCrossVersionWrapper(imitated::kHandlers[std::get<0>(GetParam())], platform).value();
  }

  // The error's code and text, "" for none. `stage` is by the runtime's numbers.
  using Body = std::function<XLA_FFI_Error*(XLA_FFI_CallFrame*)>;
  std::string CallAt(int stage, Body body, Platform platform = Platform::kHost) {
    imitated::in_the_call = std::move(body);
    return TakeText(Wrapper(platform)(frame.ForCall(*runtime, stage)));
  }
  std::string Call(Body body, Platform platform = Platform::kHost) {
    return CallAt(version().execute, std::move(body), platform);
  }

  // A function of the table that the handler is shown, which its headers have.
  template <typename Function>
  static Function* In(const XLA_FFI_Api& api, typed_ffi::ApiFunction function) {
    return typed_ffi::FunctionAt<Function>(api, headers(), function);
  }
  template <typename Function, typename Args>
  static XLA_FFI_Error* Ask(const XLA_FFI_Api& api, typed_ffi::ApiFunction function, Args& args) {
    const XLA_FFI_InvokeContext* const own = args.ctx;
    XLA_FFI_Error* error = In<Function>(api, function)(&args);
    EXPECT_EQ(args.ctx, own) << "the struct is the handler's, and as it was";
    return error;
  }

  static XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, XLA_FFI_Error_Code code,
                                  const char* text) {
    return imitated::MakeError(api, headers(), text, code);
  }
  struct Details {
    std::string message;
    int code = -1;  // where the headers can ask for it
  };
  // What an error says to the handler, which is done with it.
  static Details TakeDetails(const XLA_FFI_Api& api, XLA_FFI_Error* error) {
    using typed_ffi::ApiFunction;
    namespace old = typed_ffi::old;
    Details details;
    if (error == nullptr) return details;
    if (HeadersHave(ApiFunction::kErrorGetMessage)) {
      old::XLA_FFI_Error_GetMessage_Args args = {old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE,
                                                 nullptr, error, nullptr};
      In<old::XLA_FFI_Error_GetMessage>(api, ApiFunction::kErrorGetMessage)(&args);
      details.message = args.message;
    } else {
      XLA_FFI_Error_GetDetails_Args args = {};
      args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
      args.error = error;
      In<XLA_FFI_Error_GetDetails>(api, ApiFunction::kErrorGetDetails)(&args);
      details = {args.message, args.errc};
    }
    XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
    In<XLA_FFI_Error_Destroy>(api, ApiFunction::kErrorDestroy)(&args);
    return details;
  }

  void DeleteStates() {
    for (const auto& [stage, state] : runtime->call.states) state.deleter(state.state);
    runtime->call.states.clear();
  }

  FakeRuntime* runtime;
  typed_ffi::testing::CallFrame frame;
};

inline auto AllPairsOfVersions() {
  return testing::Combine(testing::Range(0, typed_ffi::kRuntimeVersionCount),
                          testing::Range(0, typed_ffi::kRuntimeVersionCount));
}
inline std::string NameOfPair(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  return typed_ffi::testing::RowName(std::get<0>(info.param)) + "_on_" +
         typed_ffi::testing::RowName(std::get<1>(info.param));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_CROSS_VERSION_CALL_FIXTURE_H_
