// The C API for whole HLO modules.
#ifndef CALLBRIDGE_MODULE_H_
#define CALLBRIDGE_MODULE_H_

#include "callbridge/client/callbridge_module.h"

#endif  // CALLBRIDGE_MODULE_H_
