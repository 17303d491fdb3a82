// Everything that XLA's registration macros take, in one list, which is compiled against the
// genuine headers of TensorFlow 2.13.1 and against callbridge's. REGISTERED says what must come of
// it.
#ifndef CALLBRIDGE_TESTS_INCLUDE_EXPRESSIONS_H_
#define CALLBRIDGE_TESTS_INCLUDE_EXPRESSIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

// What cuda.h says of a stream.
typedef struct CUstream_st* CUstream;

namespace expressions {

inline void* Address(void* address) { return address; }
template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

//===------------------------------------------------------------------------------------------===//
// Functions
//===------------------------------------------------------------------------------------------===//

inline void original(void*, const void**) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(original, "Host");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("renamed", original);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("original for GPU", original, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("original for cpu", original, "cpu");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(std::string("made ") + "of two", original,
                                         std::string("Ho") + "st");

static void without_const(void*, void**) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(without_const);
static void all_const(void*, const void* const*) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(all_const);
static void nothrow(void*, const void**) noexcept {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(nothrow);

extern "C" inline void expressions_c_function(void*, const void**) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(expressions_c_function);

namespace {
void in_unnamed_namespace(void*, const void**, XlaCustomCallStatus*) {}
}  // namespace
XLA_REGISTER_CUSTOM_CALL_TARGET(in_unnamed_namespace, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(&in_unnamed_namespace, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(expressions::without_const, "Host");

struct Class {
  static void static_member(void*, void**, XlaCustomCallStatus*) {}
};
XLA_REGISTER_CUSTOM_CALL_TARGET(Class::static_member, "Host");

template <typename T>
void instantiated(void*, const void**) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("instantiated_f32", instantiated<float>);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("instantiated_f64", &instantiated<double>);
template <typename T, int n>
void instantiated_twice(void*, const void**) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("in parentheses", (instantiated_twice<float, 2>));

inline void overloaded(void*, const void**) {}
inline void overloaded(void*, const void**, XlaCustomCallStatus*) {}
using StatusReturning = void (*)(void*, const void**, XlaCustomCallStatus*);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("chosen", static_cast<StatusReturning>(overloaded));

static void unified(void*, const void**, const char*, size_t, XlaCustomCallStatus*) {}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(unified);
static void gpu_original(CUstream, void**, const char*, size_t) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_original, "CUDA");
static void gpu_status_returning(CUstream, void**, const char*, size_t, XlaCustomCallStatus*) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_status_returning, "ROCM");
static void gpu_void_stream(void*, void**, const char*, size_t, XlaCustomCallStatus*) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_void_stream, "CUDA");
static int another_type(int x) { return x; }
XLA_REGISTER_CUSTOM_CALL_TARGET(another_type, "Host");

//===------------------------------------------------------------------------------------------===//
// Values
//===------------------------------------------------------------------------------------------===//

static void (&reference)(void*, const void**) = original;
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(reference);
static void (*pointer)(void*, const void**) = &original;
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(pointer);
static void (*const constant_pointer)(void*, const void**) = &original;
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(constant_pointer);

static void* variable = reinterpret_cast<void*>(&original);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(variable);
static void* const constant = reinterpret_cast<void*>(&original);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(constant);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("cast", reinterpret_cast<void*>(original));
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("C cast", (void*)original);
inline void* find() { return variable; }
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("found", find());
static char code[16];
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(code);
static const uintptr_t number = 4096;
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(number);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("sum", number + 1);
enum Enumeration : uintptr_t { kEnumerator = 8192 };
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(kEnumerator);

static const auto lambda = [](void*, const void**) {};
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("lambda's function", +lambda);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(
    "lambda in place",
    +[](void* out, const void** in) { *static_cast<int*>(out) = *static_cast<const int*>(in[0]); });

inline void register_in_a_function() {
  XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("in a function", original);
}
static const bool ran = (register_in_a_function(), true);

//===------------------------------------------------------------------------------------------===//
// What must come of it
//===------------------------------------------------------------------------------------------===//

struct Registered {
  const char* symbol;
  const char* platform;
  void* address;    // null: not named elsewhere
  int api_version;  // where the macro shows the type
};

static const Registered kRegistered[] = {
    {"original", "Host", Address(&original), 1},
    {"renamed", "Host", Address(&original), 1},
    {"original for GPU", "CUDA", Address(&original), 0},
    {"original for cpu", "cpu", Address(&original), 1},
    {"made of two", "Host", Address(&original), 1},
    {"without_const", "Host", Address(&without_const), 1},
    {"all_const", "Host", Address(&all_const), 1},
    {"nothrow", "Host", Address(&nothrow), 1},
    {"expressions_c_function", "Host", Address(&expressions_c_function), 1},
    {"in_unnamed_namespace", "Host", Address(&in_unnamed_namespace), 2},
    {"&in_unnamed_namespace", "Host", Address(&in_unnamed_namespace), 2},
    {"expressions::without_const", "Host", Address(&without_const), 1},
    {"Class::static_member", "Host", Address(&Class::static_member), 2},
    {"instantiated_f32", "Host", Address(&instantiated<float>), 1},
    {"instantiated_f64", "Host", Address(&instantiated<double>), 1},
    {"in parentheses", "Host", Address(&instantiated_twice<float, 2>), 1},
    {"chosen", "Host", Address(static_cast<StatusReturning>(&overloaded)), 2},
    {"unified", "Host", Address(&unified), 3},
    {"gpu_original", "CUDA", Address(&gpu_original), 1},
    {"gpu_status_returning", "ROCM", Address(&gpu_status_returning), 2},
    {"gpu_void_stream", "CUDA", Address(&gpu_void_stream), 2},
    {"another_type", "Host", Address(&another_type), 0},
    {"reference", "Host", Address(&original), 1},
    {"pointer", "Host", Address(&original), 1},
    {"constant_pointer", "Host", Address(&original), 1},
    {"variable", "Host", Address(&original), 0},
    {"constant", "Host", Address(&original), 0},
    {"cast", "Host", Address(&original), 0},
    {"C cast", "Host", Address(&original), 0},
    {"found", "Host", Address(&original), 0},
    {"code", "Host", Address(&code), 0},
    {"number", "Host", reinterpret_cast<void*>(number), 0},
    {"sum", "Host", reinterpret_cast<void*>(number + 1), 0},
    {"kEnumerator", "Host", reinterpret_cast<void*>(kEnumerator), 0},
    {"lambda's function", "Host", Address(+lambda), 1},
    {"lambda in place", "Host", nullptr, 1},
    {"in a function", "Host", Address(&original), 1},
};

}  // namespace expressions

#endif  // CALLBRIDGE_TESTS_INCLUDE_EXPRESSIONS_H_
