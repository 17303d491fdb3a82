// The handler's declaration, as XLA_FFI_DEFINE_HANDLER_SYMBOL defines it.
#ifndef ADD_HANDLER_H_
#define ADD_HANDLER_H_

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

extern "C" XLA_FFI_Error* AddScaled(XLA_FFI_CallFrame* call_frame);

#endif  // ADD_HANDLER_H_
