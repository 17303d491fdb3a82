// Runs a computation by the old client, callbridge's or the genuine one.
#ifndef CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_
#define CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_

#include <memory>
#include <vector>

#include "tensorflow/compiler/xla/client/client_library.h"
#include "tensorflow/compiler/xla/client/local_client.h"
#include "tensorflow/compiler/xla/client/xla_computation.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/statusor.h"

inline xla::StatusOr<xla::Literal> Executed(const xla::XlaComputation& computation,
                                            const std::vector<const xla::Literal*>& arguments) {
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  std::vector<std::unique_ptr<xla::GlobalData>> data;
  std::vector<xla::GlobalData*> pointers;
  for (const xla::Literal* argument : arguments) {
    data.push_back(client->TransferToServer(*argument).value());
    pointers.push_back(data.back().get());
  }
  return client->ExecuteAndTransfer(computation, pointers);
}

#endif  // CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_
