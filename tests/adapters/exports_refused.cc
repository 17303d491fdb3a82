// What CALLBRIDGE_EXPORT refuses while compiling; tests/CMakeLists.txt compiles each case and looks
// for its sentence.
#include <memory>

#include "callbridge/export.h"

using callbridge::ExportOptions;

void original(void* out, const void** in);
void swapped(const void** in, void* out);
void no_custom_call(int);
struct Plan {};
struct Table {};
void planned(Plan& plan, void* out, const void** in);
std::unique_ptr<Plan> make_plan(const char* opaque, size_t opaque_len);
std::unique_ptr<Table> make_table(const char* opaque, size_t opaque_len);
Plan* make_raw(const char* opaque, size_t opaque_len);
std::unique_ptr<Plan> make_of_nothing();
extern "C" XLA_FFI_Error* Typed(XLA_FFI_CallFrame* frame);

CASE;
