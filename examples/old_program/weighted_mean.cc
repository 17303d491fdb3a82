// A whole program of 2022, as it was: it builds a computation around a custom call with
// xla::XlaBuilder and runs it. Compiled against callbridge's headers, unchanged, it runs on the
// embedded runtime.
//
//   g++ -std=c++17 weighted_mean.cc $(pkg-config --cflags --libs callbridge-client)
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tensorflow/compiler/xla/client/client_library.h"
#include "tensorflow/compiler/xla/client/local_client.h"
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/literal_util.h"
#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#include "tensorflow/compiler/xla/shape_util.h"

// Operand: (values, weights), 6 of each. Result: (their mean, what it was divided by).
void weighted_mean(void* out, const void** in, XlaCustomCallStatus* status) {
  auto* const* pair = static_cast<const float* const*>(in[0]);
  float sum = 0;
  float total = 0;
  for (int i = 0; i < 6; ++i) {
    sum += pair[0][i] * pair[1][i];
    total += pair[1][i];
  }
  if (total == 0) {
    const std::string message = "the weights add up to zero";
    XlaCustomCallStatusSetFailure(status, message.data(), message.size());
    return;
  }
  auto** results = static_cast<float**>(out);
  *results[0] = sum / total;
  *results[1] = total;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(weighted_mean, "Host");

// mean(values, weights) + 1
xla::XlaComputation Build() {
  const xla::Shape six = xla::ShapeUtil::MakeShape(xla::F32, {6});
  const xla::Shape scalar = xla::ShapeUtil::MakeShape(xla::F32, {});
  xla::XlaBuilder b("weighted_mean");
  xla::XlaOp values = xla::Parameter(&b, 0, six, "values");
  xla::XlaOp weights = xla::Parameter(&b, 1, six, "weights");
  xla::XlaOp both = xla::CustomCall(
      &b, "weighted_mean", {xla::Tuple(&b, {values, weights})},
      xla::ShapeUtil::MakeTupleShape({scalar, scalar}), /*opaque=*/"", /*has_side_effect=*/false,
      /*output_operand_aliasing=*/{}, /*literal=*/nullptr,
      /*schedule=*/xla::CustomCallSchedule::SCHEDULE_NONE,
      /*api_version=*/xla::CustomCallApiVersion::API_VERSION_STATUS_RETURNING);
  xla::XlaOp mean = xla::GetTupleElement(both, 0);
  mean + xla::ConstantR0<float>(&b, 1);
  return b.Build().value();
}

int main(int argc, char**) {
  const float weight = argc > 1 ? 0 : 2;  // any argument: without weights
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  auto values =
      client->TransferToServer(xla::LiteralUtil::CreateR1<float>({1, 2, 3, 4, 5, 6})).value();
  auto weights = client
                     ->TransferToServer(xla::LiteralUtil::CreateR1<float>(
                         {weight, weight, weight, weight, weight, weight}))
                     .value();
  auto result = client->ExecuteAndTransfer(Build(), {values.get(), weights.get()});
  if (!result.ok()) {
    std::printf("%s\n", std::string(result.status().message()).c_str());
    return EXIT_FAILURE;
  }
  std::printf("%g\n", result->Get<float>({}));
  return EXIT_SUCCESS;
}
