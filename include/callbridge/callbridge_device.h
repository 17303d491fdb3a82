// The C API for calls on CUDA devices.
#ifndef CALLBRIDGE_DEVICE_H_
#define CALLBRIDGE_DEVICE_H_

#include "callbridge/c_api/callbridge_device.h"

#endif  // CALLBRIDGE_DEVICE_H_
