#include "callbridge/client/executable.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/client/lowering.h"
#include "callbridge/client/plan.h"
#include "callbridge/hlo/module_check.h"

namespace callbridge::client {
namespace {

absl::Status NoMemory() {
  return absl::ResourceExhaustedError("there is no memory for the module's steps");
}

std::vector<const Shape*> LeavesOf(absl::Span<const Shape> shapes) {
  std::vector<const Shape*> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

absl::Status CheckArrays(absl::string_view what, absl::Span<const callbridge_array> arrays,
                         const std::vector<size_t>& sizes, absl::Span<const Shape> shapes) {
  if (arrays.size() != sizes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the module has ", sizes.size(), " ", what,
                                                   "s (leaves of tuples counted), but there are ",
                                                   arrays.size(), " arrays"));
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].size_bytes != sizes[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, " ", i, " (leaves of tuples counted) is ", ShapeText(*LeavesOf(shapes)[i]),
          ", which has ", sizes[i], " bytes, but its array has ", arrays[i].size_bytes));
    }
    if (arrays[i].data == nullptr && sizes[i] > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " ", i, " (leaves of tuples counted): its array is null"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

class Executable::Plan {
 public:
  Plan(client::Plan plan, int threads) : plan(std::move(plan)), threads(threads) {}

  const client::Plan plan;
  const int threads;
};

Executable::Executable(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}

Executable::~Executable() = default;

absl::StatusOr<std::unique_ptr<Executable>> Executable::Compile(const xla::HloModuleProto& module,
                                                                const TargetTable& targets,
                                                                const ExecutableOptions& options) {
  try {
    absl::Status checked = hlo::CheckModule(module);
    if (!checked.ok()) return checked;
    absl::StatusOr<Graph> graph = Lower(module, targets);
    if (!graph.ok()) return graph.status();
    absl::StatusOr<client::Plan> plan = MakePlan(*std::move(graph), options.threads <= 1);
    if (!plan.ok()) return plan.status();
    return std::unique_ptr<Executable>(
        new Executable(std::make_unique<Plan>(*std::move(plan), options.threads)));
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

const std::vector<Shape>& Executable::parameters() const { return plan_->plan.parameters; }

const Shape& Executable::result() const { return plan_->plan.result; }

absl::Status Executable::Execute(absl::Span<const callbridge_array> parameters,
                                 absl::Span<const callbridge_array> results) const {
  const client::Plan& plan = plan_->plan;
  absl::Status checked =
      CheckArrays("parameter", parameters, plan.parameter_sizes, plan.parameters);
  if (!checked.ok()) return checked;
  checked = CheckArrays("result", results, plan.result_sizes, absl::MakeConstSpan(&plan.result, 1));
  if (!checked.ok()) return checked;
  try {
    return RunPlan(plan, parameters, results, plan_->threads);
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

}  // namespace callbridge::client
