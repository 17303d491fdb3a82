// xla::XlaBuilder: builds a module instruction by instruction. The functions that add instructions
// are in the xla_*_ops.h, and this header brings them all, as XLA's does.
#ifndef CALLBRIDGE_HLO_XLA_BUILDER_H_
#define CALLBRIDGE_HLO_XLA_BUILDER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/shape_index.h"
#include "callbridge/hlo/statusor.h"
#include "callbridge/hlo/xla_computation.h"
#include "callbridge/hlo/xla_constant_ops.h"     // IWYU pragma: export
#include "callbridge/hlo/xla_custom_call_ops.h"  // IWYU pragma: export
#include "callbridge/hlo/xla_elementwise_ops.h"  // IWYU pragma: export
#include "callbridge/hlo/xla_op.h"
#include "callbridge/hlo/xla_shape_ops.h"      // IWYU pragma: export
#include "callbridge/hlo/xla_structure_ops.h"  // IWYU pragma: export

namespace xla {
inline namespace callbridge_v1 {

class HloInputOutputAliasConfig {
 public:
  enum AliasKind { kMayAlias, kMustAlias };
};

// Instructions get the numbers and names that XLA's builder gives them. After an error nothing is
// added, and Build() returns the first one. Not thread-safe.
class CALLBRIDGE_EXPORTED XlaBuilder {
 public:
  explicit XlaBuilder(const std::string& computation_name);
  virtual ~XlaBuilder();
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;

  const std::string& name() const { return name_; }

  // What all instructions from now on have; of one-shot metadata, the next one.
  void SetOpMetadata(OpMetadata metadata) { metadata_ = std::move(metadata); }
  OpMetadata SwapOpMetadata(OpMetadata metadata) {
    return std::exchange(metadata_, std::move(metadata));
  }
  void SetOneShotOpMetadata(OpMetadata metadata) { one_shot_metadata_ = std::move(metadata); }
  void ClearOpMetadata() { metadata_.Clear(); }
  void SetSharding(const OpSharding& sharding) { sharding_ = sharding; }
  void ClearSharding() { sharding_.reset(); }
  const std::optional<OpSharding>& sharding() const { return sharding_; }
  void SetFrontendAttributes(const FrontendAttributes& attributes) {
    frontend_attributes_ = attributes;
  }
  FrontendAttributes SwapFrontendAttributes(const FrontendAttributes& attributes) {
    return std::exchange(frontend_attributes_, attributes);
  }
  const FrontendAttributes& frontend_attributes() const { return frontend_attributes_; }
  void ClearFrontendAttributes() { frontend_attributes_.Clear(); }
  // Of an instruction that is there.
  Status SetInstructionFrontendAttribute(XlaOp op, std::string attribute, std::string value);

  // An error ends the process with its message, where it arises.
  void set_die_immediately_on_error(bool enabled) { die_immediately_on_error_ = enabled; }

  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2);

  // A builder of a computation that this one's instructions call.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name);

  // The module, which has passed CheckModule(); the builder is left empty. Its root is the last
  // instruction, or `root`.
  StatusOr<XlaComputation> Build(bool remove_dynamic_dimensions = false);
  StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions = false);
  // After an error a null computation, and the parent builder has the error.
  XlaComputation BuildAndNoteError();

  Status first_error() const { return first_error_; }
  Status GetCurrentStatus() const { return first_error_; }
  // The error is the builder's from now on, unless it has one. Returns an invalid XlaOp.
  XlaOp ReportError(const Status& error);
  XlaOp ReportErrorOrReturn(const StatusOr<XlaOp>& op);
  XlaOp ReportErrorOrReturn(absl::FunctionRef<StatusOr<XlaOp>()> op_creator);

  StatusOr<Shape> GetShape(XlaOp op) const;
  // The shape is the builder's, until Build().
  StatusOr<const Shape*> GetShapePtr(XlaOp op) const;
  StatusOr<std::vector<Shape>> GetOperandShapes(absl::Span<const XlaOp> operands) const;
  StatusOr<ProgramShape> GetProgramShape() const;
  StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;

  // The buffer of a leaf of the result may, or must, be that of a leaf of a parameter. Build()
  // checks it.
  void SetUpAlias(
      const ShapeIndex& output_index, int64_t param_number, const ShapeIndex& param_index,
      HloInputOutputAliasConfig::AliasKind kind = HloInputOutputAliasConfig::AliasKind::kMayAlias);

 private:
  friend struct internal::XlaBuilderFriend;

  struct Instruction {
    HloInstructionProto proto;
    Shape shape;
  };

  Status CheckOp(XlaOp op) const;
  StatusOr<const Instruction*> Find(XlaOp op) const;
  StatusOr<XlaOp> AddInstruction(HloInstructionProto proto, absl::string_view opcode,
                                 const Shape& shape, absl::Span<const XlaOp> operands);
  // Copies the computation into the module under new numbers, and has the instruction call it.
  Status AddCalledComputation(const XlaComputation& computation, HloInstructionProto* caller);
  StatusOr<ProgramShape> ProgramShapeOf(const Shape& result) const;
  StatusOr<XlaComputation> BuildWithRoot(const Instruction& root);

  const std::string name_;
  XlaBuilder* parent_ = nullptr;
  int64_t last_id_ = 0;
  // A deque, so that pointers to shapes stay.
  std::deque<Instruction> instructions_;
  absl::flat_hash_map<int64_t, size_t> index_of_id_;
  absl::flat_hash_set<int64_t> parameter_numbers_;
  std::vector<HloComputationProto> called_;
  HloInputOutputAliasProto aliases_;

  Status first_error_;
  bool die_immediately_on_error_ = false;
  OpMetadata metadata_;
  std::optional<OpMetadata> one_shot_metadata_;
  std::optional<OpSharding> sharding_;
  FrontendAttributes frontend_attributes_;
};

// Set something for a scope, and set what was there again at its end.
class CALLBRIDGE_EXPORTED XlaScopedFrontendAttributesAssignment {
 public:
  XlaScopedFrontendAttributesAssignment(XlaBuilder* builder, FrontendAttributes attributes)
      : builder_(builder), saved_(builder->SwapFrontendAttributes(attributes)) {}
  ~XlaScopedFrontendAttributesAssignment() { builder_->SetFrontendAttributes(saved_); }
  XlaScopedFrontendAttributesAssignment(const XlaScopedFrontendAttributesAssignment&) = delete;
  XlaScopedFrontendAttributesAssignment& operator=(const XlaScopedFrontendAttributesAssignment&) =
      delete;

 private:
  XlaBuilder* const builder_;
  FrontendAttributes saved_;
};

class CALLBRIDGE_EXPORTED XlaScopedOpMetadataAssignment {
 public:
  XlaScopedOpMetadataAssignment(XlaBuilder* builder, OpMetadata metadata)
      : builder_(builder), saved_(builder->SwapOpMetadata(std::move(metadata))) {}
  ~XlaScopedOpMetadataAssignment() { builder_->SwapOpMetadata(saved_); }
  XlaScopedOpMetadataAssignment(const XlaScopedOpMetadataAssignment&) = delete;
  XlaScopedOpMetadataAssignment& operator=(const XlaScopedOpMetadataAssignment&) = delete;

 private:
  XlaBuilder* const builder_;
  OpMetadata saved_;
};

class CALLBRIDGE_EXPORTED XlaScopedShardingAssignment {
 public:
  XlaScopedShardingAssignment(XlaBuilder* builder, std::optional<OpSharding> sharding)
      : builder_(builder), saved_(builder->sharding()) {
    Set(sharding);
  }
  ~XlaScopedShardingAssignment() { Set(saved_); }
  XlaScopedShardingAssignment(const XlaScopedShardingAssignment&) = delete;
  XlaScopedShardingAssignment& operator=(const XlaScopedShardingAssignment&) = delete;

 private:
  void Set(const std::optional<OpSharding>& sharding) {
    if (sharding.has_value()) {
      builder_->SetSharding(*sharding);
    } else {
      builder_->ClearSharding();
    }
  }

  XlaBuilder* const builder_;
  std::optional<OpSharding> saved_;
};

namespace internal {

// The way of the functions that add instructions into the builder.
struct CALLBRIDGE_EXPORTED XlaBuilderFriend {
  // The op's builder, or `builder`. Ends the process where it is null or was destroyed.
  static XlaBuilder* Live(XlaOp op);
  static XlaBuilder* Live(XlaBuilder* builder);
  // The youngest builder on this thread. Ends the process where there is none.
  static XlaBuilder* Youngest();

  static StatusOr<XlaOp> Add(XlaBuilder* builder, HloInstructionProto proto,
                             callbridge::hlo::Opcode opcode, const Shape& shape,
                             absl::Span<const XlaOp> operands);
  static Status AddCalled(XlaBuilder* builder, const XlaComputation& computation,
                          HloInstructionProto* caller) {
    return builder->AddCalledComputation(computation, caller);
  }
  // False where it was taken before.
  static bool TakeParameterNumber(XlaBuilder* builder, int64_t number) {
    return builder->parameter_numbers_.insert(number).second;
  }

  // XLA's name for what AddDependency() does.
  static XlaOp BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const Shape& shape);
  // Null where the op is none of its builder's.
  static HloInstructionProto* GetInstruction(XlaOp op);
};

}  // namespace internal
}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_BUILDER_H_
