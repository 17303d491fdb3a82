// The Python interpreter in this process, which callbridge is not linked to: its functions, and
// what it does around a fork.
#ifndef CALLBRIDGE_LOADER_PYTHON_INTERPRETER_H_
#define CALLBRIDGE_LOADER_PYTHON_INTERPRETER_H_

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

// Makes Python ready for a fork, as os.fork() does, if this process runs it: the fork has this
// thread alone, and would wait for ever for another that asked for the interpreter's lock.
// Functions that Python programs gave to os.register_at_fork() are called.
class PythonAtFork {
 public:
  PythonAtFork();
  // In the process that was forked.
  ~PythonAtFork();
  PythonAtFork(const PythonAtFork&) = delete;
  PythonAtFork& operator=(const PythonAtFork&) = delete;

  // In the fork, which keeps the lock, and never destroys this.
  void AfterForkInChild() const;

 private:
  void (*const release_)(int);  // null without Python
  int state_ = 0;               // PyGILState_STATE
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PYTHON_INTERPRETER_H_
