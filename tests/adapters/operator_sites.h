// Call sites that carry operator information, and the target that they call.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_OPERATOR_SITES_H_
#define CALLBRIDGE_TESTS_ADAPTERS_OPERATOR_SITES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/operator_info.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/operator_check.h"
#include "gtest/gtest.h"
#include "tests/adapters/recording_targets.h"

namespace callbridge::operator_sites {

using Form = OperatorInfo::Form;

inline constexpr PrimitiveType kF32 = PrimitiveType::kF32;
inline constexpr PrimitiveType kS32 = PrimitiveType::kS32;
inline constexpr char kSubject[] = "custom call \"recording\": its operator information \"add\"";

inline Shape MakeShape(const std::string& text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return *std::move(shape);
}

inline Form Any() { return {}; }
inline Form Of(PrimitiveType type) {
  Form form;
  form.type = type;
  form.is_row_major = true;
  form.format = "DefaultFormat";
  return form;
}
inline Form Nchw(PrimitiveType type) {
  Form form = Of(type);
  form.min_rank = form.max_rank = 4;
  form.format = "NCHW";
  return form;
}
inline Form TupleOf(PrimitiveType type) {
  Form form = Of(type);
  form.is_tuple = true;
  return form;
}

// A binary operator.
inline OperatorInfo Binary(std::vector<std::vector<Form>> combinations) {
  OperatorInfo info;
  info.name = "add";
  info.device = "CPU";
  info.platforms = {Platform::kHost};
  info.operands = {{"x1"}, {"x2"}};
  info.results = {{"y"}};
  info.combinations = std::move(combinations);
  return info;
}

inline CallSite MakeSite(OperatorInfo info, const std::vector<std::string>& operands,
                         const std::string& result) {
  CallSite site;
  for (const std::string& operand : operands) site.operands.push_back(MakeShape(operand));
  site.result = MakeShape(result);
  site.operator_info = std::make_shared<const OperatorInfo>(std::move(info));
  return site;
}

inline Target Recording() {
  return MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal);
}

inline absl::Status Check(OperatorInfo info, const std::vector<std::string>& operands,
                          const std::string& result) {
  return CheckOperator(MakeSite(std::move(info), operands, result), Recording());
}

}  // namespace callbridge::operator_sites

#endif  // CALLBRIDGE_TESTS_ADAPTERS_OPERATOR_SITES_H_
