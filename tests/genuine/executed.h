// Runs a computation by the old client, callbridge's or the genuine one.
#ifndef CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_
#define CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_

#include <vector>

#include "tensorflow/compiler/xla/client/xla_computation.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/statusor.h"

// A file of its own, since TensorFlow's headers of the client take 10 s to compile.
xla::StatusOr<xla::Literal> Executed(const xla::XlaComputation& computation,
                                     const std::vector<const xla::Literal*>& arguments);

#endif  // CALLBRIDGE_TESTS_GENUINE_EXECUTED_H_
