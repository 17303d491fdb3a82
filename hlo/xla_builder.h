// xla::XlaBuilder, and the functions that add instructions to it.
#ifndef CALLBRIDGE_HLO_XLA_BUILDER_H_
#define CALLBRIDGE_HLO_XLA_BUILDER_H_

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/xla_computation.h"

namespace xla {
inline namespace callbridge_v1 {

class XlaBuilder;

namespace internal {
struct XlaBuilderFriend;
}  // namespace internal

// An instruction of a computation that is being built. Valid until the builder is built or
// destroyed. Functions report an error for an op that Build() has taken, and end the process with a
// message if the builder was destroyed.
class CALLBRIDGE_EXPORTED XlaOp {
 public:
  // An op without a builder.
  XlaOp() = default;

  // Ends the process if the op has no builder.
  XlaBuilder* builder() const {
    if (builder_ == nullptr) internal::Die("an XlaOp that no builder made has no builder");
    return builder_;
  }
  // Returns false for an op without a builder, and for one that a builder returned after an error.
  bool valid() const { return handle_ >= 0; }
  bool IsUninitialized() const { return builder_ == nullptr; }
  bool IsIdenticalTo(XlaOp other) const {
    return handle_ == other.handle_ && builder_ == other.builder_;
  }

  friend std::ostream& operator<<(std::ostream& out, XlaOp op) { return out << op.handle_; }

 private:
  friend class XlaBuilder;
  friend struct internal::XlaBuilderFriend;

  XlaOp(int64_t handle, XlaBuilder* builder) : handle_(handle), builder_(builder) {}
  int64_t handle() const { return handle_; }

  // Negative after an error.
  int64_t handle_ = -1;
  XlaBuilder* builder_ = nullptr;
};

class HloInputOutputAliasConfig {
 public:
  enum AliasKind { kMayAlias, kMustAlias };
};

// Builds a module instruction by instruction. Gives instructions the ids and names that XLA's
// builder gives them. Adds nothing after an error; Build() returns the first error. Not
// thread-safe.
class CALLBRIDGE_EXPORTED XlaBuilder {
 public:
  explicit XlaBuilder(const std::string& computation_name);
  virtual ~XlaBuilder();
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;

  const std::string& name() const { return name_; }

  // Set the metadata, sharding and frontend attributes of all later instructions. One-shot metadata
  // applies to the next instruction only.
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
  // Sets a frontend attribute of an instruction that has been added.
  Status SetInstructionFrontendAttribute(XlaOp op, std::string attribute, std::string value);

  // If enabled, the first error ends the process with its message.
  void set_die_immediately_on_error(bool enabled) { die_immediately_on_error_ = enabled; }

  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2);

  // Returns a builder for a computation that instructions of this builder call.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name);

  // Returns the module and leaves the builder empty. The root is `root`, or the last instruction.
  // The module has passed CheckModule() (module_check.h).
  StatusOr<XlaComputation> Build(bool remove_dynamic_dimensions = false);
  StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions = false);
  // After an error, reports the error to the parent builder and returns a null computation.
  XlaComputation BuildAndNoteError();

  Status first_error() const { return first_error_; }
  Status GetCurrentStatus() const { return first_error_; }
  // Keeps the error if it is the first one. Returns an invalid XlaOp.
  XlaOp ReportError(const Status& error);
  XlaOp ReportErrorOrReturn(const StatusOr<XlaOp>& op);
  XlaOp ReportErrorOrReturn(absl::FunctionRef<StatusOr<XlaOp>()> op_creator);

  StatusOr<Shape> GetShape(XlaOp op) const;
  // The builder owns the shape. It is valid until Build().
  StatusOr<const Shape*> GetShapePtr(XlaOp op) const;
  StatusOr<std::vector<Shape>> GetOperandShapes(absl::Span<const XlaOp> operands) const;
  StatusOr<ProgramShape> GetProgramShape() const;
  StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;

  // Lets a leaf of the result share the buffer of a leaf of a parameter. Build() checks the
  // indices.
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
  // Copies the computation into the module under new ids, and makes the instruction call it.
  Status AddCalledComputation(const XlaComputation& computation, HloInstructionProto* caller);
  StatusOr<ProgramShape> ProgramShapeOf(const Shape& result) const;
  StatusOr<XlaComputation> BuildWithRoot(const Instruction& root);

  const std::string name_;
  XlaBuilder* parent_ = nullptr;
  int64_t last_id_ = 0;
  // A deque keeps pointers to shapes valid.
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

// These set a property of the builder for a scope, and restore the previous value at its end.
class CALLBRIDGE_EXPORTED XlaScopedFrontendAttributesAssignment {
 public:
  XlaScopedFrontendAttributesAssignment(XlaBuilder* builder, const FrontendAttributes& attributes)
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
  XlaScopedShardingAssignment(XlaBuilder* builder, const std::optional<OpSharding>& sharding)
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

// The builder's interface for the functions that add instructions.
struct CALLBRIDGE_EXPORTED XlaBuilderFriend {
  // Returns the op's builder. Ends the process if it is null or was destroyed.
  static XlaBuilder* Live(XlaOp op);
  // Returns `builder`. Ends the process if it is null or was destroyed.
  static XlaBuilder* Live(XlaBuilder* builder);
  // Returns the builder that this thread made last and that still exists. Ends the process if there
  // is none.
  static XlaBuilder* LatestBuilder();

  static StatusOr<XlaOp> Add(XlaBuilder* builder, HloInstructionProto proto,
                             callbridge::hlo::Opcode opcode, const Shape& shape,
                             absl::Span<const XlaOp> operands);
  static Status AddCalled(XlaBuilder* builder, const XlaComputation& computation,
                          HloInstructionProto* caller) {
    return builder->AddCalledComputation(computation, caller);
  }
  // Returns false if a parameter has this number.
  static bool TakeParameterNumber(XlaBuilder* builder, int64_t number) {
    return builder->parameter_numbers_.insert(number).second;
  }

  // Same as AddDependency(), under XLA's name.
  static XlaOp BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                  const Shape& shape);
  // Returns null if the op is not in its builder.
  static HloInstructionProto* GetInstruction(XlaOp op);
};

}  // namespace internal

// ---- Functions that add instructions ------------------------------------------------------------

// After an error they return an invalid XlaOp, and Build() returns the error. A null builder ends
// the process with a message.

CALLBRIDGE_EXPORTED XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number,
                                    const Shape& shape, const std::string& name);
// `replicated_at_leaf_buffers` has, for each leaf, whether it is the same on all replicas.
CALLBRIDGE_EXPORTED XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number,
                                    const Shape& shape, const std::string& name,
                                    const std::vector<bool>& replicated_at_leaf_buffers);
// Uses the builder that the calling thread made last and that still exists. XLA has no such
// function, but its documentation of custom calls uses it.
CALLBRIDGE_EXPORTED XlaOp Parameter(int64_t parameter_number, const Shape& shape,
                                    const std::string& name);

CALLBRIDGE_EXPORTED XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements);
CALLBRIDGE_EXPORTED XlaOp GetTupleElement(XlaOp tuple_data, int64_t index);

CALLBRIDGE_EXPORTED XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
                               absl::Span<const XlaOp> operands);

// Tokens order instructions that have side effects.
CALLBRIDGE_EXPORTED XlaOp CreateToken(XlaBuilder* builder);
CALLBRIDGE_EXPORTED XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens);
// Returns `operand` after `token` is ready. XLA has it as internal::XlaBuilderFriend only.
CALLBRIDGE_EXPORTED XlaOp AddDependency(XlaOp operand, XlaOp token);

// Custom calls. `opaque` may be any bytes. A target whose name begins with '$' is an error.

// Leaves of the output, each with the operand and the leaf of the operand whose buffer it shares.
using OutputOperandAliases =
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;

CALLBRIDGE_EXPORTED XlaOp CustomCall(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape, const std::string& opaque = "", bool has_side_effect = false,
    OutputOperandAliases output_operand_aliasing = {}, const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// A custom call that also refers to a computation.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithComputation(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const XlaComputation& computation, const Shape& shape, const std::string& opaque = "",
    bool has_side_effect = false, OutputOperandAliases output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// A custom call whose operands and result have the given layouts in the target.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithLayout(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape_with_layout, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque = "", bool has_side_effect = false,
    OutputOperandAliases output_operand_aliasing = {}, const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// A custom call that describes a convolution. Constrains layouts if operand_shapes_with_layout is
// not empty.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithConvDnums(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque, bool has_side_effect, OutputOperandAliases output_operand_aliasing,
    const Literal* literal, Window window, ConvolutionDimensionNumbers dnums,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// Elementwise instructions. Operands of different shapes are broadcast as XLA's builder does: a
// scalar to the other operand's shape; degenerate dimensions of operands of equal rank; an operand
// of lower rank to the dimensions `broadcast_dimensions` of the other.

CALLBRIDGE_EXPORTED XlaOp Add(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Sub(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Mul(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Div(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Max(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Min(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Neg(XlaOp operand);
CALLBRIDGE_EXPORTED XlaOp Abs(XlaOp operand);

CALLBRIDGE_EXPORTED XlaOp operator-(XlaOp x);
CALLBRIDGE_EXPORTED XlaOp operator+(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator-(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator*(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator/(XlaOp x, XlaOp y);

// Adds dimensions of these sizes before those of the operand.
CALLBRIDGE_EXPORTED XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes);
// Dimension i of the operand becomes dimension broadcast_dimensions[i] of the result. Broadcasts
// degenerate dimensions, those of size 1.
CALLBRIDGE_EXPORTED XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                                         absl::Span<const int64_t> broadcast_dimensions);
CALLBRIDGE_EXPORTED XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> new_sizes);
// Reports UNIMPLEMENTED if `dimensions` is not in ascending order, since that transposes.
CALLBRIDGE_EXPORTED XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
                                  absl::Span<const int64_t> new_sizes);
CALLBRIDGE_EXPORTED XlaOp Reshape(const Shape& shape, XlaOp operand);
CALLBRIDGE_EXPORTED XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type);
CALLBRIDGE_EXPORTED XlaOp Copy(XlaOp operand);

// An array whose elements all have the same bits becomes a scalar and a broadcast, as in XLA.
CALLBRIDGE_EXPORTED XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal);

template <typename NativeT>
XlaOp ConstantR0(XlaBuilder* builder, NativeT value) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<NativeT>(value));
}
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, absl::Span<const NativeT> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<NativeT>(values));
}
// An array of `length` elements of one value.
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, int64_t length, NativeT value) {
  return ConstantLiteral(builder,
                         LiteralUtil::CreateFullWithDescendingLayout<NativeT>({length}, value));
}
// Inner lists must be equally long.
template <typename NativeT>
XlaOp ConstantR2(XlaBuilder* builder,
                 std::initializer_list<std::initializer_list<NativeT>> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<NativeT>(values));
}

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_BUILDER_H_
