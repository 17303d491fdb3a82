// The handlers, called without XLA.
#include "handlers.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/handler_call.h"
#include "gtest/gtest.h"

using callbridge::HandlerAttributes;
using callbridge::HandlerCall;
using callbridge::HandlerResult;

TEST(HandlersTest, AddRepeated) {
  std::vector<float> b(128), c(2048), a(2048);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(1000 * i);
  const HandlerResult result = HandlerCall::Registered("add_repeated").Arg(b).Arg(c).Ret(a).Run();
  ASSERT_TRUE(result.ok()) << result;
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i % 128] + c[i]) << i;
}

TEST(HandlersTest, AddRepeatedRefusesMatrices) {
  const std::vector<float> b(4), c(4);
  std::vector<float> a(4);
  const HandlerResult result = HandlerCall(AddRepeated).Arg(b, {2, 2}).Arg(c).Ret(a).Run();
  EXPECT_EQ(result.code_name(), "INVALID_ARGUMENT") << result;
}

TEST(HandlersTest, Reverse) {
  const std::vector<int16_t> in = {1, 2, 3, 4, 5, 6};
  std::vector<int16_t> out(6);
  const HandlerResult result = HandlerCall(Reverse).Arg(in, {2, 3}).Ret(out, {2, 3}).Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(out, std::vector<int16_t>({6, 5, 4, 3, 2, 1}));
}

TEST(HandlersTest, Sum) {
  const std::vector<float> x = {1, 2}, y = {10, 20}, z = {100, 200};
  std::vector<float> sum(2), copy(2);
  const HandlerResult result = HandlerCall(Sum).Arg(x).Arg(y).Arg(z).Ret(sum).Ret(copy).Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(sum, std::vector<float>({111, 222}));
  EXPECT_EQ(copy, sum);
}

TEST(HandlersTest, SumRefusesOtherTypes) {
  const std::vector<float> x = {1, 2};
  const std::vector<double> y = {10, 20};
  std::vector<float> sum(2);
  const HandlerResult result = HandlerCall(Sum).Arg(x).Arg(y).Ret(sum).Run();
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.message().find("argument 1"), std::string::npos) << result;
}

TEST(HandlersTest, Combine) {
  const std::vector<float> in = {2, 3, 4};
  float out = 0;
  HandlerCall call(Combine);
  call.Arg(in).Ret(out);
  EXPECT_TRUE(call.Attr("operation", int32_t{0}).Attr("skip", "none").Run().ok());
  EXPECT_EQ(out, 9);
  EXPECT_TRUE(call.Attr("operation", int32_t{1}).Attr("skip", "first").Run().ok());
  EXPECT_EQ(out, 12);
  EXPECT_EQ(call.Attr("skip", "last").Run().message(), "skip must be \"first\" or \"none\"");
}

TEST(HandlersTest, Clamp) {
  const std::vector<float> in = {-5, 0, 5};
  std::vector<float> out(3);
  HandlerAttributes interval;
  interval.Set("least", -1.0f).Set("greatest", 2.0f);
  const HandlerResult result = HandlerCall(Clamp).Arg(in).Ret(out).Attr("interval", interval).Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(out, std::vector<float>({-1, 0, 2}));
}

TEST(HandlersTest, Affine) {
  const std::vector<float> in = {-5, 0, 5};
  std::vector<float> out(3);
  HandlerCall call(Affine);
  call.Arg(in).Ret(out);
  EXPECT_TRUE(call.Run().ok());
  EXPECT_EQ(out, in);
  EXPECT_TRUE(call.Attr("slope", 2.0f).Attr("offset", 1.0f).Run().ok());
  EXPECT_EQ(out, std::vector<float>({-9, 1, 11}));
  HandlerAttributes interval;
  interval.Set("least", 0.0f).Set("greatest", 10.0f);
  EXPECT_TRUE(call.Attr("interval", interval).Run().ok());
  EXPECT_EQ(out, std::vector<float>({0, 1, 10}));
}
