// Functions of the Python interpreter in this process, which callbridge is not linked to.
#ifndef CALLBRIDGE_ABI_PYTHON_INTERPRETER_H_
#define CALLBRIDGE_ABI_PYTHON_INTERPRETER_H_

#include <dlfcn.h>

namespace callbridge {

// Returns Python's function of that name and type, or null: in a program without Python, with one
// that ld.so keeps from other libraries, and before and after it runs.
template <typename Function>
Function* PythonFunction(const char* name) {
  const auto is_initialized = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  if (is_initialized == nullptr || is_initialized() == 0) return nullptr;
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PYTHON_INTERPRETER_H_
