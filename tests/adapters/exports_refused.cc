// What CALLBRIDGE_EXPORT refuses while compiling; tests/CMakeLists.txt compiles each case and looks
// for its sentence.
#include "callbridge/export.h"

using callbridge::ExportOptions;

void original(void* out, const void** in);
void swapped(const void** in, void* out);
void no_custom_call(int);
extern "C" XLA_FFI_Error* Typed(XLA_FFI_CallFrame* frame);

CASE;
