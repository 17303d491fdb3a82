// Whatever text is given as operator information, reading it must neither crash nor run for ever,
// and what is read is whole: a call can be checked against it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/operator_check.h"
#include "callbridge/mindspore_aot/operator_info_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::StatusOr<callbridge::OperatorInfo> info =
      callbridge::mindspore_aot::ParseOperatorInfo({reinterpret_cast<const char*>(data), size});
  if (!info.ok()) return 0;
  if (!callbridge::CheckOperatorInfo(*info).ok()) std::abort();
  callbridge::CallSite site;
  site.attributes = info->defaults;
  for (const callbridge::OperatorInfo::Value& operand : info->operands) {
    site.operands.push_back(
        callbridge::ParseShape(operand.name.size() % 2 == 0 ? "f32[1,2,3,4]" : "(s32[],f32[])")
            .value());
  }
  site.operator_info = std::make_shared<const callbridge::OperatorInfo>(*std::move(info));
  callbridge::Target target;
  target.api_version = callbridge::ApiVersion::kTypedFfi;
  static_cast<void>(callbridge::CheckOperator(site, target));
  return 0;
}
