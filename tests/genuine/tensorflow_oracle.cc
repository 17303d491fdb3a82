// Runs the scenarios on genuine XLA: the XLA:CPU inside TensorFlow 2.13.1, through XlaBuilder and
// LocalClient, as C++ users of those years did.
//
//   tensorflow_oracle LIBRARY INPUTS OUTPUTS
//
// scenarios.py describes the files: INPUTS/scenarios.tsv and INPUTS/<name>.in are read,
// OUTPUTS/<name>.status and OUTPUTS/<name>.out are written.
#include <dlfcn.h>
#include <string.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "tensorflow/compiler/xla/client/client_library.h"
#include "tensorflow/compiler/xla/client/local_client.h"
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/service/custom_call_status_internal.h"
#include "tensorflow/compiler/xla/shape_util.h"

namespace xla {
// Of service/hlo_parser.h, which includes RE2's headers, and those the wheel has not.
StatusOr<Shape> ParseShape(absl::string_view str);
}  // namespace xla

// No TensorFlow wheel exports the status functions, so a program that wants to load a library with
// status-returning targets brings them. It is linked with -rdynamic.
extern "C" void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->message.reset();
}

extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                              size_t message_len) {
  status->message.emplace(message, strnlen(message, message_len));
}

namespace {

struct Scenario {
  std::string name;
  std::string target;
  xla::CustomCallApiVersion api_version;
  xla::Shape operands;  // all of them, as one tuple
  xla::Shape result;
  std::string opaque;
};

// The two ways in which a computation comes to hold a tuple.
enum class TupleOperands { kAreParameters, kAreBuilt };

[[noreturn]] void Die(const std::string& message) {
  std::cerr << "tensorflow_oracle: " << message << std::endl;
  exit(1);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Die("cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteFile(const std::string& path, const std::string& content) {
  if (!(std::ofstream(path, std::ios::binary) << content).flush()) Die("cannot write " + path);
}

std::vector<Scenario> ReadScenarios(const std::string& path) {
  std::vector<Scenario> scenarios;
  for (absl::string_view line : absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    scenarios.push_back({fields.at(0), fields.at(1),
                         static_cast<xla::CustomCallApiVersion>(std::stoi(fields.at(2))),
                         xla::ParseShape(fields.at(3)).value(),
                         xla::ParseShape(fields.at(4)).value(),
                         absl::HexStringToBytes(fields.at(5))});
  }
  return scenarios;
}

// Takes the bytes of a literal's leaves, in preorder, from the front of `bytes`.
xla::Literal TakeLiteral(const xla::Shape& shape, absl::string_view* bytes) {
  xla::Literal literal(shape);
  xla::ShapeUtil::ForEachSubshape(shape, [&](const xla::Shape& leaf, const xla::ShapeIndex& index) {
    if (!leaf.IsArray()) return;
    const size_t size = literal.size_bytes(index);
    if (bytes->size() < size) Die("an input file is too short");
    memcpy(literal.untyped_data(index), bytes->data(), size);
    bytes->remove_prefix(size);
  });
  return literal;
}

std::string LeafBytes(const xla::Literal& literal) {
  std::string bytes;
  xla::ShapeUtil::ForEachSubshape(literal.shape(), [&](const xla::Shape& leaf,
                                                       const xla::ShapeIndex& index) {
    if (!leaf.IsArray()) return;
    bytes.append(static_cast<const char*>(literal.untyped_data(index)), literal.size_bytes(index));
  });
  return bytes;
}

// An operand, and the arguments of the parameters that it needs.
xla::XlaOp AddOperand(xla::XlaBuilder* builder, const xla::Shape& shape, TupleOperands tuples,
                      absl::string_view* bytes, std::vector<xla::Literal>* arguments) {
  if (shape.IsTuple() && tuples == TupleOperands::kAreBuilt) {
    std::vector<xla::XlaOp> elements;
    for (const xla::Shape& element : shape.tuple_shapes()) {
      elements.push_back(AddOperand(builder, element, tuples, bytes, arguments));
    }
    return xla::Tuple(builder, elements);
  }
  const int64_t number = arguments->size();
  arguments->push_back(TakeLiteral(shape, bytes));
  return xla::Parameter(builder, number, shape, "parameter_" + std::to_string(number));
}

struct Outcome {
  std::string status;  // "OK" or "CODE: message"
  std::string bytes;   // of the result's leaves

  bool operator==(const Outcome& other) const {
    return status == other.status && bytes == other.bytes;
  }
};

Outcome Run(xla::LocalClient* client, const Scenario& scenario, TupleOperands tuples,
            absl::string_view input) {
  xla::XlaBuilder builder(scenario.name);
  std::vector<xla::XlaOp> operands;
  std::vector<xla::Literal> arguments;
  for (const xla::Shape& shape : scenario.operands.tuple_shapes()) {
    operands.push_back(AddOperand(&builder, shape, tuples, &input, &arguments));
  }
  xla::CustomCall(&builder, scenario.target, operands, scenario.result, scenario.opaque,
                  /*has_side_effect=*/false, /*output_operand_aliasing=*/{}, /*literal=*/nullptr,
                  xla::CustomCallSchedule::SCHEDULE_NONE, scenario.api_version);

  std::vector<xla::ScopedShapedBuffer> buffers;
  for (const xla::Literal& argument : arguments) {
    buffers.push_back(client->LiteralToShapedBuffer(argument, /*device_ordinal=*/0).value());
  }
  std::vector<const xla::Shape*> shapes;
  std::vector<const xla::ShapedBuffer*> pointers;
  for (const xla::ScopedShapedBuffer& buffer : buffers) {
    shapes.push_back(&buffer.on_host_shape());
    pointers.push_back(&buffer);
  }
  auto executables = client->Compile(builder.Build().value(), shapes, {});
  if (!executables.ok()) return {executables.status().ToString(), ""};

  xla::ExecutableRunOptions options;
  options.set_allocator(client->backend().memory_allocator());
  options.set_intra_op_thread_pool(client->backend().eigen_intra_op_thread_pool_device());
  auto result = executables->front()->Run(pointers, options);
  if (!result.ok()) return {result.status().ToString(), ""};
  return {"OK", LeafBytes(client->ShapedBufferToLiteral(*result).value())};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) Die("expected LIBRARY INPUTS OUTPUTS");
  const std::string inputs = argv[2];
  const std::string outputs = argv[3];
  if (dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == nullptr) Die(dlerror());

  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  for (const Scenario& scenario : ReadScenarios(inputs + "/scenarios.tsv")) {
    const std::string input = ReadFile(inputs + "/" + scenario.name + ".in");
    const Outcome outcome = Run(client, scenario, TupleOperands::kAreParameters, input);
    if (!(outcome == Run(client, scenario, TupleOperands::kAreBuilt, input))) {
      Die(scenario.name + ": a tuple parameter and a tuple that is built give different results");
    }
    WriteFile(outputs + "/" + scenario.name + ".status", outcome.status);
    if (outcome.status == "OK") WriteFile(outputs + "/" + scenario.name + ".out", outcome.bytes);
  }
}
