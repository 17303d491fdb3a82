#include "callbridge/client/graph_builder.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/packed_elements.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge::client {

absl::Status CheckElementSize(const Shape& leaf, int64_t bits) {
  const int64_t stated = leaf.layout().has_value() ? leaf.layout()->element_size_in_bits : 0;
  if (stated == 0 || stated == bits) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("the embedded runtime has ", PrimitiveTypeName(leaf.element_type()), " in ",
                   bits, " bits here, and not as ", ShapeText(leaf), "; run the module on XLA"));
}

absl::Status GraphBuilder::Charge(size_t amount) {
  absl::Status checked = CheckCharge(amount);
  if (checked.ok()) charged_ += amount;
  return checked;
}

absl::Status GraphBuilder::CheckCharge(size_t amount) const {
  constexpr size_t kMost = size_t{1} << 20;
  if (amount <= kMost - charged_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the module has more than ", kMost,
      " instructions and leaves, those of a computation counted for each call of it; run it on "
      "XLA"));
}

absl::StatusOr<ValueId> GraphBuilder::Add(const Shape& leaf, Value value) {
  absl::Status charged = Charge(1);
  if (!charged.ok()) return charged;
  absl::StatusOr<int64_t> size = leaf.ByteSize();
  if (!size.ok()) return size.status();
  value.size_bytes = static_cast<size_t>(*size);
  value.is_token = leaf.IsToken();
  value.bytes_of = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back(value);
  return value.bytes_of;
}

StepId GraphBuilder::AddStep(Step step) {
  graph_.steps.push_back(std::move(step));
  return last_step();
}

absl::StatusOr<ValueId> GraphBuilder::Parameter(const Shape& leaf, size_t index) {
  Value value;
  value.source = Value::Source::kParameter;
  value.index = index;
  return Add(leaf, value);
}

absl::StatusOr<ValueId> GraphBuilder::Constant(const Shape& leaf, const void* data) {
  Value value;
  value.source = Value::Source::kConstant;
  absl::StatusOr<ValueId> id = Add(leaf, value);
  if (!id.ok()) return id;
  absl::StatusOr<size_t> place = graph_.constants.Add(data, graph_.values[*id].size_bytes);
  if (!place.ok()) return place.status();
  graph_.values[*id].index = *place;
  return id;
}

absl::StatusOr<ValueId> GraphBuilder::Elementwise(ElementwiseKernel kernel,
                                                  std::vector<ValueId> operands,
                                                  const Shape& result) {
  absl::StatusOr<ValueId> value = Add(result, {});
  if (!value.ok()) return value;
  Step step;
  step.kind = Step::Kind::kElementwise;
  step.kernel = kernel;
  step.count = static_cast<size_t>(result.ElementCount());
  step.operands = std::move(operands);
  step.results = {*value};
  graph_.values[*value].producer = AddStep(std::move(step));
  return value;
}

absl::StatusOr<ValueId> GraphBuilder::Copy(StridedCopy copy, ValueId operand, const Shape& result) {
  absl::StatusOr<ValueId> value = Add(result, {});
  if (!value.ok()) return value;
  Step step;
  step.kind = Step::Kind::kCopy;
  step.copy = std::move(copy);
  step.operands = {operand};
  step.results = {*value};
  graph_.values[*value].producer = AddStep(std::move(step));
  return value;
}

absl::StatusOr<std::vector<ValueId>> GraphBuilder::CustomCall(Step step, const Shape& result) {
  step.kind = Step::Kind::kCustomCall;
  for (const Shape* leaf : result.Leaves()) {
    absl::StatusOr<ValueId> value = Add(*leaf, {});
    if (!value.ok()) return value.status();
    step.results.push_back(*value);
  }
  const std::vector<ValueId> results = step.results;
  const StepId id = AddStep(std::move(step));
  for (ValueId value : results) graph_.values[value].producer = id;
  return results;
}

ValueId GraphBuilder::Token(const std::vector<ValueId>& behind) {
  Value token;
  token.is_token = true;
  token.bytes_of = static_cast<ValueId>(graph_.values.size());
  Step step;
  for (ValueId value : behind) {
    if (producer(value) != kNoStep) step.after.push_back(producer(value));
  }
  token.producer = AddStep(std::move(step));
  graph_.values.push_back(token);
  return token.bytes_of;
}

std::vector<ValueId> GraphBuilder::Wait(const std::vector<ValueId>& values,
                                        std::vector<StepId> behind) {
  Step step;
  step.after = std::move(behind);
  for (ValueId value : values) {
    if (producer(value) != kNoStep) step.after.push_back(producer(value));
  }
  const StepId id = AddStep(std::move(step));
  std::vector<ValueId> waited;
  for (ValueId value : values) {
    Value same = graph_.values[value];
    same.producer = id;
    waited.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back(same);
  }
  return waited;
}

absl::StatusOr<ValueId> GraphBuilder::ToRowMajor(ValueId value, const Shape& leaf) {
  if (leaf.IsToken() || IsRowMajor(leaf)) return value;
  const StridedCopy copy = StridedCopy::ToRowMajor(leaf);
  return copy.IsDense() ? value : Copy(copy, value, leaf);
}

absl::StatusOr<ValueId> GraphBuilder::FromRowMajor(ValueId value, const Shape& leaf) {
  if (leaf.IsToken() || IsRowMajor(leaf)) return value;
  const StridedCopy copy = StridedCopy::FromRowMajor(leaf);
  return copy.IsDense() ? value : Copy(copy, value, leaf);
}

absl::StatusOr<ValueId> GraphBuilder::FromCall(ValueId value, const Shape& leaf) {
  const ElementwiseKernel unpacking = FindUnpacking(leaf.element_type());
  if (unpacking == nullptr) return ToRowMajor(value, leaf);
  const absl::StatusOr<Shape> unpacked = UnpackedShape(leaf);
  if (!unpacked.ok()) return unpacked.status();
  absl::StatusOr<ValueId> bytes = Elementwise(unpacking, {value}, *unpacked);
  return bytes.ok() ? ToRowMajor(*bytes, *unpacked) : bytes;
}

absl::StatusOr<ValueId> GraphBuilder::ToCall(ValueId value, const Shape& leaf) {
  const ElementwiseKernel packing = FindPacking(leaf.element_type());
  if (packing == nullptr) return FromRowMajor(value, leaf);
  const absl::StatusOr<Shape> unpacked = UnpackedShape(leaf);
  if (!unpacked.ok()) return unpacked.status();
  absl::StatusOr<ValueId> bytes = FromRowMajor(value, *unpacked);
  return bytes.ok() ? Elementwise(packing, {*bytes}, leaf) : bytes;
}

}  // namespace callbridge::client
