// `callbridge run`: calls a target of an old library, or runs an HLO module, on .npy files.
#ifndef CALLBRIDGE_TOOLS_RUN_COMMAND_H_
#define CALLBRIDGE_TOOLS_RUN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "callbridge/abi/api_version.h"
#include "callbridge/abi/attributes.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/tuple_layout.h"
#include "callbridge/tools/operand.h"
#include "callbridge/tools/standard_files.h"

namespace CLI {
class App;
}

namespace callbridge {

// The command line of `run`.
struct RunOptions {
  std::string file;
  std::optional<std::string> target;
  std::vector<Operand> operands;
  std::optional<Shape> result;
  std::vector<std::string> outputs;
  std::vector<std::string> libraries;  // for a module: where it finds its targets
  Platform platform = Platform::kHost;
  ApiVersion abi = ApiVersion::kUnspecified;
  TupleLayout tuple_layout = TupleLayout::kNested;
  std::string opaque;
  Attributes attributes;
  std::optional<std::string> opaque_file;  // instead of `opaque`
  std::optional<std::string> operator_info_file;
  std::optional<int32_t> device;  // a CUDA device's ordinal
  bool synchronizes = false;
  bool json = false;
  bool isolate = false;
  bool in_process = false;
};

// Adds the subcommand `run`, which parses into `options`; they must outlive the app.
CLI::App* AddRunCommand(CLI::App* app, RunOptions* options);

// Makes the call, prints what it returned and writes the output files.
ExitStatus Run(const RunOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RUN_COMMAND_H_
