// A unit test of the handler, without XLA and without Python.
#include "add_handler.h"

#include <vector>

#include "callbridge/handler_call.h"
#include "gtest/gtest.h"

using callbridge::HandlerCall;
using callbridge::HandlerResult;

TEST(AddScaledTest, AddsAndScales) {
  const std::vector<float> x = {1, 2, 3, 4}, y = {10, 20, 30, 40};
  std::vector<float> z(4);

  HandlerCall call(AddScaled);
  call.Arg(x, {2, 2}).Arg(y, {2, 2}).Ret(z, {2, 2}).Attr("scale", 0.5f);
  const HandlerResult result = call.Run();

  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(z, std::vector<float>({5.5, 11, 16.5, 22}));
}

TEST(AddScaledTest, RefusesOtherSizes) {
  const std::vector<float> x = {1, 2}, y = {1, 2, 3};
  std::vector<float> z(2);

  const HandlerResult result =
      HandlerCall(AddScaled).Arg(x).Arg(y).Ret(z).Attr("scale", 1.0f).Run();

  EXPECT_EQ(result.code_name(), "INVALID_ARGUMENT");
  EXPECT_EQ(result.message(), "x, y and z must be of one size");
}

TEST(AddScaledTest, RefusesOtherTypes) {
  const std::vector<double> x = {1}, y = {2};
  std::vector<float> z(1);

  const HandlerResult result =
      HandlerCall(AddScaled).Arg(x).Arg(y).Ret(z).Attr("scale", 1.0f).Run();

  EXPECT_FALSE(result.ok());
}
