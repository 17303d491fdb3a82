#include "executed.h"

#include <memory>

#include "tensorflow/compiler/xla/client/client_library.h"
#include "tensorflow/compiler/xla/client/local_client.h"

xla::StatusOr<xla::Literal> Executed(const xla::XlaComputation& computation,
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
