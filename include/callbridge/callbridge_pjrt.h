// The C API for XLAs behind PJRT.
#ifndef CALLBRIDGE_PJRT_H_
#define CALLBRIDGE_PJRT_H_

#include "callbridge/c_api/callbridge_pjrt.h"

#endif  // CALLBRIDGE_PJRT_H_
