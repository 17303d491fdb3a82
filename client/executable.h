// Executable: a module compiled for the embedded runtime.
#ifndef CALLBRIDGE_CLIENT_EXECUTABLE_H_
#define CALLBRIDGE_CLIENT_EXECUTABLE_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::client {

struct ExecutableOptions {
  // The threads on which independent calls run. With 1, all run on the caller's.
  int threads = 1;
};

class Executable {
 public:
  // Checks the module (hlo::CheckModule), finds its targets and binds each custom call once.
  // Returns UNIMPLEMENTED, which names the instruction and suggests XLA, if the embedded runtime
  // does not have it.
  static absl::StatusOr<std::unique_ptr<Executable>> Compile(const xla::HloModuleProto& module,
                                                             const TargetTable& targets,
                                                             const ExecutableOptions& options = {});
  ~Executable();

  const std::vector<Shape>& parameters() const;
  const Shape& result() const;

  // Runs the program. Takes one array for each leaf of the parameters and of the result, in
  // preorder, row-major unless the program shape has another layout. The caller owns the memory;
  // parameters are only read. If a call fails, nothing that depends on it runs, the results are
  // undefined, and the first error is returned with the instruction's name. Thread-safe.
  absl::Status Execute(absl::Span<const callbridge_array> parameters,
                       absl::Span<const callbridge_array> results) const;

 private:
  class Plan;
  explicit Executable(std::unique_ptr<Plan> plan);
  std::unique_ptr<Plan> plan_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_EXECUTABLE_H_
