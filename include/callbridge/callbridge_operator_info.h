// The C API for what the author of a target declares of its calls.
#ifndef CALLBRIDGE_OPERATOR_INFO_H_
#define CALLBRIDGE_OPERATOR_INFO_H_

#include "callbridge/c_api/callbridge_operator_info.h"

#endif  // CALLBRIDGE_OPERATOR_INFO_H_
