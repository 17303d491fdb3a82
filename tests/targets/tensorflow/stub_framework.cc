// What old binaries are linked to in place of libtensorflow_framework.so.2. They use nothing of it,
// but it has copies of libstdc++'s string functions, to which they become bound.
#define STRING_FUNCTION(number, name)                                \
  extern "C" __attribute__((weak)) void f##number() __asm__(         \
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE" name); \
  extern "C" void f##number() {}

STRING_FUNCTION(1, "10_M_disposeEv")
STRING_FUNCTION(2, "10_M_replaceEmmPKcm")
STRING_FUNCTION(3, "12_M_constructEmc")
STRING_FUNCTION(4, "13_S_copy_charsEPcPKcS7_")
STRING_FUNCTION(5, "9_M_createERmm")
