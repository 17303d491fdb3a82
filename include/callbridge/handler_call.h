// HandlerCall: calling a typed FFI handler without XLA, to unit-test it.
#ifndef CALLBRIDGE_HANDLER_CALL_H_
#define CALLBRIDGE_HANDLER_CALL_H_

#include "callbridge/c_api/handler_call.h"

#endif  // CALLBRIDGE_HANDLER_CALL_H_
