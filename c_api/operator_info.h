// The handle of operator information.
#ifndef CALLBRIDGE_C_API_OPERATOR_INFO_H_
#define CALLBRIDGE_C_API_OPERATOR_INFO_H_

#include <memory>

#include "callbridge/abi/operator_info.h"
#include "callbridge/c_api/callbridge_operator_info.h"

struct callbridge_operator_info {
  std::shared_ptr<const callbridge::OperatorInfo> info;
};

#endif  // CALLBRIDGE_C_API_OPERATOR_INFO_H_
