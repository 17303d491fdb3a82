// A call of a typed handler by the tests' runtime (tests/typed_ffi/fake_runtime.h), put together in
// one expression. Its API version is 0.3.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_FFI_CALL_H_
#define CALLBRIDGE_TESTS_ADAPTERS_FFI_CALL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/typed_ffi/c_api.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge {

class FfiCall {
 public:
  FfiCall& Arg(PrimitiveType type, void* data, std::vector<int64_t> dims = {}) {
    frame_->Arg(static_cast<XLA_FFI_DataType>(type), std::move(dims), data);
    return *this;
  }
  FfiCall& Ret(PrimitiveType type, void* data, std::vector<int64_t> dims = {}) {
    frame_->Ret(static_cast<XLA_FFI_DataType>(type), std::move(dims), data);
    return *this;
  }
  // A uint8 array, which is what JAX makes of a NumPy array.
  FfiCall& ArrayAttr(const std::string& name, const std::string& bytes,
                     PrimitiveType type = PrimitiveType::kU8) {
    frame_->attributes().Array(name, static_cast<XLA_FFI_DataType>(type), bytes.size(),
                               bytes.data(), bytes.size());
    return *this;
  }
  FfiCall& StringAttr(const std::string& name, const std::string& bytes) {
    frame_->attributes().String(name, bytes);
    return *this;
  }
  FfiCall& Stage(XLA_FFI_ExecutionStage stage) {
    stage_ = stage;
    return *this;
  }
  // What Stream_Get answers.
  FfiCall& Stream(absl::StatusOr<void*> stream) {
    stream_ = std::move(stream);
    return *this;
  }
  // Changes the frame before each call.
  FfiCall& With(std::function<void(XLA_FFI_CallFrame& frame)> change) {
    change_ = std::move(change);
    return *this;
  }
  // Makes the first argument something that is no buffer.
  FfiCall& NoBuffer() {
    no_buffer_ = true;
    return *this;
  }

  absl::Status Call(XLA_FFI_Handler* handler) {
    if (stream_.ok()) {
      runtime_->call.stream = *stream_;
    } else {
      runtime_->call.refusal = std::string(stream_.status().message());
      runtime_->call.refusal_code = stream_.status().raw_code();
    }
    XLA_FFI_CallFrame& frame = *frame_->ForCall(*runtime_, stage_);
    if (no_buffer_) frame.args.types[0] = static_cast<XLA_FFI_ArgType>(77);
    if (change_) change_(frame);
    const typed_ffi::testing::Answer answer = typed_ffi::testing::Take(handler(&frame));
    return absl::Status(static_cast<absl::StatusCode>(answer.code), answer.message);
  }

 private:
  static constexpr int kRow = 6;

  std::unique_ptr<typed_ffi::testing::FakeRuntime> runtime_ =
      std::make_unique<typed_ffi::testing::FakeRuntime>(kRow);
  std::unique_ptr<typed_ffi::testing::CallFrame> frame_ =
      std::make_unique<typed_ffi::testing::CallFrame>();
  int stage_ = XLA_FFI_ExecutionStage_EXECUTE;
  absl::StatusOr<void*> stream_ = nullptr;
  std::function<void(XLA_FFI_CallFrame&)> change_;
  bool no_buffer_ = false;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_FFI_CALL_H_
