// Custom calls. Programs of 2020 give the arguments up to `opaque`, and later ones the others too.
//
// Targets whose names begin with '$' are XLA's own, and an error. `opaque` is any bytes.
#ifndef CALLBRIDGE_HLO_XLA_CUSTOM_CALL_OPS_H_
#define CALLBRIDGE_HLO_XLA_CUSTOM_CALL_OPS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/shape_index.h"
#include "callbridge/hlo/xla_op.h"

namespace xla {
inline namespace callbridge_v1 {

class Literal;
class XlaComputation;

// Leaves of the output, each with the operand, and the leaf of it, whose buffer it has.
using OutputOperandAliases =
    absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;

CALLBRIDGE_EXPORTED XlaOp CustomCall(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape, const std::string& opaque = "", bool has_side_effect = false,
    OutputOperandAliases output_operand_aliasing = {}, const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// The target is told of a computation.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithComputation(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const XlaComputation& computation, const Shape& shape, const std::string& opaque = "",
    bool has_side_effect = false, OutputOperandAliases output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// Operands and result have these layouts when the target sees them.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithLayout(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape_with_layout, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque = "", bool has_side_effect = false,
    OutputOperandAliases output_operand_aliasing = {}, const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// Carries what describes a convolution. Layouts are constrained where there are operand shapes.
CALLBRIDGE_EXPORTED XlaOp CustomCallWithConvDnums(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    const Shape& shape, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque, bool has_side_effect, OutputOperandAliases output_operand_aliasing,
    const Literal* literal, Window window, ConvolutionDimensionNumbers dnums,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_CUSTOM_CALL_OPS_H_
