#include "callbridge/mindspore_aot/aot_targets.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/mindspore_aot/aot_handler.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/aot_operator.h"
#include "callbridge/mindspore_aot/dtype_name.h"
#include "callbridge/mindspore_aot/read_attributes.h"
#include "callbridge/typed_ffi/host/attributes.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"

namespace callbridge {
namespace mindspore_aot {

absl::StatusOr<std::vector<LibraryTarget>> LoadAotTargets(const std::string& name,
                                                          const LoadOptions& options) {
  absl::StatusOr<AotName> parsed = ParseAotName(name);
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<AotOperator> aot = OpenAotOperator(*parsed, options);
  if (!aot.ok()) return aot.status();
  std::vector<LibraryTarget> targets;
  for (const Platform platform : {Platform::kCuda, Platform::kHost}) {
    absl::StatusOr<Target> made = MakeTypedTarget(*aot, platform);
    if (!made.ok()) return made.status();
    LibraryTarget target;
    target.registered = {name, std::string(PlatformName(platform)), made->address};
    target.api_version = made->api_version;
    target.evidence = kEvidence;
    target.stages = made->stages;
    target.content = aot->content;
    targets.push_back(std::move(target));
  }
  return targets;
}

absl::StatusOr<std::vector<Dimensions>> InferDimensions(const Target& target,
                                                        const Attributes& attributes,
                                                        std::vector<Dimensions> operands,
                                                        size_t results) {
  const AotOperator* aot = FindAotOperator(target.address);
  if (aot == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("target \"", target.name,
                     "\" is not an AOT operator of MindSpore, so no function of it infers what it "
                     "returns: state the result"));
  }
  const host::EncodedAttributes encoded(attributes);
  absl::StatusOr<AttributeValues> values = ReadAttributes(encoded.get());
  if (!values.ok()) return values.status();
  std::vector<int> ndims;
  std::vector<int64_t*> shapes;
  for (Dimensions& operand : operands) {
    if (operand.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
      return absl::InvalidArgumentError("an operand has more dimensions than an int counts");
    }
    for (const int64_t dimension : operand) {
      if (dimension < -2 || (dimension == -2 && operand.size() != 1)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "an operand has the dimensions [", absl::StrJoin(operand, ","),
            "]: expected sizes, -1 for one that is not known, or -2 alone for an unknown rank"));
      }
    }
    ndims.push_back(static_cast<int>(operand.size()));
    shapes.push_back(operand.data());
  }
  ndims.resize(ndims.size() + kPadding, 0);
  shapes.resize(shapes.size() + kPadding, PaddingShape());
  return InferOutputShapes(*aot, *values, results, ndims.data(), shapes.data());
}

absl::StatusOr<Shape> InferResult(const Target& target, const CallSite& site) {
  std::vector<Dimensions> operands;
  PrimitiveType type = PrimitiveType::kInvalid;
  for (const Shape& operand : site.operands) {
    for (const Shape* leaf : operand.Leaves()) {
      operands.emplace_back(leaf->dimensions().begin(), leaf->dimensions().end());
      if (type == PrimitiveType::kInvalid) type = leaf->element_type();
      if (type != leaf->element_type()) {
        return absl::InvalidArgumentError(
            absl::StrCat("the operands of \"", target.name, "\" are of ", PrimitiveTypeName(type),
                         " and of ", PrimitiveTypeName(leaf->element_type()),
                         ", so the type of the result is not known: state the result"));
      }
    }
  }
  if (type == PrimitiveType::kInvalid) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", target.name,
        "\" has no operands, so the type of the result is not known: state the result"));
  }
  Attributes attributes = site.attributes;
  if (site.operator_info != nullptr) attributes.SetMissing(site.operator_info->defaults);
  absl::StatusOr<std::vector<Dimensions>> inferred =
      InferDimensions(target, attributes, std::move(operands), /*results=*/1);
  if (!inferred.ok()) return inferred.status();
  Dimensions& dimensions = inferred->front();
  for (const int64_t dimension : dimensions) {
    if (dimension < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "InferShape of \"", target.name, "\" returned [", absl::StrJoin(dimensions, ","),
          "], in which ", dimension, " is not known: state the result"));
    }
  }
  return Shape::MakeArray(type, std::move(dimensions));
}

absl::StatusOr<uint64_t> InferScratchBytes(const Target& target, const CallSite& site) {
  const AotOperator* aot = FindAotOperator(target.address);
  if (aot == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("target \"", target.name,
                     "\" is not an AOT operator of MindSpore, so no function of it says how much "
                     "scratch memory it needs: state scratch_bytes"));
  }
  Attributes attributes = site.attributes;
  if (site.operator_info != nullptr) attributes.SetMissing(site.operator_info->defaults);
  const host::EncodedAttributes encoded(attributes);
  absl::StatusOr<AttributeValues> values = ReadAttributes(encoded.get());
  if (!values.ok()) return values.status();
  std::vector<Dimensions> dimensions;
  std::vector<int> ndims;
  std::vector<const char*> dtypes;
  const auto add = [&](const Shape& shape) -> absl::Status {
    for (const Shape* leaf : shape.Leaves()) {
      dtypes.push_back(DtypeName(leaf->element_type()));
      if (dtypes.back() == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("MindSpore has no tensors of ", PrimitiveTypeName(leaf->element_type())));
      }
      dimensions.emplace_back(leaf->dimensions().begin(), leaf->dimensions().end());
      ndims.push_back(static_cast<int>(leaf->dimensions().size()));
    }
    return absl::OkStatus();
  };
  absl::Status added = absl::OkStatus();
  for (const Shape& operand : site.operands) {
    if (added.ok()) added = add(operand);
  }
  if (added.ok()) added = add(site.result);
  if (!added.ok()) return added;
  std::vector<int64_t*> shapes;
  shapes.reserve(dimensions.size());
  for (Dimensions& sizes : dimensions) shapes.push_back(sizes.data());
  AotSite aot_site(*aot, *std::move(values));
  const absl::Status initialized =
      aot_site.Initialize({ndims.size(), nullptr, ndims.data(), shapes.data(), dtypes.data()});
  if (!initialized.ok()) return initialized;
  constexpr uint64_t kUnit = host::BlockScratchAllocator::kUnit;
  uint64_t bytes = 0;
  for (const uint64_t size : aot_site.workspaces()) {
    // Below 2^63 each, so that a sum of two does not wrap.
    bytes += (std::max<uint64_t>(size, 1) + kUnit - 1) / kUnit * kUnit;
    if (bytes > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return absl::ResourceExhaustedError(
          absl::StrCat("\"", target.name, "\" asks for workspaces of more than 2^63 - 1 bytes"));
    }
  }
  return bytes;
}

}  // namespace mindspore_aot
}  // namespace callbridge
