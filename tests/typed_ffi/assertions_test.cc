// What the binding asserts of those who use it, in builds with assertions.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "callbridge/typed_ffi/binding/ffi.h"

#ifndef NDEBUG

namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

TEST(AssertionsDeathTest, OfBuffers) {
  alignas(8) char data[16] = {};
  int64_t dims[] = {2};
  XLA_FFI_Buffer frame = {XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_F32, data, 1, dims};
  const AnyBuffer buffer(&frame);
  const XLA_FFI_Buffer* const no_buffer = nullptr;
  EXPECT_DEATH(AnyBuffer{no_buffer}, "a buffer is made of an XLA_FFI_Buffer");
  EXPECT_DEATH(Buffer<F32>{no_buffer}, "a buffer is made of an XLA_FFI_Buffer");
  EXPECT_DEATH(buffer.typed_data<int32_t>(), "of a buffer with another element type");
  EXPECT_DEATH(buffer.reinterpret_data<double>(), "with a T of another size or alignment");
  frame.data = data + 1;
  EXPECT_DEATH(buffer.reinterpret_data<int32_t>(), "with a T of another size or alignment");
  struct Own {};
  EXPECT_EQ(static_cast<void*>(buffer.typed_data<Own>()), data + 1);  // what it holds is not known
}

TEST(AssertionsDeathTest, OfRemainingOnes) {
  const XLA_FFI_Args args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, 1, nullptr, nullptr};
  const XLA_FFI_Rets rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, 1, nullptr, nullptr};
  EXPECT_DEATH(RemainingArgs(&args, 1).isa<AnyBuffer>(0), "an argument that is not there");
  EXPECT_DEATH(RemainingRets(&rets, 0).isa<AnyBuffer>(1), "a result that is not there");
}

TEST(AssertionsDeathTest, OfErrorsAndPatterns) {
  EXPECT_DEATH((ErrorOr<int>{Error::Success()}),
               "an ErrorOr cannot be made of a success without a value");
  EXPECT_DEATH(match::Dim(static_cast<int64_t*>(nullptr)), "a dimension is stored somewhere");
}

TEST(AssertionsDeathTest, OfPromises) {
  Promise promise;
  EXPECT_DEATH(promise.SetError(Error::Success()), "a promise fails with a failure");
  promise.SetAvailable();
  EXPECT_DEATH(promise.SetAvailable(), "a promise is completed once");
  EXPECT_DEATH(promise.SetError(Error::Internal("")), "a promise is completed once");
  EXPECT_DEATH(CountDownPromise(0), "counted down from a positive number");
  CountDownPromise counted(2);
  EXPECT_DEATH(counted.CountDown(3), "counted down below zero");
  Promise pending;
  Future future(pending);
  future.OnReady([](const auto&) {});
  EXPECT_DEATH(future.OnReady([](const auto&) {}), "a future has at most one waiter");
}

}  // namespace

#endif  // NDEBUG
