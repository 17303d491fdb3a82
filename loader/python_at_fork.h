// What Python's interpreter does around a fork.
#ifndef CALLBRIDGE_LOADER_PYTHON_AT_FORK_H_
#define CALLBRIDGE_LOADER_PYTHON_AT_FORK_H_

namespace callbridge {

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

#endif  // CALLBRIDGE_LOADER_PYTHON_AT_FORK_H_
