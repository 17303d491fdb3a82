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
  // Threads on which calls that do not depend on each other run; 1: all on the caller's.
  int threads = 1;
};

class Executable {
 public:
  // Checks the module (hlo::CheckModule), finds its targets and binds its custom calls, of which
  // each is bound once. UNIMPLEMENTED names an instruction that the embedded runtime does not have,
  // and advises to run the module on XLA.
  static absl::StatusOr<std::unique_ptr<Executable>> Compile(const xla::HloModuleProto& module,
                                                             const TargetTable& targets,
                                                             const ExecutableOptions& options = {});
  ~Executable();

  const std::vector<Shape>& parameters() const;
  const Shape& result() const;

  // One array for each leaf of the parameters and of the result, in preorder, row-major unless the
  // program shape has another layout; the caller's memory, which is neither kept nor, for
  // parameters, written. Nothing that depends on a call that failed is run, and the results are
  // undefined then; the first error is returned, with the instruction's name. Thread-safe.
  absl::Status Execute(absl::Span<const callbridge_array> parameters,
                       absl::Span<const callbridge_array> results) const;

 private:
  class Plan;
  explicit Executable(std::unique_ptr<Plan> plan);
  std::unique_ptr<Plan> plan_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_EXECUTABLE_H_
