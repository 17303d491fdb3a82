#include "callbridge/loader/python_interpreter.h"

namespace callbridge {
namespace {

// Owns a Python object; null stands for an exception that was raised.
class Object {
 public:
  explicit Object(void* object) : object_(object) {}
  ~Object() { PythonFunction<void(void*)>("Py_DecRef")(object_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  void* get() const { return object_; }

 private:
  void* const object_;
};

template <typename... Arguments>
void* Call(const Object& object, const char* method, const char* format = nullptr,
           Arguments... arguments) {
  if (object.get() == nullptr) return nullptr;
  return PythonFunction<void*(void*, const char*, const char*, ...)>("PyObject_CallMethod")(
      object.get(), method, format, arguments...);
}

// JAX warns of each fork that the process makes: this one is over before it calls anything.
void BeforeForkWithoutWarnings() {
  const Object warnings(PythonFunction<void*(const char*)>("PyImport_ImportModule")("warnings"));
  const Object filters(Call(warnings, "catch_warnings"));
  const Object entered(Call(filters, "__enter__"));
  const Object ignoring(Call(warnings, "simplefilter", "s", "ignore"));
  PythonFunction<void()>("PyOS_BeforeFork")();
  const Object left(Call(filters, "__exit__", "sss", nullptr, nullptr, nullptr));  // thrice None
  PythonFunction<void()>("PyErr_Clear")();
}

}  // namespace

PythonAtFork::PythonAtFork() : release_(PythonFunction<void(int)>("PyGILState_Release")) {
  if (release_ == nullptr) return;
  state_ = PythonFunction<int()>("PyGILState_Ensure")();
  BeforeForkWithoutWarnings();
}

PythonAtFork::~PythonAtFork() {
  if (release_ == nullptr) return;
  PythonFunction<void()>("PyOS_AfterFork_Parent")();
  release_(state_);
}

void PythonAtFork::AfterForkInChild() const {
  if (release_ != nullptr) PythonFunction<void()>("PyOS_AfterFork_Child")();
}

}  // namespace callbridge
