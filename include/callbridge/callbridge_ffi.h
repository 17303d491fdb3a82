// The C API for XLA's typed FFI.
#ifndef CALLBRIDGE_FFI_H_
#define CALLBRIDGE_FFI_H_

#include "callbridge/c_api/callbridge_ffi.h"

#endif  // CALLBRIDGE_FFI_H_
