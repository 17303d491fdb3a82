#include "callbridge/hlo/xla_builder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/hlo/module_check.h"

namespace xla {
inline namespace callbridge_v1 {

namespace {

// The builders that exist. With it, the use of an XlaOp whose builder was destroyed is an error and
// no crash. Thread-safe.
class BuilderRegistry {
 public:
  static BuilderRegistry& Get() {
    const callbridge::TableLock lock;
    // Never destroyed: builders may be static objects.
    static BuilderRegistry* const builders = new BuilderRegistry;
    return *builders;
  }

  void Add(const XlaBuilder* builder) {
    const callbridge::TableLock lock;
    builders_.emplace_back(builder, std::this_thread::get_id());
  }

  void Remove(const XlaBuilder* builder) {
    const callbridge::TableLock lock;
    const auto is_it = [builder](const Entry& entry) { return entry.first == builder; };
    // Searches from the end: the builders of a scope are destroyed in reverse order.
    const auto found = std::find_if(builders_.rbegin(), builders_.rend(), is_it);
    if (found != builders_.rend()) builders_.erase(std::next(found).base());
  }

  bool Has(const XlaBuilder* builder) {
    const callbridge::TableLock lock;
    const auto is_it = [builder](const Entry& entry) { return entry.first == builder; };
    return std::any_of(builders_.rbegin(), builders_.rend(), is_it);
  }

  // Returns the builder that the calling thread made last, or null.
  const XlaBuilder* Latest() {
    const callbridge::TableLock lock;
    const auto is_mine = [](const Entry& entry) {
      return entry.second == std::this_thread::get_id();
    };
    const auto found = std::find_if(builders_.rbegin(), builders_.rend(), is_mine);
    return found == builders_.rend() ? nullptr : found->first;
  }

 private:
  using Entry = std::pair<const XlaBuilder*, std::thread::id>;

  // In the order of construction. Guarded by the TableLock.
  std::vector<Entry> builders_;
};

// Returns a name as XLA's builder makes it: "add.7" for the id 7.
std::string NumberedName(absl::string_view base, int64_t id) { return absl::StrCat(base, ".", id); }

}  // namespace

XlaBuilder::XlaBuilder(const std::string& computation_name) : name_(computation_name) {
  BuilderRegistry::Get().Add(this);
}

XlaBuilder::~XlaBuilder() { BuilderRegistry::Get().Remove(this); }

std::unique_ptr<XlaBuilder> XlaBuilder::CreateSubBuilder(const std::string& computation_name) {
  auto builder = std::make_unique<XlaBuilder>(computation_name);
  builder->parent_ = this;
  builder->die_immediately_on_error_ = die_immediately_on_error_;
  return builder;
}

ConvolutionDimensionNumbers XlaBuilder::CreateDefaultConvDimensionNumbers(int num_spatial_dims) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(0);
  numbers.set_output_batch_dimension(0);
  numbers.set_kernel_output_feature_dimension(0);
  numbers.set_input_feature_dimension(1);
  numbers.set_output_feature_dimension(1);
  numbers.set_kernel_input_feature_dimension(1);
  for (int i = 0; i < num_spatial_dims; ++i) {
    numbers.add_input_spatial_dimensions(i + 2);
    numbers.add_output_spatial_dimensions(i + 2);
    numbers.add_kernel_spatial_dimensions(i + 2);
  }
  return numbers;
}

// ---- Errors -------------------------------------------------------------------------------------

XlaOp XlaBuilder::ReportError(const Status& error) {
  if (error.ok()) internal::Die("XlaBuilder::ReportError() was given a status that is OK");
  if (first_error_.ok()) first_error_ = error;
  if (die_immediately_on_error_) {
    internal::Die(absl::StrCat("error building computation \"", name_, "\": ", error.ToString()));
  }
  return XlaOp(-1, this);
}

XlaOp XlaBuilder::ReportErrorOrReturn(const StatusOr<XlaOp>& op) {
  return op.ok() ? *op : ReportError(op.status());
}

XlaOp XlaBuilder::ReportErrorOrReturn(absl::FunctionRef<StatusOr<XlaOp>()> op_creator) {
  return ReportErrorOrReturn(op_creator());
}

// ---- Looking up ---------------------------------------------------------------------------------

Status XlaBuilder::CheckOp(XlaOp op) const {
  if (op.builder_ == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid XlaOp with handle ", op.handle(), ": no builder made it"));
  }
  if (op.builder_ == this) return OkStatus();
  const std::string builder = BuilderRegistry::Get().Has(op.builder_)
                                  ? absl::StrCat("builder '", op.builder_->name(), "'")
                                  : "a builder that was destroyed";
  return absl::InvalidArgumentError(absl::StrCat("XlaOp with handle ", op.handle(), " is built by ",
                                                 builder, ", but is trying to use it in builder '",
                                                 name_, "'"));
}

StatusOr<const XlaBuilder::Instruction*> XlaBuilder::Find(XlaOp op) const {
  TF_RETURN_IF_ERROR(first_error_);
  TF_RETURN_IF_ERROR(CheckOp(op));
  const auto found = index_of_id_.find(op.handle());
  if (found == index_of_id_.end()) {
    return absl::InvalidArgumentError(absl::StrCat("No XlaOp with handle ", op.handle(),
                                                   ": Build() took it, or it was an error"));
  }
  return &instructions_[found->second];
}

StatusOr<const Shape*> XlaBuilder::GetShapePtr(XlaOp op) const {
  TF_ASSIGN_OR_RETURN(const Instruction* instruction, Find(op));
  return &instruction->shape;
}

StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  TF_ASSIGN_OR_RETURN(const Shape* shape, GetShapePtr(op));
  return *shape;
}

StatusOr<std::vector<Shape>> XlaBuilder::GetOperandShapes(absl::Span<const XlaOp> operands) const {
  std::vector<Shape> shapes;
  for (const XlaOp operand : operands) {
    TF_ASSIGN_OR_RETURN(const Shape* shape, GetShapePtr(operand));
    shapes.push_back(*shape);
  }
  return shapes;
}

StatusOr<ProgramShape> XlaBuilder::ProgramShapeOf(const Shape& result) const {
  ProgramShape program;
  *program.mutable_result() = result;
  const int64_t count = static_cast<int64_t>(parameter_numbers_.size());
  program.mutable_parameters()->resize(count);
  program.mutable_parameter_names()->resize(count);
  for (const Instruction& instruction : instructions_) {
    const HloInstructionProto& proto = instruction.proto;
    if (proto.opcode() != callbridge::hlo::OpcodeName(callbridge::hlo::Opcode::kParameter)) {
      continue;
    }
    const int64_t number = proto.parameter_number();
    if (number < 0 || number >= count) {
      return absl::InvalidArgumentError(
          absl::StrCat("invalid parameter number: ", number, "; computation \"", name_, "\" has ",
                       count, " parameters, whose numbers should be 0 to ", count - 1));
    }
    *program.mutable_parameters(static_cast<int>(number)) = instruction.shape;
    program.set_parameter_names(static_cast<int>(number),
                                proto.name().substr(0, proto.name().rfind('.')));
  }
  return program;
}

StatusOr<ProgramShape> XlaBuilder::GetProgramShape() const {
  TF_RETURN_IF_ERROR(first_error_);
  if (instructions_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("computation \"", name_, "\" has no instructions"));
  }
  return ProgramShapeOf(instructions_.back().shape);
}

StatusOr<ProgramShape> XlaBuilder::GetProgramShape(XlaOp root) const {
  TF_ASSIGN_OR_RETURN(const Shape* shape, GetShapePtr(root));
  return ProgramShapeOf(*shape);
}

// ---- Adding -------------------------------------------------------------------------------------

StatusOr<XlaOp> XlaBuilder::AddInstruction(HloInstructionProto proto, absl::string_view opcode,
                                           const Shape& shape, absl::Span<const XlaOp> operands) {
  TF_RETURN_IF_ERROR(first_error_);
  for (const XlaOp operand : operands) {
    TF_ASSIGN_OR_RETURN(const Instruction* instruction, Find(operand));
    proto.add_operand_ids(instruction->proto.id());
  }
  const int64_t id = ++last_id_;
  proto.set_id(id);
  proto.set_opcode(std::string(opcode));
  proto.set_name(NumberedName(proto.name().empty() ? opcode : absl::string_view(proto.name()), id));
  *proto.mutable_shape() = shape.ToProto();
  *proto.mutable_metadata() =
      one_shot_metadata_.has_value() ? *std::exchange(one_shot_metadata_, {}) : metadata_;
  if (sharding_.has_value()) *proto.mutable_sharding() = *sharding_;
  *proto.mutable_frontend_attributes() = frontend_attributes_;

  index_of_id_.emplace(id, instructions_.size());
  instructions_.push_back({std::move(proto), shape});
  return XlaOp(id, this);
}

Status XlaBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string attribute,
                                                   std::string value) {
  TF_RETURN_IF_ERROR(Find(op).status());
  HloInstructionProto& proto = instructions_[index_of_id_[op.handle()]].proto;
  (*proto.mutable_frontend_attributes()->mutable_map())[attribute] = std::move(value);
  return OkStatus();
}

void XlaBuilder::SetUpAlias(const ShapeIndex& output_index, int64_t param_number,
                            const ShapeIndex& param_index,
                            HloInputOutputAliasConfig::AliasKind kind) {
  HloInputOutputAliasProto::AliasEntryProto* entry = aliases_.add_entries();
  entry->mutable_output_shape_index()->Add(output_index.begin(), output_index.end());
  entry->set_parameter_number(param_number);
  entry->mutable_parameter_shape_index()->Add(param_index.begin(), param_index.end());
  entry->set_kind(kind == HloInputOutputAliasConfig::kMayAlias ? MAY_ALIAS : MUST_ALIAS);
}

// ---- Building -----------------------------------------------------------------------------------

StatusOr<XlaComputation> XlaBuilder::Build(bool) {
  TF_RETURN_IF_ERROR(GetProgramShape().status());
  return BuildWithRoot(instructions_.back());
}

StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, bool) {
  TF_RETURN_IF_ERROR(first_error_);
  if (root.builder_ != this) {
    return absl::InvalidArgumentError("Given root operation is not in this computation.");
  }
  TF_ASSIGN_OR_RETURN(const Instruction* instruction, Find(root));
  return BuildWithRoot(*instruction);
}

StatusOr<XlaComputation> XlaBuilder::BuildWithRoot(const Instruction& root) {
  TF_ASSIGN_OR_RETURN(const ProgramShape program_shape, ProgramShapeOf(root.shape));

  HloComputationProto entry;
  entry.set_id(++last_id_);
  entry.set_name(NumberedName(name_, entry.id()));
  entry.set_root_id(root.proto.id());
  *entry.mutable_program_shape() = program_shape.ToProto();
  for (Instruction& instruction : instructions_) {
    *entry.add_instructions() = std::move(instruction.proto);
  }
  instructions_.clear();
  index_of_id_.clear();
  parameter_numbers_.clear();

  HloModuleProto module;
  module.set_name(entry.name());
  module.set_id(entry.id());
  module.set_entry_computation_name(entry.name());
  module.set_entry_computation_id(entry.id());
  *module.mutable_host_program_shape() = entry.program_shape();
  for (HloComputationProto& computation : called_) {
    *module.add_computations() = std::move(computation);
  }
  called_.clear();
  *module.add_computations() = std::move(entry);
  if (aliases_.entries_size() > 0) *module.mutable_input_output_alias() = aliases_;

  TF_RETURN_IF_ERROR(callbridge::hlo::CheckModule(module));
  return XlaComputation(std::move(module));
}

XlaComputation XlaBuilder::BuildAndNoteError() {
  StatusOr<XlaComputation> built = Build();
  if (built.ok()) return *std::move(built);
  const Status& error = built.status();
  const bool has_parent = parent_ != nullptr && BuilderRegistry::Get().Has(parent_);
  XlaBuilder* const noting = has_parent ? parent_ : this;
  noting->ReportError(
      Status(error.code(), absl::StrCat("error from: ", name_, ": ", error.message())));
  return XlaComputation();
}

// ---- XlaComputation -----------------------------------------------------------------------------

StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (proto_.has_host_program_shape()) return ProgramShape(proto_.host_program_shape());
  return absl::InvalidArgumentError(absl::StrCat(
      "computation \"", name(), "\" has no program shape: ",
      IsNull() ? "it is null, as after a failed build or a move" : "its module has none"));
}

// ---- For the functions that add instructions ----------------------------------------------------

namespace internal {

XlaBuilder* XlaBuilderFriend::Live(XlaOp op) { return Live(op.builder()); }

XlaBuilder* XlaBuilderFriend::Live(XlaBuilder* builder) {
  if (builder == nullptr) Die("an instruction was to be added to a builder that is null");
  if (!BuilderRegistry::Get().Has(builder)) {
    Die("an instruction was to be added to a builder that was destroyed");
  }
  return builder;
}

XlaBuilder* XlaBuilderFriend::LatestBuilder() {
  const XlaBuilder* const builder = BuilderRegistry::Get().Latest();
  if (builder == nullptr) Die("a Parameter() without a builder: this thread has none");
  return const_cast<XlaBuilder*>(builder);
}

StatusOr<XlaOp> XlaBuilderFriend::Add(XlaBuilder* builder, HloInstructionProto proto,
                                      callbridge::hlo::Opcode opcode, const Shape& shape,
                                      absl::Span<const XlaOp> operands) {
  return builder->AddInstruction(std::move(proto), callbridge::hlo::OpcodeName(opcode), shape,
                                 operands);
}

HloInstructionProto* XlaBuilderFriend::GetInstruction(XlaOp op) {
  XlaBuilder* const builder = Live(op);
  const auto found = builder->index_of_id_.find(op.handle());
  if (found == builder->index_of_id_.end()) return nullptr;
  return &builder->instructions_[found->second].proto;
}

}  // namespace internal

}  // namespace callbridge_v1
}  // namespace xla
