#include "callbridge/mindspore_aot/aot_targets.h"

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
#include "callbridge/mindspore_aot/read_attributes.h"
#include "callbridge/typed_ffi/host/attributes.h"

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

}  // namespace mindspore_aot
}  // namespace callbridge
