#include "callbridge/client/client.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/client/executable.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

namespace client = ::callbridge::client;

Status CheckArguments(absl::Span<const Shape> arguments, absl::Span<const Shape> parameters) {
  if (arguments.size() != parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the computation has ", parameters.size(),
                                                   " parameters, but there are ", arguments.size(),
                                                   " arguments"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!ShapeUtil::Compatible(arguments[i], parameters[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", i, " is ", ShapeUtil::HumanString(parameters[i]),
                       ", but the argument is ", ShapeUtil::HumanString(arguments[i])));
    }
  }
  return OkStatus();
}

std::vector<Shape> ShapesToXla(const std::vector<::callbridge::Shape>& shapes) {
  std::vector<Shape> converted;
  converted.reserve(shapes.size());
  for (const ::callbridge::Shape& shape : shapes) {
    converted.push_back(::callbridge::hlo::ShapeToXla(shape));
  }
  return converted;
}

// Returns the arrays of `literal`, in preorder.
std::vector<callbridge_array> ArraysOf(const LiteralBase& literal) {
  std::vector<callbridge_array> arrays;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& shape, const ShapeIndex& index) {
    if (shape.IsTuple()) return;
    // The executable writes only to results, which nothing else uses yet.
    arrays.push_back({const_cast<void*>(literal.untyped_data(index)),
                      static_cast<size_t>(shape.IsToken() ? 0 : literal.size_bytes(index))});
  });
  return arrays;
}

// Returns the module with row-major parameters, as the client holds them, and with the result in
// the layout of the options, or else of the computation.
StatusOr<HloModuleProto> WithLayouts(const XlaComputation& computation,
                                     const ExecutionOptions* options) {
  HloModuleProto module = computation.proto();
  StatusOr<ProgramShape> program = computation.GetProgramShape();
  if (!program.ok()) return program.status();
  for (Shape& parameter : *program->mutable_parameters()) {
    LayoutUtil::SetToDefaultLayout(&parameter);
  }
  if (options != nullptr && options->has_shape_with_output_layout()) {
    const Shape result(options->shape_with_output_layout());
    if (!ShapeUtil::Compatible(result, program->result())) {
      return absl::InvalidArgumentError(
          absl::StrCat("the computation's result is ", ShapeUtil::HumanString(program->result()),
                       ", but shape_with_output_layout is ", ShapeUtil::HumanString(result)));
    }
    *program->mutable_result() = result;
  } else if (!LayoutUtil::HasLayout(program->result())) {
    LayoutUtil::SetToDefaultLayout(program->mutable_result());
  }
  *module.mutable_host_program_shape() = program->ToProto();
  return module;
}

}  // namespace

StatusOr<ExecutionHandle> Client::Compile(const XlaComputation& computation,
                                          absl::Span<const Shape> argument_shapes,
                                          const ExecutionOptions* execution_options) {
  StatusOr<HloModuleProto> module = WithLayouts(computation, execution_options);
  if (!module.ok()) return module.status();
  absl::StatusOr<client::TargetTable> targets = client::TargetTable::OfProcess();
  if (!targets.ok()) return targets.status();
  absl::StatusOr<std::unique_ptr<client::Executable>> executable =
      client::Executable::Compile(*module, *targets);
  if (!executable.ok()) return executable.status();
  Status checked = CheckArguments(argument_shapes, ShapesToXla((*executable)->parameters()));
  if (!checked.ok()) return checked;
  return ExecutionHandle(*std::move(executable));
}

StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const ExecutionHandle& handle,
                                                      absl::Span<GlobalData* const> arguments,
                                                      ExecutionProfile* execution_profile) {
  if (handle.executable_ == nullptr) {
    return absl::InvalidArgumentError(
        "expected a handle that Compile() returned, but this one has no computation");
  }
  const client::Executable& executable = *handle.executable_;
  std::vector<Shape> shapes;
  for (const GlobalData* argument : arguments) {
    if (argument == nullptr) return absl::InvalidArgumentError("an argument is null");
    shapes.push_back(argument->literal_.shape());
  }
  const std::vector<Shape> parameters = ShapesToXla(executable.parameters());
  Status status = CheckArguments(shapes, parameters);
  if (!status.ok()) return status;
  std::vector<callbridge_array> operands;
  // Arguments whose layout differs from the parameter's.
  std::vector<Literal> relaid;
  relaid.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Literal* literal = &arguments[i]->literal_;
    if (!ShapeUtil::Equal(literal->shape(), parameters[i])) {
      relaid.push_back(literal->Relayout(parameters[i]));
      literal = &relaid.back();
    }
    const std::vector<callbridge_array> arrays = ArraysOf(*literal);
    operands.insert(operands.end(), arrays.begin(), arrays.end());
  }
  StatusOr<Literal> result = Literal::Make(::callbridge::hlo::ShapeToXla(executable.result()));
  if (!result.ok()) return result.status();
  const auto start = std::chrono::steady_clock::now();
  status = executable.Execute(operands, ArraysOf(*result));
  if (!status.ok()) return status;
  if (execution_profile != nullptr) {
    execution_profile->set_compute_time_ns(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  }
  return std::unique_ptr<GlobalData>(new GlobalData(*std::move(result)));
}

StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const XlaComputation& computation,
                                                      absl::Span<GlobalData* const> arguments,
                                                      const ExecutionOptions* execution_options,
                                                      ExecutionProfile* execution_profile) {
  std::vector<Shape> shapes;
  for (const GlobalData* argument : arguments) {
    if (argument == nullptr) return absl::InvalidArgumentError("an argument is null");
    shapes.push_back(argument->literal_.shape());
  }
  StatusOr<ExecutionHandle> handle = Compile(computation, shapes, execution_options);
  if (!handle.ok()) return handle.status();
  return Execute(*handle, arguments, execution_profile);
}

StatusOr<Literal> Client::ExecuteAndTransfer(const XlaComputation& computation,
                                             absl::Span<GlobalData* const> arguments,
                                             const ExecutionOptions* execution_options,
                                             ExecutionProfile* execution_profile) {
  StatusOr<std::unique_ptr<GlobalData>> data =
      Execute(computation, arguments, execution_options, execution_profile);
  if (!data.ok()) return data.status();
  return std::move((*data)->literal_);
}

StatusOr<Literal> Client::Transfer(const GlobalData& data, const Shape* shape_with_layout) {
  if (shape_with_layout == nullptr) return data.literal_.Clone();
  if (!ShapeUtil::Compatible(*shape_with_layout, data.literal_.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the value is ", ShapeUtil::HumanString(data.literal_.shape()),
                     ", but shape_with_layout is ", ShapeUtil::HumanString(*shape_with_layout)));
  }
  return data.literal_.Relayout(*shape_with_layout);
}

StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(const LiteralSlice& literal,
                                                               const DeviceHandle*) {
  return std::unique_ptr<GlobalData>(new GlobalData(literal.Clone()));
}

Status Client::Unregister(const GlobalData&) { return OkStatus(); }

StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::DeconstructTuple(
    const GlobalData& data) {
  if (!data.literal_.shape().IsTuple()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a tuple, but the value is ",
                                                   ShapeUtil::HumanString(data.literal_.shape())));
  }
  std::vector<std::unique_ptr<GlobalData>> elements;
  for (Literal& element : data.literal_.Clone().DecomposeTuple()) {
    elements.push_back(std::unique_ptr<GlobalData>(new GlobalData(std::move(element))));
  }
  return elements;
}

StatusOr<Shape> Client::GetShape(const GlobalData& data) { return data.literal_.shape(); }

StatusOr<std::unique_ptr<ProgramShape>> Client::GetComputationShape(
    const XlaComputation& computation) {
  StatusOr<ProgramShape> shape = computation.GetProgramShape();
  if (!shape.ok()) return shape.status();
  return std::make_unique<ProgramShape>(*std::move(shape));
}

StatusOr<std::vector<DeviceHandle>> Client::GetDeviceHandles(int64_t device_count) {
  if (device_count != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 1 device, since the host is the only one, but got ", device_count));
  }
  return std::vector<DeviceHandle>(1);
}

// Takes the values by value, as XLA does: it destroys them.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void GlobalData::Release(std::vector<std::unique_ptr<GlobalData>>) {}

}  // namespace callbridge_v1
}  // namespace xla
